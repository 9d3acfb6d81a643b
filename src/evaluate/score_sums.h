/* SPDX-License-Identifier: MIT */
/* score_sums.h - what scores add up over rows: exact sums, so that the order of rows does not matter. */
#ifndef CRD_EVALUATE_SCORE_SUMS_H
#define CRD_EVALUATE_SCORE_SUMS_H

#include "evaluate/evaluation.h"
#include "math/exact/exact_sums.h"

/* Places in the exact sums: seven, then three for each bin of calibration. All but the weights are of products with
 * them.
 */
enum {
    CRD_I_SUM_CREDIT,
    CRD_I_SUM_LOSS,
    CRD_I_SUM_BRIER,
    CRD_I_SUM_LOSS_SQUARES,
    CRD_I_SUM_BRIER_SQUARES,
    CRD_I_SUM_WEIGHT,  /* of all rows */
    CRD_I_SUM_DECIDED, /* the weight of those with an answer */
    CRD_I_SUM_BIN_PROBABILITY,
    CRD_I_SUM_BIN_CREDIT = CRD_I_SUM_BIN_PROBABILITY + CRD_CALIBRATION_BINS,
    CRD_I_SUM_BIN_WEIGHT = CRD_I_SUM_BIN_CREDIT + CRD_CALIBRATION_BINS,
    CRD_I_SUM_COUNT = CRD_I_SUM_BIN_WEIGHT + CRD_CALIBRATION_BINS
};

typedef struct crd_i_score_sums {
    crd_context *context;
    crd_i_sums sums;
    uint64_t *zero_rows; /* of each class that can be predicted */
    uint64_t undecided;
    uint64_t bins[CRD_CALIBRATION_BINS];
} crd_i_score_sums;

/* Adds up the rows; false: out of memory. To be cleared in either case. */
CRD_MUST_USE bool crd_i_score_sums_add(crd_i_score_sums *score_sums, const crd_i_row_selection *selection);
void crd_i_score_sums_clear(crd_i_score_sums *score_sums);
/* The quotient of two of the sums; NaN for 0 / 0. */
double crd_i_score_sums_mean(const crd_i_score_sums *score_sums, size_t sum, size_t weight);

#endif
