/* SPDX-License-Identifier: MIT */
/* gradient_ascent.c - line search and conjugate directions. See gradient_ascent.h. */
#include "em/gradient_ascent.h"

#include "base/error.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

/* Line search conditions: a step is accepted if it gains at least GAIN times its length times the initial slope (Armijo
 * 1966). It is long enough if the absolute slope at its end is at most SLOPE_LEFT times the initial slope (strong Wolfe
 * condition; Wolfe 1969). At most MOST_TRIES lengths are tried. */
static const double GAIN = 1e-4, SLOPE_LEFT = 0.5;
enum { MOST_TRIES = 30 };
/* Upper bounds of a component of the scaled gradient and of the change of a log probability in one step. Without them,
 * a probability that starts far too small would drive all others to 0. */
static const double MOST_COMPONENT = 10, MOST_CHANGE = 30;

/* The CPT of one node: its first entry, its size, and the pseudo-counts of its states. */
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

/* Writes the scaled gradient z of all entries, 0 for fixed tables. Returns the inner product g z. */
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

/* Returns the directional derivative of F, the inner product g direction, given tables and their expected counts. */
static double gradient_ascent_slope(const crd_i_fit_run *run, const double *tables, const double *counts,
                                    const double *direction) {
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

/* Sets next = tables * exp(length * direction), each row normalized to sum 1. */
static void gradient_ascent_move(const crd_i_fit_run *run, double length) {
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

/* Returns the largest step length for which no log probability changes by more than MOST_CHANGE. */
static double gradient_ascent_longest(const crd_i_fit_run *run) {
    double most = 0;
    for (size_t i = 0; i < run->cells; i++) most = fabs(run->direction[i]) > most ? fabs(run->direction[i]) : most;
    return most > 0 ? MOST_CHANGE / most : 1;
}

typedef struct ascent_trial {
    double length, log_likelihood, value, slope;
} ascent_trial;

/* Evaluates the step of the given length: its tables, expected counts, objective, and the slope at its end. */
static crd_status try_length(const crd_i_fit_run *run, double length, ascent_trial *out, crd_error *error) {
    out->length = length;
    gradient_ascent_move(run, length);
    crd_status status =
        crd_i_fit_run_evaluate(run, run->next, run->next_counts, &out->log_likelihood, &out->value, error);
    /* Underflow made some row impossible, so this length has the worst possible objective. */
    if (status == CRD_ERROR_PROBABILITY) {
        out->value = -INFINITY;
        return CRD_OK;
    }
    if (status == CRD_OK) out->slope = gradient_ascent_slope(run, run->next, run->next_counts, run->direction);
    return status;
}

/* Finds a step length that gains enough and leaves its tables in `next`. Sets best->length to 0 if there is none. */
static crd_status search_line(const crd_i_fit_run *run, double slope_now, double first, ascent_trial *best,
                              crd_error *error) {
    double low = 0, high = INFINITY, low_slope = slope_now, limit = gradient_ascent_longest(run);
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
        /* Secant step on the slopes if it lands well inside the interval; otherwise bisection. */
        double guess = gains && now.slope < 0 ? low + (high - low) * low_slope / (low_slope - now.slope) : 0;
        double edge = (high - low) * 0.1;
        now.length =
            guess > low + edge && guess < high - edge ? guess : low + (high - low) / (best->length > 0 ? 2 : 4);
        if (high - low < 1e-9 * high || (best->length > 0 && i > 4)) break;
    }
    /* The last length tried may not be the best: restore the tables of the best. */
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
        double slope_now = gradient_ascent_slope(run, run->tables, run->counts, run->direction);
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
        /* A small gain may be the fault of the conjugate direction, so one small gain restarts from the gradient. Only
         * a second one in a row means convergence. */
        small_gains = run->value - before > least ? 0 : small_gains + 1;
        *is_converged = small_gains > 1 || (best.length == 0 && is_steepest);
        double last_product = product, *z = run->next;
        product = scaled_gradient(run, run->tables, run->counts, z);
        double crossed = gradient_ascent_slope(run, run->tables, run->counts, run->last);
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
