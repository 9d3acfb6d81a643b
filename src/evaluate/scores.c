/* SPDX-License-Identifier: MIT */
/* scores.c - scores of an evaluation: totals, per-class scores, confusion matrix, calibration, intervals, and scores of
 * each fold.
 *
 * Contents:
 *   1. Area under the ROC curve
 *   2. Scores of all rows
 *   3. Scores of each fold */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "evaluate/evaluation.h"
#include "math/exact/exact_sums.h"
#include "math/exact/ieee754.h"
#include "math/functions/elementary.h"
#include "model/schema_view.h"
#include "stats/pair_counts.h"

#include <math.h>
#include <string.h>

/* ======== 1. Area under the ROC curve ========
 *
 * The area of a class is the probability that a random row of the class gets a higher probability for it than a random
 * row of another class. Ties count half. Rows are ranked by that probability; tied rows share their mean rank. With R
 * the sum of the ranks of the p rows of the class, and n rows of other classes,
 *
 *   A = (R - p (p + 1) / 2) / (p n)
 *
 * (Mann and Whitney 1947; Hanley and McNeil 1982). Ranks are summed as integers in units of 1/2. So the area is
 * rounded only once and does not depend on the order of the rows.
 *
 * With weights, a pair of rows counts with the product w_i w_j of their weights. The area is the weight of the pairs
 * in which the row of the class ranks higher, plus half the weight of the ties, divided by the weight of all pairs.
 * A row of weight 3 counts like three rows. */

static bool is_of_class(const crd_i_ranked *row) {
    return (row->row & 1) != 0;
}

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, DIGIT_VALUES = 1 << DIGIT_BITS };

/* Sorts rows by key in ascending order: least-significant-digit radix sort. The result is in *rows; both arrays have
 * `count` entries and may be exchanged. */
static void auc_sort(crd_i_ranked **rows, crd_i_ranked **ranked_item, size_t count) {
    for (int digit = 0; digit < DIGITS; digit++) {
        size_t starts[DIGIT_VALUES + 1] = {0};
        int shift = digit * DIGIT_BITS;
        for (size_t i = 0; i < count; i++) starts[((*rows)[i].key >> shift & (DIGIT_VALUES - 1)) + 1]++;
        bool all_alike = starts[((*rows)[0].key >> shift & (DIGIT_VALUES - 1)) + 1] == count;
        if (all_alike) continue;
        for (size_t value = 0; value < DIGIT_VALUES; value++) starts[value + 1] += starts[value];
        for (size_t i = 0; i < count; i++)
            (*ranked_item)[starts[(*rows)[i].key >> shift & (DIGIT_VALUES - 1)]++] = (*rows)[i];
        crd_i_ranked *sorted = *ranked_item;
        *ranked_item = *rows;
        *rows = sorted;
    }
}

/* Returns twice the sum of the ranks, counted from 1, of the rows of the class. */
static uint64_t sum_ranks(const crd_i_ranked *rows, size_t count) {
    uint64_t sum = 0;
    for (size_t first = 0; first < count;) {
        size_t limit = first, of_class = 0;
        for (; limit < count && rows[limit].key == rows[first].key; limit++) of_class += is_of_class(&rows[limit]);
        sum += (uint64_t)of_class * (first + 1 + limit);
        first = limit;
    }
    return sum;
}

/* Indices of exact sums of weights. TWICE_BELOW: twice the weight of the other classes' rows below the current tied
 * rows, and once the weight of those tied with them. TWICE_PAIRS: twice the weight of the pairs won. OF_CLASS,
 * OF_OTHERS: weight of the rows of the class and of the other classes. */
enum { TWICE_BELOW, TWICE_PAIRS, OF_CLASS, OF_OTHERS, WEIGHT_SUMS };

/* Returns the exponent of a power of two near the largest weight. Weights are divided by it, so products of tiny
 * weights do not underflow. */
static int auc_find_unit(const crd_i_row_selection *selection) {
    double greatest = 0;
    for (size_t i = 0; i < selection->count; i++) {
        double weight = selection->evaluation->rows[crd_i_selected(selection, i)].weight;
        if (weight > greatest) greatest = weight;
    }
    int unit;
    (void)frexp(greatest, &unit);
    return unit;
}

static double auc_weight(const crd_evaluation *evaluation, const crd_i_ranked *row, int unit) {
    return ldexp(evaluation->rows[row->row >> 1].weight, -unit);
}

