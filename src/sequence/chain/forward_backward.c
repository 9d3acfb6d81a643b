/* SPDX-License-Identifier: MIT */
/* forward_backward.c - likelihoods, posteriors and expected counts from scaled probabilities. See chain.h.
 *
 * Let e_t be the emissions of a step relative to their maximum, whose logarithm is g_t; E the end probabilities, and
 * p_1 = P(s_1). The scaled recursions (Rabiner 1989, section V.A; Devijver 1985) are
 *
 *   u_T = e_T E,   u_t = e_t (A u_{t+1}) / (sum of u_{t+1})                                            backward
 *   a_t = p_t e_t,   c_t = sum of a_t,   p_{t+1} = (a_t A) / c_t                                       forward
 *
 *   P(s_t = i | x) = p_t(i) u_t(i) / s_t,   s_t = sum of p_t u_t
 *   P(s_t = i, s_{t+1} = j | x) = a_t(i) / c_t A_ij u_{t+1}(j) / s_{t+1}
 *   log P(x) = sum of g_t + log(c_1 ... c_{T-1} s_T)
 *
 * Underflow. p and u are at most 1. Underflow at step t loses less than 2^-1022 per node, and changes P(x) by at most
 * that amount relative to s_t. So nothing is lost if every s_t exceeds a much larger bound, LEAST_OVERLAP. The code
 * checks c_{t-1} s_t, because expected counts are divided by it. If all transitions of a chain are at least m > 0,
 * c_{t-1} s_t is at least m^3, and no check is needed (is_positive).
 *
 * Contents:
 *   1. Computation with logarithms
 *   2. Scaled computation */
#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"
#include "sequence/chain/chain.h"

#include <math.h>
#include <string.h>

/* ======== 1. Computation with logarithms ========
 *
 * It is used for sequences whose scaled probabilities underflow, and it has the same equations as the scaled
 * computation. Each sum of products is computed as log(sum of exp(.)) relative to its largest term. Rows are divided
 * by their sum or maximum in the same way, so numbers and their rounding errors stay small. */

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

/* ======== 2. Scaled computation ======== */

#define LEAST_OVERLAP 1e-250

/* Number of steps whose expected transitions are added at a time. Their rows fit in the L1 cache. */
enum { COUNTED_STEPS = 32 };

/* State of forward-backward for one sequence. */
typedef struct run {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    const crd_i_emissions *emissions;
    crd_i_windows windows;
    const crd_i_posterior_sink *sink;
    const crd_i_chain_counts *counts;
    crd_i_forward_pass pass;
    crd_i_sparse_pass sparse;
    crd_i_careful_sum logs; /* sum of g */
    double product;         /* product of c, times 2^exponent */
    int64_t exponent;
    bool is_lost; /* precision was lost by underflow */
} run;

/* ---- Windows ---- */

/* Loads and scales the emissions of a window. */
static crd_status load_scaled(run *r, size_t window, crd_error *error) {
    crd_i_chain_workspace *work = r->work;
    const crd_i_chain *chain = r->chain;
    crd_status status = crd_i_chain_load_logs(work, r->emissions, &r->windows, window, error);
    if (status != CRD_OK) return status;
    const size_t length = r->windows.length;
    if (!crd_i_aligned_reserve(chain->context, &work->greatest, length, 1) ||
        !crd_i_aligned_reserve(chain->context, &work->sums, length, 1) ||
        (chain->is_dense && !crd_i_aligned_reserve(chain->context, &work->tails, length, chain->stride)) ||
        (chain->is_dense && !chain->is_plain &&
         !crd_i_aligned_reserve(chain->context, &work->expanded, length, chain->stride)))
        return crd_i_fail_memory(error);
    chain->lanes->scale(work->logs.cursor, chain->states, chain->state_stride, work->steps, work->greatest.cursor);
    if (chain->is_dense && !chain->is_plain)
        crd_i_chain_expand(chain, work->logs.cursor, work->steps, work->expanded.cursor);
    return CRD_OK;
}

