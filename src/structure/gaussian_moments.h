/* SPDX-License-Identifier: MIT */
/* gaussian_moments.h - covariances of number columns of a case table, and likelihoods of conditional Gaussian
 * distributions. */
#ifndef CRD_STRUCTURE_GAUSSIAN_MOMENTS_H
#define CRD_STRUCTURE_GAUSSIAN_MOMENTS_H

#include "cases/case_table.h"

/* A residual variance of less than this part of a variance is rounding: the variable is a linear function of the others. */
#define CRD_I_LEAST_RESIDUAL 1e-10

/* Whether squares of all numbers can be added up. CRD_ERROR_NUMBER names a column in which they cannot. */
CRD_MUST_USE crd_status crd_i_gaussian_check(const crd_i_case_table *table, crd_error *error);

/* The covariance matrix (divided by the sum of weights, which is *rows) of number columns, row by row, over the rows that
 * are complete in them. `means` is room for `count` numbers. */
void crd_i_covariance(const crd_i_case_table *table, const uint32_t *columns, size_t count, double *covariance,
                      double *means, double *rows);

/* The partial correlation of the last two variables of a covariance matrix, given all before them; the matrix is used
 * up. Variables that are linear functions of those before them are left out; NaN where one of the two is. */
double crd_i_partial_correlation(double *covariance, size_t count);

/* The greatest log-likelihood of a conditional Gaussian distribution: relative frequencies of the combinations of states
 * of the categories, and a normal distribution of the numbers for each of them. Rows of a combination that has too few of
 * them have the normal distribution of all rows; those of one in which a number is constant or a linear function of others
 * the covariance within combinations, so that numbers that are functions of a category are told from those that happen to be
 * equal. Residual variances are at least CRD_I_LEAST_RESIDUAL of the variance. */
typedef struct crd_i_gaussian_fit {
    double log_likelihood;
    double parameters; /* how many, of the combinations of states that occur */
} crd_i_gaussian_fit;

/* Of columns of either kind, over the rows that `is_complete` marks. */
CRD_MUST_USE crd_status crd_i_conditional_gaussian(const crd_i_case_table *table, const uint32_t *columns, size_t count,
                                                   const bool *is_complete, crd_i_gaussian_fit *out, crd_error *error);

#endif
