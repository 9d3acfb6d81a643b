/* SPDX-License-Identifier: MIT */
/* classify_row.h - classification of one row: its values, and the conversion of log sums to posteriors. */
#ifndef CRD_CLASSIFY_CLASSIFY_ROW_H
#define CRD_CLASSIFY_CLASSIFY_ROW_H

#include "classify/classifier_internal.h"

/* Converts a value. Returns CRD_ERROR_COLUMN or CRD_ERROR_NUMBER if it does not match the attribute. */
CRD_MUST_USE crd_status crd_i_classifier_cell(const crd_classifier *classifier, size_t attribute,
                                              const crd_value *value, crd_i_one_cell *cell, crd_error *error);

/* Computes the class log densities of a text value that has not been read yet. The room must hold all classes. Does
 * nothing for other values. */
CRD_MUST_USE crd_status crd_i_cell_read(const crd_i_attribute *attribute, crd_i_one_cell *cell, double *workspace,
                                        crd_error *error);
/* Reads a text value into newly allocated room. The caller frees *workspace with crd_free, even on failure.
 * *workspace must be NULL before. */
CRD_MUST_USE crd_status crd_i_cell_read_alone(const crd_classifier *classifier, size_t attribute, crd_i_one_cell *cell,
                                              double **workspace, crd_error *error);

/* A row of values being scored. A row with few attributes needs no allocation. */
typedef struct crd_i_open_row {
    crd_i_scored_row scored;
    crd_i_one_cell near_cells[32], *far_cells;
    double near_scratch[64], *far_scratch;
    double *logs; /* log densities of the texts, one after the other */
} crd_i_open_row;

/* Sets the sums of each class to its log prior. Sets answer->unseen to the number of values that did not occur in
 * training. */
void crd_i_row_begin(const crd_i_scored_row *row, double *sums, crd_answer *answer);

/* Converts sums of log prior and log densities to log posteriors in place, and to probabilities (may be NULL) and the
 * answer. answer->unseen must be set. With g the largest sum and t the total of all exp(sum - g) in class order, a
 * probability is exp(sum - g) / t, and a log posterior is sum - g - log t. Only this function and posteriors.h compute
 * these. If the sums still equal the log priors, the row had no evidence. Then the log evidence is exactly 0, not the
 * rounded sum of the priors. */
void crd_i_classifier_conclude(const crd_i_simd_columns *lanes, const double *log_priors, size_t classes, double *sums,
                               double *probabilities, crd_answer *answer);
/* Returns the class if there is only one and its prior is positive; otherwise SIZE_MAX. If a specified prior gives
 * other classes probability 0 and all likelihoods are 0, no posterior exists. */
size_t crd_i_classifier_only_class(const double *log_priors, size_t count);
/* Handles a row for which all class densities underflow to zero. If there is only one possible class, it is certain
 * anyway. The evidence stays zero. */
void crd_i_classifier_choose_only_class(const double *log_priors, size_t count, double *log_posterior,
                                        double *probabilities, crd_answer *answer);
/* Applies both functions above to a row's sums. */
void crd_i_row_conclude(const crd_i_scored_row *row, double *sums, double *probabilities, crd_answer *answer);

#endif
