/* SPDX-License-Identifier: MIT */
/* explain_decision.c - see explain_decision.h. */
#include "verbs/explain/explain_decision.h"

#include "source/rule_options.h"

#include <math.h>
#include <stdlib.h>

/* With at most this many classes, the sum of an expected cost is written out. */
enum { CLASSES_WRITTEN_OUT = 6 };

/* Adds the expected cost of an action as a sum over the classes, such as "0.3 × 0 + 0.7 × 10". */
static void explain_decision_add_sum(string *out, const crd_rule *rule, const double *probabilities, size_t action) {
    char buffer[CRD_NUMBER_ROOM];
    for (size_t k = 0; k < rule->class_count; k++) {
        double cost = crd_rule_cost(rule, k, action);
        string_format(out, "%s%s", k == 0 ? "" : " + ", crd_number_round(probabilities[k], buffer));
        string_format(out, cost < 0 ? " × (%s)" : " × %s", crd_number_round(cost, buffer));
    }
}

/* Reports the expected cost of each action, sum_k P(class k | x) cost(k, action). */
static void report_costs(crd_result *r, const crd_rule *rule, const double *probabilities, const double *expected) {
    crd_result_heading(r, 3, "Expected cost", " of each action, posterior × cost over the classes");
    crd_result_table *t = crd_result_add_table(r, "costs");
    t->shape = CRD_TABLE_MAP;
    t->is_headed = false;
    crd_result_add_column(t, "action", "");
    crd_result_add_column(t, NULL, "")->is_left = true;
    crd_result_add_column(t, "cost", "")->is_left = true;
    for (size_t a = 0; a < rule->action_count; a++) {
        string sum = {0};
        if (rule->class_count <= CLASSES_WRITTEN_OUT) explain_decision_add_sum(&sum, rule, probabilities, a);
        crd_cell_name(t, rule->actions[a]);
        crd_cell_words(t, report_take(r, &sum));
        crd_cell_number(t, expected[a]);
    }
}

/* Adds the reason for the decision, which follows the name of the action. */
static void explain_decision_add_reason(string *out, const crd_rule *rule, const crd_classifier *classifier,
                                        const double *log_posterior, const double *probabilities,
                                        const crd_decision *decision) {
    char buffer[CRD_NUMBER_ROOM], least[CRD_NUMBER_ROOM];
    crd_number_round(rule->least, least);
    if (rule->kind == CRD_RULE_COSTS) {
        if (decision->tied > 1)
            string_format(out, ", the first of %lu actions with minimum cost", (unsigned long)decision->tied);
        else string_format(out, ", which has minimum cost");
    } else if (rule->kind == CRD_RULE_REJECT) {
        double greatest = 0;
        bool is_impossible = true;
        for (size_t k = 0; k < rule->class_count; k++) {
            is_impossible = is_impossible && log_posterior[k] == -INFINITY;
            greatest = fmax(greatest, probabilities[k]);
        }
        bool answers = rule->action_classes[(size_t)decision->action] >= 0;
        if (is_impossible) string_format(out, ", because every class has probability 0");
        else
            string_format(out, ", because the largest posterior %s is %s %s", crd_number_round(greatest, buffer),
                          answers ? "at least" : "below", least);
    } else {
        size_t positive = (size_t)rule->positive;
        string_format(out, ", because P(");
        string_add_shown(out, crd_classifier_class(classifier, positive));
        string_format(out, " | x) = %s is %s %s", crd_number_round(probabilities[positive], buffer),
                      decision->action == (int32_t)positive ? "at least" : "below", least);
    }
}

void decision_report(crd_result *r, const crd_rule *rule, const crd_classifier *classifier, const double *log_posterior,
                     const double *probabilities) {
    crd_decision decision = CRD_DECISION_INIT;
    double *expected = memory_resize(NULL, rule->action_count, sizeof *expected);
    bool has_costs = rule->kind == CRD_RULE_COSTS;
    crd_rule_decide_probabilities(rule, log_posterior, probabilities, expected, &decision);
    bool is_decided = decision.action >= 0;
    if (is_decided) crd_result_text(r, "decision", rule->actions[(size_t)decision.action]);
    else crd_result_number(r, "decision", NAN);
    if (has_costs) crd_result_number(r, "expected_cost", decision.expected_cost);
    crd_result_hide(r, !is_decided);
    if (has_costs) report_costs(r, rule, probabilities, expected);
    crd_result_hide(r, false);
    if (is_decided) {
        string reason = {0};
        explain_decision_add_reason(&reason, rule, classifier, log_posterior, probabilities, &decision);
        crd_result_prose(r, CRD_PARAGRAPH, 0, "Decision: ", crd_result_show(r, rule->actions[(size_t)decision.action]),
                         report_take(r, &reason));
    } else {
        crd_result_line(r, CRD_PARAGRAPH, "Decision: none, because every class has probability 0");
    }
    free(expected);
}

void decision_report_fit(crd_result *r, double fit) {
    char buffer[CRD_NUMBER_ROOM];
    crd_result_number(r, "typicality", fit);
    crd_result_line(
        r, CRD_PARAGRAPH,
        "Typicality: %s of the rows drawn from the model, with the same values present, are at most as likely%s",
        crd_number_round(fit, buffer), fit < RULE_POOR_FIT ? ": the row fits no class" : "");
}
