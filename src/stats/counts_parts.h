/* SPDX-License-Identifier: MIT */
/* counts_parts.h - the structure of a counts tally. */
#ifndef CRD_STATS_COUNTS_PARTS_H
#define CRD_STATS_COUNTS_PARTS_H

#include "stats/pair_counts.h"
#include "stats/tally.h"

typedef struct crd_i_counts_tally {
    crd_i_tally base;
    crd_i_counts_block cells;  /* indexed by value, 0 and condition */
    crd_i_counts_block totals; /* indexed by 0, 0 and condition: sums over all values */
} crd_i_counts_tally;

static inline const crd_i_counts_block *crd_i_counts_cells(const crd_i_tally *tally) {
    return &((const crd_i_counts_tally *)tally)->cells;
}

#endif
