/* SPDX-License-Identifier: MIT */
/* evaluate_decisions.c - the results of decisions by a rule: costs, coverage, and which action was chosen for which
 * class. */
#include "verbs/evaluate/evaluate_verb.h"

#include <math.h>
#include <stdlib.h>

static double decisions_sum_of_row(const crd_rule *rule, const crd_outcomes *outcomes, size_t truth) {
    double sum = 0;
    for (size_t a = 0; a <= rule->action_count; a++) sum += crd_outcomes_weight(outcomes, truth, a);
    return sum;
}

/* Returns whether a true class is shown: classes of the model always, other classes only if they have rows. */
static bool decisions_is_shown(const crd_rule *rule, const crd_outcomes *outcomes, size_t truth) {
    return truth < rule->class_count || decisions_sum_of_row(rule, outcomes, truth) > 0;
}

/* ---- Numbers ---- */

/* One measure of decisions: a member of JSON, a line of CSV, and a row of the table for people. Each of them is
 * omitted if its name is NULL. */
typedef struct measure {
    const char *key, *line, *title, *remark;
    crd_text text, named; /* the class and the action that the line is about */
    double value;
} measure;

static void decisions_add_measure(crd_result_table *totals, crd_result_table *lines, const measure *m) {
    const crd_text none = {"", 0};
    if (m->key != NULL) crd_result_number(totals->result, m->key, m->value);
    if (m->line != NULL) {
        evaluate_add_line(lines, m->line, m->text.bytes == NULL ? none : m->text,
                          m->named.bytes == NULL ? none : m->named, m->value);
    }
    if (m->title == NULL) return;
    crd_cell_words(totals, m->title);
    crd_cell_number(totals, m->value);
    crd_cell_words(totals, m->remark == NULL ? "" : m->remark);
}

/* Adds the mean cost of the decisions, of naming the most probable class, and of the best single action. */
static void decisions_add_costs(crd_result_table *totals, crd_result_table *lines, const crd_rule *rule,
                                const crd_outcome_totals *outcomes) {
    crd_result *r = totals->result;
    crd_text single = rule->actions[(size_t)outcomes->single_action];
    decisions_add_measure(totals, lines,
                          &(measure){.key = "cost", .line = "cost", .title = "mean cost", .value = outcomes->cost});
    decisions_add_measure(totals, lines,
                          &(measure){.key = "plain_cost",
                                     .line = "plain_cost",
                                     .title = "plain cost",
                                     .remark = isnan(outcomes->plain_cost) ? "some class is not an action"
                                                                           : "of predicting the most probable class",
                                     .value = outcomes->plain_cost});
    crd_result_text(r, "single_action", single);
    decisions_add_measure(
        totals, lines,
        &(measure){.key = "single_cost",
                   .line = "single_cost",
                   .title = "single cost",
                   .remark = crd_result_format(r, "of always choosing %s", crd_result_show(r, single)),
                   .named = single,
                   .value = outcomes->single_cost});
}

/* Adds the precision and recall of the class of a threshold. */
static void add_positive(crd_result_table *totals, crd_result_table *lines, const crd_rule *rule,
                         const crd_outcomes *outcomes) {
    crd_result *r = totals->result;
    size_t positive = (size_t)rule->positive;
    crd_text name = rule->actions[positive];
    const char *remark = crd_result_format(r, "of %s", crd_result_show(r, name));
    double named = 0, correct = crd_outcomes_weight(outcomes, positive, positive);
    for (size_t t = 0; t < crd_outcomes_truth_count(outcomes); t++) named += crd_outcomes_weight(outcomes, t, positive);
    crd_result_text(r, "class", name);
    measure precision = {.key = "precision", .line = "decision_precision", .title = "precision", .remark = remark};
    precision.text = name;
    precision.value = correct / named;
    decisions_add_measure(totals, lines, &precision);
    measure recall = {.key = "recall", .line = "decision_recall", .title = "recall", .remark = remark};
    recall.text = name;
    recall.value = correct / decisions_sum_of_row(rule, outcomes, positive);
    decisions_add_measure(totals, lines, &recall);
}

/* Reports the numbers of all decisions: costs if the rule has costs, else coverage and accuracy, and for a threshold
 * precision and recall. */
static void report_numbers_of(crd_result *r, crd_result_table *lines, const crd_rule *rule,
                              const crd_outcomes *outcomes, const crd_outcome_totals *outcome) {
    bool is_of_costs = rule->kind == CRD_RULE_COSTS, is_reject = rule->kind == CRD_RULE_REJECT;
    crd_result_table *totals = evaluate_add_totals(r);
    if (is_of_costs) decisions_add_costs(totals, lines, rule, outcome);
    else if (!isnan(rule->least)) crd_result_number(r, "threshold", rule->least);
    decisions_add_measure(totals, lines,
                          &(measure){.key = "coverage",
                                     .line = "coverage",
                                     .title = is_reject ? "coverage" : NULL,
                                     .remark = "of rows got a decision",
                                     .value = outcome->coverage});
    decisions_add_measure(totals, lines,
                          &(measure){.key = "accuracy",
                                     .line = "answered_accuracy",
                                     .title = is_of_costs ? NULL : "accuracy",
                                     .remark = !is_reject              ? ""
                                               : outcome->answered > 0 ? "of their decisions"
                                                                       : "there are none",
                                     .value = outcome->accuracy});
    if (rule->kind == CRD_RULE_THRESHOLD) add_positive(totals, lines, rule, outcomes);
}

