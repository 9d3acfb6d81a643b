/* rule_options.c - see decision_rule.h. */
#include "source/rule_options.h"

#include "core/error_messages.h"
#include "core/fraction.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "source/data_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const rules[] = {"cost", "reject", "threshold"};
enum { RULES = sizeof rules / sizeof rules[0] };

/* Sums over so many classes are written out. */
enum { CLASSES_WRITTEN_OUT = 6 };

/* ---- Options ---- */

static int check_one_rule(const arguments *words) {
    const char *first = NULL;
    for (size_t i = 0; i < RULES; i++) {
        if (!arguments_have(words, rules[i])) continue;
        if (first == NULL) {
            first = rules[i];
            continue;
        }
        message_usage("--%s and --%s are two rules to decide by; choose one", first, rules[i]);
        if (strcmp(first, "cost") == 0 && strcmp(rules[i], "reject") == 0) {
            message_hint("under --cost, saying nothing is one more action: a column of the file with what it costs");
        }
        return ENDED_USAGE;
    }
    return ENDED_WELL;
}

const char *rule_file(const invocation *call) {
    const char *file = arguments_value(&call->arguments, "cost");
    return file == NULL ? "" : file;
}

int rule_check(const invocation *call) {
    const arguments *words = &call->arguments;
    const char *file = arguments_value(words, "cost"), *folds = arguments_value(words, "write-folds");
    int ended = check_one_rule(words);
    if (ended != ENDED_WELL || file == NULL) return ended;
    const char **inputs = memory_resize(NULL, words->operand_count + 1, sizeof *inputs);
    for (size_t i = 0; i < words->operand_count; i++) inputs[i] = words->operands[i];
    inputs[words->operand_count] = file;
    ended = data_check_standard_input(inputs, words->operand_count + 1);
    if (ended == ENDED_WELL) ended = output_check_inputs(call, &file, 1);
    if (ended == ENDED_WELL && folds != NULL) ended = output_check_path("write-folds", folds, &file, 1);
    free(inputs);
    return ended;
}

/* "[NAME=]P"; the name has no bytes where it is left out. */
static int read_probability(const char *name_of_option, const char *text, crd_text *name, double *least) {
    crd_text all = crd_text_of(text);
    *name = (crd_text){NULL, 0};
    bool is_number = fraction_parse(all, least) || fraction_assignment(all, name, least);
    if (is_number && *least > 0 && *least <= 1) return ENDED_WELL;
    return message_usage("--%s takes a probability above 0 and at most 1, such as 0.9, 9/10 or 90%%, not '%s'",
                         name_of_option, text);
}

static int read_reject(const invocation *call, const char *text, const crd_text *classes, size_t count,
                       crd_rule **out) {
    crd_text word;
    double least;
    crd_error error;
    int ended = read_probability("reject", text, &word, &least);
    if (ended != ENDED_WELL) return ended;
    if (word.bytes == NULL) word = crd_text_of("unsure");
    for (size_t i = 0; i < count; i++) {
        if (!crd_text_equal(classes[i], word)) continue;
        string shown = {0};
        string_add_shown(&shown, word);
        message_failed("--reject: a class is called '%s', so that nobody could tell it from the decision",
                       string_text(&shown));
        message_hint("--reject WORD=P says another word");
        string_free(&shown);
        return ENDED_FAILED;
    }
    if (crd_rule_create_reject(call->context, classes, count, least, word, out, &error) == CRD_OK) return ENDED_WELL;
    return message_error(&error);
}

static int read_threshold(const invocation *call, const char *text, const crd_text *classes, size_t count,
                          crd_rule **out) {
    crd_text name;
    double least;
    crd_error error;
    size_t positive = 1;
    int ended = read_probability("threshold", text, &name, &least);
    if (ended != ENDED_WELL) return ended;
    if (count != 2) {
        message_failed("--threshold is for two classes, and there %s %zu", count == 1 ? "is" : "are", count);
        message_hint("--cost weighs more of them, --reject P says nothing where none is probable");
        return ENDED_FAILED;
    }
    if (name.bytes != NULL) {
        for (positive = 0; positive < count && !crd_text_equal(classes[positive], name);) positive++;
        if (positive == count) return message_no_such("threshold", "class", name, classes, count);
    }
    if (crd_rule_create_threshold(call->context, classes, count, positive, least, out, &error) == CRD_OK) {
        return ENDED_WELL;
    }
    return message_error(&error);
}

int rule_read(const invocation *call, const crd_text *classes, size_t count, crd_rule **out) {
    const char *cost = arguments_value(&call->arguments, "cost");
    const char *reject = arguments_value(&call->arguments, "reject");
    const char *threshold = arguments_value(&call->arguments, "threshold");
    crd_error error;
    *out = NULL;
    if (cost != NULL) {
        if (crd_rule_read_costs(call->context, cost, classes, count, out, &error) == CRD_OK) return ENDED_WELL;
        int ended = message_error(&error);
        if (error.status == CRD_ERROR_COLUMN || error.status == CRD_ERROR_SYNTAX) {
            message_hint(
                "--cost takes a table: the actions name its columns behind the first, and each class has a row "
                "of costs");
        }
        return ended;
    }
    if (reject != NULL) return read_reject(call, reject, classes, count, out);
    return threshold == NULL ? ENDED_WELL : read_threshold(call, threshold, classes, count, out);
}

