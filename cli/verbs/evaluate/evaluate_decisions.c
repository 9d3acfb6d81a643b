/* evaluate_decisions.c - what decisions by a rule came to: costs, coverage, and which action was taken for which class.
 */
#include "verbs/evaluate/evaluate_verb.h"

#include <math.h>

static double sum_of_row(const crd_rule *rule, const crd_outcomes *outcomes, size_t truth) {
    double sum = 0;
    for (size_t a = 0; a <= crd_rule_action_count(rule); a++) sum += crd_outcomes_weight(outcomes, truth, a);
    return sum;
}

/* How good the class of a threshold is named. */
typedef struct positive_scores {
    double precision, recall;
} positive_scores;

static positive_scores score_positive(const crd_rule *rule, const crd_outcomes *outcomes) {
    size_t positive = (size_t)crd_rule_positive(rule);
    double named = 0, correct = crd_outcomes_weight(outcomes, positive, positive);
    for (size_t t = 0; t < crd_outcomes_truth_count(outcomes); t++) named += crd_outcomes_weight(outcomes, t, positive);
    return (positive_scores){correct / named, correct / sum_of_row(rule, outcomes, positive)};
}

/* ---- For people ---- */

static void add_total(table *t, const char *name, double value, const char *remark) {
    char room[ROUNDED_ROOM];
    table_add(t, name);
    table_add(t, output_round(value, room));
    table_add(t, remark);
}

static void add_costs(table *t, const crd_rule *rule, const crd_outcome_totals *totals) {
    string remark = {0};
    add_total(t, "mean cost", totals->cost, "");
    add_total(t, "plain cost", totals->plain_cost,
              isnan(totals->plain_cost) ? "some class is no action" : "of naming the most probable class");
    if (totals->single_action >= 0) {
        string_format(&remark, "of always deciding for ");
        string_add_shown(&remark, crd_rule_action(rule, (size_t)totals->single_action));
    }
    add_total(t, "single cost", totals->single_cost, string_text(&remark));
    string_free(&remark);
}

static void add_positive(table *t, const crd_rule *rule, const crd_outcomes *outcomes) {
    positive_scores scores = score_positive(rule, outcomes);
    string of = {0};
    string_format(&of, "of ");
    string_add_shown(&of, crd_rule_action(rule, (size_t)crd_rule_positive(rule)));
    add_total(t, "precision", scores.precision, string_text(&of));
    add_total(t, "recall", scores.recall, string_text(&of));
    string_free(&of);
}

