/* SPDX-License-Identifier: MIT */
/* row_groups.h - groups the rows of a batch by condition.
 *
 * Every column of a batch is counted under the same conditions, so the rows are sorted once. Each group lies in a
 * range of rows short enough for a column's values to stay in the CPU cache. One condition may therefore have
 * several groups. The statistics are exact sums and do not depend on the grouping. */
#ifndef CRD_STATS_ROW_GROUPS_H
#define CRD_STATS_ROW_GROUPS_H

#include "math/exact/slices.h"

typedef struct crd_i_group {
    size_t condition;
    size_t origin;        /* `rows` are relative to this row */
    const uint16_t *rows; /* increasing */
    size_t count;
    const double *weights; /* one per row; NULL: all 1 */
} crd_i_group;

typedef struct crd_i_groups {
    crd_context *context;
    crd_i_group *groups;
    size_t count, capacity;
    uint16_t *rows;
    double *weights; /* in the order of `rows`; unused if all weights are 1 */
    bool is_sliced;
    crd_i_sliced_weights sliced; /* `weights`, split into slices */
    double *slices;
    size_t rows_capacity, weights_capacity, slices_capacity;
} crd_i_groups;

/* Groups rows. Rows with negative conditions are skipped; conditions NULL: all rows have condition 0; weights NULL:
 * all 1. false: out of memory; the groups must be cleared then, too. */
CRD_MUST_USE bool crd_i_groups_init(crd_i_groups *groups, crd_context *context, const int32_t *conditions,
                                    const double *weights, size_t rows);
/* Groups rows like crd_i_groups_init, reusing the memory of earlier groups (initially zeroed). Also slices the
 * weights for many numeric columns; otherwise weighted numbers are added one by one. */
CRD_MUST_USE bool crd_i_groups_make(crd_i_groups *groups, crd_context *context, const int32_t *conditions,
                                    const double *weights, size_t rows);
void crd_i_groups_clear(crd_i_groups *groups);

#endif