int rule_read_for(const invocation *call, const crd_classifier *classifier, crd_rule **out) {
    size_t count = crd_classifier_class_count(classifier);
    crd_text *classes = memory_resize(NULL, count, sizeof *classes);
    for (size_t i = 0; i < count; i++) classes[i] = crd_classifier_class(classifier, i);
    int ended = rule_read(call, classes, count, out);
    free(classes);
    return ended;
}

/* ---- Answers ---- */

void rule_write_json(json *j, const crd_rule *rule, const double *log_posterior, const double *probabilities,
                     double *expected) {
    crd_decision decision = CRD_DECISION_INIT;
    crd_rule_decide_probabilities(rule, log_posterior, probabilities, expected, &decision);
    json_key(j, "decision");
    if (decision.action < 0) json_null(j);
    else json_text(j, crd_rule_action(rule, (size_t)decision.action));
    if (crd_rule_is(rule) != CRD_RULE_COSTS) return;
    json_member_number(j, "expected_cost", decision.expected_cost);
    json_key(j, "costs");
    json_object(j);
    for (size_t a = 0; a < crd_rule_action_count(rule); a++) {
        json_key_text(j, crd_rule_action(rule, a));
        json_number(j, expected[a]);
    }
    json_end_object(j);
}

/* "0.3 × 0 + 0.7 × 10" */
static void add_sum(string *out, const crd_rule *rule, const double *probabilities, size_t action) {
    char room[ROUNDED_ROOM];
    for (size_t k = 0; k < crd_rule_class_count(rule); k++) {
        double cost = crd_rule_cost(rule, k, action);
        string_format(out, "%s%s", k == 0 ? "" : " + ", output_round(probabilities[k], room));
        string_format(out, cost < 0 ? " × (%s)" : " × %s", output_round(cost, room));
    }
}

static void print_costs(output *out, const crd_rule *rule, const double *probabilities, const double *expected) {
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, 3);
    table_omit_heading(t);
    table_align_left(t, 1);
    table_align_left(t, 2);
    for (size_t a = 0; a < crd_rule_action_count(rule); a++) {
        string sum = {0};
        if (crd_rule_class_count(rule) <= CLASSES_WRITTEN_OUT) add_sum(&sum, rule, probabilities, a);
        table_add_name(t, crd_rule_action(rule, a));
        table_add(t, string_text(&sum));
        table_add(t, output_round(expected[a], room));
        string_free(&sum);
    }
    output_heading(out, 3, "Expected cost", " of each action, posterior × cost over the classes");
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

/* Why the decision is what it is, behind its name. */
static void add_reason(string *out, const crd_rule *rule, const crd_classifier *classifier, const double *log_posterior,
                       const double *probabilities, const crd_decision *decision) {
    char room[ROUNDED_ROOM], least[ROUNDED_ROOM];
    output_round(crd_rule_least(rule), least);
    if (crd_rule_is(rule) == CRD_RULE_COSTS) {
        if (decision->tied > 1)
            string_format(out, ", the first of %lu actions that cost least", (unsigned long)decision->tied);
        else string_format(out, ", which costs least");
    } else if (crd_rule_is(rule) == CRD_RULE_REJECT) {
        double greatest = 0;
        bool is_impossible = true;
        for (size_t k = 0; k < crd_rule_class_count(rule); k++) {
            is_impossible = is_impossible && log_posterior[k] == -INFINITY;
            greatest = fmax(greatest, probabilities[k]);
        }
        bool answers = crd_rule_action_class(rule, (size_t)decision->action) >= 0;
        if (is_impossible) string_format(out, ", for every class is at zero");
        else
            string_format(out, ", for the greatest posterior %s is %s %s", output_round(greatest, room),
                          answers ? "at least" : "below", least);
    } else {
        size_t positive = (size_t)crd_rule_positive(rule);
        string_format(out, ", for P(");
        string_add_shown(out, crd_classifier_class(classifier, positive));
        string_format(out, " | x) = %s is %s %s", output_round(probabilities[positive], room),
                      decision->action == (int32_t)positive ? "at least" : "below", least);
    }
}

void rule_print(output *out, const crd_rule *rule, const crd_classifier *classifier, const double *log_posterior,
                const double *probabilities) {
    crd_decision decision = CRD_DECISION_INIT;
    double *expected = memory_resize(NULL, crd_rule_action_count(rule), sizeof *expected);
    crd_rule_decide_probabilities(rule, log_posterior, probabilities, expected, &decision);
    if (decision.action < 0) {
        output_paragraph(out, "Decision: none, for every class is at zero");
    } else {
        string name = {0}, reason = {0};
        string_add_shown(&name, crd_rule_action(rule, (size_t)decision.action));
        add_reason(&reason, rule, classifier, log_posterior, probabilities, &decision);
        if (crd_rule_is(rule) == CRD_RULE_COSTS) print_costs(out, rule, probabilities, expected);
        output_paragraph(out, "Decision: %s%s%s%s", output_style_code(out, STYLE_HEADING), string_text(&name),
                         output_style_code(out, STYLE_PLAIN), string_text(&reason));
        string_free(&name);
        string_free(&reason);
    }
    free(expected);
}

void rule_print_fit(output *out, double fit) {
    char room[ROUNDED_ROOM];
    output_paragraph(out, "Fit: %s of the model's own rows with these cells have evidence as low%s",
                     output_round(fit, room), fit < RULE_POOR_FIT ? ": the row fits no class" : "");
}
