/* SPDX-License-Identifier: MIT */
/* moments.h - the structure of a moments tally, for code that adds to it. */
#ifndef CRD_STATS_MOMENTS_H
#define CRD_STATS_MOMENTS_H

#include "stats/tally.h"

enum { CRD_I_POWERS = 3 };

typedef struct crd_i_moments_tally {
    crd_i_tally base;
    crd_i_sums sums[CRD_I_POWERS]; /* sums of w, w x, w x^2; one cell per condition */
    /* its column in the batch that fills it; a hint that the batch verifies, see moments_batch.c */
    size_t column;
    /* The exponent of the scale of weighted numbers (see math/exact/slices.h), if one was chosen. A wrong choice costs
     * only time. */
    bool has_exponent;
    int exponent;
} crd_i_moments_tally;

/* Add one finite number, unweighted or with a weight. false: out of memory. */
CRD_MUST_USE bool crd_i_moments_add_value(crd_i_moments_tally *tally, size_t condition, double value);
CRD_MUST_USE bool crd_i_moments_add_weighted(crd_i_moments_tally *tally, size_t condition, double value, double weight);

#endif