static void dense_backward(run *r, size_t window) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    const size_t stride = chain->stride;
    const double *emissions = crd_i_chain_node_rows(work), *next = work->checkpoints.cursor + window * stride;
    size_t steps = work->steps;
    if (window + 1 == r->windows.count) {
        double *last = work->tails.cursor + --steps * stride;
        for (size_t i = 0; i < stride; i++) last[i] = emissions[steps * stride + i] * work->end[i];
        next = last;
    }
    chain->lanes->backward(chain->backward, chain->nodes, stride, emissions, steps, next, work->tails.cursor);
}

/* Loads a window and runs the backward pass over it. */
static crd_status forward_backward_window(void *state, size_t window, crd_error *error) {
    run *r = state;
    crd_status status = load_scaled(r, window, error);
    if (status != CRD_OK) return status;
    if (!r->chain->is_dense) return crd_i_sparse_backward(r->work, &r->windows, window, false, error);
    dense_backward(r, window);
    return CRD_OK;
}

/* ---- Forward ---- */

static void forward_backward_multiply(run *r, double factor) {
    r->product *= factor;
    if (r->product < 0x1p-150) {
        int exponent;
        r->product = frexp(r->product, &exponent);
        r->exponent += exponent;
    }
}

/* Adds the scales of the window to the likelihood. */
static void add_scales(run *r, bool is_last) {
    const crd_i_chain_workspace *work = r->work;
    const size_t steps = work->steps - (is_last ? 1 : 0);
    for (size_t t = 0; t < work->steps; t++) crd_i_careful_add(&r->logs, work->greatest.cursor[t]);
    for (size_t t = 0; t < steps; t++) forward_backward_multiply(r, work->sums.cursor[t]);
    if (is_last) forward_backward_multiply(r, r->chain->is_dense ? r->pass.overlap : r->sparse.overlap);
}

static double forward_backward_log_likelihood(const run *r) {
    crd_i_careful_sum total = r->logs;
    crd_i_careful_add(&total, crd_i_log_scaled(r->product, r->exponent));
    return crd_i_careful_total(total);
}

static void begin_forward(run *r) {
    r->pass = (crd_i_forward_pass){
        .nodes = r->chain->nodes,
        .stride = r->chain->stride,
        .matrix = r->chain->forward,
        .filtered = r->work->filtered,
        .predicted = r->work->predicted,
        .sum = 1,
        .least = INFINITY,
    };
    r->sparse = (crd_i_sparse_pass){.sum = 1, .least = INFINITY};
    r->logs = (crd_i_careful_sum){0};
    r->product = 1;
    r->exponent = 0;
}

/* Runs the forward pass over the steps from `source` to `target` - 1 of the window. */
static void dense_steps(run *r, size_t source, size_t target, const double *tails, double *weighted) {
    const size_t stride = r->chain->stride;
    r->pass.start = r->work->source == 0 && source == 0 ? r->work->start : NULL;
    r->pass.steps = target - source;
    r->pass.emissions = crd_i_chain_node_rows(r->work) + source * stride;
    r->pass.tails = tails;
    r->pass.weighted = weighted;
    r->pass.sums = r->work->sums.cursor + source;
    r->chain->lanes->forward(&r->pass);
}

/* Sums the posteriors of nodes into posteriors of states. */
static void fold_nodes(const run *r) {
    const crd_i_chain *chain = r->chain;
    for (size_t t = 0; t < r->work->steps; t++) {
        const double *source = r->work->expanded.cursor + t * chain->stride;
        double *destination = r->work->logs.cursor + t * chain->state_stride;
        for (size_t k = 0; k < chain->state_stride; k++) destination[k] = 0;
        for (size_t i = 0; i < chain->nodes; i++) destination[chain->state_of[i]] += source[i];
    }
}