/* Adds the rows `first` to `limit` - 1, which tie, to the sums. Returns false if memory runs out. */
static bool weigh_tied(crd_i_sums *sums, const crd_evaluation *evaluation, const crd_i_ranked *rows, size_t first,
                       size_t limit, int unit) {
    bool done = true;
    for (size_t i = first; done && i < limit; i++) {
        double weight = auc_weight(evaluation, &rows[i], unit);
        done = crd_i_sums_add(sums, is_of_class(&rows[i]) ? OF_CLASS : OF_OTHERS, weight) &&
               (is_of_class(&rows[i]) || crd_i_sums_add(sums, TWICE_BELOW, weight));
    }
    double twice = crd_i_sums_value(sums, TWICE_BELOW);
    for (size_t i = first; done && i < limit; i++) {
        double weight = auc_weight(evaluation, &rows[i], unit);
        done = is_of_class(&rows[i]) ? crd_i_sums_add_product(sums, TWICE_PAIRS, weight, twice)
                                     : crd_i_sums_add(sums, TWICE_BELOW, weight);
    }
    return done;
}

/* Computes the area for weighted rows, which are sorted. Returns false if memory runs out. */
static bool weigh_pairs(const crd_i_row_selection *selection, const crd_i_ranked *rows, double *auc) {
    const crd_evaluation *evaluation = selection->evaluation;
    crd_i_sums sums;
    size_t count = selection->count;
    int unit = auc_find_unit(selection);
    crd_i_sums_init(&sums, evaluation->context);
    bool done = crd_i_sums_extend(&sums, WEIGHT_SUMS);
    for (size_t first = 0; done && first < count;) {
        size_t limit = first;
        while (limit < count && rows[limit].key == rows[first].key) limit++;
        done = weigh_tied(&sums, evaluation, rows, first, limit, unit);
        first = limit;
    }
    if (done)
        *auc = crd_i_sums_value(&sums, TWICE_PAIRS) /
               (2 * crd_i_sums_value(&sums, OF_CLASS) * crd_i_sums_value(&sums, OF_OTHERS));
    crd_i_sums_clear(&sums);
    return done;
}

/* Computes the area for unweighted rows, which are sorted; `positives` rows belong to the class. */
static double auc_count_pairs(const crd_i_ranked *rows, size_t count, uint64_t positives) {
    uint64_t twice = sum_ranks(rows, count) - positives * (positives + 1);
    return (double)twice / (2.0 * (double)positives * (double)(count - positives));
}

/* See evaluation.h. Bits of nonnegative doubles sort like the doubles, so they can be sorted as integers. */
crd_i_ranked *crd_i_evaluation_rank(const crd_i_row_selection *selection, size_t class_index) {
    const crd_evaluation *evaluation = selection->evaluation;
    size_t count = selection->count;
    crd_i_ranked *rows = crd_i_alloc(evaluation->context, count, sizeof *rows);
    crd_i_ranked *ranked_item = crd_i_alloc(evaluation->context, count, sizeof *ranked_item);
    if (rows == NULL || ranked_item == NULL) {
        crd_free(evaluation->context, rows);
        crd_free(evaluation->context, ranked_item);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        size_t row = crd_i_selected(selection, i);
        rows[i].key = crd_i_bits_of(evaluation->probabilities[row * evaluation->class_count + class_index]);
        rows[i].row = (uint64_t)row << 1 | ((size_t)evaluation->rows[row].truth == class_index);
    }
    if (count > 0) auc_sort(&rows, &ranked_item, count);
    crd_free(evaluation->context, ranked_item);
    return rows;
}

bool crd_i_evaluation_auc(const crd_i_row_selection *selection, size_t class_index, double *auc) {
    const crd_evaluation *evaluation = selection->evaluation;
    size_t count = selection->count;
    uint64_t positives = 0;
    *auc = NAN;
    if (evaluation->is_unranked) return true;
    for (size_t i = 0; i < count; i++)
        positives += (size_t)evaluation->rows[crd_i_selected(selection, i)].truth == class_index;
    if (positives == 0 || positives == count) return true;
    crd_i_ranked *rows = crd_i_evaluation_rank(selection, class_index);
    bool done = rows != NULL;
    if (done && evaluation->is_weighted) done = weigh_pairs(selection, rows, auc);
    else if (done) *auc = auc_count_pairs(rows, count, positives);
    crd_free(evaluation->context, rows);
    return done;
}

