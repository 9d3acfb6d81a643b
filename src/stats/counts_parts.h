/* SPDX-License-Identifier: MIT */
/* counts_parts.h - the structure of a counts tally. */
#ifndef CRD_STATS_COUNTS_PARTS_H
#define CRD_STATS_COUNTS_PARTS_H

#include "stats/pair_counts_block.h"
#include "stats/tally.h"

typedef struct crd_i_counts_tally {
    crd_i_tally base;
    crd_i_counts_block cells;  /* indexed by value, 0 and condition */
    crd_i_counts_block totals; /* indexed by 0, 0 and condition: sums over all values */
} crd_i_counts_tally;

static inline const crd_i_counts_block *crd_i_counts_cells(const crd_i_tally *tally) {
    return &((const crd_i_counts_tally *)tally)->cells;
}

/* Extends the tally to at least this many conditions and values, and reserves memory for up to `more` new counts.
 * false: out of memory, nothing changed. */
CRD_MUST_USE bool crd_i_counts_make_room(crd_i_counts_tally *tally, size_t conditions, size_t values, size_t more);

/* Sparse file layout, for tallies whose counts are mostly zero: see counts_file.c. */
bool crd_i_counts_is_sparse(const crd_i_tally *tally, const crd_i_view *view);
void crd_i_counts_write_sparse(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);
crd_status crd_i_counts_read_sparse(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor,
                                    crd_error *error);
/* Write and read the dense file layout. Both layouts give the same tally. */
void crd_i_counts_write(const crd_i_tally *tally, const crd_i_view *view, crd_i_encoder *encoder);
crd_status crd_i_counts_read(crd_i_tally *tally, size_t conditions, size_t values, crd_i_cursor *cursor,
                             crd_error *error);

#endif
