/* SPDX-License-Identifier: MIT */
/* gaussian_moments.h - covariances of the numeric columns of a case table, and likelihoods of conditional Gaussian
 * distributions. */
#ifndef CRD_STRUCTURE_GAUSSIAN_MOMENTS_H
#define CRD_STRUCTURE_GAUSSIAN_MOMENTS_H

#include "cases/case_table.h"

/* A residual variance below this share of the variance is rounding error: the variable is a linear function of the
 * others. */
#define CRD_I_LEAST_RESIDUAL 1e-10

/* Checks that the squares of all numbers can be summed without overflow. Returns CRD_ERROR_NUMBER and names the
 * column if not. */
CRD_MUST_USE crd_status crd_i_gaussian_check(const crd_i_case_table *table, crd_error *error);

/* Computes the covariance matrix of numeric columns over the rows that are complete in them, divided by the sum of
 * weights, which is stored in *rows. `means` has room for `count` numbers. */
void crd_i_covariance(const crd_i_case_table *table, const uint32_t *columns, size_t count, double *covariance,
                      double *means, double *rows);

/* Returns the partial correlation of the last two variables of a covariance matrix given all variables before them.
 * Overwrites the matrix. Skips variables that are linear functions of the variables before them. Returns NaN if one
 * of the two variables is. */
double crd_i_partial_correlation(double *covariance, size_t count);

/* The maximized log-likelihood of a conditional Gaussian distribution (Lauritzen and Wermuth 1989): relative
 * frequencies of the combinations of states of the categorical columns, and for each combination a multivariate
 * normal distribution of the numeric columns. A combination with too few rows uses the normal distribution of all
 * rows. A combination in which a number is constant or a linear function of others uses the pooled covariance within
 * combinations. This distinguishes numbers that are functions of a category from numbers that happen to be equal.
 * Residual variances are at least CRD_I_LEAST_RESIDUAL of the variance. */
typedef struct crd_i_gaussian_fit {
    double log_likelihood;
    double parameters; /* number of parameters, counting only the combinations of states that occur */
} crd_i_gaussian_fit;

/* Fits a conditional Gaussian distribution to columns of any type, over the rows that `is_complete` marks. */
CRD_MUST_USE crd_status crd_i_conditional_gaussian(const crd_i_case_table *table, const uint32_t *columns, size_t count,
                                                   const bool *is_complete, crd_i_gaussian_fit *out, crd_error *error);

#endif
