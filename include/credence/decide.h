/* SPDX-License-Identifier: MIT */
/* credence/decide.h - decisions: least expected cost, the reject option, thresholds; their outcomes; and the typicality of
 * rows (outlier scores).
 *
 *   rule       log posteriors  -->  the action to take
 *   outcomes   actions, truths -->  what they cost, how many rows were answered, and how well
 *   typicality a row           -->  a p-value: how probable evidence as low as its own is under the model */
#ifndef CREDENCE_DECIDE_H
#define CREDENCE_DECIDE_H

#include <credence/classifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Rules: immutable, shared by threads. They know classes by the order in which log posteriors list them ---- */

typedef struct crd_rule crd_rule;

typedef enum crd_rule_kind {
    CRD_RULE_COSTS = 1,    /* the action of least expected cost */
    CRD_RULE_REJECT = 2,   /* the most probable class, or abstention (the reject option) */
    CRD_RULE_THRESHOLD = 3 /* one of two classes where it is probable enough, else the other */
} crd_rule_kind;

/* A table of costs: costs[row * action_count + action] is what the action costs where the class of that row is the
 * true one; below zero it is a gain. There must be a row for each of the classes (CRD_ERROR_COLUMN names the first
 * that is missing); there may be more, for truths that are none of them. Actions need not be classes. Rows are all
 * different, and so are actions; costs are finite and at most 1e280 in size (CRD_ERROR_NUMBER). */
typedef struct crd_cost_table {
    size_t size;
    const crd_text *rows;
    size_t row_count;
    const crd_text *actions;
    size_t action_count;
    const double *costs;
} crd_cost_table;

#define CRD_COST_TABLE_INIT                                                                                            \
    { sizeof(crd_cost_table), NULL, 0, NULL, 0, NULL }

CRD_API CRD_MUST_USE crd_status crd_rule_create_costs(crd_context *context, const crd_text *classes, size_t class_count,
                                                      const crd_cost_table *table, crd_rule **out, crd_error *error);
/* The same from a file, as a reader takes it: a header, whose first name may be any and whose others are the actions,
 * then a row for each class: its name and its costs. "-" is standard input. CRD_ERROR_SYNTAX for a cell that is no
 * number, CRD_ERROR_COLUMN for a class that is missing or there twice. */
CRD_API CRD_MUST_USE crd_status crd_rule_read_costs(crd_context *context, const char *path, const crd_text *classes,
                                                    size_t class_count, crd_rule **out, crd_error *error);

/* The class of the greatest posterior where that is at least `least`, 0 < least <= 1; else the action `unsure`, which
 * must not be called as a class is (CRD_ERROR_ARGUMENT). Actions are the classes, then that. */
CRD_API CRD_MUST_USE crd_status crd_rule_create_reject(crd_context *context, const crd_text *classes,
                                                       size_t class_count, double least, crd_text unsure,
                                                       crd_rule **out, crd_error *error);

/* Creates a rule that decides for the most probable class, or for the action `unsure` if the posterior does not distinguish the classes: all of
 * them tie, or there is only one. Its kind is CRD_RULE_REJECT, and crd_rule_least returns NaN. Errors are those of
 * crd_rule_create_reject. Experimental. */
CRD_API CRD_MUST_USE crd_status crd_rule_create_untied(crd_context *context, const crd_text *classes,
                                                       size_t class_count, crd_text unsure, crd_rule **out,
                                                       crd_error *error);

/* Of two classes the one with index `positive` where its posterior is at least `least`, 0 < least <= 1; else the other.
 */
CRD_API CRD_MUST_USE crd_status crd_rule_create_threshold(crd_context *context, const crd_text *classes,
                                                          size_t class_count, size_t positive, double least,
                                                          crd_rule **out, crd_error *error);
CRD_API void crd_rule_destroy(crd_rule *rule);

CRD_API crd_rule_kind crd_rule_is(const crd_rule *rule);
CRD_API size_t crd_rule_class_count(const crd_rule *rule);
CRD_API size_t crd_rule_action_count(const crd_rule *rule);
CRD_API crd_text crd_rule_action(const crd_rule *rule, size_t action);
/* The class that an action is called as; -1: none, so that taking it is no answer. */
CRD_API int32_t crd_rule_action_class(const crd_rule *rule, size_t action);
/* What an action costs where the class is the true one; NaN where the rule has no costs. */
CRD_API double crd_rule_cost(const crd_rule *rule, size_t class_index, size_t action);
/* The least probability of a rule that has one, else NaN; and the class that a threshold is for, else -1. */
CRD_API double crd_rule_least(const crd_rule *rule);
CRD_API int32_t crd_rule_positive(const crd_rule *rule);

typedef struct crd_decision {
    size_t size;
    int32_t action;       /* -1: none, for every class is at zero */
    uint32_t tied;        /* how many actions tie with it, itself included: of these it is the first */
    double expected_cost; /* NaN where the rule has no costs, or there is no action */
} crd_decision;

#define CRD_DECISION_INIT                                                                                              \
    { sizeof(crd_decision), -1, 0, 0 }

