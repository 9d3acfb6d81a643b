/* SPDX-License-Identifier: MIT */
/* cross_moments.h - what a joint tally of cross-moments holds: see cross_moments.c. */
#ifndef CRD_STATS_CROSS_MOMENTS_H
#define CRD_STATS_CROSS_MOMENTS_H

#include "math/exact/exact_products.h"
#include "stats/joint_tally.h"

/* More number columns than this together are given up: their sums of products would not fit in memory. */
enum { CRD_I_CROSS_MOST_COLUMNS = 2000 };

/* The joint tally's columns that are settled as numbers, ascending; returns how many. */
size_t crd_i_cross_columns(const crd_i_joint_tally *joint_tally, const size_t **columns);
/* The sums of the complete rows under a condition, of these columns in their order; NULL: there are none. */
const crd_i_products *crd_i_cross_products(const crd_i_joint_tally *joint_tally, size_t condition);
/* The sums of the incomplete rows, of every column twice: see cross_moments.c; NULL: none are known. Those of two of its
 * `count` columns, or of one and itself, over the rows that have both cells: n_ij, s_ij, s_ji, q_ij. */
const crd_i_products *crd_i_cross_incomplete(const crd_i_joint_tally *joint_tally, size_t condition);
crd_i_comoment_cell crd_i_cross_pair(const crd_i_products *incomplete, size_t count, size_t i, size_t j);
/* The weight of the rows under a condition in which some number is missing. */
double crd_i_cross_left_out(const crd_i_joint_tally *joint_tally, size_t condition);

#endif
