/* SPDX-License-Identifier: MIT */
/* gradient_ascent.c - see gradient_ascent.h. */
#include "em/gradient_ascent.h"

#include "base/error.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* A step is taken where it gains this part of what the slope at its start promises; it grows while more than SLOPE_LEFT of
 * the slope is left at its end; so many are tried. */
static const double GAIN = 1e-4, SLOPE_LEFT = 0.5;
enum { MOST_TRIES = 30 };
/* The most that a component of the scaled gradient is, and that a logarithm changes by in a step: probabilities that start
 * far too small would else make all others 0. */
static const double MOST_COMPONENT = 10, MOST_CHANGE = 30;

/* What the rows of one node's table are worked on by. */
typedef struct table_at {
    size_t begin, rows, states;
    const double *assumed;
} table_at;

static table_at table_of(const crd_i_fit_run *run, size_t node) {
    const crd_i_node *current_node = &run->problem->network->nodes[node];
    const table_at found = {run->starts[node], current_node->rows, crd_i_node_states(current_node),
                            run->problem->assumed[node]};
    return found;
}

/* Writes z of all cells, for fixed tables 0; returns g * z. */
static double scaled_gradient(const crd_i_fit_run *run, const double *tables, const double *counts, double *z) {
    double product = 0;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const table_at t = table_of(run, i);
        for (size_t r = 0; r < t.rows; r++) {
            size_t index = t.begin + r * t.states;
            double total = 0;
            for (size_t s = 0; s < t.states; s++) total += counts[index + s] + t.assumed[s];
            bool is_still = run->problem->is_fixed[i] || !(total > 0);
            for (size_t s = 0; s < t.states; s++) {
                double w = tables[index + s], n = counts[index + s] + t.assumed[s];
                double own = is_still ? 0 : w > 0 ? n / (w * total) - 1 : -1;
                z[index + s] = own < MOST_COMPONENT ? own : MOST_COMPONENT;
                product += is_still ? 0 : (n - w * total) * z[index + s];
            }
        }
    }
    return product;
}

/* g * direction, under tables and their expected counts. */
static double slope(const crd_i_fit_run *run, const double *tables, const double *counts, const double *direction) {
    double product = 0;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const table_at t = table_of(run, i);
        for (size_t r = 0; r < t.rows && !run->problem->is_fixed[i]; r++) {
            size_t index = t.begin + r * t.states;
            double total = 0;
            for (size_t s = 0; s < t.states; s++) total += counts[index + s] + t.assumed[s];
            for (size_t s = 0; s < t.states; s++)
                product += (counts[index + s] + t.assumed[s] - tables[index + s] * total) * direction[index + s];
        }
    }
    return product;
}

/* next = tables * exp(length * direction), rows divided by their sums. */
static void move(const crd_i_fit_run *run, double length) {
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const table_at t = table_of(run, i);
        for (size_t r = 0; r < t.rows; r++) {
            size_t index = t.begin + r * t.states;
            double most = -INFINITY, sum = 0;
            for (size_t s = 0; s < t.states; s++)
                if (run->tables[index + s] > 0 && run->direction[index + s] > most) most = run->direction[index + s];
            for (size_t s = 0; s < t.states; s++) {
                double factor = run->tables[index + s] > 0 ? crd_exp(length * (run->direction[index + s] - most)) : 0;
                run->next[index + s] = run->tables[index + s] * factor;
                sum += run->next[index + s];
            }
            for (size_t s = 0; s < t.states; s++)
                run->next[index + s] =
                    run->problem->is_fixed[i] || !(sum > 0) ? run->tables[index + s] : run->next[index + s] / sum;
        }
    }
}

static double longest(const crd_i_fit_run *run) {
    double most = 0;
    for (size_t i = 0; i < run->cells; i++) most = fabs(run->direction[i]) > most ? fabs(run->direction[i]) : most;
    return most > 0 ? MOST_CHANGE / most : 1;
}

typedef struct ascent_trial {
    double length, log_likelihood, value, slope;
} ascent_trial;

