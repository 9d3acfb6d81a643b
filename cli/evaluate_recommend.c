/* evaluate_recommend.c - which candidate to take: the one of the least log loss, unless a simpler one is as good.
 *
 * All candidates answer the same rows, so that two are compared row by row: the mean of the differences has a standard
 * error that is far below that of either log loss, since rows that are hard are so for both. */
#include "evaluate_compare.h"

#include <math.h>

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

void comparison_recommend(comparison *c) {
    c->best = c->recommended = SIZE_MAX;
    leave_hopeless_rows_out(c);
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
