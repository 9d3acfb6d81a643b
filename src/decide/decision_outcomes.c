/* SPDX-License-Identifier: MIT */
/* decision_outcomes.c - outcomes of decisions: the weight of the rows with each true class and action, from which
 * all measures are computed. */
#include "decide/decision_outcomes.h"

#include "base/error.h"
#include "base/memory.h"
#include "decide/decision_rule.h"
#include "evaluate/evaluation_bytes.h"
#include "math/exact/exact_sums.h"
#include "stats/exact_sums_file.h"

#include <math.h>

static const double MOST_WEIGHT = 0x1p63;

/* Indices of the sums: first the sums over all rows, then a block for each true class. A block contains the weight
 * for each action, then for no action; and the weight for each most probable class, then for none. Sums are exact,
 * so the order of rows does not matter. */
enum { SUM_WEIGHT, SUM_ANSWERED, SUM_UNDECIDED, SUM_CREDIT, SUMS_OF_ALL };

struct crd_outcomes {
    crd_context *context;
    const crd_rule *rule;
    /* the rule's classes and its additional rows; without costs, new true classes are added */
    crd_i_dictionary *truths;
    crd_i_sums sums;
    size_t stride; /* number of sums in a block */
    uint64_t rows;
};

crd_status crd_outcomes_create(crd_context *context, const crd_rule *rule, crd_outcomes **out, crd_error *error) {
    *out = NULL;
    crd_outcomes *outcomes = crd_i_alloc_zeroed(context, 1, sizeof *outcomes);
    if (outcomes == NULL) return crd_i_fail_memory(error);
    outcomes->context = context;
    outcomes->rule = rule;
    outcomes->stride = rule->action_count + 1 + rule->class_count + 1;
    crd_i_sums_init(&outcomes->sums, context);
    outcomes->truths = crd_i_dictionary_clone(rule->classes);
    if (outcomes->truths == NULL ||
        !crd_i_sums_extend(&outcomes->sums, SUMS_OF_ALL + crd_i_dictionary_size(outcomes->truths) * outcomes->stride)) {
        crd_outcomes_destroy(outcomes);
        return crd_i_fail_memory(error);
    }
    *out = outcomes;
    return CRD_OK;
}

void crd_outcomes_destroy(crd_outcomes *outcomes) {
    if (outcomes == NULL) return;
    crd_i_dictionary_destroy(outcomes->truths);
    crd_i_sums_clear(&outcomes->sums);
    crd_free(outcomes->context, outcomes);
}

/* ---- One row ---- */

/* Finds the code of a true class, which is added if it is new. A rule with costs requires a row for it. */
static crd_status decision_outcomes_find_truth(crd_outcomes *outcomes, crd_text truth, int32_t *code,
                                               crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *code = crd_i_dictionary_find(outcomes->truths, truth);
    if (*code >= 0) return CRD_OK;
    if (outcomes->rule->costs != NULL) {
        crd_i_fail(error, CRD_ERROR_COLUMN, "the cost table has no row for the class '%s'", crd_i_quote(truth, quoted));
        crd_i_error_subject(error, truth);
        return CRD_ERROR_COLUMN;
    }
    /* The memory is reserved first. Otherwise a failure could leave a class without sums. */
    size_t places = SUMS_OF_ALL + (crd_i_dictionary_size(outcomes->truths) + 1) * outcomes->stride;
    if (!crd_i_sums_extend(&outcomes->sums, places)) return crd_i_fail_memory(error);
    *code = crd_i_dictionary_add(outcomes->truths, truth);
    return *code < 0 ? crd_i_fail_memory(error) : CRD_OK;
}

static size_t place_of_action(const crd_outcomes *outcomes, size_t truth, size_t action) {
    return SUMS_OF_ALL + truth * outcomes->stride + action;
}

static size_t place_of_class(const crd_outcomes *outcomes, size_t truth, size_t class_index) {
    return place_of_action(outcomes, truth, outcomes->rule->action_count + 1 + class_index);
}

/* Returns the credit of a decision that names a class. See crd_outcome_totals. */
static double credit_of(const crd_rule *rule, const double *log_posterior, const crd_decision *decision,
                        int32_t truth) {
    int32_t named = rule->action_classes[decision->action];
    if (rule->kind != CRD_RULE_REJECT) return named == truth ? 1 : 0;
    int32_t first;
    uint32_t tied;
    double greatest = crd_i_rule_greatest(log_posterior, rule->class_count, &first, &tied);
    bool hit = (size_t)truth < rule->class_count && log_posterior[truth] - greatest >= -CRD_TIE_MARGIN;
    return hit ? 1.0 / tied : 0;
}

