/* SPDX-License-Identifier: MIT */
/* scores.c - what an evaluation amounts to: totals, classes, confusion, calibration. */
#include "evaluate/evaluation.h"
#include "model/schema_view.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/pair_counts_block.h"

#include <math.h>

struct crd_scores {
    crd_context *context;
    crd_totals totals;
    crd_i_dictionary *names; /* those that can be predicted, then the others in order */
    size_t class_count, predictable;
    crd_class_scores *classes;
    crd_i_counts_block confusion; /* by class, 0 and class that was named: as many counts as rows, at most */
    /* Where there are weights, the same of these; and the weights of the rows of each class, then of the rows that it was
     * named for. */
    bool is_weighted;
    crd_i_counts_block confusion_weights;
    crd_i_sums weights;
    crd_calibration_bin bins[CRD_CALIBRATION_BINS];
};

void crd_scores_destroy(crd_scores *scores) {
    if (scores == NULL) return;
    crd_i_dictionary_destroy(scores->names);
    crd_free(scores->context, scores->classes);
    crd_i_counts_block_clear(&scores->confusion);
    crd_i_counts_block_clear(&scores->confusion_weights);
    crd_i_sums_clear(&scores->weights);
    crd_free(scores->context, scores);
}

/* a / b; NaN for 0 / 0. */
static double share(double a, double b) {
    return b == 0 ? NAN : a / b;
}

static double mean(const crd_evaluation *evaluation, size_t sum, size_t weight) {
    return share(crd_i_sums_value(&evaluation->sums, sum), crd_i_sums_value(&evaluation->sums, weight));
}

/* Where a weight stands among the sums. */
static size_t predicted_cell(const crd_scores *scores, size_t k) {
    return scores->class_count + k;
}

/* A sum of weights, which without weights is a number of rows. */
static double weight_of(const crd_scores *scores, size_t cell, uint64_t rows) {
    return scores->is_weighted ? crd_i_sums_value(&scores->weights, cell) : (double)rows;
}

/* Names of all classes; order[i] becomes the place of the i-th that cannot be predicted. */
static bool name_classes(crd_scores *scores, const crd_evaluation *evaluation, size_t *places) {
    size_t others = crd_i_dictionary_size(evaluation->others);
    scores->names = crd_i_dictionary_clone(evaluation->classes);
    int32_t *order = crd_i_alloc(scores->context, others, sizeof *order);
    bool done = scores->names != NULL && order != NULL &&
                crd_i_dictionary_order(evaluation->others, NULL, crd_i_schema_view_number, order) != SIZE_MAX;
    for (size_t i = 0; done && i < others; i++) {
        size_t code = (size_t)order[i];
        places[code] = scores->predictable + i;
        done = crd_i_dictionary_add(scores->names, crd_i_dictionary_text(evaluation->others, code)) >= 0;
    }
    crd_free(scores->context, order);
    return done;
}

static bool add_weights(crd_scores *scores, const crd_evaluation *evaluation, const size_t *places) {
    scores->is_weighted = true;
    if (!crd_i_sums_extend(&scores->weights, 2 * scores->class_count)) return false;
    for (size_t i = 0; i < evaluation->row_count; i++) {
        crd_i_judged row = evaluation->rows[i];
        size_t truth = (size_t)row.truth, named = (size_t)row.decision;
        if (truth >= scores->predictable) truth = places[truth - scores->predictable];
        if (!crd_i_sums_add(&scores->weights, truth, row.weight)) return false;
        if (row.decision < 0) continue;
        size_t cell;
        if (!crd_i_sums_add(&scores->weights, predicted_cell(scores, named), row.weight) ||
            !crd_i_counts_block_cell(&scores->confusion_weights, truth, 0, named, &cell) ||
            !crd_i_sums_add(&scores->confusion_weights.sums, cell, row.weight))
            return false;
    }
    return true;
}

static bool count_rows(crd_scores *scores, const crd_evaluation *evaluation, const size_t *places) {
    for (size_t i = 0; i < evaluation->row_count; i++) {
        crd_i_judged row = evaluation->rows[i];
        size_t truth = (size_t)row.truth;
        if (truth >= scores->predictable) truth = places[truth - scores->predictable];
        scores->classes[truth].support++;
        if (row.decision < 0) continue;
        size_t named = (size_t)row.decision;
        size_t cell;
        if (!crd_i_counts_block_cell(&scores->confusion, truth, 0, named, &cell) ||
            !crd_i_sums_count(&scores->confusion.sums, cell, 1))
            return false;
        scores->classes[named].predicted++;
        if (truth == named) scores->classes[truth].correct++;
    }
    return true;
}

static bool score_class(crd_scores *scores, const crd_evaluation *evaluation, size_t k) {
    crd_class_scores *of = &scores->classes[k];
    of->size = sizeof *of;
    of->can_be_predicted = k < scores->predictable;
    of->zero_rows = of->can_be_predicted ? evaluation->zero_rows[k] : of->support;
    of->support_weight = weight_of(scores, k, of->support);
    of->predicted_weight = weight_of(scores, predicted_cell(scores, k), of->predicted);
    of->correct_weight = crd_scores_confusion_weight(scores, k, k);
    of->precision = share(of->correct_weight, of->predicted_weight);
    of->recall = share(of->correct_weight, of->support_weight);
    of->f1 = share(2 * of->correct_weight, of->predicted_weight + of->support_weight);
    /* A class that no answer to a row of its own could name has nothing to rank, whether the model never knew it or
     * had forgotten it with the row. */
    of->auc = NAN;
    return of->zero_rows == of->support || crd_i_evaluation_auc(evaluation, k, &of->auc);
}

