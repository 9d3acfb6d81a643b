/* SPDX-License-Identifier: MIT */
/* fold_scores.c - scores of each fold with their mean and standard deviation, and top-k accuracy. */
#include "evaluate/evaluation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "math/exact/exact_sums.h"

#include <math.h>

/* ---- Measures ---- */

static const struct {
    const char *name;
    size_t offset;
} measures[CRD_MEASURE_COUNT] = {
    [CRD_MEASURE_ACCURACY] = {"accuracy", offsetof(crd_totals, accuracy)},
    [CRD_MEASURE_LOG_LOSS] = {"log_loss", offsetof(crd_totals, log_loss)},
    [CRD_MEASURE_BRIER] = {"brier", offsetof(crd_totals, brier)},
    [CRD_MEASURE_AUC] = {"auc", offsetof(crd_totals, auc)},
    [CRD_MEASURE_ECE] = {"ece", offsetof(crd_totals, ece)},
    [CRD_MEASURE_BALANCED_ACCURACY] = {"balanced_accuracy", offsetof(crd_totals, balanced_accuracy)},
    [CRD_MEASURE_MACRO_F1] = {"macro_f1", offsetof(crd_totals, macro_f1)},
    [CRD_MEASURE_WEIGHTED_F1] = {"weighted_f1", offsetof(crd_totals, weighted_f1)},
    [CRD_MEASURE_MCC] = {"mcc", offsetof(crd_totals, mcc)},
    [CRD_MEASURE_KAPPA] = {"kappa", offsetof(crd_totals, kappa)},
};

const char *crd_measure_name(crd_measure measure) {
    return measures[measure].name;
}

double crd_totals_measure(const crd_totals *totals, crd_measure measure) {
    size_t offset = measures[measure].offset;
    /* The caller's structure may be an older, shorter version. */
    if (offset + sizeof(double) > totals->size) return NAN;
    return *(const double *)(const void *)((const char *)totals + offset);
}

/* ---- Folds ---- */

struct crd_fold_scores {
    crd_context *context;
    size_t count;
    uint32_t *folds;
    crd_totals *totals;
    crd_spread spreads[CRD_MEASURE_COUNT];
};

void crd_fold_scores_destroy(crd_fold_scores *scores) {
    if (scores == NULL) return;
    crd_free(scores->context, scores->folds);
    crd_free(scores->context, scores->totals);
    crd_free(scores->context, scores);
}

/* Sorts the rows by fold; folds are below `bound`. The rows of fold f are (*rows)[(*starts)[f]] to
 * (*rows)[(*starts)[f + 1] - 1]. Rows without a fold are omitted. Returns false if memory runs out. */
static bool fold_scores_sort_rows(const crd_evaluation *evaluation, size_t bound, size_t **starts, size_t **rows) {
    *starts = crd_i_alloc_zeroed(evaluation->context, bound + 2, sizeof **starts);
    *rows = crd_i_alloc(evaluation->context, evaluation->row_count, sizeof **rows);
    if (*starts == NULL || *rows == NULL) return false;
    size_t *source = *starts;
    /* Counts are stored two entries later. Placing a row advances the entry after its fold, which ends at the fold's
     * limit. */
    for (size_t i = 0; i < evaluation->row_count; i++)
        if (evaluation->rows[i].fold != CRD_NO_FOLD) source[evaluation->rows[i].fold + 2]++;
    for (size_t f = 1; f < bound + 2; f++) source[f] += source[f - 1];
    for (size_t i = 0; i < evaluation->row_count; i++)
        if (evaluation->rows[i].fold != CRD_NO_FOLD) (*rows)[source[evaluation->rows[i].fold + 1]++] = i;
    return true;
}

/* Computes the scores of the rows of a fold and appends them. */
static crd_status fold_scores_score_fold(crd_fold_scores *fold_scores, const crd_i_row_selection *rows, uint32_t fold,
                                         crd_error *error) {
    crd_scores *scores;
    if (crd_i_context_cancelled(fold_scores->context)) return crd_i_fail_cancelled(error);
    crd_status status = crd_i_scores_create(rows, &scores, error);
    if (status != CRD_OK) return status;
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores_totals(scores, &totals);
    crd_scores_destroy(scores);
    fold_scores->folds[fold_scores->count] = fold;
    fold_scores->totals[fold_scores->count++] = totals;
    return CRD_OK;
}

/* Computes the exact sum of a measure over the folds; with `mean`, the sum of its squared deviations from the mean.
 * Sets *count to the number of folds for which the measure is defined. Returns false if memory runs out. */
