/* SPDX-License-Identifier: MIT */
/* gaussian_family.h - scores of a numeric node and its parents; see family_score.h.
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

#endif
