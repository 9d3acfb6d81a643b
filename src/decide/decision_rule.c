/* SPDX-License-Identifier: MIT */
/* decision_rule.c - decision rules, which choose an action from a posterior.
 *
 * With costs, the chosen action a minimizes the expected cost (Berger 1985):
 *
 *   sum over classes c of P(c | x) cost(c, a)
 *
 * The other rules are special cases, whose comparison is simpler and free of rounding errors:
 *
 *   cost 0 for the true class, 1 for another                  the most probable class
 *   in addition, cost 1 - p for no decision                   reject below p (Chow 1970)
 *   cost p for a false positive, 1 - p for a false negative   threshold at p */
#include "decide/decision_rule.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* With costs up to this limit, sums over the maximum number of classes and rows are finite. */
static const double MOST_COST = 1e280;

void crd_rule_destroy(crd_rule *rule) {
    if (rule == NULL) return;
    crd_i_dictionary_destroy(rule->classes);
    crd_i_dictionary_destroy(rule->actions);
    crd_free(rule->context, rule->action_classes);
    crd_free(rule->context, rule->costs);
    crd_free(rule->context, rule);
}

/* ---- Creation ---- */

/* Adds the name of a class or an action. Names must be distinct. */
static crd_status decision_rule_add_name(crd_i_dictionary *names, crd_text name, size_t index, const char *description,
                                         crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    int32_t code = crd_i_dictionary_add(names, name);
    if (code < 0) return crd_i_fail_memory(error);
    if ((size_t)code == index) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_COLUMN, "the %s '%s' occurs twice", description, crd_i_quote(name, quoted));
    crd_i_error_subject(error, name);
    return CRD_ERROR_COLUMN;
}

/* Creates a rule with classes and without actions. */
static crd_status open_rule(crd_context *context, crd_rule_kind kind, const crd_text *classes, size_t class_count,
                            crd_rule **out, crd_error *error) {
    *out = NULL;
    if (class_count == 0 || class_count > INT32_MAX / 2)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are no classes to decide between, or too many");
    crd_rule *rule = crd_i_alloc_zeroed(context, 1, sizeof *rule);
    if (rule == NULL) return crd_i_fail_memory(error);
    rule->context = context;
    rule->kind = kind;
    rule->class_count = class_count;
    rule->least = NAN;
    rule->positive = -1;
    rule->classes = crd_i_dictionary_create(context);
    rule->actions = crd_i_dictionary_create(context);
    crd_status status = CRD_OK;
    if (rule->classes == NULL || rule->actions == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < class_count; i++)
        status = decision_rule_add_name(rule->classes, classes[i], i, "class", error);
    if (status != CRD_OK) {
        crd_rule_destroy(rule);
        return status;
    }
    *out = rule;
    return CRD_OK;
}