static void print_totals(output *out, const crd_rule *rule, const crd_outcomes *outcomes,
                         const crd_outcome_totals *totals) {
    bool answers = totals->answered > 0;
    table *t = table_create_for(out, 3);
    table_omit_heading(t);
    table_align_left(t, 2);
    if (crd_rule_is(rule) == CRD_RULE_COSTS) add_costs(t, rule, totals);
    if (crd_rule_is(rule) == CRD_RULE_REJECT) add_total(t, "coverage", totals->coverage, "of rows got an answer");
    if (crd_rule_is(rule) != CRD_RULE_COSTS) {
        add_total(t, "accuracy", totals->accuracy,
                  crd_rule_is(rule) == CRD_RULE_THRESHOLD ? ""
                  : answers                               ? "of their answers"
                                                          : "there are none");
    }
    if (crd_rule_is(rule) == CRD_RULE_THRESHOLD) add_positive(t, rule, outcomes);
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

/* Further truths that no row has are not shown. */
static bool is_shown(const crd_rule *rule, const crd_outcomes *outcomes, size_t truth) {
    return truth < crd_rule_class_count(rule) || sum_of_row(rule, outcomes, truth) > 0;
}

static void print_actions(output *out, const crd_rule *rule, const crd_outcomes *outcomes, bool undecided) {
    char room[ROUNDED_ROOM];
    size_t columns = crd_rule_action_count(rule) + undecided;
    table *t = table_create_for(out, 1 + columns);
    table_add(t, "");
    for (size_t a = 0; a < crd_rule_action_count(rule); a++) table_add_name(t, crd_rule_action(rule, a));
    if (undecided) table_add(t, "(none)");
    for (size_t truth = 0; truth < crd_outcomes_truth_count(outcomes); truth++) {
        if (!is_shown(rule, outcomes, truth)) continue;
        table_add_name(t, crd_outcomes_truth(outcomes, truth));
        for (size_t a = 0; a < columns; a++) table_add(t, output_count(crd_outcomes_weight(outcomes, truth, a), room));
    }
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
}

void decisions_print(output *out, const crd_rule *rule, const crd_outcomes *outcomes) {
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    string heading = {0};
    char room[ROUNDED_ROOM];
    crd_outcomes_totals(outcomes, &totals);
    if (crd_rule_is(rule) == CRD_RULE_COSTS) {
        string_format(&heading, " by expected cost");
    } else if (crd_rule_is(rule) == CRD_RULE_REJECT) {
        string_format(&heading, " where a class has probability %s", output_round(crd_rule_least(rule), room));
    } else {
        string_format(&heading, " for ");
        string_add_shown(&heading, crd_rule_action(rule, (size_t)crd_rule_positive(rule)));
        string_format(&heading, " where it has probability %s", output_round(crd_rule_least(rule), room));
    }
    string_format(&heading, ": a row for each true class, a column for each decision");
    output_heading(out, 2, "Decisions", string_text(&heading));
    print_actions(out, rule, outcomes, totals.undecided > 0);
    fputc('\n', out->stream);
    print_totals(out, rule, outcomes, &totals);
    string_free(&heading);
}

/* ---- For programs ---- */

static const char *name_of(crd_rule_kind kind) {
    return kind == CRD_RULE_COSTS ? "cost" : kind == CRD_RULE_REJECT ? "reject" : "threshold";
}

static void write_table_json(json *j, const crd_rule *rule, const crd_outcomes *outcomes) {
    size_t actions = crd_rule_action_count(rule), truths = crd_outcomes_truth_count(outcomes);
    json_key(j, "actions");
    json_array(j);
    j->indented = false;
    for (size_t a = 0; a < actions; a++) json_text(j, crd_rule_action(rule, a));
    json_end_array(j);
    j->indented = true;
    json_key(j, "table");
    json_array(j);
    for (size_t truth = 0; truth < truths; truth++) {
        if (!is_shown(rule, outcomes, truth)) continue;
        json_object(j);
        j->indented = false;
        json_member_text(j, "class", crd_outcomes_truth(outcomes, truth));
        json_key(j, "rows");
        json_array(j);
        for (size_t a = 0; a < actions; a++) json_number(j, crd_outcomes_weight(outcomes, truth, a));
        json_end_array(j);
        json_member_number(j, "undecided", crd_outcomes_weight(outcomes, truth, actions));
        json_end_object(j);
        j->indented = true;
    }
    json_end_array(j);
}

void decisions_json(json *j, const crd_rule *rule, const crd_outcomes *outcomes) {
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_outcomes_totals(outcomes, &totals);
    json_key(j, "decisions");
    json_object(j);
    json_member_text(j, "rule", crd_text_of(name_of(crd_rule_is(rule))));
    if (crd_rule_is(rule) == CRD_RULE_COSTS) {
        json_member_number(j, "cost", totals.cost);
        json_member_number(j, "plain_cost", totals.plain_cost);
        json_member_text(j, "single_action", crd_rule_action(rule, (size_t)totals.single_action));
        json_member_number(j, "single_cost", totals.single_cost);
    } else {
        json_member_number(j, "least", crd_rule_least(rule));
    }
    json_member_number(j, "coverage", totals.coverage);
    json_member_number(j, "accuracy", totals.accuracy);
    if (crd_rule_is(rule) == CRD_RULE_THRESHOLD) {
        positive_scores scores = score_positive(rule, outcomes);
        json_member_text(j, "class", crd_rule_action(rule, (size_t)crd_rule_positive(rule)));
        json_member_number(j, "precision", scores.precision);
        json_member_number(j, "recall", scores.recall);
    }
    write_table_json(j, rule, outcomes);
    json_end_object(j);
}

void decisions_csv(output *out, const crd_rule *rule, const crd_outcomes *outcomes) {
    const crd_text none = {"", 0};
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_outcomes_totals(outcomes, &totals);
    if (crd_rule_is(rule) == CRD_RULE_COSTS) {
        evaluate_csv_line(out, "cost", none, none, totals.cost);
        evaluate_csv_line(out, "plain_cost", none, none, totals.plain_cost);
        evaluate_csv_line(out, "single_cost", none, crd_rule_action(rule, (size_t)totals.single_action),
                          totals.single_cost);
    }
    evaluate_csv_line(out, "coverage", none, none, totals.coverage);
    evaluate_csv_line(out, "answered_accuracy", none, none, totals.accuracy);
    if (crd_rule_is(rule) == CRD_RULE_THRESHOLD) {
        positive_scores scores = score_positive(rule, outcomes);
        crd_text positive = crd_rule_action(rule, (size_t)crd_rule_positive(rule));
        evaluate_csv_line(out, "decision_precision", positive, none, scores.precision);
        evaluate_csv_line(out, "decision_recall", positive, none, scores.recall);
    }
    for (size_t truth = 0; truth < crd_outcomes_truth_count(outcomes); truth++) {
        if (!is_shown(rule, outcomes, truth)) continue;
        for (size_t a = 0; a < crd_rule_action_count(rule); a++) {
            evaluate_csv_line(out, "decision", crd_outcomes_truth(outcomes, truth), crd_rule_action(rule, a),
                              crd_outcomes_weight(outcomes, truth, a));
        }
    }
}