/* What to do about one row. The expected cost of an action is the sum, over the classes in their order, of posterior
 * times cost. Sums of costs that differ by rounding alone tie (by CRD_TIE_MARGIN of what was added up), and a
 * probability that misses the least by rounding alone is not below it. Where all classes are at zero there is no
 * action, but for a rule that may reject: that rejects. `expected` has room for each action, or is NULL; without costs
 * it is filled with NaN. */
CRD_API void crd_rule_decide(const crd_rule *rule, const double *log_posterior, double *expected,
                             crd_decision *decision);
/* The same by the probabilities as crd_classifier_probabilities gives them beside the logarithms, instead of crd_exp of
 * these: expected costs agree with what is shown of the probabilities to the last digit. */
CRD_API void crd_rule_decide_probabilities(const crd_rule *rule, const double *log_posterior,
                                           const double *probabilities, double *expected, crd_decision *decision);

/* ---- Outcomes: what decisions by a rule came to, once the truth is known ---- */

typedef struct crd_outcomes crd_outcomes;

/* The rule must outlive it. */
CRD_API CRD_MUST_USE crd_status crd_outcomes_create(crd_context *context, const crd_rule *rule, crd_outcomes **out,
                                                    crd_error *error);
CRD_API void crd_outcomes_destroy(crd_outcomes *outcomes);

/* One row, which stands for `weight` rows, from 0 to 2^63 (else CRD_ERROR_WEIGHT). A true class that the costs have no
 * row for is CRD_ERROR_COLUMN. decision may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_outcomes_add(crd_outcomes *outcomes, const double *log_posterior, crd_text truth,
                                                 double weight, crd_decision *decision, crd_error *error);

/* The rows of other outcomes of the same rule, as if they had been added one by one. */
CRD_API CRD_MUST_USE crd_status crd_outcomes_merge(crd_outcomes *outcomes, const crd_outcomes *other, crd_error *error);

/* Functions of the multiset of rows, not of their order. What has no value is NaN. */
typedef struct crd_outcome_totals {
    size_t size;
    uint64_t rows;
    double weight;    /* of all rows, by which each counts below; without weights, how many they are */
    double answered;  /* the weight of rows for which a class was named, and */
    double coverage;  /* its share */
    double accuracy;  /* of these rows; where the greatest posteriors tie under a rule that may reject, credit is shared
                       * as in crd_row_score, else the class named is right or wrong */
    double undecided; /* the weight of rows without a decision */
    /* Mean costs. A row without a decision is charged the most that any action costs for its class. */
    double cost;           /* of the decisions */
    double plain_cost;     /* of naming the most probable class; NaN where some class is no action */
    double single_cost;    /* of taking one action for all rows: the one for which this is least on them */
    int32_t single_action; /* which it is; -1 without costs */
} crd_outcome_totals;

#define CRD_OUTCOME_TOTALS_INIT                                                                                        \
    { sizeof(crd_outcome_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0, -1 }

CRD_API void crd_outcomes_totals(const crd_outcomes *outcomes, crd_outcome_totals *out);

/* The classes, then further truths: those of the costs' rows, or as they came. */
CRD_API size_t crd_outcomes_truth_count(const crd_outcomes *outcomes);
CRD_API crd_text crd_outcomes_truth(const crd_outcomes *outcomes, size_t truth);
/* The weight of the rows of a true class for which an action was taken; behind the last action, of those without one.
 */
CRD_API double crd_outcomes_weight(const crd_outcomes *outcomes, size_t truth, size_t action);

/* ---- Typicality: whether a row is an outlier under the model ---- */

typedef struct crd_typicality crd_typicality;

/* The typicality of a row is a p-value: the probability that a row drawn from the model, with cells in the same
 * attributes, has evidence as low as the row's or lower: a small one means that the row fits no class, its decision
 * included. It is estimated from rows drawn by a fixed seed, as (1 + draws as low) / (1 + draws), so that it is a
 * function of the model, the settings and the row. Rows of the model are drawn at creation; for each set of
 * attributes that have cells their evidence is computed once and kept, in bounded memory. Threads may share it.
 * settings NULL: the model's own. It keeps no reference to the model. */
CRD_API CRD_MUST_USE crd_status crd_typicality_create(const crd_model *model, const crd_settings *settings,
                                                      crd_typicality **out, crd_error *error);
CRD_API void crd_typicality_destroy(crd_typicality *fit);
/* How many rows are drawn: a function of the number of attributes. */
CRD_API size_t crd_typicality_draws(const crd_typicality *fit);

/* The typicality of one row and its answer under the same model and settings. 0 where every class is at zero, 1
 * where no cell counts. Cells never seen in training, which the evidence leaves out, are left out here too. */
CRD_API CRD_MUST_USE crd_status crd_typicality_row(const crd_typicality *fit, const crd_value *values,
                                                   const crd_answer *answer, double *out, crd_error *error);
/* Those of all rows of a frame with their answers. `out` has room for each. */
CRD_API CRD_MUST_USE crd_status crd_typicality_frame(const crd_typicality *fit, const crd_frame *frame,
                                                     const crd_posteriors *posteriors, double *out, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
