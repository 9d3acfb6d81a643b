/* SPDX-License-Identifier: MIT */
/* intervals.h - numbers made categories: cut points c_1 < ... < c_k part the line into k + 1 intervals, closed on the left.
 *
 * The value of a number x is the label of its interval: "<c_1", "[c_1, c_2)", ..., ">=c_k"; without any cut point it is
 * "(-inf, inf)". Numbers beyond all that were met lie in the first or the last interval. */
#ifndef CRD_TABLE_INTERVALS_H
#define CRD_TABLE_INTERVALS_H

#include "base/dictionary.h"

#include <credence/number.h>

/* Owned by who has the column. */
typedef struct crd_i_intervals {
    double *cuts; /* ascending, finite, none twice; NULL where the column is not made of intervals */
    size_t cut_count;
} crd_i_intervals;

enum { CRD_I_INTERVAL_ROOM = 2 * CRD_NUMBER_ROOM + 8 };

/* Whether they can be cut points. */
bool crd_i_cuts_fit(const double *cuts, size_t count);
/* false: out of memory, and then *out is as it was. What it had is freed. */
CRD_MUST_USE bool crd_i_intervals_set(crd_context *context, crd_i_intervals *out, const double *cuts, size_t count);
/* The same from others, which may be none. */
CRD_MUST_USE bool crd_i_intervals_copy(crd_context *context, crd_i_intervals *out, const crd_i_intervals *from);
void crd_i_intervals_clear(crd_context *context, crd_i_intervals *intervals);
bool crd_i_intervals_equal(const crd_i_intervals *a, const crd_i_intervals *b);

static inline bool crd_i_intervals_are(const crd_i_intervals *intervals) {
    return intervals->cuts != NULL;
}

/* The interval of a number that is present, from 0: how many cut points are not above it. */
static inline int32_t crd_i_intervals_find(const crd_i_intervals *intervals, double x) {
    size_t low = 0, high = intervals->cut_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (intervals->cuts[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return (int32_t)low;
}

crd_text crd_i_intervals_label(const crd_i_intervals *intervals, size_t interval, char room[CRD_I_INTERVAL_ROOM]);
/* All labels into an empty dictionary, by their intervals' numbers; or into a new one. false, NULL: out of memory. */
CRD_MUST_USE bool crd_i_intervals_add_labels(const crd_i_intervals *intervals, crd_i_dictionary *to);
crd_i_dictionary *crd_i_intervals_labels(crd_context *context, const crd_i_intervals *intervals);
/* The interval of a cell given as text: a number, or a label; negative: it is neither. */
int32_t crd_i_intervals_find_text(const crd_i_intervals *intervals, crd_text text);
/* For crd_i_dictionary_order: labels in the order of their intervals. */
bool crd_i_interval_begin(crd_text label, double *begin);

#endif
