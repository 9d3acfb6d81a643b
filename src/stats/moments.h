/* SPDX-License-Identifier: MIT */
/* moments.h - what a tally of moments is made of, for those that add to it. */
#ifndef CRD_STATS_MOMENTS_H
#define CRD_STATS_MOMENTS_H

#include "stats/tally.h"

enum { CRD_I_POWERS = 3 };

typedef struct crd_i_moments_tally {
    crd_i_tally base;
    crd_i_sums sums[CRD_I_POWERS]; /* of w, w x, w x^2; a cell for each condition */
    size_t column;                 /* of the batch that fills it; a guess, see moments_batch.c */
    /* That of the scale of numbers with weights (see math/exact/slices.h), once chosen: a guess too. */
    bool has_exponent;
    int exponent;
} crd_i_moments_tally;

/* Adds one finite number, once, or with a weight. false: out of memory. */
CRD_MUST_USE bool crd_i_moments_add_value(crd_i_moments_tally *tally, size_t condition, double value);
CRD_MUST_USE bool crd_i_moments_add_weighted(crd_i_moments_tally *tally, size_t condition, double value, double weight);

#endif