/* ======== 2. Scores of all rows ======== */

struct crd_scores_data {
    crd_i_dictionary *names; /* the classes that can be predicted, then the other classes in order */
    size_t predictable;
    crd_i_counts_block confusion; /* rows by (true class, 0, predicted class); has at most one entry per row */
    /* Only if rows have weights: the same matrix as sums of weights, and the weight of the rows of each class,
     * followed by the weight of the rows that were predicted as each class. */
    bool is_weighted;
    crd_i_counts_block confusion_weights;
    crd_i_sums weights;
    double loss_error, brier_error; /* standard errors of the mean log loss and the mean Brier score */
};

void crd_scores_destroy(crd_scores *scores) {
    if (scores == NULL) return;
    crd_i_dictionary_destroy(scores->data->names);
    crd_free(scores->context, scores->classes);
    crd_i_counts_block_clear(&scores->data->confusion);
    crd_i_counts_block_clear(&scores->data->confusion_weights);
    crd_i_sums_clear(&scores->data->weights);
    crd_free(scores->context, scores->data);
    crd_free(scores->context, scores);
}

/* Returns a / b; NaN for 0 / 0. */
static double scores_share(double a, double b) {
    return b == 0 ? NAN : a / b;
}

/* Returns the index in `weights` of the rows that were predicted as class k. */
static size_t predicted_cell(const crd_scores *scores, size_t k) {
    return scores->class_count + k;
}

/* Returns an entry of `weights`, or the number of rows if rows have no weights. */
static double scores_weight(const crd_scores *scores, size_t cell, uint64_t rows) {
    return scores->data->is_weighted ? crd_i_sums_value(&scores->data->weights, cell) : (double)rows;
}

/* Fills scores->data->names with all classes. Sets places[i] to the index there of the i-th class that cannot be
 * predicted. Returns false if memory runs out. */
static bool scores_name_classes(crd_scores *scores, const crd_evaluation *evaluation, size_t *places) {
    size_t others = crd_i_dictionary_size(evaluation->others);
    scores->data->names = crd_i_dictionary_clone(evaluation->classes);
    int32_t *order = crd_i_alloc(scores->context, others, sizeof *order);
    bool done = scores->data->names != NULL && order != NULL &&
                crd_i_dictionary_order(evaluation->others, NULL, crd_i_schema_view_number, order) != SIZE_MAX;
    for (size_t i = 0; done && i < others; i++) {
        size_t code = (size_t)order[i];
        places[code] = scores->data->predictable + i;
        done = crd_i_dictionary_add(scores->data->names, crd_i_dictionary_text(evaluation->others, code)) >= 0;
    }
    crd_free(scores->context, order);
    return done;
}

/* Adds the weights of the selected rows to the class sums and to the weighted confusion matrix. Returns false if
 * memory runs out. */
static bool scores_add_weights(crd_scores *scores, const crd_i_row_selection *selection, const size_t *places) {
    scores->data->is_weighted = true;
    if (!crd_i_sums_extend(&scores->data->weights, 2 * scores->class_count)) return false;
    for (size_t i = 0; i < selection->count; i++) {
        crd_i_judged row = selection->evaluation->rows[crd_i_selected(selection, i)];
        size_t truth = (size_t)row.truth, named = (size_t)row.decision;
        if (truth >= scores->data->predictable) truth = places[truth - scores->data->predictable];
        if (!crd_i_sums_add(&scores->data->weights, truth, row.weight)) return false;
        if (row.decision < 0) continue;
        size_t cell;
        if (!crd_i_sums_add(&scores->data->weights, predicted_cell(scores, named), row.weight) ||
            !crd_i_counts_block_cell(&scores->data->confusion_weights, truth, 0, named, &cell) ||
            !crd_i_sums_add(&scores->data->confusion_weights.sums, cell, row.weight))
            return false;
    }
    return true;
}

