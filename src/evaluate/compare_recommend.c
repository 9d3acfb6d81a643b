/* SPDX-License-Identifier: MIT */
/* compare_recommend.c - the recommended candidate: the one with the lowest log loss, or a simpler one that is as
 * good. The formulas are in credence/compare.h. */
#include "evaluate/compare_internal.h"

#include "base/memory.h"

#include <credence/number.h>

#include <math.h>

/* A simpler candidate is as good as the best if its loss is larger by at most this part of the standard error. */
static const double AS_GOOD = 0.25;

/* Returns the effective number of rows: the larger one of sum w and (sum w)^2 / sum w^2 (Kish 1965). If the weights
 * are 1 or counts, this is their sum. */
static double effective_rows(double weight, double squared_weights) {
    double kish = weight / (squared_weights / weight);
    return kish > weight ? kish : weight;
}

/* See compare_internal.h. With n effective rows, differences d_i and their mean d,
 *   error = sqrt(sum w_i (d_i - d)^2 / ((n - 1) sum w_i)) */
void crd_i_comparison_difference(const crd_comparison *c, const double *numbers, const double *minus, double *mean,
                                 double *error) {
    double sum = 0, weight = 0, squared_weights = 0, squares = 0;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->is_in_no_loss[row]) continue;
        sum += c->weights[row] * (numbers[row] - (minus == NULL ? 0 : minus[row]));
        weight += c->weights[row];
        squared_weights += c->weights[row] * c->weights[row];
    }
    *mean = sum / weight;
    *error = NAN;
    double rows = effective_rows(weight, squared_weights);
    if (!isfinite(*mean) || !(rows > 1)) return;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->is_in_no_loss[row]) continue;
        double difference = numbers[row] - (minus == NULL ? 0 : minus[row]) - *mean;
        squares += c->weights[row] * difference * difference;
    }
    *error = sqrt(squares / (rows - 1) / weight);
}

/* Excludes rows whose class has probability 0 for every candidate from all log losses. For example, no other row has
 * the class. Such a row would make every log loss infinite. */
static void leave_out_impossible_rows(crd_comparison *c) {
    c->recommendation.left_out = 0;
    for (size_t row = 0; row < c->rows; row++) {
        bool is_impossible = true;
        for (size_t i = 0; i < c->count; i++)
            if (c->all[i].losses != NULL && isfinite(c->all[i].losses[row])) is_impossible = false;
        c->is_in_no_loss[row] = is_impossible;
        c->recommendation.left_out += is_impossible;
    }
}

/* Computes the baseline: the relative class frequencies among the rows of the log losses, their entropy, and the
 * loss of each row. Returns false if memory runs out. */
static bool find_baseline(crd_comparison *c) {
    size_t classes = crd_cross_validation_class_count(c->validation);
    double *weights = crd_i_alloc_zeroed(c->context, classes, sizeof *weights), weight = 0, greatest = 0, sum = 0;
    if (weights == NULL) return false;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->truths[row] < 0 || c->is_in_no_loss[row]) continue;
        weights[c->truths[row]] += c->weights[row];
        weight += c->weights[row];
    }
    for (size_t k = 0; k < classes; k++) {
        if (weights[k] > greatest) greatest = weights[k];
        if (weights[k] > 0) sum -= weights[k] * crd_log(weights[k] / weight);
    }
    for (size_t row = 0; row < c->rows; row++)
        c->baseline[row] = c->truths[row] < 0 ? INFINITY : -crd_log(weights[c->truths[row]] / weight);
    c->recommendation.baseline_accuracy = weight > 0 ? greatest / weight : NAN;
    c->recommendation.baseline_log_loss = weight > 0 ? sum / weight : NAN;
    crd_free(c->context, weights);
    return true;
}

/* Chooses the first candidate that is as good as the best one, or the best one itself, and computes its gain over
 * the baseline. */
static void compare_recommend_choose(crd_comparison *c) {
    crd_recommendation *r = &c->recommendation;
    const crd_i_compared *best = &c->all[r->best];
    r->candidate = r->best;
    r->difference = r->difference_error = 0;
    r->reason = CRD_RECOMMENDED_BEST;
    for (size_t i = 0; i < r->best && isfinite(best->result.log_loss); i++) {
        const crd_i_compared *one = &c->all[i];
        double difference, error;
        if (one->losses == NULL || !isfinite(one->result.log_loss)) continue;
        crd_i_comparison_difference(c, one->losses, best->losses, &difference, &error);
        /* With a single row, the error is unknown, and the simpler candidate is considered as good. */
        if (!isnan(error) && difference > AS_GOOD * error) continue;
        r->candidate = i;
        r->difference = difference;
        r->difference_error = error;
        r->reason = CRD_RECOMMENDED_SIMPLER;
        break;
    }
    if (isnan(r->baseline_log_loss)) r->reason = CRD_RECOMMENDED_FIRST;
    else if (!(best->result.log_loss < r->baseline_log_loss)) r->reason = CRD_RECOMMENDED_NONE;
    crd_i_comparison_difference(c, c->baseline, c->all[r->candidate].losses, &r->gain, &r->gain_error);
    if (!isfinite(r->gain)) r->gain = r->gain_error = NAN;
}

/* Allocates the arrays of tested rows. Returns false if memory runs out. */
static bool compare_recommend_open_rows(crd_comparison *c) {
    crd_free(c->context, c->is_in_no_loss);
    crd_free(c->context, c->baseline);
    c->is_in_no_loss = crd_i_alloc_zeroed(c->context, c->rows, sizeof *c->is_in_no_loss);
    c->baseline = crd_i_alloc(c->context, c->rows, sizeof *c->baseline);
    return c->is_in_no_loss != NULL && c->baseline != NULL;
}

/* See compare_internal.h. The best candidate has the lowest log loss; ties go to the first one. */
bool crd_i_comparison_recommend(crd_comparison *c) {
    crd_recommendation *r = &c->recommendation;
    r->rows = c->rows;
    r->budget = c->options.budget;
    r->larger_budget = c->larger;
    r->more = c->more;
    r->sufficient_budget = c->sufficient;
    r->best = r->candidate = SIZE_MAX;
    r->tried = 0;
    if (!compare_recommend_open_rows(c)) return false;
    leave_out_impossible_rows(c);
    if (!find_baseline(c)) return false;
    for (size_t i = 0; i < c->count; i++) {
        crd_i_compared *one = &c->all[i];
        if (one->losses == NULL) continue;
        r->tried++;
        crd_i_comparison_difference(c, one->losses, NULL, &one->result.log_loss, &one->result.log_loss_error);
        if (r->best == SIZE_MAX || one->result.log_loss < c->all[r->best].result.log_loss) r->best = i;
    }
    if (r->best != SIZE_MAX) compare_recommend_choose(c);
    return true;
}
