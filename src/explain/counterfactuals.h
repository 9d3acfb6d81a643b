/* SPDX-License-Identifier: MIT */
/* counterfactuals.h - predictions for a row whose cells are replaced by other values. */
#ifndef CRD_EXPLAIN_COUNTERFACTUALS_H
#define CRD_EXPLAIN_COUNTERFACTUALS_H

#include "base/arena.h"

#include <credence/explain.h>
#include <credence/model.h>
#include <stdbool.h>

/* The public object: see credence/explain.h. */
struct crd_what_if {
    crd_i_arena *arena;
    crd_context *context;
    const crd_classifier *classifier;
    crd_summary *summary; /* the model's summary: values, their counts, moments */
    size_t class_count, attribute_count;
    /* for each attribute, the unit in which its changes are measured; 0 if it has fewer than two values */
    double *deviations;
    double *means;      /* for each numeric attribute, the mean over all rows */
    double *relevances; /* for each attribute, the result of crd_i_relevance */
};

/* A copy of a row, the prediction for it, and work space. */
typedef struct crd_i_trial {
    crd_i_arena *arena;
    const crd_what_if *what_if;
    crd_value *values;
    double *log_posterior, *probabilities;
    crd_answer answer;
} crd_i_trial;

/* Copies a row. Call crd_i_trial_close afterwards. */
CRD_MUST_USE crd_status crd_i_trial_open(const crd_what_if *what_if, const crd_value *values, crd_i_trial *out,
                                         crd_error *error);
void crd_i_trial_close(crd_i_trial *trial);
/* Returns the approximate number of terms in a prediction: classes times attributes, and times attributes again if the
 * method is not naive, because such methods combine pairs of attributes. */
double crd_i_trial_cost(const crd_what_if *what_if);
/* Predicts the row with its current values. Fails with CRD_ERROR_CANCELLED if the context is cancelled. */
CRD_MUST_USE crd_status crd_i_trial_ask(crd_i_trial *trial, crd_error *error);

/* Returns whether the attribute's family gives probabilities of whole numbers. */
bool crd_i_what_if_is_discrete(const crd_what_if *what_if, size_t attribute);

/* Returns whether the cell is present. */
bool crd_i_value_is_present(const crd_value *value);
/* Returns a cell that contains `number`. */
crd_value crd_i_value_of(double number);
/* Returns a missing cell. */
crd_value crd_i_value_missing(void);

/* ======== Relevance of attributes ========
 *
 * A quick measure of how informative an attribute is about the class. It chooses the attributes to examine when there
 * are too many to examine all of them. */

/* Returns the approximate mutual information of an attribute and the class, in nats, at least 0. Categorical: the
 * mutual information of the counts, minus its mean under independence. Numeric: -1/2 log(1 - e^2), where e^2 is the
 * share of the variance that lies between the classes; INFINITY if all of it does. Text attributes have 0. */
double crd_i_relevance(const crd_summary *summary, size_t attribute);

#endif
