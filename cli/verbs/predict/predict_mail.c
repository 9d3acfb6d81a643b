/* SPDX-License-Identifier: MIT */
/* predict_mail.c - the mail filter: passes on the message on standard input with its class in a header field, or
 * returns the
 * class as the exit code. See predict.h. */
#include "verbs/predict/predict.h"

#include "core/error_messages.h"
#include "core/mail_stream.h"
#include "core/messages.h"
#include "source/model_operand.h"
#include "verbs/predict/mail_reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The exit codes of --exit-code are those of bogofilter. With more than two classes, the first class has FIRST_CLASS.
 */
enum { IS_POSITIVE = 0, IS_OTHER = 1, IS_UNSURE = 2, FIRST_CLASS = 10, LAST_CLASS = 125 };

typedef struct mail_filter {
    const invocation *call;
    const crd_classifier *classifier;
    crd_rule *rule; /* NULL: no rule */
    crd_mail *mail;
    crd_value *values;
    double *log_posterior, *probabilities;
    crd_answer answer;
    crd_text decision;
    int32_t decided; /* the predicted class; -1: none */
} mail_filter;

/* ---- The message as a row ---- */

static int fail_without_fields(const mail_filter *f) {
    string names = {0};
    for (size_t field = 0; crd_mail_field_name(field) != NULL; field++)
        string_add_listed(&names, field, crd_text_of(crd_mail_field_name(field)));
    message_failed("%s: the model has no mail column: %s", f->call->arguments.operands[0], string_text(&names));
    message_hint("train one with credence train --mail spam=FOLDER,ham=FOLDER -o MODEL");
    string_free(&names);
    return ENDED_FAILED;
}

/* Sets the attributes that are mail fields to their texts. All others are missing. */
static int predict_mail_fill_values(mail_filter *f) {
    const size_t count = crd_classifier_attribute_count(f->classifier);
    size_t field_count = 0;
    f->values = memory_resize(NULL, count, sizeof *f->values);
    for (size_t i = 0; i < count; i++) {
        const crd_text name = crd_classifier_attribute(f->classifier, i);
        f->values[i] = (crd_value){.type = CRD_TYPE_NONE};
        if (crd_classifier_attribute_type(f->classifier, i) != CRD_TYPE_TEXT) continue;
        for (size_t field = 0; crd_mail_field_name(field) != NULL; field++) {
            if (!crd_text_equal(name, crd_text_of(crd_mail_field_name(field)))) continue;
            const crd_text text = crd_mail_text(f->mail, (crd_mail_field)field);
            if (text.length > 0) f->values[i] = (crd_value){.type = CRD_TYPE_TEXT, .text = text};
            field_count++;
        }
    }
    return field_count > 0 ? ENDED_WELL : fail_without_fields(f);
}

/* ---- The decision ---- */

static int read_rule(mail_filter *f) {
    const size_t count = crd_classifier_class_count(f->classifier);
    crd_text *classes = memory_resize(NULL, count, sizeof *classes);
    for (size_t i = 0; i < count; i++) classes[i] = crd_classifier_class(f->classifier, i);
    const int ended = rule_read_for_mail(f->call, classes, count, &f->rule);
    free(classes);
    return ended;
}

/* Determines the predicted class, by the rule if there is one. The decision is "unsure" if there is none. */
static void predict_mail_decide(mail_filter *f) {
    f->decided = f->answer.decision;
    /* The rule is missing if a class has the name of its decision. Then a tie of all classes is unsure. */
    const size_t classes = crd_classifier_class_count(f->classifier);
    if (f->rule == NULL && f->answer.tied == classes) f->decided = -1;
    f->decision = f->decided < 0 ? crd_text_of("unsure") : crd_classifier_class(f->classifier, (size_t)f->decided);
    if (f->rule == NULL || f->answer.decision < 0) return;
    crd_decision decision = CRD_DECISION_INIT;
    double *expected = memory_resize(NULL, f->rule->action_count, sizeof *expected);
    crd_rule_decide_probabilities(f->rule, f->log_posterior, f->probabilities, expected, &decision);
    free(expected);
    if (decision.action < 0) return;
    f->decided = f->rule->action_classes[(size_t)decision.action];
    f->decision = f->rule->actions[(size_t)decision.action];
}

/* Parses the message and predicts its class. */
static int predict_mail_classify(mail_filter *f, crd_text message) {
    crd_error error;
    const size_t classes = crd_classifier_class_count(f->classifier);
    if (crd_mail_parse(f->call->context, message.bytes, message.length, NULL, &f->mail, &error) != CRD_OK)
        return message_error_in(&error, "-");
    int ended = predict_mail_fill_values(f);
    if (ended != ENDED_WELL) return ended;
    f->log_posterior = memory_resize(NULL, 2 * classes, sizeof *f->log_posterior);
    f->probabilities = f->log_posterior + classes;
    if (crd_classifier_posterior(f->classifier, f->values, f->log_posterior, f->probabilities, &f->answer, &error) !=
        CRD_OK)
        return message_error_in(&error, "-");
    predict_mail_decide(f);
    return ENDED_WELL;
}

