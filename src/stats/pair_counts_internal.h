/* SPDX-License-Identifier: MIT */
/* pair_counts_internal.h - how a joint tally of pairs is laid out: for pair_counts.c, which counts, and
 * pair_counts_file.c, which writes and reads. */
#ifndef CRD_STATS_PAIR_COUNTS_INTERNAL_H
#define CRD_STATS_PAIR_COUNTS_INTERNAL_H

#include "stats/pair_counts.h"
#include "stats/pair_counts_block.h"

typedef struct crd_i_pairs {
    crd_i_joint_tally base;
    size_t most;                 /* cells that a number column may have */
    crd_i_axis **axes;           /* of each number column; NULL in others */
    crd_i_counts_block *singles; /* of each column */
    crd_i_counts_block **blocks; /* of each pair of columns, the first before the second; NULL: all zero. NULL: no pair
                                  * has any */
} crd_i_pairs;

/* Values that are known, or cells. */
size_t crd_i_pairs_cell_count(const crd_i_pairs *pairs, size_t column);
/* The number of a pair of columns, a < b. */
size_t crd_i_pairs_block_number(const crd_i_pairs *pairs, size_t a, size_t b);
/* The block of a pair, made where it is not there, at least so large. NULL: out of memory. */
crd_i_counts_block *crd_i_pairs_block(crd_i_pairs *pairs, size_t a, size_t b);
/* Whether there are too many counts. */
bool crd_i_pairs_are_too_many(const crd_i_pairs *pairs);
/* Whether some rows leave these counts: none is below zero, no cell of a number column is empty, and no value has more
 * rows in pairs than alone. false: out of memory. */
CRD_MUST_USE bool crd_i_pairs_check_counts(const crd_i_pairs *pairs, bool *agrees);

void crd_i_pairs_write(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view,
                       crd_i_encoder *encoder);
crd_status crd_i_pairs_read(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error);

#endif
