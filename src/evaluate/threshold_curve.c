/* SPDX-License-Identifier: MIT */
/* threshold_curve.c - ROC curve and precision-recall curve of one class against all others, at every threshold.
 *
 * Rows are ordered by the probability of the class, highest first. The curve has one point for each distinct
 * probability s; rows with P(class) >= s are then decided for the class. Tied rows cross a threshold together, so
 * the curve does not depend on the order of rows. Let TP and FP be the weight of the rows decided for the class that
 * belong and do not belong to it. P and N are the weights of all rows that belong and do not belong to the class.
 *
 *   recall = TP / P, false positive rate = FP / N, precision = TP / (TP + FP)
 *   average precision = sum over thresholds of (recall - recall at the previous threshold) precision
 *
 * Average precision does not interpolate, because points on a line between two precision-recall points cannot be
 * reached by a threshold (Davis and Goadrich 2006). The area under the ROC curve is computed in scores.c. */
#include "evaluate/evaluation.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "math/exact/exact_sums.h"
#include "math/exact/ieee754.h"

#include <math.h>

typedef struct crd_curve_places {
    /* The threshold of the first place is above every probability. */
    double threshold, of_class, of_others; /* weight of the rows at or above the threshold */
} place;

void crd_curve_destroy(crd_curve *curve) {
    if (curve == NULL) return;
    crd_free(curve->context, curve->places);
    crd_free(curve->context, curve);
}

static size_t count_distinct(const crd_i_ranked *rows, size_t count) {
    size_t distinct = 0;
    for (size_t i = 0; i < count; i++) distinct += i == 0 || rows[i].key != rows[i - 1].key;
    return distinct;
}

/* Fills the points in descending order of the threshold. Returns false if memory runs out. */
static bool threshold_curve_fill_places(crd_curve *curve, const crd_evaluation *evaluation, const crd_i_ranked *rows,
                                        size_t count) {
    enum { OF_OTHERS, OF_CLASS, SUMS };
    const place none = {INFINITY, 0, 0};
    crd_i_sums sums;
    curve->places = crd_i_alloc(curve->context, count_distinct(rows, count) + 1, sizeof *curve->places);
    if (curve->places == NULL) return false;
    crd_i_sums_init(&sums, curve->context);
    bool done = crd_i_sums_extend(&sums, SUMS);
    curve->places[curve->count++] = none;
    for (size_t i = count; done && i-- > 0;) {
        size_t is_of_class = (size_t)(rows[i].row & 1);
        done = crd_i_sums_add(&sums, is_of_class ? OF_CLASS : OF_OTHERS, evaluation->rows[rows[i].row >> 1].weight);
        if (i > 0 && rows[i - 1].key == rows[i].key) continue;
        place *target_place = &curve->places[curve->count++];
        target_place->threshold = crd_i_double_of(rows[i].key);
        target_place->of_class = crd_i_sums_value(&sums, OF_CLASS);
        target_place->of_others = crd_i_sums_value(&sums, OF_OTHERS);
    }
    crd_i_sums_clear(&sums);
    return done;
}

static double precision_at(const place *current_place) {
    double decided = current_place->of_class + current_place->of_others;
    return decided == 0 ? NAN : current_place->of_class / decided;
}

/* Returns the average precision. */
static double average_precision(const crd_curve *curve) {
    const place *last = &curve->places[curve->count - 1];
    double sum = 0;
    for (size_t i = 1; i < curve->count; i++) {
        const place *current_place = &curve->places[i];
        sum += (current_place->of_class - curve->places[i - 1].of_class) / last->of_class * precision_at(current_place);
    }
    return sum;
}

crd_status crd_curve_create(const crd_evaluation *evaluation, size_t class_index, crd_curve **out, crd_error *error) {
    *out = NULL;
    const crd_i_row_selection all = {evaluation, NULL, evaluation->row_count};
    if (class_index >= evaluation->class_count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "class %zu does not exist", class_index);
    if (evaluation->is_unranked)
        return crd_i_fail(error, CRD_ERROR_LIMIT,
                          "%zu rows and %zu classes are too many to rank rows by each class: evaluate fewer rows",
                          evaluation->row_count, evaluation->class_count);
    crd_curve *curve = crd_i_alloc_zeroed(evaluation->context, 1, sizeof *curve);
    if (curve == NULL) return crd_i_fail_memory(error);
    curve->context = evaluation->context;
    crd_i_ranked *rows = crd_i_evaluation_rank(&all, class_index);
    bool done = rows != NULL && threshold_curve_fill_places(curve, evaluation, rows, all.count) &&
                crd_i_evaluation_auc(&all, class_index, &curve->auc);
    crd_free(curve->context, rows);
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    if (done && isnan(curve->auc)) {
        char quoted[CRD_I_QUOTED_ROOM];
        const place *last = &curve->places[curve->count - 1];
        status = crd_i_fail(error, CRD_ERROR_EMPTY, "%s row has the class '%s': a curve needs rows with and without it",
                            last->of_class == 0 ? "no" : "every",
                            crd_i_quote(crd_i_dictionary_text(evaluation->classes, class_index), quoted));
    }
    if (status != CRD_OK) {
        crd_curve_destroy(curve);
        return status;
    }
    curve->average_precision = average_precision(curve);
    *out = curve;
    return CRD_OK;
}

