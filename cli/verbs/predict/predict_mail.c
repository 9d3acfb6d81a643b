/* SPDX-License-Identifier: MIT */
/* predict_mail.c - see predict.h. A mail filter: one message of standard input, with its class in a header field, or as the
 * exit code. */
#include "verbs/predict/predict.h"

#include "core/error_messages.h"
#include "core/mail_stream.h"
#include "core/messages.h"
#include "source/model_or_table.h"
#include "verbs/predict/mail_reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Exit codes of --exit-code, those of bogofilter; of more than two classes, the first has FIRST_CLASS. */
enum { IS_POSITIVE = 0, IS_OTHER = 1, IS_UNSURE = 2, FIRST_CLASS = 10, LAST_CLASS = 125 };

typedef struct mail_filter {
    const invocation *call;
    const crd_classifier *classifier;
    crd_rule *rule; /* NULL: none */
    crd_mail *mail;
    crd_value *values;
    double *log_posterior, *probabilities;
    crd_answer answer;
    crd_text decision;
    int32_t decided; /* the class; -1: none */
} mail_filter;

/* ---- The message as a row ---- */

static int fail_without_fields(const mail_filter *f) {
    string names = {0};
    for (size_t field = 0; crd_mail_field_name(field) != NULL; field++)
        string_add_listed(&names, field, crd_text_of(crd_mail_field_name(field)));
    message_failed("%s: the model has no column of mail: %s", f->call->arguments.operands[0], string_text(&names));
    message_hint("credence train --mail spam=FOLDER,ham=FOLDER -o MODEL makes one");
    string_free(&names);
    return ENDED_FAILED;
}

/* Attributes that are fields of mail have their texts; others are missing. */
static int predict_mail_fill_values(mail_filter *f) {
    const size_t count = crd_classifier_attribute_count(f->classifier);
    size_t found = 0;
    f->values = memory_resize(NULL, count, sizeof *f->values);
    for (size_t i = 0; i < count; i++) {
        const crd_text name = crd_classifier_attribute(f->classifier, i);
        f->values[i] = (crd_value){.kind = CRD_KIND_NONE};
        if (crd_classifier_kind(f->classifier, i) != CRD_KIND_TEXT) continue;
        for (size_t field = 0; crd_mail_field_name(field) != NULL; field++) {
            if (!crd_text_equal(name, crd_text_of(crd_mail_field_name(field)))) continue;
            const crd_text text = crd_mail_text(f->mail, (crd_mail_field)field);
            if (text.length > 0) f->values[i] = (crd_value){.kind = CRD_KIND_TEXT, .text = text};
            found++;
        }
    }
    return found > 0 ? ENDED_WELL : fail_without_fields(f);
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

static void predict_mail_decide(mail_filter *f) {
    f->decided = f->answer.decision;
    /* There is no rule if a class has the name that it would decide for. */
    const size_t classes = crd_classifier_class_count(f->classifier);
    if (f->rule == NULL && f->answer.tied == classes) f->decided = -1;
    f->decision = f->decided < 0 ? crd_text_of("unsure") : crd_classifier_class(f->classifier, (size_t)f->decided);
    if (f->rule == NULL || f->answer.decision < 0) return;
    crd_decision decision = CRD_DECISION_INIT;
    double *expected = memory_resize(NULL, crd_rule_action_count(f->rule), sizeof *expected);
    crd_rule_decide_probabilities(f->rule, f->log_posterior, f->probabilities, expected, &decision);
    free(expected);
    if (decision.action < 0) return;
    f->decided = crd_rule_action_class(f->rule, (size_t)decision.action);
    f->decision = crd_rule_action(f->rule, (size_t)decision.action);
}

static int predict_mail_classify(mail_filter *f, crd_text message) {
    crd_error error;
    const size_t classes = crd_classifier_class_count(f->classifier);
    if (crd_mail_parse(f->call->context, message.bytes, message.length, NULL, &f->mail, &error) != CRD_OK)
        return message_error_in(&error, "-");
    int ended = predict_mail_fill_values(f);
    if (ended != ENDED_WELL) return ended;
    f->log_posterior = memory_resize(NULL, 2 * classes, sizeof *f->log_posterior);
    f->probabilities = f->log_posterior + classes;
    if (crd_classifier_probabilities(f->classifier, f->values, f->log_posterior, f->probabilities, &f->answer,
                                     &error) != CRD_OK)
        return message_error_in(&error, "-");
    predict_mail_decide(f);
    return ENDED_WELL;
}

/* ---- The header field ---- */

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

/* ---- Learning ---- */

/* The message as a row of the class that was decided for. */
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

/* Learns the message, or forgets it again: loads the model that is there now, changes it and saves it, while no other command does. */
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

/* A message that then cannot be passed on will come again, and is forgotten until it does. */
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

/* The class whose exit code is 0; -1: classes are numbered. */
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
        message_failed("--exit-code: no class is called spam");
        message_hint("--exit-code=CLASS names the class that exits with 0");
        ended = ENDED_FAILED;
    }
    if (ended == ENDED_WELL && *positive < 0 && count > LAST_CLASS - FIRST_CLASS + 1) {
        message_failed("--exit-code: there are %zu classes, and exit codes for %d", count,
                       LAST_CLASS - FIRST_CLASS + 1);
        message_hint("--exit-code=CLASS is 0 for one of them");
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
    message_usage("--mail-header: '%s' is not the name of a field of your own", name);
    message_hint("choose a name that begins with X-, without spaces and colons");
    return ENDED_USAGE;
}

/* The rest of a text after its next empty line; nothing: there is none. */
static crd_text after_empty_line(crd_text text) {
    for (size_t i = 1; i < text.length; i++) {
        const size_t next = text.bytes[i] == '\r' ? i + 1 : i;
        if (text.bytes[i - 1] == '\n' && next < text.length && text.bytes[next] == '\n')
            return (crd_text){text.bytes + next + 1, text.length - next - 1};
    }
    return (crd_text){NULL, 0};
}

/* Whether a text begins with a line "From ..." of an mbox, and a header field after it. */
static bool begins_in_mbox(crd_text text) {
    if (text.length < 5 || memcmp(text.bytes, "From ", 5) != 0) return false;
    const char *line = memchr(text.bytes, '\n', text.length);
    if (line == NULL) return false;
    const char *end = text.bytes + text.length, *cursor = ++line;
    while (cursor<end && * cursor> ' ' && *cursor != ':') cursor++;
    return cursor > line && cursor < end && *cursor == ':';
}

/* The field of a filter is of one message. */
static void warn_of_mbox(crd_text message) {
    if (message_is_quiet() || !begins_in_mbox(message)) return;
    for (crd_text view = after_empty_line(message); view.length > 0; view = after_empty_line(view)) {
        if (!begins_in_mbox(view)) continue;
        message_warning(
            "standard input is an mbox with several messages, and a mail filter takes one: it is read as one");
        message_hint("for a row per message, give --format csv");
        return;
    }
}

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
    if (ended == ENDED_WELL) ended = model_or_table_open_to_answer(call, path, NULL, 0, &model);
    if (ended == ENDED_WELL && (crd_model_is_sequence(model) || crd_model_is_sequence_classes(model)))
        ended = message_failed("%s is a model of sequences, which messages are not", path);
    if (ended == ENDED_WELL) ended = model_or_table_classifier(call, model, &classifier);
    mail_filter f = {.call = call, .classifier = classifier};
    if (ended == ENDED_WELL) ended = predict_mail_filter(&f);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}
