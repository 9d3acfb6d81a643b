/* SPDX-License-Identifier: MIT */
/* forward_backward_logs.c - forward-backward with logarithms, for sequences whose scaled probabilities underflow. It
 * uses the equations of forward_backward.c. Each sum of products is computed as log(sum of exp(.)) relative to its
 * largest term. Rows are divided by their sum or maximum as in that file, so numbers and their rounding errors stay
 * small. */
#include "sequence/chain/chain_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

typedef struct log_run {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    const crd_i_emissions *emissions;
    crd_i_windows windows;
    double *terms; /* scratch space for a row */
    crd_i_careful_sum total;
} log_run;

/* Returns log(sum of exp(terms)). Destroys the terms. */
static double log_recursion_sum(const crd_i_chain *chain, double *terms, size_t count) {
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < count; k++)
        if (terms[k] > most) most = terms[k];
    if (most == -INFINITY) return most;
    for (size_t k = 0; k < count; k++) terms[k] -= most;
    chain->columns->exp(terms, count, terms);
    for (size_t k = 0; k < count; k++) sum += terms[k];
    return most + crd_log(sum);
}

/* Returns log(sum over i of exp(log A_ij + row[i])). */
static double into_target(const log_run *r, const double *row, size_t j) {
    const crd_i_chain *chain = r->chain;
    size_t count = 0;
    if (chain->is_dense)
        for (size_t i = 0; i < chain->nodes; i++)
            r->terms[count++] = chain->log_backward[j * chain->stride + i] + row[i];
    else
        for (size_t e = chain->first_in[j]; e < chain->first_in[j + 1]; e++)
            r->terms[count++] = chain->log_in[e] + row[chain->sources[e]];
    return log_recursion_sum(chain, r->terms, count);
}

/* Returns log(sum over j of exp(log A_ij + row[j])). */
static double out_of_source(const log_run *r, const double *row, size_t i) {
    const crd_i_chain *chain = r->chain;
    size_t count = 0;
    if (chain->is_dense)
        for (size_t j = 0; j < chain->nodes; j++)
            r->terms[count++] = chain->log_forward[i * chain->stride + j] + row[j];
    else
        for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++)
            r->terms[count++] = chain->log_out[e] + row[chain->targets[e]];
    return log_recursion_sum(chain, r->terms, count);
}

static double log_recursion_greatest(const double *row, size_t count) {
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++)
        if (row[i] > most) most = row[i];
    return most == -INFINITY ? 0 : most;
}

/* ---- Windows ---- */

static crd_status log_recursion_load(log_run *r, size_t window, crd_error *error) {
    crd_i_chain_workspace *work = r->work;
    const crd_i_chain *chain = r->chain;
    crd_status status = crd_i_chain_load_logs(work, r->emissions, &r->windows, window, error);
    if (status != CRD_OK) return status;
    if (!crd_i_aligned_reserve(chain->context, &work->greatest, r->windows.length, 1) ||
        !crd_i_aligned_reserve(chain->context, &work->sums, r->windows.length, 1) ||
        !crd_i_aligned_reserve(chain->context, &work->tails, r->windows.length, chain->nodes))
        return crd_i_fail_memory(error);
    for (size_t t = 0; t < work->steps; t++) {
        double *row = work->logs.cursor + t * chain->state_stride;
        const double most = work->greatest.cursor[t] = log_recursion_greatest(row, chain->states);
        for (size_t k = 0; k < chain->states; k++) row[k] -= most;
    }
    return CRD_OK;
}

static double log_recursion_emission(const log_run *r, size_t t, size_t node) {
    return r->work->logs.cursor[t * r->chain->state_stride + r->chain->state_of[node]];
}

/* Computes the logarithms of the rows u of a window, from the last step to the first. */
static void log_recursion_backward_window(log_run *r, size_t window) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    const bool is_last = window + 1 == r->windows.count;
    const double *next = is_last ? NULL : work->checkpoints.cursor + window * chain->nodes;
    for (size_t t = work->steps; t-- > 0;) {
        double *row = work->tails.cursor + t * chain->nodes;
        const double shift = next == NULL ? 0 : log_recursion_greatest(next, chain->nodes);
        for (size_t i = 0; i < chain->nodes; i++) {
            const double e = log_recursion_emission(r, t, i);
            row[i] = e == -INFINITY ? e : e + (next == NULL ? work->log_end[i] : out_of_source(r, next, i) - shift);
        }
        next = row;
    }
}

static crd_status log_recursion_backward_all(log_run *r, crd_error *error) {
    crd_i_chain_workspace *work = r->work;
    const size_t nodes = r->chain->nodes;
    if (!crd_i_aligned_reserve(r->chain->context, &work->checkpoints, r->windows.count, nodes))
        return crd_i_fail_memory(error);
    for (size_t window = r->windows.count; window-- > 0;) {
        crd_status status = log_recursion_load(r, window, error);
        if (status != CRD_OK) return status;
        log_recursion_backward_window(r, window);
        if (window > 0)
            memcpy(work->checkpoints.cursor + (window - 1) * nodes, work->tails.cursor, nodes * sizeof(double));
    }
    return CRD_OK;
}

/* ---- Forward ---- */

static void log_recursion_count_transitions(const log_run *r, const double *tails, double overlap, double *counts) {
    const crd_i_chain *chain = r->chain;
    const double *filtered = r->work->filtered;
    for (size_t i = 0; i < chain->nodes; i++) {
        if (filtered[i] == -INFINITY) continue;
        if (chain->is_dense)
            for (size_t j = 0; j < chain->nodes; j++)
                counts[i * chain->nodes + j] +=
                    crd_exp(filtered[i] + chain->log_forward[i * chain->stride + j] + tails[j] - overlap);
        else
            for (size_t e = chain->first_out[i]; e < chain->first_out[i + 1]; e++)
                counts[e] += crd_exp(filtered[i] + chain->log_out[e] + tails[chain->targets[e]] - overlap);
    }
}