/* Counts the selected rows by true class, predicted class and combination of both. Returns false if memory runs out. */
static bool scores_count_rows(crd_scores *scores, const crd_i_row_selection *selection, const size_t *places) {
    for (size_t i = 0; i < selection->count; i++) {
        crd_i_judged row = selection->evaluation->rows[crd_i_selected(selection, i)];
        size_t truth = (size_t)row.truth;
        if (truth >= scores->data->predictable) truth = places[truth - scores->data->predictable];
        scores->classes[truth].support++;
        if (row.decision < 0) continue;
        size_t named = (size_t)row.decision;
        size_t cell;
        if (!crd_i_counts_block_cell(&scores->data->confusion, truth, 0, named, &cell) ||
            !crd_i_sums_count(&scores->data->confusion.sums, cell, 1))
            return false;
        scores->classes[named].predicted++;
        if (truth == named) scores->classes[truth].correct++;
    }
    return true;
}

/* Computes precision, recall, F1 and AUC of class k. Returns false if memory runs out. */
static bool score_class(crd_scores *scores, const crd_i_row_selection *selection, const crd_i_score_sums *sums,
                        size_t k) {
    crd_class_scores *class = &scores->classes[k];
    class->can_be_predicted = k < scores->data->predictable;
    class->zero_rows = class->can_be_predicted ? sums->zero_rows[k] : class->support;
    class->support_weight = scores_weight(scores, k, class->support);
    class->predicted_weight = scores_weight(scores, predicted_cell(scores, k), class->predicted);
    class->correct_weight = crd_scores_confusion_weight(scores, k, k);
    class->precision = scores_share(class->correct_weight, class->predicted_weight);
    class->recall = scores_share(class->correct_weight, class->support_weight);
    class->f1 = scores_share(2 * class->correct_weight, class->predicted_weight + class->support_weight);
    /* If the class had probability 0 in each of its own rows, the ranking is meaningless: the model never contained
     * the class, or unlearned it together with the row. */
    class->auc = NAN;
    return class->zero_rows == class->support || crd_i_evaluation_auc(selection, k, &class->auc);
}

/* Fills the calibration bins and computes the expected calibration error (Naeini, Cooper and Hauskrecht 2015):
 *   ece = sum over bins of (weight of the bin) |accuracy - mean probability| / (weight of all decided rows) */
static void scores_calibrate(crd_scores *scores, const crd_i_score_sums *sums) {
    double error = 0;
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin *bin = &scores->bins[i];
        bin->rows = sums->bins[i];
        bin->weight = crd_i_sums_value(&sums->sums, CRD_I_SUM_BIN_WEIGHT + i);
        bin->probability = crd_i_score_sums_mean(sums, CRD_I_SUM_BIN_PROBABILITY + i, CRD_I_SUM_BIN_WEIGHT + i);
        bin->accuracy = crd_i_score_sums_mean(sums, CRD_I_SUM_BIN_CREDIT + i, CRD_I_SUM_BIN_WEIGHT + i);
        if (bin->rows > 0) error += bin->weight * fabs(bin->accuracy - bin->probability);
    }
    scores->totals.ece = scores_share(error, crd_i_sums_value(&sums->sums, CRD_I_SUM_DECIDED));
}

/* Returns the standard error of a mean over rows, sqrt(variance / n) with the unbiased variance. n is the weight of
 * all rows: a row of weight 2 counts like two rows. `sum` and `squares` are the indices of the sums of x and x^2. */
static double error_of_mean(const crd_i_score_sums *sums, size_t sum, size_t squares) {
    double n = crd_i_sums_value(&sums->sums, CRD_I_SUM_WEIGHT);
    double mean = crd_i_score_sums_mean(sums, sum, CRD_I_SUM_WEIGHT);
    double variance = crd_i_score_sums_mean(sums, squares, CRD_I_SUM_WEIGHT) - mean * mean;
    return n > 1 ? sqrt(fmax(variance, 0) / (n - 1)) : NAN;
}

/* Computes the totals except the agreement measures. The baseline always predicts the largest class; its log loss is
 * the entropy of the class frequencies. */