static crd_status try_length(const crd_i_fit_run *run, double length, ascent_trial *out, crd_error *error) {
    out->length = length;
    move(run, length);
    crd_status status =
        crd_i_fit_run_evaluate(run, run->next, run->next_counts, &out->log_likelihood, &out->value, error);
    /* Underflow has made some row impossible: as bad as it can be. */
    if (status == CRD_ERROR_PROBABILITY) {
        out->value = -INFINITY;
        return CRD_OK;
    }
    if (status == CRD_OK) out->slope = slope(run, run->next, run->next_counts, run->direction);
    return status;
}

/* A length that gains enough, with its tables as `next`; 0: there is none. */
static crd_status search_line(const crd_i_fit_run *run, double slope_now, double first, ascent_trial *best,
                              crd_error *error) {
    double low = 0, high = INFINITY, low_slope = slope_now, limit = longest(run);
    ascent_trial now = {.length = first < limit ? first : limit};
    const ascent_trial none = {.value = run->value};
    *best = none;
    for (int i = 0; i < MOST_TRIES; i++) {
        crd_status status = try_length(run, now.length, &now, error);
        if (status != CRD_OK) return status;
        bool gains = now.value > best->value && now.value >= run->value + GAIN * now.length * slope_now;
        if (!gains) {
            high = now.length;
        } else {
            *best = now;
            if (now.slope <= SLOPE_LEFT * slope_now && now.slope >= -SLOPE_LEFT * slope_now) return CRD_OK;
            if (now.slope > 0) low = now.length, low_slope = now.slope;
            else high = now.length;
        }
        if (!(high < INFINITY)) {
            if (now.length >= limit) break;
            now.length = fmin(limit, 3 * now.length);
            continue;
        }
        /* The secant of the slopes where it falls inside, else the middle. */
        double guess = gains && now.slope < 0 ? low + (high - low) * low_slope / (low_slope - now.slope) : 0;
        double edge = (high - low) * 0.1;
        now.length =
            guess > low + edge && guess < high - edge ? guess : low + (high - low) / (best->length > 0 ? 2 : 4);
        if (high - low < 1e-9 * high || (best->length > 0 && i > 4)) break;
    }
    /* What was tried last may not be the best. */
    return best->length > 0 && best->length != now.length ? try_length(run, best->length, best, error) : CRD_OK;
}

crd_status crd_i_gradient_ascent(crd_i_fit_run *run, const crd_i_fit_limits *limits, crd_i_fit_trace *trace,
                                 bool *is_converged, crd_error *error) {
    double length = 1, product = scaled_gradient(run, run->tables, run->counts, run->direction);
    bool is_steepest = true;
    size_t small_gains = 0;
    *is_converged = false;
    memcpy(run->last, run->direction, run->cells * sizeof *run->last);
    for (size_t i = 0; i < limits->iterations && !*is_converged; i++) {
        ascent_trial best;
        double slope_now = slope(run, run->tables, run->counts, run->direction);
        double least = limits->tolerance * (1 + fabs(run->value)), before = run->value;
        if (!(slope_now > 0) && !is_steepest) {
            memcpy(run->direction, run->last, run->cells * sizeof *run->direction);
            slope_now = product;
            is_steepest = true;
        }
        if (!(slope_now > 0)) {
            *is_converged = true;
            break;
        }
        crd_status status = search_line(run, slope_now, length, &best, error);
        if (status != CRD_OK) return status;
        if (best.length > 0) {
            status = crd_i_fit_run_step(run, best.log_likelihood, best.value, trace, error);
            if (status != CRD_OK) return status;
            length = best.length;
        }
        /* Small steps of a conjugate direction may be its fault. */
        small_gains = run->value - before > least ? 0 : small_gains + 1;
        *is_converged = small_gains > 1 || (best.length == 0 && is_steepest);
        double last_product = product, *z = run->next;
        product = scaled_gradient(run, run->tables, run->counts, z);
        double crossed = slope(run, run->tables, run->counts, run->last);
        double beta = best.length > 0 && small_gains == 0 ? fmax(0, (product - crossed) / last_product) : 0;
        for (size_t c = 0; c < run->cells; c++) {
            run->direction[c] = z[c] + beta * run->direction[c];
            run->last[c] = z[c];
        }
        is_steepest = beta == 0;
        if (is_steepest) length = 1;
    }
    return CRD_OK;
}
