/* SPDX-License-Identifier: MIT */
/* gaussian_family.h - scores of a number and its parents: see family_score.h for what they are.
 *
 * Sums of squares and products of deviations from the means (scatter) of all numbers are computed once; those of a family
 * are a part of them, and eliminating the parents leaves the residual sum of squares. Where rows are parted by discrete
 * parents, or lack cells, the family has sums of its own. */
#ifndef CRD_STRUCTURE_GAUSSIAN_FAMILY_H
#define CRD_STRUCTURE_GAUSSIAN_FAMILY_H

#include "structure/counted_rows.h"

/* Immutable. */
typedef struct crd_i_gaussians crd_i_gaussians;

/* The table outlives it. */
CRD_MUST_USE crd_status crd_i_gaussians_create(const crd_i_case_table *table, crd_i_gaussians **out, crd_error *error);
void crd_i_gaussians_destroy(crd_i_gaussians *gaussians); /* NULL is fine */

/* A node with parents in ascending order. Where there is a further column, rows that lack its cell do not count either. */
typedef struct crd_i_node_family {
    size_t node;
    const uint32_t *parents;
    size_t parent_count;
    bool has_further;
    size_t further;
} crd_i_node_family;

/* log likelihood at the estimates, of the rows that have all cells, and their weight. -INFINITY where a combination has too
 * few rows, or the parents leave nothing of the variance. */
CRD_MUST_USE crd_status crd_i_gaussian_log_likelihood(const crd_i_gaussians *gaussians, crd_i_counter *counter,
                                                      const crd_i_node_family *family, double *value, double *rows,
                                                      crd_error *error);
/* log marginal likelihood under a normal-Wishart prior with `sample_size` pseudo-rows; all columns are numbers. */
CRD_MUST_USE crd_status crd_i_gaussian_marginal(const crd_i_gaussians *gaussians, crd_i_counter *counter,
                                                const crd_i_node_family *family, double sample_size, double *value,
                                                double *rows, crd_error *error);

#endif