static void total_up(crd_scores *scores, const crd_i_score_sums *sums, size_t rows, bool is_unranked) {
    crd_totals *totals = &scores->totals;
    double most = 0, area = 0;
    totals->size = sizeof *totals;
    totals->rows = rows;
    totals->weight = crd_i_sums_value(&sums->sums, CRD_I_SUM_WEIGHT);
    totals->undecided = sums->undecided;
    totals->is_unranked = is_unranked;
    for (size_t k = 0; k < scores->class_count; k++) {
        const crd_class_scores *of = &scores->classes[k];
        if (of->support_weight > most) most = of->support_weight;
        totals->zero_rows += of->zero_rows;
        if (isnan(of->auc)) continue;
        area += of->auc;
        totals->auc_classes++;
    }
    totals->accuracy = crd_i_score_sums_mean(sums, CRD_I_SUM_CREDIT, CRD_I_SUM_WEIGHT);
    totals->baseline = scores_share(most, totals->weight);
    for (size_t k = 0; k < scores->class_count; k++) {
        double part = scores->classes[k].support_weight / totals->weight;
        if (part > 0) totals->baseline_log_loss -= part * crd_log(part);
    }
    totals->brier = crd_i_score_sums_mean(sums, CRD_I_SUM_BRIER, CRD_I_SUM_WEIGHT);
    totals->log_loss = totals->zero_rows > 0 ? INFINITY : crd_i_score_sums_mean(sums, CRD_I_SUM_LOSS, CRD_I_SUM_WEIGHT);
    totals->auc = scores_share(area, (double)totals->auc_classes);
    scores->data->loss_error = error_of_mean(sums, CRD_I_SUM_LOSS, CRD_I_SUM_LOSS_SQUARES);
    scores->data->brier_error = error_of_mean(sums, CRD_I_SUM_BRIER, CRD_I_SUM_BRIER_SQUARES);
}

/* ---- Agreement with true classes ---- */

/* Computes balanced accuracy, macro F1 and weighted F1. Balanced accuracy is the mean recall of the classes that have
 * rows. Macro F1 is the mean F1 of the classes that have rows or were predicted. Weighted F1 weights classes by their
 * rows. */
static void average_classes(crd_scores *scores) {
    crd_totals *totals = &scores->totals;
    double recalls = 0, f1 = 0, weighted_f1 = 0;
    size_t with_rows = 0, with_f1 = 0;
    for (size_t k = 0; k < scores->class_count; k++) {
        const crd_class_scores *of = &scores->classes[k];
        if (!isnan(of->recall)) recalls += of->recall, with_rows++;
        if (isnan(of->f1)) continue;
        f1 += of->f1, with_f1++;
        weighted_f1 += of->support_weight * of->f1;
    }
    totals->balanced_accuracy = scores_share(recalls, (double)with_rows);
    totals->macro_f1 = scores_share(f1, (double)with_f1);
    totals->weighted_f1 = scores_share(weighted_f1, totals->weight);
}

/* Computes Matthews' correlation coefficient for several classes (Matthews 1975; Gorodkin 2004) and Cohen's kappa
 * (Cohen 1960). Let s be the weight of all rows, c the weight of the correct rows, t_k the weight of the rows of
 * class k, and p_k the weight of the rows predicted as class k. Rows without a decision form one more predicted
 * class.
 *
 *   MCC    (c s - sum t_k p_k) / sqrt((s^2 - sum p_k^2) (s^2 - sum t_k^2))
 *   kappa  (c s - sum t_k p_k) / (s^2 - sum t_k p_k)
 *
 * Weights are divided by s, so squares cannot overflow. */
static void scores_correlate(crd_scores *scores) {
    crd_totals *totals = &scores->totals;
    double correct = 0, by_chance = 0, named = 0, truths = 0, decided = 0;
    totals->mcc = totals->kappa = NAN;
    if (!(totals->weight > 0)) return;
    for (size_t k = 0; k < scores->class_count; k++) {
        const crd_class_scores *class = &scores->classes[k];
        double t = class->support_weight / totals->weight, p = class->predicted_weight / totals->weight;
        correct += class->correct_weight / totals->weight;
        by_chance += t * p;
        named += p * p;
        truths += t * t;
        decided += p;
    }
    double undecided = totals->undecided > 0 && decided < 1 ? 1 - decided : 0;
    double spread = (1 - named - undecided * undecided) * (1 - truths);
    /* If all rows have the same class or the same decision, the coefficient is 0 by convention. The margins are
     * needed because rounded fractions may sum to slightly more than 1. */
    totals->mcc = spread > 1e-28 ? (correct - by_chance) / sqrt(spread) : 0;
    if (1 - by_chance > 1e-14) totals->kappa = (correct - by_chance) / (1 - by_chance);
}

/* ---- Creation and access ---- */

