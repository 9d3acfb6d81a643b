/* SPDX-License-Identifier: MIT */
/* explain_what_if.c - see explain_what_if.h. */
#include "verbs/explain/explain_what_if.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "verbs/explain/explain_row.h"

#include <math.h>
#include <stdlib.h>

/* An expected information gain below this limit, in bits, is treated as zero. */
static const double NOTHING = 5e-5;

int what_if_open(const crd_model *model, const crd_classifier *classifier, const crd_rule *rule, bool all,
                 what_if *out) {
    size_t attributes = crd_classifier_attribute_count(classifier);
    crd_error error;
    *out = (what_if){.classifier = classifier, .rule = rule, .all = all};
    out->changes = memory_resize(NULL, attributes, sizeof *out->changes);
    out->gain = memory_resize(NULL, attributes, sizeof *out->gain);
    out->changes[0].size = sizeof *out->changes;
    out->gain[0].size = sizeof *out->gain;
    if (crd_what_if_create(model, classifier, &out->what_if, &error) != CRD_OK) return message_error(&error);
    return ENDED_WELL;
}

void what_if_close(what_if *w) {
    crd_what_if_destroy(w->what_if);
    free(w->changes);
    free(w->gain);
    *w = (what_if){0};
}

/* Computes the counterfactuals and the information gain for a row. */
static int explain_what_if_ask(what_if *w, const crd_value *values) {
    crd_error error;
    w->change_search = (crd_counterfactual_search)CRD_COUNTERFACTUAL_SEARCH_INIT;
    w->change_search.rule = w->rule;
    w->change_search.is_thorough = w->all;
    w->told_search = (crd_information_gain_search)CRD_INFORMATION_GAIN_SEARCH_INIT;
    w->told_search.is_thorough = w->all;
    if (crd_what_if_counterfactuals(w->what_if, values, &w->change_search, w->changes, &w->change_count, &error) !=
            CRD_OK ||
        crd_what_if_information_gain(w->what_if, values, &w->told_search, w->gain, &w->told_count, &error) != CRD_OK) {
        return message_error(&error);
    }
    return ENDED_WELL;
}

/* Returns the predicted class after the change, or the action of the rule. */
static crd_text explain_what_if_decided(const what_if *w, const crd_counterfactual *change) {
    size_t decision = (size_t)change->decision;
    return w->rule == NULL ? crd_classifier_class(w->classifier, decision) : w->rule->actions[decision];
}

/* ---- The report ---- */

/* Adds a number that flips the decision, with as few digits as the distance from `start` requires. The number is
 * rounded
 * away from `start`, because a number rounded towards it might not flip the decision. */
static void add_rounded_away(string *out, double start, double upper) {
    enum { LEAST_DIGITS = 5, MOST_DIGITS = 16 };
    static const double TOLERANCE = .01;
    char buffer[CRD_NUMBER_ROOM];
    for (int digits = LEAST_DIGITS; digits <= MOST_DIGITS && upper != 0; digits++) {
        double rounded = 0, unit = pow(10, floor(log10(fabs(upper))) - digits + 1);
        for (int nudge = 0; nudge < 2; nudge++) {
            snprintf(buffer, sizeof buffer, "%.*e", digits - 1,
                     nudge == 0 ? upper : rounded + (upper > start ? unit : -unit));
            crd_number_parse(crd_text_of(buffer), &rounded);
            if (upper > start ? rounded >= upper : rounded <= upper) break;
        }
        if (fabs(rounded - upper) > TOLERANCE * fabs(upper - start)) continue;
        upper = rounded;
        break;
    }
    string_add_number(out, upper);
}

/* Adds a change of a value, such as "3 → 4.5". */
static void add_way(string *out, const crd_value *source_value, const crd_counterfactual *change) {
    double number = source_value->number;
    explain_add_value(out, source_value);
    string_format(out, " → ");
    if (change->value.type == CRD_TYPE_CATEGORICAL) {
        string_add_shown(out, change->value.text);
        return;
    }
    if (source_value->type == CRD_TYPE_CATEGORICAL) crd_number_parse(source_value->text, &number);
    add_rounded_away(out, number, change->value.number);
}

static const char *what_flips(const what_if *w) {
    return w->rule == NULL ? "prediction" : "decision";
}

/* Adds how many values were tried, unless all of them were. */
static void add_tried(string *out, const what_if *w) {
    const crd_counterfactual_search *search = &w->change_search;
    if (search->looked_at == search->present) return;
    string_format(out, ", among the %zu of %zu values with the largest weights", search->looked_at, search->present);
}