static bool fold_scores_add_up(const crd_fold_scores *scores, crd_measure measure, const double *mean, double *sum,
                               uint64_t *count) {
    crd_i_sums sums;
    crd_i_sums_init(&sums, scores->context);
    bool done = crd_i_sums_extend(&sums, 1), is_infinite = false;
    *count = 0;
    for (size_t i = 0; done && i < scores->count; i++) {
        double value = crd_totals_measure(&scores->totals[i], measure);
        if (isnan(value)) continue;
        ++*count;
        if (isinf(value)) is_infinite = true;
        else if (mean == NULL) done = crd_i_sums_add(&sums, 0, value);
        else done = crd_i_sums_add_product(&sums, 0, value - *mean, value - *mean);
    }
    *sum = is_infinite ? INFINITY : done ? crd_i_sums_value(&sums, 0) : NAN;
    crd_i_sums_clear(&sums);
    return done;
}

/* Computes mean and standard deviation of a measure over the folds. Sums are exact, so the order of folds does not
 * matter. Returns false if memory runs out. */
static bool fold_scores_find_spread(crd_fold_scores *scores, crd_measure measure) {
    crd_spread spread = {0, NAN, NAN};
    double sum = 0, squares = 0;
    if (!fold_scores_add_up(scores, measure, NULL, &sum, &spread.folds)) return false;
    if (spread.folds > 0) spread.mean = sum / (double)spread.folds;
    if (spread.folds > 1 && isfinite(spread.mean)) {
        if (!fold_scores_add_up(scores, measure, &spread.mean, &squares, &spread.folds)) return false;
        spread.deviation = sqrt(squares / (double)(spread.folds - 1));
    }
    scores->spreads[measure] = spread;
    return true;
}

crd_status crd_fold_scores_create(const crd_evaluation *evaluation, crd_fold_scores **out, crd_error *error) {
    *out = NULL;
    crd_context *context = evaluation->context;
    size_t bound = 0, *starts = NULL, *rows = NULL;
    for (size_t i = 0; i < evaluation->row_count; i++) {
        uint32_t fold = evaluation->rows[i].fold;
        if (fold != CRD_NO_FOLD && fold >= bound) bound = (size_t)fold + 1;
    }
    crd_status status = CRD_OK;
    crd_fold_scores *scores = crd_i_alloc_zeroed(context, 1, sizeof *scores);
    if (scores == NULL) return crd_i_fail_memory(error);
    scores->context = context;
    scores->folds = crd_i_alloc(context, bound, sizeof *scores->folds);
    scores->totals = crd_i_alloc(context, bound, sizeof *scores->totals);
    if (scores->folds == NULL || scores->totals == NULL || !fold_scores_sort_rows(evaluation, bound, &starts, &rows))
        status = crd_i_fail_memory(error);
    for (size_t f = 0; status == CRD_OK && f < bound; f++) {
        const crd_i_row_selection selection = {evaluation, rows + starts[f], starts[f + 1] - starts[f]};
        if (selection.count > 0) status = fold_scores_score_fold(scores, &selection, (uint32_t)f, error);
    }
    for (size_t m = 0; status == CRD_OK && m < CRD_MEASURE_COUNT; m++)
        if (!fold_scores_find_spread(scores, (crd_measure)m)) status = crd_i_fail_memory(error);
    crd_free(context, starts);
    crd_free(context, rows);
    if (status == CRD_OK) *out = scores;
    else crd_fold_scores_destroy(scores);
    return status;
}

size_t crd_fold_scores_count(const crd_fold_scores *scores) {
    return scores->count;
}

uint32_t crd_fold_scores_fold(const crd_fold_scores *scores, size_t index) {
    return scores->folds[index];
}

void crd_fold_scores_totals(const crd_fold_scores *scores, size_t index, crd_totals *out) {
    crd_i_copy_out(&scores->totals[index], sizeof *scores->totals, out);
}

crd_spread crd_fold_scores_spread(const crd_fold_scores *scores, crd_measure measure) {
    return scores->spreads[measure];
}

/* ---- Top-k accuracy ---- */

/* Computes the weighted mean of the credits of all rows. If the true class ties with b - 1 others, and a classes are
 * more probable, the credit is min(1, max(0, k - a) / b). */
crd_status crd_evaluation_top_accuracy(const crd_evaluation *evaluation, size_t k, double *out, crd_error *error) {
    enum { CREDIT, WEIGHT, SUMS };
    crd_i_sums sums;
    *out = NAN;
    if (k == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "k must be at least 1");
    crd_i_sums_init(&sums, evaluation->context);
    bool done = crd_i_sums_extend(&sums, SUMS);
    for (size_t i = 0; done && i < evaluation->row_count; i++) {
        const crd_i_judged *row = &evaluation->rows[i];
        double places = row->above >= k ? 0 : (double)(k - row->above);
        double credit = row->beside == 0 ? 0 : places >= row->beside ? 1 : places / row->beside;
        done = crd_i_sums_add(&sums, WEIGHT, row->weight) && crd_i_sums_add_product(&sums, CREDIT, row->weight, credit);
    }
    double weight = done ? crd_i_sums_value(&sums, WEIGHT) : 0;
    if (weight > 0) *out = crd_i_sums_value(&sums, CREDIT) / weight;
    crd_i_sums_clear(&sums);
    return done ? CRD_OK : crd_i_fail_memory(error);
}