/* Adds actions to a rule. */
static crd_status add_actions(crd_rule *rule, const crd_text *actions, size_t count, crd_error *error) {
    if (count == 0 || count > INT32_MAX / 2)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there are no actions to choose from, or too many");
    for (size_t i = 0; i < count; i++) {
        crd_status status =
            decision_rule_add_name(rule->actions, actions[i], crd_i_dictionary_size(rule->actions), "action", error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Finds the class of each action. Called after all actions were added. */
static crd_status name_classes_of_actions(crd_rule *rule, crd_error *error) {
    rule->action_count = crd_i_dictionary_size(rule->actions);
    rule->action_classes = crd_i_alloc(rule->context, rule->action_count, sizeof *rule->action_classes);
    if (rule->action_classes == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < rule->action_count; a++) {
        int32_t code = crd_i_dictionary_find(rule->classes, crd_i_dictionary_text(rule->actions, a));
        rule->action_classes[a] = code < 0 || (size_t)code >= rule->class_count ? -1 : code;
    }
    return CRD_OK;
}

/* Sets *out to the rule, or destroys the rule if creating it failed. */
static crd_status close_rule(crd_rule *rule, crd_status status, crd_rule **out) {
    if (status == CRD_OK) *out = rule;
    else crd_rule_destroy(rule);
    return status;
}

/* Copies the rows of the cost table to their classes. Rows whose name is not a class follow after the classes. */
static crd_status place_costs(crd_rule *rule, const crd_cost_table *table, crd_error *error) {
    size_t actions = rule->action_count, classes = rule->class_count;
    bool *is_there = crd_i_alloc_zeroed(rule->context, classes, sizeof *is_there);
    rule->costs = table->row_count > SIZE_MAX / actions - classes
                      ? NULL
                      : crd_i_alloc(rule->context, (classes + table->row_count) * actions, sizeof *rule->costs);
    crd_status status = is_there == NULL || rule->costs == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < table->row_count; row++) {
        char class_name[CRD_I_QUOTED_ROOM], action_name[CRD_I_QUOTED_ROOM];
        crd_i_quote(table->rows[row], class_name);
        int32_t code = crd_i_dictionary_find(rule->classes, table->rows[row]);
        bool is_new = code < 0;
        if (is_new) code = crd_i_dictionary_add(rule->classes, table->rows[row]);
        if (code < 0) {
            status = crd_i_fail_memory(error);
        } else if ((size_t)code < classes ? is_there[code] : !is_new) {
            status = crd_i_fail(error, CRD_ERROR_COLUMN, "the class '%s' occurs twice", class_name);
        }
        if (status != CRD_OK) break;
        if ((size_t)code < classes) is_there[code] = true;
        for (size_t a = 0; status == CRD_OK && a < actions; a++) {
            double cost = table->costs[row * actions + a];
            rule->costs[(size_t)code * actions + a] = cost;
            if (fabs(cost) <= MOST_COST) continue;
            status =
                crd_i_fail(error, CRD_ERROR_NUMBER, "the cost of '%s' for the class '%s' is not finite, or too large",
                           crd_i_quote(table->actions[a], action_name), class_name);
        }
    }
    for (size_t k = 0; status == CRD_OK && k < classes; k++) {
        char quoted[CRD_I_QUOTED_ROOM];
        if (is_there[k]) continue;
        crd_text name = crd_i_dictionary_text(rule->classes, k);
        status = crd_i_fail(error, CRD_ERROR_COLUMN, "the cost table has no row for the class '%s'",
                            crd_i_quote(name, quoted));
        crd_i_error_subject(error, name);
    }
    crd_free(rule->context, is_there);
    return status;
}

crd_status crd_rule_create_costs(crd_context *context, const crd_text *classes, size_t class_count,
                                 const crd_cost_table *given, crd_rule **out, crd_error *error) {
    crd_rule *rule = NULL;
    crd_cost_table table = CRD_COST_TABLE_INIT;
    *out = NULL;
    if (!crd_i_copy_in(given, &table, sizeof table))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the cost table has no size");
    crd_status status = open_rule(context, CRD_RULE_COSTS, classes, class_count, &rule, error);
    if (status == CRD_OK) status = add_actions(rule, table.actions, table.action_count, error);
    if (status == CRD_OK) status = name_classes_of_actions(rule, error);
    if (status == CRD_OK) status = place_costs(rule, &table, error);
    return close_rule(rule, status, out);
}

static crd_status check_least(double least, crd_error *error) {
    if (least > 0 && least <= 1) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the minimum probability must be above 0 and at most 1");
}

/* Creates a rule that may reject. If `least` is NaN, only posteriors that are equal for all classes are rejected. */
static crd_status create_reject(crd_context *context, const crd_text *classes, size_t class_count, double least,
                                crd_text unsure, crd_rule **out, crd_error *error) {
    crd_rule *rule = NULL;
    *out = NULL;
    crd_status status = open_rule(context, CRD_RULE_REJECT, classes, class_count, &rule, error);
    if (status == CRD_OK && crd_i_dictionary_find(rule->classes, unsure) >= 0) {
        char quoted[CRD_I_QUOTED_ROOM];
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "the name '%s' is also the name of a class",
                            crd_i_quote(unsure, quoted));
        crd_i_error_subject(error, unsure);
    }
    if (status == CRD_OK) status = add_actions(rule, classes, class_count, error);
    if (status == CRD_OK) status = add_actions(rule, &unsure, 1, error);
    if (status == CRD_OK) status = name_classes_of_actions(rule, error);
    if (status == CRD_OK) rule->least = least;
    return close_rule(rule, status, out);
}

crd_status crd_rule_create_reject(crd_context *context, const crd_text *classes, size_t class_count, double least,
                                  crd_text unsure, crd_rule **out, crd_error *error) {
    *out = NULL;
    crd_status status = check_least(least, error);
    return status == CRD_OK ? create_reject(context, classes, class_count, least, unsure, out, error) : status;
}

crd_status crd_rule_create_untied(crd_context *context, const crd_text *classes, size_t class_count, crd_text unsure,
                                  crd_rule **out, crd_error *error) {
    return create_reject(context, classes, class_count, NAN, unsure, out, error);
}

crd_status crd_rule_create_threshold(crd_context *context, const crd_text *classes, size_t class_count, size_t positive,
                                     double least, crd_rule **out, crd_error *error) {
    crd_rule *rule = NULL;
    crd_status status = check_least(least, error);
    *out = NULL;
    if (status == CRD_OK && class_count != 2)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "a threshold needs two classes, but there are %zu", class_count);
    if (status == CRD_OK && positive > 1)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "class %zu does not exist", positive);
    if (status == CRD_OK) status = open_rule(context, CRD_RULE_THRESHOLD, classes, class_count, &rule, error);
    if (status == CRD_OK) status = add_actions(rule, classes, class_count, error);
    if (status == CRD_OK) status = name_classes_of_actions(rule, error);
    if (status == CRD_OK) {
        rule->least = least;
        rule->positive = (int32_t)positive;
    }
    return close_rule(rule, status, out);
}

