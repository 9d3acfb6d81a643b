/* SPDX-License-Identifier: MIT */
/* viterbi.c - the most likely path (Viterbi 1967), and the probability of a given path. See chain.h.
 *
 * The recursion runs from the last step to the first:
 *
 *   v_T = log e_T + log E,   v_t(i) = log e_t(i) + max_j (log A_ij + v_{t+1}(j))
 *
 * The best path begins at the maximum of log P(s_1) + v_1 and continues at the maximum of log A + v of the next step.
 * So the path is found in ascending order, and ties go to the first state. Rows are stored relative to their maximum,
 * so that in long sequences small differences are not lost by rounding. */
#include "sequence/chain/viterbi_run.h"

#include "sequence/chain/sparse_trellis.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct crd_i_viterbi_run path_run;

/* ---- Backward ---- */

static crd_status viterbi_load(path_run *r, size_t window, crd_error *error) {
    crd_i_chain_workspace *work = r->work;
    const crd_i_chain *chain = r->chain;
    crd_status status = crd_i_chain_load_logs(work, r->emissions, &r->windows, window, error);
    if (status != CRD_OK || !chain->is_dense) return status;
    if (!crd_i_aligned_reserve(chain->context, &work->tails, r->windows.length, chain->stride) ||
        (!chain->is_plain && !crd_i_aligned_reserve(chain->context, &work->expanded, r->windows.length, chain->stride)))
        return crd_i_fail_memory(error);
    if (!chain->is_plain) crd_i_chain_expand(chain, work->logs.cursor, work->steps, work->expanded.cursor);
    return CRD_OK;
}

/* Computes the rows v of a window. */
static crd_status viterbi_backward_window(path_run *r, size_t window, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    if (!chain->is_dense) return crd_i_sparse_backward(work, &r->windows, window, true, error);
    const size_t stride = chain->stride;
    const double *logs = crd_i_chain_node_rows(work), *next = work->checkpoints.cursor + window * stride;
    size_t steps = work->steps;
    if (window + 1 == r->windows.count) {
        double *last = work->tails.cursor + --steps * stride;
        for (size_t i = 0; i < stride; i++) last[i] = logs[steps * stride + i] + work->log_end[i];
        next = last;
    }
    chain->lanes->backward_max(chain->log_backward, chain->nodes, stride, logs, steps, next, work->tails.cursor);
    return CRD_OK;
}

/* Computes the rows v from the last window to the first, and stores a checkpoint for each window. */
static crd_status viterbi_backward_all(path_run *r, crd_error *error) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    work->sparse_checkpoints.count = 0;
    if (chain->is_dense && !crd_i_aligned_reserve(chain->context, &work->checkpoints, r->windows.count, chain->stride))
        return crd_i_fail_memory(error);
    for (size_t window = r->windows.count; window-- > 0;) {
        crd_status status = viterbi_load(r, window, error);
        if (status == CRD_OK) status = viterbi_backward_window(r, window, error);
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

/* ---- Forward along the path ---- */

/* Finds the node of the current step. Returns the log probability of the transition to it, or -INFINITY if there is
 * none. `row` holds v of all nodes. */
static double viterbi_next_node(const path_run *r, bool is_first, const double *row, size_t *node) {
    const crd_i_chain *chain = r->chain;
    if (is_first || chain->is_dense) {
        const double *more = is_first ? r->work->log_start : chain->log_forward + r->node * chain->stride;
        *node = chain->lanes->greatest_at(row, more, chain->stride);
        return row[*node] == -INFINITY ? -INFINITY : more[*node];
    }
    double most = -INFINITY, way = -INFINITY;
    for (size_t e = chain->first_out[r->node]; e < chain->first_out[r->node + 1]; e++)
        if (chain->log_out[e] + row[chain->targets[e]] > most) {
            most = chain->log_out[e] + row[chain->targets[e]];
            *node = chain->targets[e];
            way = chain->log_out[e];
        }
    return way;
}

/* Follows the path through the window. Returns false if every path is impossible. */
static bool follow_window(path_run *r, bool is_last) {
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    bool is_possible = true;
    for (size_t i = 0; !chain->is_dense && i < chain->stride; i++) work->tail[i] = -INFINITY;
    for (size_t t = 0; t < work->steps && is_possible; t++) {
        const double *row = chain->is_dense ? work->tails.cursor + t * chain->stride : work->tail;
        const size_t sparse_row = work->steps - 1 - t;
        if (!chain->is_dense) crd_i_sparse_scatter(&work->sparse_tails, sparse_row, work->tail);
        size_t node = 0;
        const double way = viterbi_next_node(r, work->source == 0 && t == 0, row, &node);
        if (!chain->is_dense) crd_i_sparse_unscatter(&work->sparse_tails, sparse_row, -INFINITY, work->tail);
        is_possible = way > -INFINITY;
        if (!is_possible) break;
        const size_t state = chain->state_of[node];
        crd_i_careful_add(&r->total, way + work->logs.cursor[t * chain->state_stride + state]);
        if (is_last && t + 1 == work->steps) crd_i_careful_add(&r->total, work->log_end[node]);
        work->path[t] = (int32_t)state;
        r->node = node;
    }
    for (size_t i = 0; !chain->is_dense && i < chain->stride; i++) work->tail[i] = 0;
    return is_possible;
}

crd_status crd_i_viterbi_begin(crd_i_viterbi_run *run, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, crd_error *error) {
    const crd_i_chain *chain = workspace->chain;
    const size_t bytes =
        sizeof(double) * (chain->state_stride + (chain->is_dense ? 2 * chain->stride : 2 * chain->nodes));
    *run = (crd_i_viterbi_run){.work = workspace, .chain = chain, .emissions = emissions};
    run->windows = crd_i_chain_windows(workspace, emissions->steps, bytes);
    workspace->is_infinite = false;
    if (!crd_i_reserve(chain->context, &workspace->path, &workspace->path_capacity, run->windows.length,
                       sizeof *workspace->path))
        return crd_i_fail_memory(error);
    return viterbi_backward_all(run, error);
}

crd_status crd_i_viterbi_next(crd_i_viterbi_run *run, crd_i_chain_answer *answer, crd_error *error) {
    crd_i_chain_workspace *work = run->work;
    if (run->window > 0) {
        crd_status status = viterbi_load(run, run->window, error);
        if (status == CRD_OK) status = viterbi_backward_window(run, run->window, error);
        if (status != CRD_OK) return status;
    }
    run->window++;
    const bool is_last = run->window == run->windows.count;
    if (!follow_window(run, is_last)) return crd_i_chain_impossible(work, run->emissions, answer, error);
    if (is_last) answer->log_likelihood = crd_i_chain_limit(work, crd_i_careful_total(run->total));
    return CRD_OK;
}

crd_status crd_i_chain_viterbi(const crd_i_chain *chain, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, const crd_i_path_sink *sink,
                               crd_i_chain_answer *answer, crd_error *error) {
    (void)chain;
    *answer = (crd_i_chain_answer){0};
    if (emissions->steps == 0) return CRD_OK;
    crd_i_viterbi_run r;
    crd_status status = crd_i_viterbi_begin(&r, emissions, workspace, error);
    while (status == CRD_OK && r.window < r.windows.count && !answer->is_impossible) {
        status = crd_i_viterbi_next(&r, answer, error);
        if (status == CRD_OK && !answer->is_impossible) status = crd_i_chain_emit_path(workspace, sink, error);
    }
    return status;
}

crd_status crd_i_chain_best_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                  crd_error *error) {
    path_run r = {.work = workspace, .chain = workspace->chain, .emissions = emissions};
    r.windows = (crd_i_windows){.steps = emissions->steps, .length = (size_t)emissions->steps, .count = 1};
    return viterbi_backward_all(&r, error);
}

