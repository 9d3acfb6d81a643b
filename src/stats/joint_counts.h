/* SPDX-License-Identifier: MIT */
/* joint_counts.h - the combinations of categories in a joint-counts tally, for code that reads it. */
#ifndef CRD_STATS_JOINT_COUNTS_H
#define CRD_STATS_JOINT_COUNTS_H

#include "stats/joint_tally.h"

/* The combinations, sorted by the positions of their values in the view passed to crd_i_combinations_init, and their
 * counts by condition. crd_i_combinations_clear also accepts a zeroed struct. */
typedef struct crd_i_combinations {
    crd_context *context;
    size_t count, column_count;
    int32_t *codes;      /* for each combination, column by column; -1: missing, or a numeric column */
    size_t *begins;      /* for each combination, its first entry; then the number of entries */
    int32_t *conditions; /* one per entry */
    double *counts;      /* one per entry: the weight of its rows, above 0 */
} crd_i_combinations;

/* Fills in the combinations. false: out of memory. */
CRD_MUST_USE bool crd_i_combinations_init(crd_i_combinations *combinations, crd_context *context,
                                          const crd_i_joint_tally *cells, const crd_i_joint_tally_view *view);
void crd_i_combinations_clear(crd_i_combinations *combinations);

/* Returns the maximum number of distinct combinations and conditions for this number of columns. Their memory limits
 * it: 256 megabytes in addition to the counts. */
size_t crd_i_cells_most(size_t columns);

#endif