/* Counts the selected rows and, if rows have weights, sums their weights. Returns false if memory runs out. */
static bool scores_fill(crd_scores *scores, const crd_i_row_selection *selection) {
    const crd_evaluation *evaluation = selection->evaluation;
    size_t others = crd_i_dictionary_size(evaluation->others);
    const size_t extents[3] = {scores->class_count, 1, scores->data->predictable};
    size_t *places = crd_i_alloc(scores->context, others, sizeof *places);
    scores->classes = crd_i_alloc_zeroed(scores->context, scores->class_count, sizeof *scores->classes);
    bool done = places != NULL && scores->classes != NULL && scores_name_classes(scores, evaluation, places) &&
                crd_i_counts_block_fit(&scores->data->confusion, extents, selection->count) &&
                crd_i_counts_block_fit(&scores->data->confusion_weights, extents, selection->count) &&
                scores_count_rows(scores, selection, places) &&
                (!evaluation->is_weighted || scores_add_weights(scores, selection, places));
    crd_free(scores->context, places);
    return done;
}

/* Computes the scores of the selected rows. The caller destroys them with crd_scores_destroy. Sums the rows, scores
 * each class, and computes the totals from the class scores. */
static crd_status scores_create(const crd_i_row_selection *selection, crd_scores **out, crd_error *error) {
    *out = NULL;
    const crd_evaluation *evaluation = selection->evaluation;
    crd_context *context = evaluation->context;
    crd_scores *scores = crd_i_alloc_zeroed(context, 1, sizeof *scores);
    if (scores == NULL) return crd_i_fail_memory(error);
    scores->context = context;
    scores->data = crd_i_alloc_zeroed(context, 1, sizeof *scores->data);
    if (scores->data == NULL) {
        crd_free(context, scores);
        return crd_i_fail_memory(error);
    }
    crd_i_sums_init(&scores->data->weights, context);
    crd_i_counts_block_init(&scores->data->confusion, context);
    crd_i_counts_block_init(&scores->data->confusion_weights, context);
    scores->data->predictable = evaluation->class_count;
    scores->class_count = evaluation->class_count + crd_i_dictionary_size(evaluation->others);
    crd_i_score_sums sums;
    bool done = crd_i_score_sums_add(&sums, selection) && scores_fill(scores, selection);
    for (size_t k = 0; done && k < scores->class_count; k++) done = score_class(scores, selection, &sums, k);
    if (!done) goto fail;
    /* For two classes, both ROC curves have the same area. Rounding makes probabilities near 1 tie that differ near
     * 0, and must not produce two different areas. The second class is the usual positive class, so its area is used
     * for both. */
    if (scores->class_count == 2 && scores->data->predictable == 2) {
        if (isnan(scores->classes[0].auc)) scores->classes[1].auc = NAN;
        scores->classes[0].auc = scores->classes[1].auc;
    }
    for (size_t k = 0; k < scores->class_count; k++)
        scores->classes[k].name = crd_i_dictionary_text(scores->data->names, k);
    total_up(scores, &sums, selection->count, evaluation->is_unranked);
    average_classes(scores);
    scores_correlate(scores);
    scores_calibrate(scores, &sums);
    crd_i_score_sums_clear(&sums);
    *out = scores;
    return CRD_OK;

fail:
    crd_i_score_sums_clear(&sums);
    crd_scores_destroy(scores);
    return crd_i_fail_memory(error);
}

crd_status crd_scores_create(const crd_evaluation *evaluation, crd_scores **out, crd_error *error) {
    const crd_i_row_selection all = {evaluation, NULL, evaluation->row_count};
    return scores_create(&all, out, error);
}

void crd_scores_totals(const crd_scores *scores, crd_totals *out) {
    crd_i_copy_out(&scores->totals, sizeof scores->totals, out);
}

double crd_scores_confusion_weight(const crd_scores *scores, size_t truth, size_t named) {
    return crd_i_counts_block_value(
        scores->data->is_weighted ? &scores->data->confusion_weights : &scores->data->confusion, truth, 0, named);
}

/* Orders confusions by descending weight, then by class indices. */
static bool scores_comes_before(const crd_confusion *a, const crd_confusion *b) {
    if (a->weight != b->weight) return a->weight > b->weight;
    return a->truth != b->truth ? a->truth < b->truth : a->named < b->named;
}

