/* SPDX-License-Identifier: MIT */
/* score_sums.c - computes the sums of score_sums.h. */
#include "evaluate/score_sums.h"

#include "base/memory.h"

#include <math.h>

/* Range of the exact sums in 64-bit limbs. It includes every sum of products of two nonnegative doubles, if one
 * of them is a weight. So adding a value needs no memory. */
enum { WINDOW_BASE = -34, WINDOW_WIDTH = 54 };

/* Adds a row to all sums. Returns false if memory runs out. */
static bool score_sums_add_row(crd_i_score_sums *score_sums, const crd_evaluation *evaluation, size_t number) {
    const crd_i_judged *row = &evaluation->rows[number];
    crd_i_sums *sums = &score_sums->sums;
    bool done = crd_i_sums_add(sums, CRD_I_SUM_WEIGHT, row->weight) &&
                crd_i_sums_add_product(sums, CRD_I_SUM_CREDIT, row->weight, row->credit) &&
                crd_i_sums_add_product(sums, CRD_I_SUM_BRIER, row->weight, row->squares) &&
                crd_i_sums_add_product(sums, CRD_I_SUM_BRIER_SQUARES, row->weight, row->squares * row->squares);
    if (row->loss < INFINITY)
        done = done && crd_i_sums_add_product(sums, CRD_I_SUM_LOSS, row->weight, row->loss) &&
               crd_i_sums_add_product(sums, CRD_I_SUM_LOSS_SQUARES, row->weight, row->loss * row->loss);
    else if ((size_t)row->truth < evaluation->class_count) score_sums->zero_rows[row->truth]++;
    if (row->decision < 0) {
        score_sums->undecided++;
        return done;
    }
    size_t bin = (size_t)(row->probability * CRD_CALIBRATION_BINS);
    if (bin >= CRD_CALIBRATION_BINS) bin = CRD_CALIBRATION_BINS - 1;
    score_sums->bins[bin]++;
    return done && crd_i_sums_add(sums, CRD_I_SUM_DECIDED, row->weight) &&
           crd_i_sums_add(sums, CRD_I_SUM_BIN_WEIGHT + bin, row->weight) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BIN_PROBABILITY + bin, row->weight, row->probability) &&
           crd_i_sums_add_product(sums, CRD_I_SUM_BIN_CREDIT + bin, row->weight, row->credit);
}

bool crd_i_score_sums_add(crd_i_score_sums *score_sums, const crd_i_row_selection *selection) {
    const crd_evaluation *evaluation = selection->evaluation;
    const crd_i_score_sums none = {.context = evaluation->context};
    *score_sums = none;
    crd_i_sums_init(&score_sums->sums, score_sums->context);
    score_sums->zero_rows =
        crd_i_alloc_zeroed(score_sums->context, evaluation->class_count, sizeof *score_sums->zero_rows);
    bool done = score_sums->zero_rows != NULL && crd_i_sums_extend(&score_sums->sums, CRD_I_SUM_COUNT) &&
                crd_i_sums_set_window(&score_sums->sums, WINDOW_BASE, WINDOW_WIDTH);
    for (size_t i = 0; done && i < selection->count; i++)
        done = score_sums_add_row(score_sums, evaluation, crd_i_selected(selection, i));
    return done;
}

void crd_i_score_sums_clear(crd_i_score_sums *score_sums) {
    crd_i_sums_clear(&score_sums->sums);
    crd_free(score_sums->context, score_sums->zero_rows);
}

double crd_i_score_sums_mean(const crd_i_score_sums *score_sums, size_t sum, size_t weight) {
    double all = crd_i_sums_value(&score_sums->sums, weight);
    return all == 0 ? NAN : crd_i_sums_value(&score_sums->sums, sum) / all;
}
