/* SPDX-License-Identifier: MIT */
/* credence/decide.h - decisions by minimum expected cost, with a reject option or with a threshold; outcomes of
 * decisions; and the typicality of rows (outlier scores).
 *
 *   rule        log posteriors           -->  the action to take
 *   outcomes    actions, true classes    -->  mean cost, coverage and accuracy
 *   typicality  a row                    -->  a p-value: the probability of evidence this low under the model */
#ifndef CREDENCE_DECIDE_H
#define CREDENCE_DECIDE_H

#include <credence/classifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Decision rules ---- */

/* The type of a decision rule. */
typedef enum crd_rule_kind {
    CRD_RULE_COSTS = 1,    /* the action with the smallest expected cost */
    CRD_RULE_REJECT = 2,   /* the most probable class, or abstention (the reject option) */
    CRD_RULE_THRESHOLD = 3 /* one of two classes if its posterior is large enough, otherwise the other class */
} crd_rule_kind;

/* A decision rule, which maps the posterior of a row to an action. Read-only; threads may share it. Class numbers are
 * positions in the array of log posteriors. */
typedef struct crd_rule {
    crd_context *context;
    crd_rule_kind kind;
    size_t class_count;
    size_t action_count;
    crd_text *actions;       /* names */
    int32_t *action_classes; /* the class with the same name as each action; -1: the action does not predict a class */
    double least;            /* the smallest posterior at which a class is chosen; NaN without a threshold */
    int32_t positive;        /* the positive class of a threshold rule; -1 for other rules */
    double *costs;           /* for the library; see crd_rule_cost */
    void *class_codes, *action_codes; /* for the library */
} crd_rule;

/* A cost table: costs[row * action_count + action] is the cost of the action if the class of that row is the true
 * class. Negative costs are gains. Each class needs a row (CRD_ERROR_COLUMN names the first missing class). More rows
 * are allowed, for true classes that the classifier does not predict. Actions need not be classes. Row names must be
 * unique, and so must action names. Costs must be finite and at most 1e280 in magnitude (CRD_ERROR_NUMBER). Initialize
 * it with CRD_COST_TABLE_INIT. */
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

/* Creates a rule that takes the action with the smallest expected cost. `classes` are the names of the classes in the
 * order of the log posteriors. The table is copied. The caller destroys *out. CRD_ERROR_COLUMN: a class has no row, or
 * a name occurs twice. CRD_ERROR_NUMBER: a cost is not finite or too large. CRD_ERROR_ARGUMENT: the list of classes or
 * actions is empty. */
CRD_API CRD_MUST_USE crd_status crd_rule_create_costs(crd_context *context, const crd_text *classes, size_t class_count,
                                                      const crd_cost_table *table, crd_rule **out, crd_error *error);
/* Creates a cost rule from a table file, which a reader reads. The header line contains any name, then the names of the
 * actions. Each further line contains the name of a class, then its costs. The path "-" is standard input. The caller
 * destroys *out. CRD_ERROR_SYNTAX: a cost is not a number. CRD_ERROR_COLUMN: a class is missing or occurs twice. */
CRD_API CRD_MUST_USE crd_status crd_rule_read_costs(crd_context *context, const char *path, const crd_text *classes,
                                                    size_t class_count, crd_rule **out, crd_error *error);

/* Creates a rule that chooses the class with the largest posterior if that is at least `least`, 0 < least <= 1.
 * Otherwise it takes the action `unsure`, which rejects the row (Chow 1970). The actions are the classes, then
 * `unsure`. The caller destroys *out. CRD_ERROR_ARGUMENT: a class has the name `unsure`. CRD_ERROR_PROBABILITY: `least`
 * is out of range. */
CRD_API CRD_MUST_USE crd_status crd_rule_create_reject(crd_context *context, const crd_text *classes,
                                                       size_t class_count, double least, crd_text unsure,
                                                       crd_rule **out, crd_error *error);

/* Creates a rule that chooses the most probable class. It takes the action `unsure` if the posterior does not
 * distinguish the classes: all of them tie, or there is only one. Its kind is CRD_RULE_REJECT, and `least` is
 * NaN. The caller destroys *out. CRD_ERROR_ARGUMENT: a class has the name `unsure`. Experimental. */
CRD_API CRD_MUST_USE crd_status crd_rule_create_untied(crd_context *context, const crd_text *classes,
                                                       size_t class_count, crd_text unsure, crd_rule **out,
                                                       crd_error *error);

/* Creates a rule for two classes. It chooses the class `positive`, 0 or 1, if its posterior is at least `least`, 0 <
 * least <= 1; otherwise it chooses the other class. The caller destroys *out. CRD_ERROR_ARGUMENT: the number of classes
 * is not 2, or `positive` is not one of them. CRD_ERROR_PROBABILITY: `least` is out of range. */
CRD_API CRD_MUST_USE crd_status crd_rule_create_threshold(crd_context *context, const crd_text *classes,
                                                          size_t class_count, size_t positive, double least,
                                                          crd_rule **out, crd_error *error);
/* Frees a rule. NULL is allowed. */
CRD_API void crd_rule_destroy(crd_rule *rule);

/* Returns the cost of an action if `class_index` is the true class. Returns NaN if the rule has no costs. */
CRD_API double crd_rule_cost(const crd_rule *rule, size_t class_index, size_t action);

/* The decision for one row. Initialize it with CRD_DECISION_INIT. */
typedef struct crd_decision {
    size_t size;
    int32_t action;       /* -1: no action, because every class has probability 0 */
    uint32_t tied;        /* number of actions that tie, including the chosen one, which is the first of them */
    double expected_cost; /* NaN without costs or without an action */
} crd_decision;

