/* SPDX-License-Identifier: MIT */
/* cross_moments.h - access to a joint tally of cross-moments: see cross_moments.c. */
#ifndef CRD_STATS_CROSS_MOMENTS_H
#define CRD_STATS_CROSS_MOMENTS_H

#include "math/exact/exact_products.h"
#include "stats/joint_tally.h"

/* With more numeric columns than this, the joint tally is dropped, because its sums of products would not fit in
 * memory. */
enum { CRD_I_CROSS_MOST_COLUMNS = 2000 };

/* Returns the number of columns that are settled as numbers, and their indices in ascending order. */
size_t crd_i_cross_columns(const crd_i_joint_tally *joint_tally, const size_t **columns);
/* Returns the sums of the complete rows under a condition, for these columns in their order; NULL: there are none. */
const crd_i_products *crd_i_cross_products(const crd_i_joint_tally *joint_tally, size_t condition);
/* Return the sums of the incomplete rows, with every column twice: see cross_moments.c; NULL: unknown.
 * crd_i_cross_pair returns the sums n_ij, s_ij, s_ji, q_ij of two of its `count` columns, or of one column with
 * itself, over the rows that have both cells. */
const crd_i_products *crd_i_cross_incomplete(const crd_i_joint_tally *joint_tally, size_t condition);
crd_i_comoment_cell crd_i_cross_pair(const crd_i_products *incomplete, size_t count, size_t i, size_t j);
/* Returns the weight of the rows under a condition in which some number is missing. */
double crd_i_cross_left_out(const crd_i_joint_tally *joint_tally, size_t condition);

#endif
