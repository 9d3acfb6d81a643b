/* SPDX-License-Identifier: MIT */
/* counts_rows.h - the counts of a tally that are above zero, value by value in the order of a view: what it takes to go
 * through a matrix that is mostly zero. */
#ifndef CRD_STATS_COUNTS_ROWS_H
#define CRD_STATS_COUNTS_ROWS_H

#include "stats/tally.h"

/* Of the view's value i those from begins[i] to begins[i + 1] - 1. */
typedef struct crd_i_counts_rows {
    crd_context *context;
    const crd_i_sums *sums; /* of the tally */
    size_t *begins;
    uint32_t *conditions; /* their places in the view, ascending */
    size_t *cells;        /* of the sums */
} crd_i_counts_rows;

/* Of a counts tally, for as long as it does not change. false: out of memory; then too, the rows are to be cleared. */
CRD_MUST_USE bool crd_i_counts_rows_init(crd_i_counts_rows *rows, const crd_i_tally *tally, const crd_i_view *view);
void crd_i_counts_rows_clear(crd_i_counts_rows *rows);
/* Rounded: one count, by the places of its value and its condition in the view; and the sum of the rounded counts of a
 * value, in the order of the conditions. */
double crd_i_counts_rows_value(const crd_i_counts_rows *rows, size_t value, size_t condition);
double crd_i_counts_rows_total(const crd_i_counts_rows *rows, size_t value);

/* Whether an array of something for each of so many values under each of so many conditions is in proportion to the
 * values and to the tally's counts above zero. */
bool crd_i_counts_suit_array(const crd_i_tally *tally, size_t conditions, size_t values);

#endif
