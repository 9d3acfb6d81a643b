/* SPDX-License-Identifier: MIT */
/* pair_counts_internal.h - the structure of a pair-counts joint tally, shared by pair_counts.c, which counts, and
 * pair_counts_file.c, which writes and reads. */
#ifndef CRD_STATS_PAIR_COUNTS_INTERNAL_H
#define CRD_STATS_PAIR_COUNTS_INTERNAL_H

#include "stats/pair_counts.h"
#include "stats/pair_counts_block.h"

typedef struct crd_i_pairs {
    crd_i_joint_tally base;
    size_t most;                 /* maximum number of bins of a numeric column */
    crd_i_axis **axes;           /* for each numeric column; NULL for others */
    crd_i_counts_block *singles; /* one per column */
    /* one per pair of columns, the first before the second; an element NULL: all zero. The array is NULL if no pair
     * has counts */
    crd_i_counts_block **blocks;
} crd_i_pairs;

/* Returns the number of known values, or of bins. */
size_t crd_i_pairs_cell_count(const crd_i_pairs *pairs, size_t column);
/* Returns the number of a pair of columns, a < b. */
size_t crd_i_pairs_block_number(const crd_i_pairs *pairs, size_t a, size_t b);
/* Finds or creates the block of a pair, with sufficient extents. NULL: out of memory. */
crd_i_counts_block *crd_i_pairs_block(crd_i_pairs *pairs, size_t a, size_t b);
/* Returns whether there are too many counts. */
bool crd_i_pairs_are_too_many(const crd_i_pairs *pairs);
/* Checks that the counts are possible: none is negative, no bin of a numeric column is empty, and no value has more
 * rows in pairs than in its own count. false: out of memory. */
CRD_MUST_USE bool crd_i_pairs_check_counts(const crd_i_pairs *pairs, bool *agrees);

void crd_i_pairs_write(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view,
                       crd_i_encoder *encoder);
crd_status crd_i_pairs_read(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error);

#endif
