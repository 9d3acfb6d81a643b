/* SPDX-License-Identifier: MIT */
/* class_mixture.h - a mixture of classes in each of which the columns are independent: naive Bayes whose class is hidden.
 *
 *   P(x) = sum over k of P(k) P(x1 | k) P(x2 | k) ...
 *
 * Categories have a table for each class, numbers a normal density. Cells that are missing are left out of a row's
 * product. EM alternates between
 *
 *   E   r_ik = P(k | x_i), and the statistics of each class under the weights w_i r_ik: sums of weights, of each value, of
 *       numbers and their squares
 *   M   the parameters that maximise the log posterior of the parameters given these statistics
 *
 * The M step estimates as a classifier of the statistics does (categorical.c, gaussian_parameters.c), which is a maximum a
 * posteriori under priors with pseudo-counts: a_v of each value (Dirichlet), and M of each class with the variance V of the
 * whole column (inverse gamma). So what never falls from one step to the next is
 *
 *   sum over i of w_i log P(x_i) + sum over k of [ sum over v of a_v log P(v | k) - M / 2 (log s_k^2 + V / s_k^2) ]
 *
 * Without M a variance is at least a small part of V, which keeps it from shrinking around one row.
 *
 * Sums are made chunk by chunk, chunks depending on the size of the problem alone, and added up in their order: results
 * have the same bits with any number of threads. */
#ifndef CRD_EM_CLASS_MIXTURE_H
#define CRD_EM_CLASS_MIXTURE_H

#include "cases/case_table.h"
#include "settings/settings_internal.h"

typedef struct crd_i_class_mixture crd_i_class_mixture;

/* Over the columns of a case table, but for those that `is_left_out` (NULL: none) marks, with so many classes; the table's
 * columns have to outlive it. Numbers are put on a scale that is found from the table. CRD_ERROR_LIMIT: columns have too
 * many states for so many classes; CRD_ERROR_SETTING: settings that its estimates cannot follow. */
CRD_MUST_USE crd_status crd_i_class_mixture_create(const crd_i_case_table *like, const bool *is_left_out,
                                                   size_t classes, const crd_settings *settings,
                                                   crd_i_class_mixture **out, crd_error *error);
void crd_i_class_mixture_destroy(crd_i_class_mixture *mixture); /* NULL is fine */
/* How many numbers its statistics, and its parameters, are. */
size_t crd_i_class_mixture_statistics(const crd_i_class_mixture *mixture);
size_t crd_i_class_mixture_parameters(const crd_i_class_mixture *mixture);
/* The parameters, which may be copied and written back; the last is their log prior density, up to a constant. */
double *crd_i_class_mixture_state(crd_i_class_mixture *mixture);

/* Rows of a table with the columns of the mixture's. */
typedef struct crd_i_class_mixture_rows {
    const crd_i_case_table *table;
    const double *weights; /* of each row; NULL: the table's own */
    double scale;          /* by which every weight counts */
    unsigned threads;
    /* In (0, 1]: responsibilities are in proportion to P(k, x_i)^temper, and sum of w_i / temper log sum P(k, x_i)^temper
     * takes the place of the log likelihood. 1: plain EM; less: classes are less sure of rows. */
    double temper;
} crd_i_class_mixture_rows;

/* Adds the statistics of rows whose classes are known: classes[i] below the number of classes, or negative: the row is
 * left out. */
void crd_i_class_mixture_count(const crd_i_class_mixture *mixture, const crd_i_class_mixture_rows *rows,
                               const int32_t *classes, double *statistics);
/* The E step: adds expected statistics; *log_likelihood is sum of w_i log P(x_i). */
CRD_MUST_USE crd_status crd_i_class_mixture_expect(const crd_i_class_mixture *mixture,
                                                   const crd_i_class_mixture_rows *rows, double *statistics,
                                                   double *log_likelihood, crd_error *error);
/* The M step. */
void crd_i_class_mixture_maximise(crd_i_class_mixture *mixture, const double *statistics);
/* sum of w_i log P(class, x_i) of rows whose classes are known, by their statistics. */
double crd_i_class_mixture_complete(const crd_i_class_mixture *mixture, const double *statistics);
/* log P(k, x_i) - log P(x_i) of the rows from `from` up to below `to`, rows x classes; log P(x_i) in `evidence`, unless it
 * is NULL. */
CRD_MUST_USE crd_status crd_i_class_mixture_posteriors(const crd_i_class_mixture *mixture,
                                                       const crd_i_case_table *table, size_t first, size_t limit,
                                                       double *posteriors, double *evidence, crd_error *error);

/* Free parameters, for BIC: of classes, of each class those of values that have weight, two of each number column. */
double crd_i_class_mixture_free(const crd_i_class_mixture *mixture, const double *statistics);

/* How far two rows of a table are apart: the squared difference of numbers over the column's variance, and of categories
 * 2 where they differ, over the probability that two rows do. Columns of which one cell is missing count as they do in the
 * mean, 2. */
double crd_i_class_mixture_distance(const crd_i_class_mixture *mixture, const crd_i_case_table *table, size_t a,
                                    size_t b);

#endif
