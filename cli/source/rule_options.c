/* SPDX-License-Identifier: MIT */
/* rule_options.c - see rule_options.h. */
#include "source/rule_options.h"

#include "core/error_messages.h"
#include "core/fraction.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/text_table.h"
#include "source/class_warnings.h"
#include "source/data_input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

const char *rule_file(const invocation *call) {
    const char *file = arguments_value(&call->arguments, "cost");
    return file == NULL ? "" : file;
}

/* Parses "[NAME=]P". The name has NULL bytes if it is omitted. */
static int rule_options_read_probability(const char *name_of_option, const char *text, crd_text *name, double *least) {
    crd_text all = crd_text_of(text);
    *name = (crd_text){NULL, 0};
    bool is_number = fraction_parse(all, least) || fraction_assignment(all, name, least);
    if (is_number && *least > 0 && *least <= 1) return ENDED_WELL;
    return message_usage("--%s: expected a probability above 0 and at most 1, such as 0.9, 9/10 or 90%%, got '%s'",
                         name_of_option, text);
}

/* Reads --reject [WORD=]P: abstain with WORD if no class has a probability of at least P (Chow 1970). */
static int read_reject(const invocation *call, const char *text, const crd_text *classes, size_t count,
                       crd_rule **out) {
    crd_text word;
    double least;
    crd_error error;
    int ended = rule_options_read_probability("reject", text, &word, &least);
    if (ended != ENDED_WELL) return ended;
    if (word.bytes == NULL) word = crd_text_of("unsure");
    if (memchr(word.bytes, '=', word.length) != NULL || memchr(word.bytes, ',', word.length) != NULL) {
        message_usage("--reject: expected one probability for all classes, such as 0.9 or WORD=0.9, got '%s'", text);
        message_hint("for a separate limit for each class, use --cost FILE: a table of the costs of all decisions, "
                     "including 'unsure'");
        return ENDED_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        if (!crd_text_equal(classes[i], word)) continue;
        string shown = {0};
        string_add_shown(&shown, word);
        message_failed("--reject: a class has the name '%s' too, so the decision would be ambiguous",
                       string_text(&shown));
        message_hint("use --reject WORD=P to choose another word");
        string_free(&shown);
        return ENDED_FAILED;
    }
    if (crd_rule_create_reject(call->context, classes, count, least, word, out, &error) == CRD_OK) return ENDED_WELL;
    return message_error(&error);
}

/* Reads --threshold [CLASS=]P for two classes. Without a name, CLASS is the second class. */
static int read_threshold(const invocation *call, const char *text, const crd_text *classes, size_t count,
                          crd_rule **out) {
    crd_text name;
    double least;
    crd_error error;
    size_t positive = 1;
    int ended = rule_options_read_probability("threshold", text, &name, &least);
    if (ended != ENDED_WELL) return ended;
    if (count != 2) {
        message_failed("--threshold needs two classes, but there %s %zu", count == 1 ? "is" : "are", count);
        message_hint("for more classes, use --cost FILE, or --reject P to abstain if no class is probable");
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
            message_hint("--cost needs a table: its header names the actions after the first column, and each class "
                         "has a row of costs");
        }
        return ended;
    }
    if (reject != NULL) return read_reject(call, reject, classes, count, out);
    return threshold == NULL ? ENDED_WELL : read_threshold(call, threshold, classes, count, out);
}

int rule_read_for_mail(const invocation *call, const crd_text *classes, size_t count, crd_rule **out) {
    const crd_text unsure = crd_text_of("unsure");
    crd_error error;
    int ended = rule_read(call, classes, count, out);
    if (ended != ENDED_WELL || (*out != NULL && count != 1)) return ended;
    for (size_t i = 0; i < count; i++)
        if (crd_text_equal(classes[i], unsure)) return ENDED_WELL;
    if (count == 1) class_warnings_report_only_mail(classes[0]);
    crd_rule_destroy(*out);
    if (crd_rule_create_untied(call->context, classes, count, unsure, out, &error) == CRD_OK) return ENDED_WELL;
    return message_error(&error);
}

int rule_read_for(const invocation *call, const crd_classifier *classifier, crd_rule **out) {
    size_t count = crd_classifier_class_count(classifier);
    crd_text *classes = memory_resize(NULL, count, sizeof *classes);
    for (size_t i = 0; i < count; i++) classes[i] = crd_classifier_class(classifier, i);
    int ended = rule_read(call, classes, count, out);
    free(classes);
    return ended;
}
