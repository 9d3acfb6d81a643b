/* SPDX-License-Identifier: MIT */
/* fit_run.c - steps of a parameter fit, their trace, and EM. See fit_run.h.
 *
 * Contents:
 *   1. Trace
 *   2. Steps
 *   3. EM */
#include "em/fit_run.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* ======== 1. Trace ======== */

void crd_i_fit_trace_clear(crd_i_fit_trace *trace) {
    crd_free(trace->context, trace->start_values);
    crd_free(trace->context, trace->log_likelihoods);
    crd_free(trace->context, trace->values);
    const crd_i_fit_trace none = {.context = trace->context};
    *trace = none;
}

bool crd_i_fit_trace_add(crd_i_fit_trace *trace, double log_likelihood, double value) {
    size_t capacity = trace->capacity;
    if (!crd_i_reserve(trace->context, &trace->log_likelihoods, &capacity, trace->count + 1,
                       sizeof *trace->log_likelihoods) ||
        !crd_i_reserve(trace->context, &trace->values, &trace->capacity, trace->count + 1, sizeof *trace->values))
        return false;
    trace->log_likelihoods[trace->count] = log_likelihood;
    trace->values[trace->count++] = value;
    return true;
}

/* ======== 2. Steps ======== */

/* Returns the log prior density of the tables, up to a constant: sum of a log P(state | parents) over all learned
 * tables. */
static double log_prior(const crd_i_fit_run *run, const double *tables) {
    double sum = 0;
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const crd_i_node *node = &run->problem->network->nodes[i];
        const double *assumed = run->problem->assumed[i];
        size_t states = crd_i_node_states(node);
        if (run->problem->is_fixed[i]) continue;
        for (size_t c = 0; c < node->rows * states; c++)
            if (assumed[c % states] > 0) sum += assumed[c % states] * crd_log(tables[run->starts[i] + c]);
    }
    return sum;
}

crd_status crd_i_fit_run_evaluate(const crd_i_fit_run *run, const double *tables, double *counts,
                                  double *log_likelihood, double *value, crd_error *error) {
    crd_status status = crd_i_incomplete_cases_expect(run->cases, tables, counts, log_likelihood, error);
    if (status == CRD_OK) *value = *log_likelihood + log_prior(run, tables);
    return status;
}

crd_status crd_i_fit_run_step(crd_i_fit_run *run, double log_likelihood, double value, crd_i_fit_trace *trace,
                              crd_error *error) {
    if (!crd_i_fit_trace_add(trace, log_likelihood, value)) return crd_i_fail_memory(error);
    double *tables = run->tables, *counts = run->counts;
    run->tables = run->next;
    run->counts = run->next_counts;
    run->next = tables;
    run->next_counts = counts;
    run->log_likelihood = log_likelihood;
    run->value = value;
    return CRD_OK;
}

/* ======== 3. EM ======== */

/* Performs the M step: sets each row of a table to its posterior mode (n_v + a_v) / sum_v (n_v + a_v), where n are the
 * expected counts and a the pseudo-counts. Fixed tables are copied. */
static void fit_run_maximise(const crd_i_fit_run *run, const double *counts, double *tables) {
    for (size_t i = 0; i < run->problem->network->count; i++) {
        const crd_i_node *node = &run->problem->network->nodes[i];
        const double *assumed = run->problem->assumed[i];
        size_t states = crd_i_node_states(node);
        double mass = 0;
        for (size_t s = 0; s < states; s++) mass += assumed[s];
        for (size_t r = 0; r < node->rows; r++) {
            size_t index = run->starts[i] + r * states;
            double total = 0;
            for (size_t s = 0; s < states; s++) total += counts[index + s];
            for (size_t s = 0; s < states; s++)
                tables[index + s] = run->problem->is_fixed[i] ? run->tables[index + s]
                                    : total + mass > 0        ? (counts[index + s] + assumed[s]) / (total + mass)
                                                              : 1 / (double)states;
        }
    }
}

/* Returns whether a run of EM has less than `least` left to gain. EM converges linearly. With r the ratio of its last
 * two gains, the remaining gain is a geometric series: gain r + gain r^2 + ... = gain r / (1 - r). */
static bool is_near(double gain, double gain_before, double least) {
    if (gain > least) return false;
    double ratio = gain_before > 0 ? gain / gain_before : 0;
    return ratio < 1 && gain * ratio <= least * (1 - ratio);
}

crd_status crd_i_fit_run_em(crd_i_fit_run *run, const crd_i_fit_limits *limits, crd_i_fit_trace *trace,
                            bool *is_converged, crd_error *error) {
    double gain_before = 0;
    *is_converged = false;
    for (size_t i = 0; i < limits->iterations && !*is_converged; i++) {
        double log_likelihood, value, before = run->value;
        fit_run_maximise(run, run->counts, run->next);
        crd_status status = crd_i_fit_run_evaluate(run, run->next, run->next_counts, &log_likelihood, &value, error);
        if (status != CRD_OK) return status;
        /* After convergence to the last bit, rounding may decrease F. Then the previous step is as good. */
        *is_converged = value <= before;
        if (*is_converged) break;
        status = crd_i_fit_run_step(run, log_likelihood, value, trace, error);
        if (status != CRD_OK) return status;
        *is_converged = crd_i_incomplete_cases_are_complete(run->cases) ||
                        is_near(value - before, gain_before, limits->tolerance * (1 + fabs(value)));
        gain_before = value - before;
    }
    return CRD_OK;
}
