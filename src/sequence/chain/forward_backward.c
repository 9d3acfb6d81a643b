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
 * c_{t-1} s_t is at least m^3, and no check is needed (is_positive). */
#include "sequence/chain/sparse_trellis.h"

#include "base/error.h"
#include "math/functions/elementary.h"

#include <math.h>
#include <string.h>

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

/* Runs the backward pass over a window whose emissions are loaded. Checkpoint w is the row of the first step after
 * window w. */
static crd_status forward_backward_window(run *r, size_t window, crd_error *error) {
    if (!r->chain->is_dense) return crd_i_sparse_backward(r->work, &r->windows, window, false, error);
    dense_backward(r, window);
    return CRD_OK;
}

/* Runs the backward pass from the last window to the first. The first window is then ready for the forward pass. */
static crd_status forward_backward_all(run *r, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    work->sparse_checkpoints.count = 0;
    if (chain->is_dense && !crd_i_aligned_reserve(chain->context, &work->checkpoints, r->windows.count, chain->stride))
        return crd_i_fail_memory(error);
    for (size_t window = r->windows.count; window-- > 0;) {
        crd_status status = load_scaled(r, window, error);
        if (status == CRD_OK) status = forward_backward_window(r, window, error);
        if (status == CRD_OK && window > 0) {
            if (!chain->is_dense) status = crd_i_sparse_checkpoint(work, error);
            else
                memcpy(work->checkpoints.cursor + (window - 1) * chain->stride, work->tails.cursor,
                       chain->stride * sizeof(double));
        }
        if (status != CRD_OK) return status;
    }
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
static crd_status forward_backward_forward_all(run *r, bool is_final, bool is_ready, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    begin_forward(r);
    for (size_t window = 0; window < r->windows.count && !r->is_lost; window++) {
        if (window > 0 || !is_ready) {
            crd_status status = load_scaled(r, window, error);
            if (status == CRD_OK) status = forward_backward_window(r, window, error);
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
    if (status == CRD_OK) status = forward_backward_all(r, error);
    if (status != CRD_OK) return status;
    /* Results may be delivered only after the check for lost precision. If a dense chain has a single window, it is
     * checked before it is delivered, so no separate pass is needed. */
    const bool is_alone = r->windows.count == 1;
    bool is_ready = true;
    if (chain->is_dense ? !is_alone && !chain->is_positive : !is_alone || r->counts != NULL) {
        status = forward_backward_forward_all(r, false, true, error);
        if (!chain->is_dense) crd_i_sparse_forward_end(r->work, &r->sparse);
        is_ready = is_alone;
    }
    if (status == CRD_OK && !r->is_lost) status = forward_backward_forward_all(r, true, is_ready, error);
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
