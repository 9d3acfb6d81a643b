/* SPDX-License-Identifier: MIT */
/* row_groups.h - the rows of a batch, those under one condition side by side.
 *
 * Every column of a batch is tallied under the same conditions, so the rows are put in order once. A group is
 * part of a stretch of rows that is short enough for a column's share of it to stay near the processor; so one
 * condition may have several groups. What is tallied are exact sums, which do not depend on any of this. */
#ifndef CRD_STATS_ROW_GROUPS_H
#define CRD_STATS_ROW_GROUPS_H

#include "math/exact/slices.h"

typedef struct crd_i_group {
    size_t condition;
    size_t origin;        /* the row that `rows` count from */
    const uint16_t *rows; /* increasing */
    size_t count;
    const double *weights; /* of these rows; NULL: all 1 */
} crd_i_group;

typedef struct crd_i_groups {
    crd_context *context;
    crd_i_group *groups;
    size_t count, capacity;
    uint16_t *rows;
    double *weights; /* in the same order, if there are any */
    bool is_sliced;
    crd_i_sliced_weights sliced; /* these */
    double *slices;
    size_t rows_capacity, weights_capacity, slices_capacity;
} crd_i_groups;

/* Negative conditions leave their row out; conditions NULL: all rows are under 0; weights NULL: all are 1. false: out of
 * memory; then too, the groups are to be cleared. */
CRD_MUST_USE bool crd_i_groups_init(crd_i_groups *groups, crd_context *context, const int32_t *conditions,
                                    const double *weights, size_t rows);
/* The same in the room of groups that were, all zero at first, with weights sliced for many columns of numbers, which are
 * else added one by one. */
CRD_MUST_USE bool crd_i_groups_make(crd_i_groups *groups, crd_context *context, const int32_t *conditions,
                                    const double *weights, size_t rows);
void crd_i_groups_clear(crd_i_groups *groups);

#endif