static void calibrate(crd_scores *scores, const crd_evaluation *evaluation) {
    double error = 0;
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin *bin = &scores->bins[i];
        bin->rows = evaluation->bins[i];
        bin->weight = crd_i_sums_value(&evaluation->sums, CRD_I_SUM_BIN_WEIGHT + i);
        bin->probability = mean(evaluation, CRD_I_SUM_BIN_PROBABILITY + i, CRD_I_SUM_BIN_WEIGHT + i);
        bin->accuracy = mean(evaluation, CRD_I_SUM_BIN_CREDIT + i, CRD_I_SUM_BIN_WEIGHT + i);
        if (bin->rows > 0) error += bin->weight * fabs(bin->accuracy - bin->probability);
    }
    scores->totals.ece = share(error, crd_i_sums_value(&evaluation->sums, CRD_I_SUM_DECIDED));
}

static void total_up(crd_scores *scores, const crd_evaluation *evaluation) {
    crd_totals *totals = &scores->totals;
    double most = 0, area = 0;
    totals->size = sizeof *totals;
    totals->rows = evaluation->row_count;
    totals->weight = crd_i_sums_value(&evaluation->sums, CRD_I_SUM_WEIGHT);
    totals->undecided = evaluation->undecided;
    for (size_t k = 0; k < scores->class_count; k++) {
        const crd_class_scores *of = &scores->classes[k];
        if (of->support_weight > most) most = of->support_weight;
        totals->zero_rows += of->zero_rows;
        if (isnan(of->auc)) continue;
        area += of->auc;
        totals->auc_classes++;
    }
    totals->accuracy = mean(evaluation, CRD_I_SUM_CREDIT, CRD_I_SUM_WEIGHT);
    totals->baseline = share(most, totals->weight);
    totals->brier = mean(evaluation, CRD_I_SUM_BRIER, CRD_I_SUM_WEIGHT);
    totals->log_loss = totals->zero_rows > 0 ? INFINITY : mean(evaluation, CRD_I_SUM_LOSS, CRD_I_SUM_WEIGHT);
    totals->auc = share(area, (double)totals->auc_classes);
}

crd_status crd_scores_create(const crd_evaluation *evaluation, crd_scores **out, crd_error *error) {
    *out = NULL;
    crd_context *context = evaluation->context;
    size_t others = crd_i_dictionary_size(evaluation->others);
    crd_scores *scores = crd_i_alloc_zeroed(context, 1, sizeof *scores);
    if (scores == NULL) return crd_i_fail_memory(error);
    scores->context = context;
    crd_i_sums_init(&scores->weights, context);
    crd_i_counts_block_init(&scores->confusion, context);
    crd_i_counts_block_init(&scores->confusion_weights, context);
    scores->predictable = evaluation->class_count;
    scores->class_count = evaluation->class_count + others;
    size_t *places = crd_i_alloc(context, others, sizeof *places);
    scores->classes = crd_i_alloc_zeroed(context, scores->class_count, sizeof *scores->classes);
    const size_t extents[3] = {scores->class_count, 1, scores->predictable};
    if (places == NULL || scores->classes == NULL || !name_classes(scores, evaluation, places) ||
        !crd_i_counts_block_fit(&scores->confusion, extents, evaluation->row_count) ||
        !crd_i_counts_block_fit(&scores->confusion_weights, extents, evaluation->row_count) ||
        !count_rows(scores, evaluation, places))
        goto fail;
    if (evaluation->is_weighted && !add_weights(scores, evaluation, places)) goto fail;
    for (size_t k = 0; k < scores->class_count; k++)
        if (!score_class(scores, evaluation, k)) goto fail;
    /* Of two classes one's curve is the other's; rounding, which makes probabilities near 1 tie that are apart near 0,
     * must not make it two numbers. The second class's is what is usually asked for, where both have one. */
    if (scores->class_count == 2 && scores->predictable == 2) {
        if (isnan(scores->classes[0].auc)) scores->classes[1].auc = NAN;
        scores->classes[0].auc = scores->classes[1].auc;
    }
    total_up(scores, evaluation);
    calibrate(scores, evaluation);
    crd_free(context, places);
    *out = scores;
    return CRD_OK;

fail:
    crd_free(context, places);
    crd_scores_destroy(scores);
    return crd_i_fail_memory(error);
}

void crd_scores_totals(const crd_scores *scores, crd_totals *out) {
    crd_i_copy_out(&scores->totals, sizeof scores->totals, out);
}

size_t crd_scores_class_count(const crd_scores *scores) {
    return scores->class_count;
}

crd_text crd_scores_class_name(const crd_scores *scores, size_t class_index) {
    return crd_i_dictionary_text(scores->names, class_index);
}

void crd_scores_class(const crd_scores *scores, size_t class_index, crd_class_scores *out) {
    crd_i_copy_out(&scores->classes[class_index], sizeof *scores->classes, out);
}

uint64_t crd_scores_confusion(const crd_scores *scores, size_t truth, size_t named) {
    return (uint64_t)crd_i_counts_block_value(&scores->confusion, truth, 0, named);
}

double crd_scores_confusion_weight(const crd_scores *scores, size_t truth, size_t named) {
    return crd_i_counts_block_value(scores->is_weighted ? &scores->confusion_weights : &scores->confusion, truth, 0,
                                    named);
}

crd_calibration_bin crd_scores_calibration(const crd_scores *scores, size_t bin) {
    return scores->bins[bin];
}
