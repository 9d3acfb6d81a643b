/* SPDX-License-Identifier: MIT */
/* auc.c - the area under the ROC curve of one class against all others.
 *
 * The area is the probability that a random row of the class gets a higher probability for it than a random row of
 * another class. Ties count half. Rows are ranked by that probability; tied rows share their mean rank. With R the
 * sum of the ranks of the p rows of the class, and n rows of other classes,
 *
 *   A = (R - p (p + 1) / 2) / (p n)
 *
 * (Mann and Whitney 1947; Hanley and McNeil 1982). Ranks are summed as integers in units of 1/2. So the area is
 * rounded only once and does not depend on the order of the rows.
 *
 * With weights, a pair of rows counts with the product w_i w_j of their weights. The area is the weight of the pairs
 * in which the row of the class ranks higher, plus half the weight of the ties, divided by the weight of all pairs.
 * A row of weight 3 counts like three rows. */
#include "evaluate/evaluation.h"

#include "base/memory.h"
#include "math/exact/exact_sums.h"
#include "math/exact/ieee754.h"

#include <math.h>
#include <string.h>

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