/* A row of weight 0 is decided, but not counted. */
crd_status crd_outcomes_add(crd_outcomes *outcomes, const double *log_posterior, crd_text truth, double weight,
                            crd_decision *decision, crd_error *error) {
    const crd_rule *rule = outcomes->rule;
    const crd_decision none = {sizeof none, -1, 0, NAN};
    crd_decision new_decision = CRD_DECISION_INIT;
    int32_t plain, code;
    uint32_t tied;
    if (decision != NULL) crd_i_copy_out(&none, sizeof none, decision);
    if (!(weight >= 0 && weight <= MOST_WEIGHT))
        return crd_i_fail(error, CRD_ERROR_WEIGHT, "a weight is not between 0 and 2^63");
    crd_rule_decide(rule, log_posterior, NULL, &new_decision);
    if (weight > 0) {
        crd_status status = decision_outcomes_find_truth(outcomes, truth, &code, error);
        if (status != CRD_OK) return status;
        crd_i_rule_greatest(log_posterior, rule->class_count, &plain, &tied);
        size_t action = new_decision.action < 0 ? rule->action_count : (size_t)new_decision.action;
        size_t class_index = plain < 0 ? rule->class_count : (size_t)plain;
        bool answers = new_decision.action >= 0 && rule->action_classes[new_decision.action] >= 0;
        double credit = answers ? credit_of(rule, log_posterior, &new_decision, code) : 0;
        crd_i_sums *sums = &outcomes->sums;
        if (!crd_i_sums_add(sums, place_of_action(outcomes, (size_t)code, action), weight) ||
            !crd_i_sums_add(sums, place_of_class(outcomes, (size_t)code, class_index), weight) ||
            !crd_i_sums_add(sums, SUM_WEIGHT, weight) || !crd_i_sums_add(sums, SUM_ANSWERED, answers ? weight : 0) ||
            !crd_i_sums_add(sums, SUM_UNDECIDED, new_decision.action < 0 ? weight : 0) ||
            !crd_i_sums_add_product(sums, SUM_CREDIT, weight, credit))
            return crd_i_fail_memory(error);
        outcomes->rows++;
    }
    if (decision != NULL) crd_i_copy_out(&new_decision, sizeof new_decision, decision);
    return CRD_OK;
}

/* ---- Parts ---- */

/* Returns whether the true classes begin with the classes of the rule, as in all outcomes of the rule. */
static bool begins_with_rule(const crd_i_dictionary *truths, const crd_rule *rule) {
    const size_t count = crd_i_dictionary_size(rule->classes), all = crd_i_dictionary_size(truths);
    if (all < count || (rule->costs != NULL && all > count)) return false;
    for (size_t i = 0; i < count; i++)
        if (!crd_text_equal(crd_i_dictionary_text(truths, i), crd_i_dictionary_text(rule->classes, i))) return false;
    return true;
}

/* Maps the sums of other outcomes to the sums of these outcomes. New true classes are added. */
static crd_status map_cells(crd_outcomes *outcomes, const crd_outcomes *other, size_t *map, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < SUMS_OF_ALL; i++) map[i] = i;
    for (size_t t = 0; status == CRD_OK && t < crd_i_dictionary_size(other->truths); t++) {
        int32_t code = 0;
        status = decision_outcomes_find_truth(outcomes, crd_i_dictionary_text(other->truths, t), &code, error);
        for (size_t i = 0; status == CRD_OK && i < other->stride; i++)
            map[place_of_action(other, t, i)] = place_of_action(outcomes, (size_t)code, i);
    }
    return status;
}

crd_status crd_outcomes_merge(crd_outcomes *outcomes, const crd_outcomes *other, crd_error *error) {
    if (outcomes->stride != other->stride || outcomes->rule->class_count != other->rule->class_count ||
        !begins_with_rule(other->truths, outcomes->rule))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "outcomes of different decision rules cannot be merged");
    size_t *map = crd_i_alloc_zeroed(outcomes->context, other->sums.cells, sizeof *map);
    crd_status status = map == NULL ? crd_i_fail_memory(error) : map_cells(outcomes, other, map, error);
    if (status == CRD_OK && !crd_i_sums_combine_all(&outcomes->sums, &other->sums, map, 1))
        status = crd_i_fail_memory(error);
    if (status == CRD_OK) outcomes->rows += other->rows;
    crd_free(outcomes->context, map);
    return status;
}

void crd_i_outcomes_write(const crd_outcomes *outcomes, crd_i_encoder *encoder) {
    crd_i_encode_names(encoder, outcomes->truths);
    crd_i_encode_u64(encoder, outcomes->rows);
    const crd_i_window window = crd_i_window_begin(encoder, &outcomes->sums);
    const size_t cells = SUMS_OF_ALL + crd_i_dictionary_size(outcomes->truths) * outcomes->stride;
    for (size_t i = 0; i < cells; i++) crd_i_window_cell(encoder, window, &outcomes->sums, i);
}

