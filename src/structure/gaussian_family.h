/* SPDX-License-Identifier: MIT */
/* gaussian_family.h - scores of a numeric node and its parents; see structure_search.h.
 *
 * The scatter matrix (sums of squares and products of deviations from the means) of all numeric columns is computed
 * once. The scatter of a family is a part of it, and eliminating the parents leaves the residual sum of squares (RSS).
 * If discrete parents divide the rows, or if values are missing, each family computes its own scatter.
 *
 * The maximized log-likelihood of n rows with the residual sum of squares RSS and d = n - rank of the parents - 1 is
 *
 *   -(n (log(2 pi) + log(RSS / d)) + d) / 2
 *
 * BGe (Geiger and Heckerman 1994; Kuipers, Moffa and Heckerman 2014): with N rows, l family members, the scatter matrix
 * R plus t on its diagonal, t = S / (S + 1), and a Wishart prior whose degrees of freedom exceed the number of nodes by
 * 2,
 *
 *   log Gamma((N + l + 2) / 2) - log Gamma((l + 2) / 2) - N / 2 log(pi) + log(S / (S + N)) / 2 + (2 l + 1) / 2 log(t)
 *     - (N + l + 2) / 2 log|R of the family| + (N + l + 1) / 2 log|R of the parents| */
#ifndef CRD_STRUCTURE_GAUSSIAN_FAMILY_H
#define CRD_STRUCTURE_GAUSSIAN_FAMILY_H

#include "structure/counted_rows.h"
#include "table/case_table.h"

/* The numeric columns of a table with their scatter. Immutable. */
typedef struct crd_i_gaussians crd_i_gaussians;

/* Creates the Gaussian sufficient statistics of a table. The table must outlive them. */
CRD_MUST_USE crd_status crd_i_gaussians_create(const crd_i_case_table *table, crd_i_gaussians **out, crd_error *error);
void crd_i_gaussians_destroy(crd_i_gaussians *gaussians); /* NULL is allowed */

/* A node with parents in ascending order. If has_further is true, rows in which the column `further` is missing do
 * not count either. */
typedef struct crd_i_node_family {
    size_t node;
    const uint32_t *parents;
    size_t parent_count;
    bool has_further;
    size_t further;
} crd_i_node_family;

/* Computes the maximized log-likelihood of the complete rows, and their weight in *rows. The value is -INFINITY if a
 * combination of discrete parents has too few rows, or if the parents leave no residual variance. */
CRD_MUST_USE crd_status crd_i_gaussian_log_likelihood(const crd_i_gaussians *gaussians, crd_i_counter *counter,
                                                      const crd_i_node_family *family, double *value, double *rows,
                                                      crd_error *error);
/* Computes the log marginal likelihood under a normal-Wishart prior with the equivalent sample size `sample_size`,
 * and the weight of the complete rows in *rows. All columns must be numeric. */
CRD_MUST_USE crd_status crd_i_gaussian_marginal(const crd_i_gaussians *gaussians, crd_i_counter *counter,
                                                const crd_i_node_family *family, double sample_size, double *value,
                                                double *rows, crd_error *error);

/* ======== Covariances and likelihoods ========
 *
 * Covariances of the numeric columns of a case table, and likelihoods of conditional Gaussian distributions. */

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
