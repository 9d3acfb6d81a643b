/* SPDX-License-Identifier: MIT */
/* counts.h - iterates over the nonzero counts of a tally, value by value in the order of a view, for a matrix
 * that is mostly zero. */
#ifndef CRD_STATS_COUNTS_H
#define CRD_STATS_COUNTS_H

#include "stats/pair_counts.h"
#include "stats/tally.h"

/* Nonzero counts, grouped by value. The counts of the view's value i have indices begins[i] to begins[i + 1] - 1. */
typedef struct crd_i_counts_rows {
    crd_context *context;
    const crd_i_sums *sums; /* the sums of the tally; borrowed */
    size_t *begins;
    uint32_t *conditions; /* positions in the view, ascending */
    size_t *cells;        /* cells of the sums */
} crd_i_counts_rows;

/* Collects the counts of a counts tally, valid as long as it does not change. false: out of memory; the rows must be
 * cleared then, too. */
CRD_MUST_USE bool crd_i_counts_rows_init(crd_i_counts_rows *rows, const crd_i_tally *tally, const crd_i_view *view);
void crd_i_counts_rows_clear(crd_i_counts_rows *rows);
/* Return a rounded count by the positions of its value and condition in the view; and the sum of a value's rounded
 * counts, in the order of conditions. */
double crd_i_counts_rows_value(const crd_i_counts_rows *rows, size_t value, size_t condition);
double crd_i_counts_rows_total(const crd_i_counts_rows *rows, size_t value);

/* Returns whether an array with an element for each value and condition is in proportion to the number of values and
 * nonzero counts. */
bool crd_i_counts_suit_array(const crd_i_tally *tally, size_t conditions, size_t values);

/* ======== Structure of a counts tally ======== */

typedef struct crd_i_counts_tally {
    crd_i_tally base;
    crd_i_counts_block cells;  /* indexed by value, 0 and condition */
    crd_i_counts_block totals; /* indexed by 0, 0 and condition: sums over all values */
} crd_i_counts_tally;

static inline const crd_i_counts_block *crd_i_counts_cells(const crd_i_tally *tally) {
    return &((const crd_i_counts_tally *)tally)->cells;
}

#endif
