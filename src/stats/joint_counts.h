/* SPDX-License-Identifier: MIT */
/* joint_counts.h - the combinations of categories that a joint tally of cells has counted, for those that read it. */
#ifndef CRD_STATS_JOINT_COUNTS_H
#define CRD_STATS_JOINT_COUNTS_H

#include "stats/joint_tally.h"

/* Combinations in the order of their values' places in the view that it was made with, and how often each was met under
 * which conditions. Filled by init, emptied by clear, which also takes what is all zero. */
typedef struct crd_i_combinations {
    crd_context *context;
    size_t count, column_count;
    int32_t *codes;      /* of each, column by column; -1: missing, or a column of numbers */
    size_t *begins;      /* of each, its first entry; then the number of entries */
    int32_t *conditions; /* of each entry, */
    double *counts;      /* with the weight of its rows, above 0 */
} crd_i_combinations;

/* false: out of memory. */
CRD_MUST_USE bool crd_i_combinations_init(crd_i_combinations *made, crd_context *context,
                                          const crd_i_joint_tally *cells, const crd_i_joint_tally_view *view);
void crd_i_combinations_clear(crd_i_combinations *made);

/* How many different combinations and conditions of so many columns a joint tally holds at most: it is limited by
 * the memory that they take, 256 megabytes beside their counts. */
size_t crd_i_cells_most(size_t columns);

#endif
