/* SPDX-License-Identifier: MIT */
/* score_sums.h - sums over rows from which scores are computed. They are exact, so the order of rows does not
 * matter. */
#ifndef CRD_EVALUATE_SCORE_SUMS_H
#define CRD_EVALUATE_SCORE_SUMS_H

#include "evaluate/evaluation.h"
#include "math/exact/exact_sums.h"

/* Indices of the exact sums: seven sums, then three for each calibration bin. Every sum is weighted by the rows'
 * weights, except the sums of weights. */
enum {
    CRD_I_SUM_CREDIT,
    CRD_I_SUM_LOSS,
    CRD_I_SUM_BRIER,
    CRD_I_SUM_LOSS_SQUARES,
    CRD_I_SUM_BRIER_SQUARES,
    CRD_I_SUM_WEIGHT,  /* weight of all rows */
    CRD_I_SUM_DECIDED, /* weight of the rows with a decision */
    CRD_I_SUM_BIN_PROBABILITY,
    CRD_I_SUM_BIN_CREDIT = CRD_I_SUM_BIN_PROBABILITY + CRD_CALIBRATION_BINS,
    CRD_I_SUM_BIN_WEIGHT = CRD_I_SUM_BIN_CREDIT + CRD_CALIBRATION_BINS,
    CRD_I_SUM_COUNT = CRD_I_SUM_BIN_WEIGHT + CRD_CALIBRATION_BINS
};

typedef struct crd_i_score_sums {
    crd_context *context;
    crd_i_sums sums;
    uint64_t *zero_rows; /* rows with log loss INFINITY, for each class that can be predicted */
    uint64_t undecided;
    uint64_t bins[CRD_CALIBRATION_BINS];
} crd_i_score_sums;

/* Computes the sums of the selected rows. Returns false if memory runs out. Call crd_i_score_sums_clear in either
 * case. */
CRD_MUST_USE bool crd_i_score_sums_add(crd_i_score_sums *score_sums, const crd_i_row_selection *selection);
void crd_i_score_sums_clear(crd_i_score_sums *score_sums);
/* Returns the quotient of two sums; NaN for 0 / 0. */
double crd_i_score_sums_mean(const crd_i_score_sums *score_sums, size_t sum, size_t weight);

#endif