/* Keeps the `most` largest confusions by insertion into the sorted array `out`. Returns how many there are in total. */
size_t crd_scores_confusions(const crd_scores *scores, crd_confusion *out, size_t most) {
    crd_i_counts_cursor cursor = {0};
    size_t count = 0, total = 0;
    while (crd_i_counts_block_next(&scores->data->confusion, &cursor)) {
        crd_confusion found_confusion = {cursor.numbers[0], cursor.numbers[2], 0};
        if (found_confusion.truth == found_confusion.named) continue;
        found_confusion.weight = crd_scores_confusion_weight(scores, found_confusion.truth, found_confusion.named);
        total++;
        if (most == 0 || (count == most && !scores_comes_before(&found_confusion, &out[most - 1]))) continue;
        size_t index = count < most ? count++ : most - 1;
        for (; index > 0 && scores_comes_before(&found_confusion, &out[index - 1]); index--)
            out[index] = out[index - 1];
        out[index] = found_confusion;
    }
    return total;
}

/* ---- Confidence intervals ---- */

/* The 0.975 quantile of the standard normal distribution. */
static const double Z = 1.959963984540054;

/* Computes the score interval of a proportion (Wilson 1927):
 *   (f + z^2 / 2n +- z sqrt(f (1 - f) / n + z^2 / 4n^2)) / (1 + z^2 / n) */
void crd_frequency_interval(double frequency, double n, double *low, double *high) {
    double scale = 1 + Z * Z / n, center = (frequency + Z * Z / (2 * n)) / scale;
    double half = Z * sqrt(frequency * (1 - frequency) / n + Z * Z / (4 * n * n)) / scale;
    bool is_none = !(n > 0) || isnan(frequency);
    *low = is_none ? NAN : fmax(0, center - half);
    *high = is_none ? NAN : fmin(1, center + half);
}

/* Returns the standard error of the area under the ROC curve of two classes (Hanley and McNeil 1982). A is the area,
 * m and n are the weights of the second and the first class:
 *
 *   variance = (A (1 - A) + (m - 1) (Q1 - A^2) + (n - 1) (Q2 - A^2)) / (m n)
 *   Q1 = A / (2 - A), Q2 = 2 A^2 / (1 + A) */
static double error_of_area(const crd_scores *scores) {
    if (scores->class_count != 2 || isnan(scores->totals.auc)) return NAN;
    double area = scores->totals.auc, m = scores->classes[1].support_weight, n = scores->classes[0].support_weight;
    double first = area / (2 - area), second = 2 * area * area / (1 + area);
    double sum = area * (1 - area) + (m - 1) * (first - area * area) + (n - 1) * (second - area * area);
    return sqrt(fmax(sum, 0) / (m * n));
}

int crd_scores_interval(const crd_scores *scores, crd_measure measure, double *low, double *high) {
    double value = crd_totals_measure(&scores->totals, measure), error = NAN, most = INFINITY;
    switch (measure) {
    case CRD_MEASURE_ACCURACY: crd_frequency_interval(value, scores->totals.weight, low, high); return !isnan(*low);
    case CRD_MEASURE_LOG_LOSS: error = scores->data->loss_error; break;
    case CRD_MEASURE_BRIER: error = scores->data->brier_error, most = 2; break;
    case CRD_MEASURE_AUC: error = error_of_area(scores), most = 1; break;
    default: break;
    }
    bool has_one = isfinite(value) && !isnan(error);
    *low = has_one ? fmax(0, value - Z * error) : NAN;
    *high = has_one ? fmin(most, value + Z * error) : NAN;
    return has_one;
}

/* ======== 3. Scores of each fold ========
 *
 * With their mean and standard deviation. Top-k accuracy is over all rows. */

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
static crd_status score_fold(crd_fold_scores *fold_scores, const crd_i_row_selection *rows, uint32_t fold,
                             crd_error *error) {
    crd_scores *scores;
    if (crd_i_context_cancelled(fold_scores->context)) return crd_i_fail_cancelled(error);
    crd_status status = scores_create(rows, &scores, error);
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
        if (selection.count > 0) status = score_fold(scores, &selection, (uint32_t)f, error);
    }
    for (size_t m = 0; status == CRD_OK && m < CRD_MEASURE_COUNT; m++)
        if (!fold_scores_find_spread(scores, (crd_measure)m)) status = crd_i_fail_memory(error);
    crd_free(context, starts);
    crd_free(context, rows);
    if (status == CRD_OK) *out = scores;
    else crd_fold_scores_destroy(scores);
    return status;
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