/* Runs the forward pass over the window of a dense chain. In the final pass, also sums the expected transitions. */
static void dense_forward(run *r, bool is_final) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    const size_t stride = chain->stride;
    if (!is_final || r->counts == NULL || r->counts->transitions == NULL)
        dense_steps(r, 0, work->steps, work->tails.cursor, NULL);
    else
        for (size_t source = 0; source < work->steps; source += COUNTED_STEPS) {
            const size_t target = work->steps - source < COUNTED_STEPS ? work->steps : source + COUNTED_STEPS;
            const double *tails = work->tails.cursor + source * stride;
            dense_steps(r, source, target, tails, work->weighted.cursor);
            chain->lanes->count(work->weighted.cursor, tails, chain->nodes, stride, target - source,
                                work->totals.cursor);
        }
    if (!chain->is_plain) fold_nodes(r);
}

/* Runs the forward pass over all windows. If `is_final` is true, results are delivered; otherwise the pass only checks
 * for lost precision. `is_ready`: the first window is loaded, as the backward pass leaves it. */
static crd_status forward_all_steps(run *r, bool is_final, bool is_ready, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    begin_forward(r);
    for (size_t window = 0; window < r->windows.count && !r->is_lost; window++) {
        if (window > 0 || !is_ready) {
            crd_status status = forward_backward_window(r, window, error);
            if (status != CRD_OK) return status;
        }
        if (chain->is_dense) dense_forward(r, is_final);
        else crd_i_sparse_forward(r->work, &r->sparse, is_final, is_final ? r->counts : NULL);
        add_scales(r, window + 1 == r->windows.count);
        r->is_lost = !((chain->is_dense ? r->pass.least : r->sparse.least) >= LEAST_OVERLAP);
        if (r->is_lost || !is_final) continue;
        if (window == 0 && r->counts != NULL && r->counts->start != NULL && chain->is_dense)
            for (size_t i = 0; i < chain->nodes; i++) r->counts->start[i] += crd_i_chain_node_rows(r->work)[i];
        crd_status status = crd_i_chain_emit(r->work, r->sink, false, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static void count_end(const run *r, double overlap) {
    const crd_i_chain *chain = r->chain;
    for (size_t i = 0; i < chain->nodes; i++)
        if (r->work->filtered[i] > 0) r->counts->end[i] += r->work->filtered[i] * r->work->end[i] / overlap;
}

/* Adds the expected transitions. The totals lack the factor A_ij, which is constant over steps and is applied here. */
static void forward_backward_count_transitions(const run *r) {
    const crd_i_chain *chain = r->chain;
    for (size_t i = 0; i < chain->nodes; i++)
        for (size_t j = 0; j < chain->nodes; j++)
            r->counts->transitions[i * chain->nodes + j] +=
                r->work->totals.cursor[i * chain->stride + j] * chain->forward[i * chain->stride + j];
}

static crd_status forward_backward_reserve_counts(run *r, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    if (!chain->is_dense || r->counts == NULL || r->counts->transitions == NULL) return CRD_OK;
    if (!crd_i_aligned_reserve(chain->context, &r->work->totals, chain->nodes, chain->stride) ||
        !crd_i_aligned_reserve(chain->context, &r->work->weighted, COUNTED_STEPS, chain->stride))
        return crd_i_fail_memory(error);
    memset(r->work->totals.cursor, 0, chain->nodes * chain->stride * sizeof(double));
    return CRD_OK;
}

/* Runs both passes with scaled probabilities. Sets r->is_lost if precision was lost; no results are delivered then. */
static crd_status expect_scaled(run *r, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    crd_status status = forward_backward_reserve_counts(r, error);
    if (status == CRD_OK) status = crd_i_chain_backward_all(r->work, &r->windows, forward_backward_window, r, error);
    if (status != CRD_OK) return status;
    /* Results may be delivered only after the check for lost precision. If a dense chain has a single window, it is
     * checked before it is delivered, so no separate pass is needed. */
    const bool is_alone = r->windows.count == 1;
    bool is_ready = true;
    if (chain->is_dense ? !is_alone && !chain->is_positive : !is_alone || r->counts != NULL) {
        status = forward_all_steps(r, false, true, error);
        if (!chain->is_dense) crd_i_sparse_forward_end(r->work, &r->sparse);
        is_ready = is_alone;
    }
    if (status == CRD_OK && !r->is_lost) status = forward_all_steps(r, true, is_ready, error);
    if (status == CRD_OK && !r->is_lost && r->counts != NULL) {
        if (r->counts->end != NULL) count_end(r, chain->is_dense ? r->pass.overlap : r->sparse.overlap);
        if (r->counts->transitions != NULL && chain->is_dense) forward_backward_count_transitions(r);
    }
    if (!chain->is_dense) crd_i_sparse_forward_end(r->work, &r->sparse);
    return status;
}

crd_status crd_i_chain_expect(const crd_i_chain *chain, const crd_i_emissions *emissions,
                              crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink,
                              const crd_i_chain_counts *counts, crd_i_chain_answer *answer, crd_error *error) {
    *answer = (crd_i_chain_answer){0};
    workspace->is_infinite = false;
    if (emissions->steps == 0) return CRD_OK;
    const size_t bytes =
        sizeof(double) * (chain->state_stride + (chain->is_dense ? 2 * chain->stride : 2 * chain->nodes));
    run r = {
        .work = workspace,
        .chain = chain,
        .emissions = emissions,
        .windows = crd_i_chain_windows(workspace, emissions->steps, bytes),
        .sink = sink,
        .counts = counts,
    };
    crd_status status = expect_scaled(&r, error);
    if (status != CRD_OK) return status;
    if (r.is_lost) return crd_i_chain_expect_by_logs(workspace, emissions, sink, counts, answer, error);
    answer->log_likelihood = crd_i_chain_limit(workspace, forward_backward_log_likelihood(&r));
    return CRD_OK;
}

crd_status crd_i_chain_posteriors(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink,
                                  crd_i_chain_answer *answer, crd_error *error) {
    return crd_i_chain_expect(chain, emissions, workspace, sink, NULL, answer, error);
}

/* ---- Likelihood ---- */

/* Runs only the forward pass. The tail of the last step consists of its end probabilities. */
static crd_status forward_only(run *r, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    begin_forward(r);
    for (size_t window = 0; window < r->windows.count; window++) {
        crd_status status = load_scaled(r, window, error);
        if (status != CRD_OK) return status;
        const bool is_last = window + 1 == r->windows.count;
        const size_t steps = work->steps - (is_last ? 1 : 0);
        dense_steps(r, 0, steps, NULL, NULL);
        if (is_last) {
            const double *emissions = crd_i_chain_node_rows(work) + steps * chain->stride;
            for (size_t i = 0; i < chain->stride; i++) work->tail[i] = emissions[i] * work->end[i];
            dense_steps(r, steps, steps + 1, work->tail, NULL);
            for (size_t i = 0; i < chain->stride; i++) work->tail[i] = 0;
        }
        add_scales(r, is_last);
    }
    r->is_lost = !(r->pass.least >= LEAST_OVERLAP);
    return CRD_OK;
}

crd_status crd_i_chain_likelihood(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, crd_i_chain_answer *answer, crd_error *error) {
    if (!chain->is_positive || emissions->steps == 0)
        return crd_i_chain_expect(chain, emissions, workspace, NULL, NULL, answer, error);
    *answer = (crd_i_chain_answer){0};
    workspace->is_infinite = false;
    run r = {.work = workspace, .chain = chain, .emissions = emissions};
    r.windows = (crd_i_windows){.steps = emissions->steps, .length = CRD_I_CHAIN_BLOCK};
    if (emissions->steps < r.windows.length) r.windows.length = (size_t)emissions->steps;
    r.windows.count = (size_t)((emissions->steps + r.windows.length - 1) / r.windows.length);
    crd_status status = forward_only(&r, error);
    if (status != CRD_OK) return status;
    if (r.is_lost) return crd_i_chain_expect_by_logs(workspace, emissions, NULL, NULL, answer, error);
    answer->log_likelihood = crd_i_chain_limit(workspace, forward_backward_log_likelihood(&r));
    return CRD_OK;
}