#define CRD_DECISION_INIT                                                                                              \
    { sizeof(crd_decision), -1, 0, 0 }

/* Chooses the action for one row from its log posteriors, and writes it to *decision. The expected cost of an action is
 * the sum over classes k of P(k | x) cost(k, action). Expected costs tie if they differ only by rounding: by at most
 * CRD_TIE_MARGIN times the sum of the magnitudes that were added. A probability that is below `least` only by rounding
 * counts as equal to it. If every class has probability 0, reject rules reject the row and other rules choose no
 * action. `expected` receives the expected cost of each action, or NaN if the rule has no costs; it may be NULL. */
CRD_API void crd_rule_decide(const crd_rule *rule, const double *log_posterior, double *expected,
                             crd_decision *decision);
/* Chooses the action for one row, like crd_rule_decide, but with the probabilities from crd_classifier_posterior
 * instead of crd_exp of the log posteriors. Expected costs then agree to the last digit with costs computed from
 * displayed probabilities. If `probabilities` is NULL, it uses the log posteriors. */
CRD_API void crd_rule_decide_probabilities(const crd_rule *rule, const double *log_posterior,
                                           const double *probabilities, double *expected, crd_decision *decision);

/* ---- Outcomes of decisions when the true classes are known ---- */

/* Sums over rows that were decided by a rule and whose true classes are known. */
typedef struct crd_outcomes crd_outcomes;

/* Totals of outcomes. They do not depend on the order of the rows. A total without a value is NaN. Initialize it with
 * CRD_OUTCOME_TOTALS_INIT. */
typedef struct crd_outcome_totals {
    size_t size;
    uint64_t rows;
    double weight;   /* total weight of all rows; without weights, the number of rows */
    double answered; /* weight of the rows for which the action was a class */
    double coverage; /* answered / weight */
    /* Weighted share of correct classes among the answered rows. Under a reject rule, tied classes share the credit as
     * in crd_row_score; otherwise the chosen class is either right or wrong. */
    double accuracy;
    double undecided; /* weight of the rows without a decision */
    /* Mean costs per row. A row without a decision costs as much as the most expensive action for its class. */
    double cost;       /* mean cost of the decisions */
    double plain_cost; /* mean cost of always choosing the most probable class; NaN if some class is not an action */
    /* Mean cost of the best constant action: the action with the smallest total cost on these rows. */
    double single_cost;
    int32_t single_action; /* the best constant action; -1 without costs */
} crd_outcome_totals;

#define CRD_OUTCOME_TOTALS_INIT                                                                                        \
    { sizeof(crd_outcome_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0, -1 }

/* Writes the totals of all rows added so far to *out. */
CRD_API void crd_outcomes_totals(const crd_outcomes *outcomes, crd_outcome_totals *out);

/* Returns the number of true classes. The classes of the rule come first. They are followed by the other rows of the
 * cost table or, without costs, by other true classes in the order in which they occurred. */
CRD_API size_t crd_outcomes_truth_count(const crd_outcomes *outcomes);
/* Returns the name of a true class. The text lives as long as the outcomes. */
CRD_API crd_text crd_outcomes_truth(const crd_outcomes *outcomes, size_t truth);
/* Returns the weight of the rows with a true class for which an action was taken. Pass the number of actions as
 * `action` to get the weight of the rows without a decision. */
CRD_API double crd_outcomes_weight(const crd_outcomes *outcomes, size_t truth, size_t action);

/* ---- Typicality: whether a row is an outlier under the model ---- */

/* Computes the typicality of rows. It is immutable for the caller, and threads may share it.
 *
 * The typicality of a row x is a p-value: the probability that a row X drawn from the model, with values in the same
 * attributes, has evidence p(X) <= p(x). A small value means that the row is an outlier, which does not fit any class,
 * not even the predicted class. With N draws x_i, the estimate is
 *
 *   (1 + number of i with p(x_i) <= p(x)) / (1 + N)
 *
 * (Davison and Hinkley, Bootstrap Methods, 1997, 4.2). The seed is fixed, so the estimate is a function of the model,
 * the settings and the row. */
typedef struct crd_typicality crd_typicality;

/* Creates an object that computes typicalities, and draws its rows from the model. `settings` NULL: the model's
 * settings. It keeps no reference to the model. For each set of present attributes, the evidence of the drawn rows is
 * computed once and cached in bounded memory. The caller destroys *out. */
CRD_API CRD_MUST_USE crd_status crd_typicality_create(const crd_model *model, const crd_settings *settings,
                                                      crd_typicality **out, crd_error *error);
/* Frees the object. NULL is allowed. */
CRD_API void crd_typicality_destroy(crd_typicality *fit);

/* Computes the typicality of one row into *out. `answer` must be the prediction for the row under the same model and
 * settings. The typicality is 0 if every class has probability 0, and 1 if the row has no values that are used. Values
 * that did not occur in training are ignored, as in the evidence. */
CRD_API CRD_MUST_USE crd_status crd_typicality_row(const crd_typicality *fit, const crd_value *values,
                                                   const crd_answer *answer, double *out, crd_error *error);
/* Computes the typicality of all rows of a frame. `posteriors` must contain the predictions for these rows. `out` must
 * have space for one number per row. */
CRD_API CRD_MUST_USE crd_status crd_typicality_frame(const crd_typicality *fit, const crd_frame *frame,
                                                     const crd_posteriors *posteriors, double *out, crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