/* ---- The header field ---- */

/* Writes the message to standard output with the header field. */
static int predict_mail_pass_on(const mail_filter *f) {
    crd_mail_decision d = CRD_MAIL_DECISION_INIT;
    const char *field_name = arguments_value(&f->call->arguments, "mail-header");
    mail_reasons reasons = {.count = 0};
    crd_error error;
    char *header = NULL;
    size_t length = 0;
    const int32_t top = f->answer.decision;
    d.decision = f->decision;
    if (field_name != NULL) d.field_name = crd_text_of(field_name);
    d.probability = NAN;
    if (top >= 0) {
        d.probability = f->probabilities[top];
        if (top != f->decided) d.top_class = crd_classifier_class(f->classifier, (size_t)top);
        mail_reasons_find(f->classifier, f->values, f->probabilities, (size_t)top, &reasons);
        d.reasons = reasons.items;
        d.reason_count = reasons.count;
    }
    int ended =
        crd_mail_header(f->call->context, &d, &header, &length, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
    if (ended == ENDED_WELL) ended = mail_stream_pass(f->call->context, (crd_text){header, length});
    crd_free(f->call->context, header);
    mail_reasons_free(&reasons);
    return ended;
}

/* ---- Training ---- */

/* Creates a frame with the message as a row of the predicted class. */
static crd_status make_row(const mail_filter *f, crd_text target, crd_text texts[CRD_MAIL_FIELD_COUNT], crd_text *class,
                           crd_frame **out, crd_error *error) {
    *class = crd_classifier_class(f->classifier, (size_t)f->decided);
    crd_status status = crd_frame_create(f->call->context, 1, out, error);
    if (status == CRD_OK) status = crd_frame_add_texts(*out, target, class, error);
    for (size_t i = 0; status == CRD_OK && i < CRD_MAIL_FIELD_COUNT; i++) {
        texts[i] = crd_mail_text(f->mail, (crd_mail_field)i);
        status = crd_frame_add_documents(*out, crd_text_of(crd_mail_field_name(i)), &texts[i], error);
    }
    return status;
}

/* Adds the message to the model, or removes it. Locks the model file, so no other command changes it between
 * loading and
 * saving. */
static int change_model(const mail_filter *f,
                        crd_status (*apply)(crd_model *model, const crd_frame *frame, crd_error *error)) {
    const char *path = f->call->arguments.operands[0];
    crd_model_lock *lock = NULL;
    crd_model *model = NULL;
    crd_frame *row = NULL;
    crd_error error;
    crd_text texts[CRD_MAIL_FIELD_COUNT], class;
    crd_status status = crd_model_lock_take(f->call->context, path, &lock, &error);
    if (status == CRD_OK) status = crd_model_load(f->call->context, path, &model, &error);
    if (status == CRD_OK) status = make_row(f, crd_model_target(model), texts, &class, &row, &error);
    if (status == CRD_OK) status = apply(model, row, &error);
    if (status == CRD_OK) status = crd_model_fit(model, &error);
    if (status == CRD_OK) status = crd_model_save(model, path, &error);
    crd_frame_destroy(row);
    crd_model_destroy(model);
    crd_model_lock_release(lock);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Trains the model if --learn is given, then passes on the message or returns the exit code. If a message cannot be
 * passed
 * on, it will be delivered again, so it is removed from the model. */
static int predict_mail_answer(const mail_filter *f, int (*end)(const mail_filter *f, int32_t positive),
                               int32_t positive) {
    const bool learns = arguments_have(&f->call->arguments, "learn") && f->decided >= 0;
    int ended = learns ? change_model(f, crd_model_update) : ENDED_WELL;
    if (ended == ENDED_WELL && end != NULL) return end(f, positive);
    if (ended == ENDED_WELL) ended = predict_mail_pass_on(f);
    else return ended;
    if (ended != ENDED_WELL && learns) (void)change_model(f, crd_model_forget);
    return ended;
}

/* ---- The exit code ---- */

/* Finds the class with exit code 0. Sets *positive to -1 if the classes are numbered. */
static int find_positive(const mail_filter *f, int32_t *positive) {
    const char *named = arguments_value(&f->call->arguments, "exit-code");
    const size_t count = crd_classifier_class_count(f->classifier);
    crd_text *classes = memory_resize(NULL, count, sizeof *classes);
    const crd_text name = crd_text_of(named[0] != '\0' ? named : "spam");
    int ended = ENDED_WELL;
    *positive = -1;
    for (size_t i = 0; i < count; i++) {
        classes[i] = crd_classifier_class(f->classifier, i);
        const bool is_spam = named[0] == '\0' && classes[i].length == name.length &&
                             strncasecmp(classes[i].bytes, name.bytes, name.length) == 0;
        if (is_spam || crd_text_equal(classes[i], name)) *positive = (int32_t)i;
    }
    if (named[0] != '\0' && *positive < 0) ended = message_no_such("exit-code", "class", name, classes, count);
    if (named[0] == '\0' && count > 2) *positive = -1;
    if (named[0] == '\0' && count == 2 && *positive < 0) {
        message_failed("--exit-code: the model has no class spam");
        message_hint("name the class for exit code 0: --exit-code=CLASS");
        ended = ENDED_FAILED;
    }
    if (ended == ENDED_WELL && *positive < 0 && count > LAST_CLASS - FIRST_CLASS + 1) {
        message_failed("--exit-code: %zu classes, but only %d exit codes", count, LAST_CLASS - FIRST_CLASS + 1);
        message_hint("choose the class for exit code 0: --exit-code=CLASS");
        ended = ENDED_FAILED;
    }
    free(classes);
    return ended;
}

static int end_with_code(const mail_filter *f, int32_t positive) {
    mail_stream_settle();
    if (f->decided < 0) return IS_UNSURE;
    if (positive < 0) return FIRST_CLASS + f->decided;
    return f->decided == positive ? IS_POSITIVE : IS_OTHER;
}

static int check_field_name(const invocation *call) {
    const char *name = arguments_value(&call->arguments, "mail-header");
    if (name == NULL || crd_mail_is_field_name(crd_text_of(name))) return ENDED_WELL;
    message_usage("--mail-header: '%s' is not a valid name for a new header field", name);
    message_hint("choose a name that begins with X-, without spaces and colons");
    return ENDED_USAGE;
}

/* Returns the text after the next empty line. Returns an empty text if there is no empty line. */
static crd_text after_empty_line(crd_text text) {
    for (size_t i = 1; i < text.length; i++) {
        const size_t next = text.bytes[i] == '\r' ? i + 1 : i;
        if (text.bytes[i - 1] == '\n' && next < text.length && text.bytes[next] == '\n')
            return (crd_text){text.bytes + next + 1, text.length - next - 1};
    }
    return (crd_text){NULL, 0};
}

/* Returns whether a text begins with a "From ..." line of an mbox, followed by a header field. */
static bool begins_in_mbox(crd_text text) {
    if (text.length < 5 || memcmp(text.bytes, "From ", 5) != 0) return false;
    const char *line = memchr(text.bytes, '\n', text.length);
    if (line == NULL) return false;
    const char *end = text.bytes + text.length, *cursor = ++line;
    while (cursor<end && * cursor> ' ' && *cursor != ':') cursor++;
    return cursor > line && cursor < end && *cursor == ':';
}

/* Warns if the input is an mbox with several messages, because the filter adds one header field for one message. */
static void warn_of_mbox(crd_text message) {
    if (message_is_quiet() || !begins_in_mbox(message)) return;
    for (crd_text view = after_empty_line(message); view.length > 0; view = after_empty_line(view)) {
        if (!begins_in_mbox(view)) continue;
        message_warning(
            "standard input is an mbox with several messages, but a mail filter expects one: it is read as one");
        message_hint("for one row per message, use --format csv");
        return;
    }
}

/* Reads the message, predicts its class, and ends with the header field or the exit code. */
static int predict_mail_filter(mail_filter *f) {
    const bool is_code = arguments_have(&f->call->arguments, "exit-code");
    int32_t positive = -1;
    crd_text message;
    int ended = mail_stream_read(&message);
    if (ended == ENDED_WELL) ended = read_rule(f);
    if (ended == ENDED_WELL && is_code) ended = find_positive(f, &positive);
    if (ended == ENDED_WELL) ended = predict_mail_classify(f, message);
    if (ended == ENDED_WELL) warn_of_mbox(message);
    if (ended == ENDED_WELL) ended = predict_mail_answer(f, is_code ? end_with_code : NULL, positive);
    crd_mail_destroy(f->mail);
    crd_rule_destroy(f->rule);
    free(f->values);
    free(f->log_posterior);
    return ended;
}

int predict_filter(const invocation *call) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    int ended = check_field_name(call);
    if (ended == ENDED_WELL) ended = model_operand_open_to_answer(call, path, NULL, 0, &model);
    if (ended == ENDED_WELL && (crd_model_is_sequence(model) || crd_model_sequence_classes(model) != NULL))
        ended = message_failed("%s is a sequence model, which cannot classify messages", path);
    if (ended == ENDED_WELL) ended = model_operand_classifier(call, model, &classifier);
    mail_filter f = {.call = call, .classifier = classifier};
    if (ended == ENDED_WELL) ended = predict_mail_filter(&f);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}