/* Computes all measures of a point. */
static crd_curve_point threshold_curve_point(const crd_curve *curve, size_t index) {
    const place *current_place = &curve->places[index], *last = &curve->places[curve->count - 1];
    crd_curve_point point = CRD_CURVE_POINT_INIT;
    point.threshold = current_place->threshold;
    point.true_positives = current_place->of_class;
    point.false_positives = current_place->of_others;
    point.false_negatives = last->of_class - current_place->of_class;
    point.true_negatives = last->of_others - current_place->of_others;
    point.precision = precision_at(current_place);
    point.recall = current_place->of_class / last->of_class;
    point.false_positive_rate = current_place->of_others / last->of_others;
    point.f1 = 2 * current_place->of_class / (current_place->of_class + current_place->of_others + last->of_class);
    return point;
}

void crd_curve_point_at(const crd_curve *curve, size_t index, crd_curve_point *out) {
    crd_curve_point point = threshold_curve_point(curve, index);
    crd_i_copy_out(&point, sizeof point, out);
}

double crd_curve_cost(const crd_curve *curve, size_t index, const crd_curve_costs *costs) {
    crd_curve_costs curve_costs = CRD_CURVE_COSTS_INIT;
    if (!crd_i_copy_in(costs, &curve_costs, sizeof curve_costs)) return NAN;
    crd_curve_point point = threshold_curve_point(curve, index);
    double all = point.true_positives + point.false_positives + point.false_negatives + point.true_negatives;
    return (point.true_positives * curve_costs.true_positive + point.false_positives * curve_costs.false_positive +
            point.false_negatives * curve_costs.false_negative + point.true_negatives * curve_costs.true_negative) /
           all;
}

/* ---- The best threshold ---- */

/* A point that satisfies the goal is ranked by `first`, then by `second`. Larger is better. */
typedef struct curve_score {
    bool is_fit;
    double first, second;
} curve_score;

/* Computes the rank of a point for a goal. `wanted` is the required recall or precision. */
static curve_score merit_of(const crd_curve *curve, size_t index, crd_curve_goal goal, double wanted,
                            const crd_curve_costs *costs) {
    crd_curve_point point = threshold_curve_point(curve, index);
    curve_score of = {false, 0, 0};
    switch (goal) {
    case CRD_CURVE_F1:
        of.is_fit = index > 0;
        of.first = point.f1;
        break;
    case CRD_CURVE_COST:
        of.first = -crd_curve_cost(curve, index, costs);
        of.is_fit = !isnan(of.first);
        break;
    case CRD_CURVE_RECALL:
        of.is_fit = point.recall >= wanted * (1 - CRD_TIE_MARGIN) && index > 0;
        of.first = point.precision;
        of.second = point.recall;
        break;
    case CRD_CURVE_PRECISION:
        of.is_fit = point.precision >= wanted * (1 - CRD_TIE_MARGIN);
        of.first = point.recall;
        of.second = point.precision;
        break;
    }
    return of;
}

int crd_curve_best(const crd_curve *curve, crd_curve_goal goal, double wanted, const crd_curve_costs *costs,
                   size_t *index) {
    curve_score best = {false, 0, 0};
    if (goal == CRD_CURVE_COST && costs == NULL) return 0;
    for (size_t i = 0; i < curve->count; i++) {
        curve_score merit = merit_of(curve, i, goal, wanted, costs);
        if (!merit.is_fit) continue;
        /* Ties go to the first point, which has the largest threshold. */
        if (best.is_fit && (merit.first < best.first || (merit.first == best.first && merit.second <= best.second)))
            continue;
        best = merit;
        *index = i;
    }
    return best.is_fit;
}

/* ---- Fewer points ---- */

/* Returns the position of a point along the ROC curve: the sum of both rates, from 0 to 2. */
static double length_at(const crd_curve *curve, size_t index) {
    const place *current_place = &curve->places[index], *last = &curve->places[curve->count - 1];
    return current_place->of_class / last->of_class + current_place->of_others / last->of_others;
}

/* Selects points at about equal distances along the ROC curve, including the first and the last one. */
size_t crd_curve_thin(const crd_curve *curve, size_t most, size_t *indices) {
    size_t count = 0;
    if (most > curve->count) most = curve->count;
    for (size_t i = 0; i < curve->count && count < most; i++) {
        /* Take the point if all remaining points fit, or if it is at or after the next equal step along the curve. */
        bool all_fit = curve->count - i <= most - count;
        bool is_due = most > 1 && length_at(curve, i) >= 2.0 * (double)count / (double)(most - 1);
        bool is_last = i + 1 == curve->count;
        if (!all_fit && !is_due && !is_last) continue;
        /* The last entry is reserved for the last point. */
        if (count + 1 == most && !is_last) i = curve->count - 1;
        indices[count++] = i;
    }
    return count;
}