/* ---- Access ---- */

crd_rule_kind crd_rule_is(const crd_rule *rule) {
    return rule->kind;
}

size_t crd_rule_class_count(const crd_rule *rule) {
    return rule->class_count;
}

size_t crd_rule_action_count(const crd_rule *rule) {
    return rule->action_count;
}

crd_text crd_rule_action(const crd_rule *rule, size_t action) {
    return crd_i_dictionary_text(rule->actions, action);
}

int32_t crd_rule_action_class(const crd_rule *rule, size_t action) {
    return rule->action_classes[action];
}

double crd_rule_cost(const crd_rule *rule, size_t class_index, size_t action) {
    return rule->costs == NULL ? NAN : rule->costs[class_index * rule->action_count + action];
}

double crd_rule_least(const crd_rule *rule) {
    return rule->least;
}

int32_t crd_rule_positive(const crd_rule *rule) {
    return rule->positive;
}

/* ---- Decisions ---- */

double crd_i_rule_greatest(const double *log_posterior, size_t classes, int32_t *first, uint32_t *tied) {
    double greatest = -INFINITY;
    *first = -1;
    *tied = 0;
    for (size_t k = 0; k < classes; k++)
        if (log_posterior[k] > greatest) greatest = log_posterior[k];
    for (size_t k = classes; greatest > -INFINITY && k-- > 0;) {
        if (log_posterior[k] - greatest < -CRD_TIE_MARGIN) continue;
        *first = (int32_t)k;
        ++*tied;
    }
    return greatest;
}

/* Log posteriors and, if known, posteriors; otherwise `probabilities` is NULL. */
typedef struct posteriors {
    const double *logs, *probabilities;
} posteriors;

static double decision_rule_probability(const posteriors *source_posteriors, size_t class_index) {
    return source_posteriors->probabilities == NULL ? crd_exp(source_posteriors->logs[class_index])
                                                    : source_posteriors->probabilities[class_index];
}

/* Returns whether a probability reaches the rule's minimum. */
static bool decision_rule_reaches(const crd_rule *rule, double probability) {
    return probability >= rule->least * (1 - CRD_TIE_MARGIN);
}