/* Decodes the true classes, the number of rows and the sums, in this order. */
crd_status crd_i_outcomes_read(crd_context *context, const crd_rule *rule, crd_i_cursor *cursor, crd_outcomes **out,
                               crd_error *error) {
    crd_i_dictionary *truths = NULL;
    *out = NULL;
    crd_outcomes *read = crd_i_alloc_zeroed(context, 1, sizeof *read);
    if (read == NULL) return crd_i_fail_memory(error);
    read->context = context;
    read->rule = rule;
    read->stride = rule->action_count + 1 + rule->class_count + 1;
    crd_i_sums_init(&read->sums, context);
    crd_status status = crd_i_decode_names(context, cursor, &truths, error);
    read->truths = truths;
    read->rows = crd_i_decode_u64(cursor);
    if (status == CRD_OK && !begins_with_rule(truths, rule)) status = crd_i_evaluation_bytes_damaged(error);
    if (status == CRD_OK)
        status = crd_i_window_read(cursor, &read->sums,
                                   SUMS_OF_ALL + (uint64_t)crd_i_dictionary_size(truths) * read->stride, error);
    if (status == CRD_OK) *out = read;
    else crd_outcomes_destroy(read);
    return status;
}

/* ---- Totals ---- */

size_t crd_outcomes_truth_count(const crd_outcomes *outcomes) {
    return crd_i_dictionary_size(outcomes->truths);
}

crd_text crd_outcomes_truth(const crd_outcomes *outcomes, size_t truth) {
    return crd_i_dictionary_text(outcomes->truths, truth);
}

double crd_outcomes_weight(const crd_outcomes *outcomes, size_t truth, size_t action) {
    return crd_i_sums_value(&outcomes->sums, place_of_action(outcomes, truth, action));
}

static double plain_weight(const crd_outcomes *outcomes, size_t truth, size_t class_index) {
    return crd_i_sums_value(&outcomes->sums, place_of_class(outcomes, truth, class_index));
}

/* Returns the largest cost for a true class. Undecided rows get this cost. */
static double greatest_cost(const crd_rule *rule, size_t truth) {
    double greatest = -INFINITY;
    for (size_t a = 0; a < rule->action_count; a++) greatest = fmax(greatest, crd_rule_cost(rule, truth, a));
    return greatest;
}

/* Returns the action with the name of the class; -1 if there is none. */
static int32_t action_of_class(const crd_rule *rule, size_t class_index) {
    return crd_i_dictionary_find(rule->actions, crd_i_dictionary_text(rule->classes, class_index));
}

/* Computes the mean cost of the decisions, of always predicting the most probable class, and of the best single
 * action. Sums are computed in the order of true classes. */
static void decision_outcomes_add_costs(const crd_outcomes *outcomes, double weight, crd_outcome_totals *totals) {
    const crd_rule *rule = outcomes->rule;
    size_t truths = crd_outcomes_truth_count(outcomes);
    double cost = 0, plain = 0, best = INFINITY;
    for (size_t t = 0; t < truths; t++) {
        for (size_t a = 0; a < rule->action_count; a++)
            cost += crd_outcomes_weight(outcomes, t, a) * crd_rule_cost(rule, t, a);
        cost += crd_outcomes_weight(outcomes, t, rule->action_count) * greatest_cost(rule, t);
        for (size_t k = 0; k < rule->class_count; k++) {
            int32_t action = action_of_class(rule, k);
            plain += action < 0 ? NAN : plain_weight(outcomes, t, k) * crd_rule_cost(rule, t, (size_t)action);
        }
        plain += plain_weight(outcomes, t, rule->class_count) * greatest_cost(rule, t);
    }
    for (size_t a = 0; a < rule->action_count; a++) {
        double always = 0;
        for (size_t t = 0; t < truths; t++) {
            double rows = 0;
            for (size_t b = 0; b <= rule->action_count; b++) rows += crd_outcomes_weight(outcomes, t, b);
            always += rows * crd_rule_cost(rule, t, a);
        }
        if (!(always < best)) continue;
        best = always;
        totals->single_action = (int32_t)a;
    }
    totals->cost = cost / weight;
    totals->plain_cost = plain / weight;
    totals->single_cost = best / weight;
}

void crd_outcomes_totals(const crd_outcomes *outcomes, crd_outcome_totals *out) {
    const crd_i_sums *sums = &outcomes->sums;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    totals.rows = outcomes->rows;
    totals.weight = crd_i_sums_value(sums, SUM_WEIGHT);
    totals.answered = crd_i_sums_value(sums, SUM_ANSWERED);
    totals.undecided = crd_i_sums_value(sums, SUM_UNDECIDED);
    totals.coverage = totals.answered / totals.weight;
    totals.accuracy = crd_i_sums_value(sums, SUM_CREDIT) / totals.answered;
    totals.cost = totals.plain_cost = totals.single_cost = NAN;
    if (outcomes->rule->costs != NULL && totals.weight > 0)
        decision_outcomes_add_costs(outcomes, totals.weight, &totals);
    crd_i_copy_out(&totals, sizeof totals, out);
}
