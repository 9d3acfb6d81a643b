/* evaluate_recommend.c - which candidate to take: the one of the least log loss, unless a simpler one is as good.
 *
 * All candidates answer the same rows, so that two are compared row by row: the mean of the differences has a standard
 * error that is far below that of either log loss, since rows that are hard are so for both. */
#include "verbs/evaluate/evaluate_compare.h"

#include <math.h>
#include <stdlib.h>

/* A simpler candidate that is behind by less than this part of the standard error is as good as the best. */
static const double AS_GOOD = 0.25;

/* The mean of numbers of rows with its standard error, each row counted by its weight; infinite where one is. */
static void find_mean(const comparison *c, const double *numbers, const double *minus, double *mean, double *error) {
    double sum = 0, weight = 0, squares = 0;
    for (size_t row = 0; row < c->rows; row++) {
        if (isnan(numbers[row])) continue;
        sum += c->weights[row] * (numbers[row] - (minus == NULL ? 0 : minus[row]));
        weight += c->weights[row];
    }
    *mean = sum / weight;
    for (size_t row = 0; row < c->rows && isfinite(*mean); row++) {
        if (isnan(numbers[row])) continue;
        double difference = numbers[row] - (minus == NULL ? 0 : minus[row]) - *mean;
        squares += c->weights[row] * difference * difference;
    }
    *error = isfinite(*mean) && weight > 1 ? sqrt(squares / (weight - 1) / weight) : NAN;
}

/* A row whose class is at zero for every candidate, as one is whose class no other row has, would make every log loss
 * infinite: it is left out of all of them, its losses made NaN. */
static void leave_hopeless_rows_out(comparison *c) {
    for (size_t row = 0; row < c->rows; row++) {
        bool is_hopeless = true;
        for (size_t i = 0; i < c->count; i++) {
            if (!c->results[i].is_left_out && isfinite(c->results[i].losses[row])) is_hopeless = false;
        }
        if (!is_hopeless) continue;
        c->hopeless++;
        for (size_t i = 0; i < c->count; i++) {
            if (!c->results[i].is_left_out) c->results[i].losses[row] = NAN;
        }
    }
}

static bool counts(const comparison *c, size_t row) {
    for (size_t i = 0; i < c->count; i++) {
        if (!c->results[i].is_left_out) return !isnan(c->results[i].losses[row]);
    }
    return false;
}

/* Of the rows that are in the log losses, so that these can be held against it. */
static void find_baseline(comparison *c) {
    double *shares = memory_resize(NULL, c->classes + 1, sizeof *shares), weight = 0, greatest = 0, sum = 0;
    for (size_t k = 0; k < c->classes; k++) shares[k] = 0;
    for (size_t row = 0; row < c->rows; row++) {
        if (c->truths[row] < 0 || !counts(c, row)) continue;
        shares[c->truths[row]] += c->weights[row];
        weight += c->weights[row];
    }
    for (size_t k = 0; k < c->classes; k++) {
        if (shares[k] > greatest) greatest = shares[k];
        if (shares[k] > 0) sum -= shares[k] * crd_log(shares[k] / weight);
    }
    c->baseline = weight > 0 ? greatest / weight : NAN;
    c->baseline_loss = weight > 0 ? sum / weight : NAN;
    free(shares);
}

bool comparison_is_of_use(const comparison *c) {
    return isnan(c->baseline_loss) || c->results[c->best].log_loss < c->baseline_loss;
}

void comparison_recommend(comparison *c) {
    c->best = c->recommended = SIZE_MAX;
    leave_hopeless_rows_out(c);
    find_baseline(c);
    for (size_t i = 0; i < c->count; i++) {
        comparison_result *one = &c->results[i];
        if (one->is_left_out) continue;
        find_mean(c, one->losses, NULL, &one->log_loss, &one->log_loss_error);
        if (c->best == SIZE_MAX || one->log_loss < c->results[c->best].log_loss) c->best = i;
    }
    c->recommended = c->best;
    if (c->best == SIZE_MAX || !isfinite(c->results[c->best].log_loss)) return;
    for (size_t i = 0; i < c->best; i++) {
        const comparison_result *one = &c->results[i];
        double behind, error;
        if (one->is_left_out || !isfinite(one->log_loss)) continue;
        find_mean(c, one->losses, c->results[c->best].losses, &behind, &error);
        if (behind > AS_GOOD * error) continue;
        c->recommended = i;
        c->behind = behind;
        c->behind_error = error;
        return;
    }
}
