/* SPDX-License-Identifier: MIT */
/* intervals.h - discretized numbers: cut points c_1 < ... < c_k divide the real line into k + 1 intervals, closed on
 * the left.
 *
 * The value of a number x is the label of its interval: "<c_1", "[c_1, c_2)", ..., ">=c_k". Without cut points it is
 * "(-inf, inf)". Numbers outside the training range belong to the first or the last interval. */
#ifndef CRD_TABLE_INTERVALS_H
#define CRD_TABLE_INTERVALS_H

#include "base/dictionary.h"

#include <credence/number.h>

/* Owned by the column. */
typedef struct crd_i_intervals {
    double *cuts; /* ascending, finite, distinct; NULL if the column is not discretized */
    size_t cut_count;
} crd_i_intervals;

enum { CRD_I_INTERVAL_ROOM = 2 * CRD_NUMBER_ROOM + 8 };

/* Returns whether the numbers are valid cut points. */
bool crd_i_cuts_fit(const double *cuts, size_t count);
/* Sets the cut points and frees the old ones. false: out of memory, and *out is unchanged. */
CRD_MUST_USE bool crd_i_intervals_set(crd_context *context, crd_i_intervals *out, const double *cuts, size_t count);
/* Copies the cut points of `from`, which may have none. false: out of memory, and *out is unchanged. */
CRD_MUST_USE bool crd_i_intervals_copy(crd_context *context, crd_i_intervals *out, const crd_i_intervals *intervals);
void crd_i_intervals_clear(crd_context *context, crd_i_intervals *intervals);
bool crd_i_intervals_equal(const crd_i_intervals *a, const crd_i_intervals *b);

static inline bool crd_i_intervals_are(const crd_i_intervals *intervals) {
    return intervals->cuts != NULL;
}

/* Returns the interval of a present number, from 0: the number of cut points that are not above it. */
static inline int32_t crd_i_intervals_find(const crd_i_intervals *intervals, double x) {
    size_t low = 0, high = intervals->cut_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (intervals->cuts[middle] <= x) low = middle + 1;
        else high = middle;
    }
    return (int32_t)low;
}

crd_text crd_i_intervals_label(const crd_i_intervals *intervals, size_t interval, char buffer[CRD_I_INTERVAL_ROOM]);
/* Add all labels, in interval order, to an empty dictionary, or to a new one. false or NULL: out of memory. */
CRD_MUST_USE bool crd_i_intervals_add_labels(const crd_i_intervals *intervals, crd_i_dictionary *dictionary);
crd_i_dictionary *crd_i_intervals_labels(crd_context *context, const crd_i_intervals *intervals);
/* Returns the interval of a text, which is a number or a label; negative: neither. */
int32_t crd_i_intervals_find_text(const crd_i_intervals *intervals, crd_text text);
/* Returns the lower end of a label's interval, for sorting labels with crd_i_dictionary_order. */
bool crd_i_interval_begin(crd_text label, double *begin);

#endif