/* ---- A given path ---- */

/* Finds the node of the given state that follows. Returns the log probability of the transition to it, or -INFINITY if
 * there is none. */
static double node_of_state(const path_run *r, bool is_first, size_t state, size_t *node) {
    const crd_i_chain *chain = r->chain;
    const double *row = is_first          ? r->work->log_start
                        : chain->is_dense ? chain->log_forward + r->node * chain->stride
                                          : NULL;
    if (row != NULL) {
        size_t i = chain->is_plain ? state : 0;
        while (i < chain->nodes && !(chain->state_of[i] == state && row[i] > -INFINITY))
            i = chain->is_plain ? chain->nodes : i + 1;
        *node = i;
        return i < chain->nodes ? row[i] : -INFINITY;
    }
    for (size_t e = chain->first_out[r->node]; e < chain->first_out[r->node + 1]; e++)
        if (chain->state_of[chain->targets[e]] == state && chain->out[e] > 0) {
            *node = chain->targets[e];
            return chain->log_out[e];
        }
    return -INFINITY;
}

crd_status crd_i_chain_path(const crd_i_chain *chain, const crd_i_emissions *emissions, const int32_t *states,
                            crd_i_chain_workspace *workspace, crd_i_chain_answer *answer, crd_error *error) {
    *answer = (crd_i_chain_answer){0};
    workspace->is_infinite = false;
    if (emissions->steps == 0) return CRD_OK;
    path_run r = {.work = workspace, .chain = chain, .emissions = emissions};
    r.windows = (crd_i_windows){.steps = emissions->steps, .length = CRD_I_CHAIN_BLOCK};
    r.windows.count = (size_t)((emissions->steps + CRD_I_CHAIN_BLOCK - 1) / CRD_I_CHAIN_BLOCK);
    for (size_t window = 0; window < r.windows.count; window++) {
        crd_status status = crd_i_chain_load_logs(workspace, emissions, &r.windows, window, error);
        if (status != CRD_OK) return status;
        for (size_t t = 0; t < workspace->steps; t++) {
            const uint64_t index = workspace->source + t;
            if (states[index] < 0 || (size_t)states[index] >= chain->states)
                return crd_i_fail(error, CRD_ERROR_ARGUMENT, "step %" PRIu64 " of the path has an invalid state",
                                  index);
            size_t node = 0;
            const double way = node_of_state(&r, index == 0, (size_t)states[index], &node);
            crd_i_careful_add(&r.total, way + workspace->logs.cursor[t * chain->state_stride + (size_t)states[index]]);
            if (way > -INFINITY && index + 1 == emissions->steps) crd_i_careful_add(&r.total, workspace->log_end[node]);
            if (crd_i_careful_total(r.total) == -INFINITY) {
                *answer =
                    (crd_i_chain_answer){.log_likelihood = -INFINITY, .is_impossible = true, .impossible_at = index};
                return CRD_OK;
            }
            r.node = node;
        }
    }
    answer->log_likelihood = crd_i_chain_limit(workspace, crd_i_careful_total(r.total));
    return CRD_OK;
}