static double decision_rule_greatest(const posteriors *source_posteriors, size_t classes) {
    double greatest = 0;
    for (size_t k = 0; k < classes; k++) greatest = fmax(greatest, decision_rule_probability(source_posteriors, k));
    return greatest;
}

/* Returns the expected cost of an action. Sets *scale to the expected absolute cost. The sum is divided by the sum
 * of the posteriors, which may differ from 1 by rounding. So an action that always costs 1 has an expected cost of
 * exactly 1. */
static double expected_cost(const crd_rule *rule, const posteriors *source_posteriors, size_t action, double *scale) {
    double sum = 0, size = 0, total = 0;
    for (size_t k = 0; k < rule->class_count; k++) {
        double posterior = decision_rule_probability(source_posteriors, k);
        double part = posterior * rule->costs[k * rule->action_count + action];
        total += posterior;
        sum += part;
        size += fabs(part);
    }
    *scale = size / total;
    return sum / total;
}

/* Chooses the action with the lowest expected cost. Computes the costs twice instead of storing them: the first pass
 * finds the minimum, the second pass finds the actions that tie with it. */
static void decide_by_costs(const crd_rule *rule, const posteriors *source_posteriors, double *expected,
                            crd_decision *decision) {
    double least = INFINITY, least_scale = 0;
    for (size_t a = 0; a < rule->action_count; a++) {
        double scale, cost = expected_cost(rule, source_posteriors, a, &scale);
        if (expected != NULL) expected[a] = cost;
        if (cost < least) {
            least = cost;
            least_scale = scale;
        }
    }
    for (size_t a = rule->action_count; a-- > 0;) {
        double scale, cost = expected_cost(rule, source_posteriors, a, &scale);
        if (cost - least > CRD_TIE_MARGIN * fmax(scale, least_scale)) continue;
        decision->action = (int32_t)a;
        decision->expected_cost = cost;
        decision->tied++;
    }
}

/* Applies the rule to a posterior. See crd_rule_decide. */
static void decision_rule_decide(const crd_rule *rule, const posteriors *source_posteriors, double *expected,
                                 crd_decision *decision) {
    const crd_decision none = {sizeof none, -1, 0, NAN};
    int32_t first;
    uint32_t tied;
    (void)crd_i_rule_greatest(source_posteriors->logs, rule->class_count, &first, &tied);
    *decision = none;
    for (size_t a = 0; expected != NULL && a < rule->action_count; a++) expected[a] = NAN;
    if (rule->kind == CRD_RULE_REJECT) {
        bool answers =
            first >= 0 &&
            (isnan(rule->least)
                 ? tied < rule->class_count
                 : decision_rule_reaches(rule, decision_rule_greatest(source_posteriors, rule->class_count)));
        decision->action = answers ? first : (int32_t)rule->action_count - 1;
        decision->tied = answers ? tied : 1;
    } else if (first >= 0 && rule->kind == CRD_RULE_THRESHOLD) {
        bool is_positive =
            decision_rule_reaches(rule, decision_rule_probability(source_posteriors, (size_t)rule->positive));
        decision->action = is_positive ? rule->positive : 1 - rule->positive;
        decision->tied = 1;
    } else if (first >= 0) {
        decide_by_costs(rule, source_posteriors, expected, decision);
    }
}

void crd_rule_decide(const crd_rule *rule, const double *log_posterior, double *expected, crd_decision *decision) {
    crd_rule_decide_probabilities(rule, log_posterior, NULL, expected, decision);
}

void crd_rule_decide_probabilities(const crd_rule *rule, const double *log_posterior, const double *probabilities,
                                   double *expected, crd_decision *decision) {
    const posteriors source_posteriors = {log_posterior, probabilities};
    crd_decision new_decision;
    decision_rule_decide(rule, &source_posteriors, expected, &new_decision);
    crd_i_copy_out(&new_decision, sizeof new_decision, decision);
}