/* Reports the smallest counterfactual in a sentence. */
static void report_smallest(crd_result *r, const what_if *w, const crd_value *values) {
    char buffer[CRD_NUMBER_ROOM];
    string way = {0}, tried = {0};
    add_tried(&tried, w);
    const char *among = report_take(r, &tried);
    if (w->change_count == 0) {
        if (w->change_search.looked_at > 0)
            crd_result_line(r, CRD_PARAGRAPH, "No counterfactual: no single value%s%s changes the %s.", among,
                            among[0] == '\0' ? "" : ",", what_flips(w));
        return;
    }
    const crd_counterfactual *change = &w->changes[0];
    bool is_number = change->value.type == CRD_TYPE_NUMERIC;
    add_way(&way, &values[change->attribute], change);
    if (is_number) string_format(&way, ", %s deviations away", crd_number_round(change->deviations, buffer));
    bool is_likely = !is_number && !isnan(change->probability);
    crd_result_line(r, CRD_PARAGRAPH, "Counterfactual, the smallest change that flips the %s%s: %s %s; then %s%s",
                    what_flips(w), among,
                    crd_result_show(r, crd_classifier_attribute(w->classifier, change->attribute)),
                    report_take(r, &way), crd_result_show(r, explain_what_if_decided(w, change)),
                    is_likely ? crd_result_format(r, " (%s)", crd_number_round(change->probability, buffer)) : "");
}

/* Reports all counterfactuals in JSON. The text report lists them with --all, and otherwise only the smallest one. */
static void report_changes(crd_result *r, const what_if *w, const crd_value *values) {
    bool is_seen = w->all && w->change_count > 0;
    if (is_seen) crd_result_heading(r, 3, "Counterfactuals: single values that change the ", what_flips(w));
    crd_result_table *t = crd_result_add_table(r, "changes");
    crd_result_add_column(t, "attribute", is_seen ? "" : NULL);
    crd_result_add_column(t, "value", is_seen ? "change" : NULL)->is_left = true;
    crd_result_add_column(t, "deviations", is_seen ? "deviations" : NULL);
    crd_result_add_column(t, w->rule == NULL ? "prediction" : "decision", is_seen ? "then" : NULL)->is_left = true;
    crd_result_add_column(t, "probability", is_seen ? "probability" : NULL);
    for (size_t i = 0; i < w->change_count; i++) {
        const crd_counterfactual *change = &w->changes[i];
        string way = {0};
        add_way(&way, &values[change->attribute], change);
        crd_cell_name(t, crd_classifier_attribute(w->classifier, change->attribute));
        if (change->value.type == CRD_TYPE_NUMERIC) crd_cell_number(t, change->value.number);
        else crd_cell_name(t, change->value.text);
        crd_cell_show_as(t, report_take(r, &way), NULL);
        crd_cell_number(t, change->deviations);
        crd_cell_name(t, explain_what_if_decided(w, change));
        crd_cell_number(t, change->probability);
    }
    if (!is_seen) report_smallest(r, w, values);
}

/* Reports the expected information gain of missing values. */
static void report_information(crd_result *r, const what_if *w) {
    char bits[CRD_NUMBER_ROOM], open[CRD_NUMBER_ROOM];
    const crd_information_gain_search *search = &w->told_search;
    bool is_told = w->told_count > 0 && w->gain[0].bits >= NOTHING, is_seen = is_told && w->all;
    crd_number_round(search->uncertainty, open);
    if (is_seen)
        crd_result_heading(r, 3, "Expected information gain of missing values",
                           crd_result_format(r, ", in bits; the uncertainty is %s", open));
    crd_result_table *t = crd_result_add_table(r, "missing");
    t->is_headed = false;
    crd_result_add_column(t, "attribute", is_seen ? "" : NULL);
    crd_result_add_column(t, "bits", is_seen ? "" : NULL);
    for (size_t i = 0; i < w->told_count; i++) {
        crd_cell_name(t, crd_classifier_attribute(w->classifier, w->gain[i].attribute));
        crd_cell_number(t, w->gain[i].bits);
    }
    if (w->told_count > 0 && !is_told)
        crd_result_line(r, CRD_PARAGRAPH, "No missing value has any expected information gain.");
    if (!is_told || is_seen) return;
    const char *among = search->looked_at == search->missing
                            ? ""
                            : crd_result_format(r, "the %zu of %zu most relevant ", search->looked_at, search->missing);
    crd_result_line(r, CRD_PARAGRAPH,
                    "Expected information gain: among %smissing values the maximum is %s, %s of %s bits", among,
                    crd_result_show(r, crd_classifier_attribute(w->classifier, w->gain[0].attribute)),
                    crd_number_round(w->gain[0].bits, bits), open);
}

int what_if_report(crd_result *r, what_if *w, const crd_value *values) {
    int ended = explain_what_if_ask(w, values);
    if (ended != ENDED_WELL) return ended;
    report_changes(r, w, values);
    crd_result_number(r, "changes_tried", (double)w->change_search.looked_at);
    crd_result_number(r, "uncertainty", w->told_search.uncertainty);
    report_information(r, w);
    return ENDED_WELL;
}
