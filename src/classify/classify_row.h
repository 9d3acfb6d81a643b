/* SPDX-License-Identifier: MIT */
/* classify_row.h - one row: its cells, and what the sums of log prior and log densities become. */
#ifndef CRD_CLASSIFY_CLASSIFY_ROW_H
#define CRD_CLASSIFY_CLASSIFY_ROW_H

#include "classify/classifier_internal.h"

/* CRD_ERROR_COLUMN or CRD_ERROR_NUMBER where the value does not fit. */
CRD_MUST_USE crd_status crd_i_classifier_cell(const crd_classifier *classifier, size_t attribute,
                                              const crd_value *value, crd_i_one_cell *cell, crd_error *error);

/* Reads the cell where it is a text that a density has yet to read, into room for all classes; else does nothing. */
CRD_MUST_USE crd_status crd_i_cell_read(const crd_i_attribute *attribute, crd_i_one_cell *cell, double *room,
                                        crd_error *error);
/* The same into room that is made, and is the caller's: freed with crd_free, also where it fails. *room is NULL before. */
CRD_MUST_USE crd_status crd_i_cell_read_alone(const crd_classifier *classifier, size_t attribute, crd_i_one_cell *cell,
                                              double **room, crd_error *error);

/* A row of values on its way to a score. That of few attributes takes no allocation. */
typedef struct crd_i_open_row {
    crd_i_scored_row scored;
    crd_i_one_cell near_cells[32], *far_cells;
    double near_scratch[64], *far_scratch;
    double *logs; /* of the texts, one after the other */
} crd_i_open_row;

/* Closed with _close, also where it fails. */
CRD_MUST_USE crd_status crd_i_row_open(const crd_classifier *classifier, const crd_value *values, crd_i_open_row *row,
                                       crd_error *error);
void crd_i_row_close(crd_i_open_row *row);

/* The sums of each class at first, its log priors; answer->unseen counts the cells whose value no row had. */
void crd_i_row_begin(const crd_i_scored_row *row, double *sums, crd_answer *answer);

/* Sums of log prior and log densities become log posteriors, in place, probabilities (NULL: not needed) and the
 * answer. answer->unseen is set before. With g the greatest sum and t the total of all exp(sum - g), in the classes'
 * order, a probability is exp(sum - g) / t, and a log posterior sum - g - log t: here and in row_block.h, and
 * nowhere else. Where the sums still are the log priors, there was no evidence: its log is 0, not the rounding of
 * the priors' sum. */
void crd_i_classifier_conclude(const crd_i_simd_columns *lanes, const double *log_priors, size_t classes, double *sums,
                               double *probabilities, crd_answer *answer);
/* The class where there is but one; SIZE_MAX: there are several. Where a stated prior excludes all classes but one, and
 * that one has a likelihood of zero, there is no posterior. */
size_t crd_i_classifier_only_class(const double *log_priors, size_t count);
/* Where no class is left, since the densities of numbers so far off are below all doubles: a class that is the only one
 * is certain all the same. The evidence stays zero. */
void crd_i_classifier_be_certain(const double *log_priors, size_t count, double *log_posterior, double *probabilities,
                                 crd_answer *answer);
/* Both, of a row's sums of log densities. */
void crd_i_row_conclude(const crd_i_scored_row *row, double *sums, double *probabilities, crd_answer *answer);

#endif