/* ---- Actions ---- */

typedef struct decisions_decided {
    const crd_rule *rule;
    const crd_outcomes *outcomes;
} decisions_decided;

static double weight_of_truth(const void *user, size_t truth) {
    const decisions_decided *d = user;
    return decisions_sum_of_row(d->rule, d->outcomes, truth);
}

static double weight_of_action(const void *user, size_t action) {
    const decisions_decided *d = user;
    double sum = 0;
    for (size_t t = 0; t < crd_outcomes_truth_count(d->outcomes); t++)
        sum += crd_outcomes_weight(d->outcomes, t, action);
    return sum;
}

/* Shows a table of true classes and decisions. If there are many classes, those with the most rows are shown; if
 * there are many actions, those taken most often. */
static void show_actions(crd_result *r, const evaluated *e, bool undecided) {
    const decisions_decided d = {e->rule, e->outcomes};
    size_t actions = e->rule->action_count, hidden_truths, hidden_actions;
    size_t truths = crd_outcomes_truth_count(e->outcomes);
    bool *has_row = evaluate_find_shown(truths, e->all_classes, weight_of_truth, &d, &hidden_truths);
    bool *has_column = evaluate_find_shown(actions, e->all_classes, weight_of_action, &d, &hidden_actions);
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "");
    for (size_t a = 0; a < actions; a++)
        if (has_column[a]) crd_result_add_column(t, NULL, crd_result_show(r, e->rule->actions[a]));
    if (undecided) crd_result_add_column(t, NULL, "(none)");
    for (size_t truth = 0; truth < truths; truth++) {
        if (!has_row[truth] || !decisions_is_shown(e->rule, e->outcomes, truth)) continue;
        crd_cell_name(t, crd_outcomes_truth(e->outcomes, truth));
        for (size_t a = 0; a < actions + undecided; a++)
            if (a == actions || has_column[a]) crd_cell_count(t, crd_outcomes_weight(e->outcomes, truth, a));
    }
    if (hidden_truths > 0)
        crd_result_line(r, CRD_REMARK, "%zu classes with fewer rows are not shown; use --all-classes", hidden_truths);
    if (hidden_actions > 0)
        crd_result_line(r, CRD_REMARK, "%zu less frequent decisions are not shown; use --all-classes", hidden_actions);
    free(has_row);
    free(has_column);
}

/* Reports the weight of each decision for each true class, in JSON and CSV. */
static void report_actions(crd_result *r, crd_result_table *lines, const crd_rule *rule, const crd_outcomes *outcomes) {
    size_t actions = rule->action_count;
    crd_result_begin(r, CRD_SHORT_ARRAY, "actions");
    for (size_t a = 0; a < actions; a++) crd_result_text(r, NULL, rule->actions[a]);
    crd_result_end(r);
    crd_result_begin(r, CRD_ARRAY, "table");
    for (size_t truth = 0; truth < crd_outcomes_truth_count(outcomes); truth++) {
        if (!decisions_is_shown(rule, outcomes, truth)) continue;
        crd_text name = crd_outcomes_truth(outcomes, truth);
        crd_result_begin(r, CRD_SHORT_OBJECT, NULL);
        crd_result_text(r, "class", name);
        crd_result_begin(r, CRD_ARRAY, "rows");
        for (size_t a = 0; a < actions; a++) {
            double weight = crd_outcomes_weight(outcomes, truth, a);
            crd_result_number(r, NULL, weight);
            evaluate_add_line(lines, "decision", name, rule->actions[a], weight);
        }
        crd_result_end(r);
        crd_result_number(r, "undecided", crd_outcomes_weight(outcomes, truth, actions));
        crd_result_end(r);
    }
    crd_result_end(r);
}

/* ---- The rule ---- */

static const char *decisions_name(crd_rule_kind kind) {
    return kind == CRD_RULE_COSTS ? "cost" : kind == CRD_RULE_REJECT ? "reject" : "threshold";
}

static const char *decisions_describe(crd_result *r, const crd_rule *rule) {
    char buffer[CRD_NUMBER_ROOM];
    switch (rule->kind) {
    case CRD_RULE_COSTS: return "by expected cost";
    case CRD_RULE_REJECT:
        if (isnan(rule->least)) return "for the most probable class, unless all classes tie";
        return crd_result_format(r, "if a class has probability %s", crd_number_round(rule->least, buffer));
    case CRD_RULE_THRESHOLD: break;
    }
    return crd_result_format(r, "for %s if it has probability %s",
                             crd_result_show(r, rule->actions[(size_t)rule->positive]),
                             crd_number_round(rule->least, buffer));
}

/* Reports the decisions of a rule: the table of true classes and actions, and the measures of all decisions. */
void evaluate_report_decisions(crd_result *r, crd_result_table *lines, const evaluated *e) {
    const crd_rule *rule = e->rule;
    const crd_outcomes *outcomes = e->outcomes;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_outcomes_totals(outcomes, &totals);
    crd_result_heading(
        r, 2, "Decisions",
        crd_result_format(r, " %s: one row per true class, one column per decision", decisions_describe(r, rule)));
    show_actions(r, e, totals.undecided > 0);
    crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    crd_result_begin(r, CRD_OBJECT, "decisions");
    crd_result_words(r, "rule", decisions_name(rule->kind));
    report_numbers_of(r, lines, rule, outcomes, &totals);
    report_actions(r, lines, rule, outcomes);
    crd_result_end(r);
}