/* Performs one step of the forward pass. `filtered` holds log P(s_{t-1} | x_1 .. x_{t-1}) on entry, and log
 * P(s_t | x_1 .. x_t) on return. The step's row of states becomes its posteriors. */
static void forward_step(log_run *r, size_t t, bool is_last, const crd_i_chain_counts *counts) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    const size_t nodes = chain->nodes;
    const bool is_first = work->source == 0 && t == 0;
    double *logs = work->logs.cursor + t * chain->state_stride, *predicted = work->predicted,
           *filtered = work->filtered;
    const double *tails = work->tails.cursor + t * nodes;
    for (size_t j = 0; j < nodes; j++) predicted[j] = is_first ? work->log_start[j] : into_target(r, filtered, j);
    for (size_t j = 0; j < nodes; j++) r->terms[j] = predicted[j] + tails[j];
    const double overlap = log_recursion_sum(chain, r->terms, nodes);
    if (counts != NULL && counts->transitions != NULL && !is_first)
        log_recursion_count_transitions(r, tails, overlap, counts->transitions);
    for (size_t j = 0; j < nodes; j++) r->terms[j] = filtered[j] = predicted[j] + log_recursion_emission(r, t, j);
    const double sum = work->sums.cursor[t] = log_recursion_sum(chain, r->terms, nodes);
    for (size_t j = 0; j < nodes; j++) filtered[j] -= sum;
    crd_i_careful_add(&r->total, work->greatest.cursor[t]);
    crd_i_careful_add(&r->total, is_last ? overlap : sum);
    for (size_t k = 0; k < chain->state_stride; k++) logs[k] = 0;
    for (size_t j = 0; j < nodes; j++) {
        const double posterior = crd_exp(predicted[j] + tails[j] - overlap);
        logs[chain->state_of[j]] += posterior;
        if (counts == NULL) continue;
        if (is_first && counts->start != NULL) counts->start[j] += posterior;
        if (is_last && counts->end != NULL) counts->end[j] += posterior;
    }
}

static crd_status log_recursion_forward_all(log_run *r, const crd_i_posterior_sink *sink,
                                            const crd_i_chain_counts *counts, crd_error *error) {
    for (size_t window = 0; window < r->windows.count; window++) {
        crd_status status = CRD_OK;
        if (window > 0) {
            status = log_recursion_load(r, window, error);
            if (status != CRD_OK) return status;
            log_recursion_backward_window(r, window);
        }
        for (size_t t = 0; t < r->work->steps; t++)
            forward_step(r, t, window + 1 == r->windows.count && t + 1 == r->work->steps, counts);
        status = crd_i_chain_emit(r->work, sink, true, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

/* Runs the backward pass and checks whether the sequence is possible. */
static crd_status log_recursion_begin(log_run *r, bool *is_possible, crd_i_chain_answer *answer, crd_error *error) {
    crd_i_chain_workspace *work = r->work;
    const crd_i_chain *chain = r->chain;
    r->windows = crd_i_chain_windows(work, r->emissions->steps, sizeof(double) * (chain->state_stride + chain->nodes));
    *is_possible = false;
    r->terms = crd_i_alloc(chain->context, chain->nodes, sizeof *r->terms);
    if (r->terms == NULL) return crd_i_fail_memory(error);
    crd_status status = log_recursion_backward_all(r, error);
    for (size_t i = 0; status == CRD_OK && i < chain->nodes; i++)
        *is_possible |= work->log_start[i] + work->tails.cursor[i] > -INFINITY;
    if (status == CRD_OK && !*is_possible) status = crd_i_chain_impossible(work, r->emissions, answer, error);
    return status;
}

crd_status crd_i_chain_expect_by_logs(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                      const crd_i_posterior_sink *sink, const crd_i_chain_counts *counts,
                                      crd_i_chain_answer *answer, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    log_run r = {.work = workspace, .chain = chain, .emissions = emissions};
    bool is_possible;
    crd_status status = log_recursion_begin(&r, &is_possible, answer, error);
    if (status == CRD_OK && is_possible) status = log_recursion_forward_all(&r, sink, counts, error);
    memset(workspace->filtered, 0, chain->stride * sizeof(double));
    memset(workspace->predicted, 0, chain->stride * sizeof(double));
    crd_free(chain->context, r.terms);
    if (status == CRD_OK && is_possible)
        answer->log_likelihood = crd_i_chain_limit(workspace, crd_i_careful_total(r.total));
    answer->used_logs = true;
    return status;
}

crd_status crd_i_chain_log_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                 crd_status (*take)(void *user, crd_error *error), void *user,
                                 crd_i_chain_answer *answer, crd_error *error) {
    log_run r = {.work = workspace, .chain = workspace->chain, .emissions = emissions};
    bool is_possible;
    crd_status status = log_recursion_begin(&r, &is_possible, answer, error);
    for (size_t window = 0; status == CRD_OK && is_possible && window < r.windows.count; window++) {
        if (window > 0) {
            status = log_recursion_load(&r, window, error);
            if (status != CRD_OK) break;
            log_recursion_backward_window(&r, window);
        }
        status = take(user, error);
    }
    crd_free(workspace->chain->context, r.terms);
    return status;
}
