/* SPDX-License-Identifier: MIT */
/* evaluation.h - what an evaluation keeps of its rows, and scores are made of. */
#ifndef CRD_EVALUATE_EVALUATION_H
#define CRD_EVALUATE_EVALUATION_H

#include "base/dictionary.h"
#include "math/exact/exact_sums.h"

#include <credence/evaluate.h>

/* Places in the exact sums: five, then three for each bin of calibration. All but the weights are of products with
 * them.
 */
enum {
    CRD_I_SUM_CREDIT,
    CRD_I_SUM_LOSS,
    CRD_I_SUM_BRIER,
    CRD_I_SUM_WEIGHT,  /* of all rows */
    CRD_I_SUM_DECIDED, /* the weight of those with an answer */
    CRD_I_SUM_BIN_PROBABILITY,
    CRD_I_SUM_BIN_CREDIT = CRD_I_SUM_BIN_PROBABILITY + CRD_CALIBRATION_BINS,
    CRD_I_SUM_BIN_WEIGHT = CRD_I_SUM_BIN_CREDIT + CRD_CALIBRATION_BINS,
    CRD_I_SUM_COUNT = CRD_I_SUM_BIN_WEIGHT + CRD_CALIBRATION_BINS
};

typedef struct crd_i_judged {
    int32_t truth;    /* a class; class_count + i: the i-th of those that cannot be predicted */
    int32_t decision; /* -1: none */
    double weight;
} crd_i_judged;

struct crd_evaluation {
    crd_context *context;
    crd_i_dictionary *classes; /* that can be predicted: code = index */
    size_t class_count;
    crd_i_dictionary *others; /* that only rows had */

    bool is_weighted; /* some weight is not 1 */
    crd_i_judged *rows;
    double *probabilities; /* rows x class_count */
    size_t row_count, rows_capacity, probabilities_capacity;

    uint64_t *zero_rows; /* of each class that can be predicted */
    uint64_t undecided;
    uint64_t bins[CRD_CALIBRATION_BINS];
    crd_i_sums sums; /* exact, so that the order of rows does not matter */
};

/* The area under the ROC curve of one class, from the probabilities of all rows; NaN where all or none are of it.
 * false: out of memory. */
CRD_MUST_USE bool crd_i_evaluation_auc(const crd_evaluation *evaluation, size_t class_index, double *auc);

#endif
