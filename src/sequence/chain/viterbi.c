/* SPDX-License-Identifier: MIT */
/* viterbi.c - the most likely path (Viterbi 1967), and the probability of a given path. See chain.h.
 *
 * The recursion runs from the last step to the first:
 *
 *   v_T = log e_T + log E,   v_t(i) = log e_t(i) + max_j (log A_ij + v_{t+1}(j))
 *
 * The best path begins at the maximum of log P(s_1) + v_1 and continues at the maximum of log A + v of the next step.
 * So the path is found in ascending order, and ties go to the first state. Rows are stored relative to their maximum,
 * so that in long sequences small differences are not lost by rounding.
 *
 * Contents:
 *   1. Most likely path
 *   2. List of best paths */
#include "base/error.h"
#include "base/memory.h"
#include "sequence/chain/chain.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ======== 1. Most likely path ======== */

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

/* Loads a window and computes its rows v. */
static crd_status viterbi_backward(void *state, size_t window, crd_error *error) {
    path_run *r = state;
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    crd_status status = viterbi_load(r, window, error);
    if (status != CRD_OK) return status;
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
    return crd_i_chain_backward_all(run->work, &run->windows, viterbi_backward, run, error);
}

crd_status crd_i_viterbi_next(crd_i_viterbi_run *run, crd_i_chain_answer *answer, crd_error *error) {
    crd_i_chain_workspace *work = run->work;
    if (run->window > 0) {
        crd_status status = viterbi_backward(run, run->window, error);
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

/* Computes the rows v of the most likely continuations from each step, all in one window. */
static crd_status chain_best_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                   crd_error *error) {
    path_run r = {.work = workspace, .chain = workspace->chain, .emissions = emissions};
    r.windows = (crd_i_windows){.steps = emissions->steps, .length = (size_t)emissions->steps, .count = 1};
    return crd_i_chain_backward_all(r.work, &r.windows, viterbi_backward, &r, error);
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

/* ======== 2. List of best paths ========
 *
 * The n most likely paths, best first.
 *
 * The Viterbi recursion computes v, the log probability of the best continuation from each node of each step.
 * Consider a path that follows a known path up to some step, takes a different node there, and then continues
 * optimally. Its log probability is smaller than the known path's by
 *
 *   (log A + v of the known path's node) - (log A + v of the new node).
 *
 * So each path that is found offers one candidate for each step after its own deviation and each node not taken
 * there. The best candidate overall is the next path. Every path is a candidate exactly once (Lawler 1972). */

typedef struct paths_candidate {
    double loss; /* difference from the log probability of the best path */
    size_t parent, step;
    uint32_t node;
} paths_candidate;

typedef struct paths_search {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    size_t steps, limit; /* `limit`: the maximum number of paths */
    uint32_t *nodes;     /* node paths found so far, with `steps` nodes each */
    size_t found;
    paths_candidate *best; /* candidates, ascending by loss; equal losses in the order of insertion */
    size_t count;
    double *row; /* v of the current step, for all nodes */
} paths_search;

/* ---- Rows ---- */

static const double *best_paths_open_row(paths_search *s, size_t t) {
    if (s->chain->is_dense) return s->work->tails.cursor + t * s->chain->stride;
    crd_i_sparse_scatter(&s->work->sparse_tails, s->steps - 1 - t, s->row);
    return s->row;
}

static void best_paths_close_row(paths_search *s, size_t t) {
    if (!s->chain->is_dense) crd_i_sparse_unscatter(&s->work->sparse_tails, s->steps - 1 - t, -INFINITY, s->row);
}

/* The transitions into a step: the start probabilities, or the transitions of a node. */
typedef struct paths_ways {
    const double *logs;
    const uint32_t *targets; /* NULL: all nodes in order */
    size_t count;
} paths_ways;

static paths_ways ways_from(const paths_search *s, size_t t, const uint32_t *path) {
    const crd_i_chain *chain = s->chain;
    if (t == 0) return (paths_ways){s->work->log_start, NULL, chain->nodes};
    const size_t source = path[t - 1];
    if (chain->is_dense) return (paths_ways){chain->log_forward + source * chain->stride, NULL, chain->nodes};
    const size_t first = chain->first_out[source];
    return (paths_ways){chain->log_out + first, chain->targets + first, chain->first_out[source + 1] - first};
}

static uint32_t target_of(const paths_ways *ways, size_t k) {
    return ways->targets == NULL ? (uint32_t)k : ways->targets[k];
}

/* ---- Paths ---- */

/* Continues a path optimally from step t. Returns false if every continuation is impossible. */
static bool best_paths_complete(paths_search *s, size_t t, uint32_t *path) {
    for (; t < s->steps; t++) {
        const paths_ways ways = ways_from(s, t, path);
        const double *row = best_paths_open_row(s, t);
        double most = -INFINITY;
        for (size_t k = 0; k < ways.count; k++) {
            const uint32_t node = target_of(&ways, k);
            if (ways.logs[k] + row[node] > most) {
                most = ways.logs[k] + row[node];
                path[t] = node;
            }
        }
        best_paths_close_row(s, t);
        if (most == -INFINITY) return false;
    }
    return true;
}

/* Inserts a candidate if it is among the best that can still be needed. */
static void best_paths_offer(paths_search *s, paths_candidate one) {
    const size_t capacity = s->limit - s->found;
    if (s->count == capacity) {
        if (capacity == 0 || !(one.loss < s->best[capacity - 1].loss)) return;
        s->count--;
    }
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (s->best[middle].loss <= one.loss) low = middle + 1;
        else high = middle;
    }
    memmove(s->best + low + 1, s->best + low, (s->count - low) * sizeof *s->best);
    s->best[low] = one;
    s->count++;
}

/* Offers all deviations of path `parent` from step `first_step` on. `loss` is the loss of the path itself. */
static void offer_from(paths_search *s, size_t parent, size_t first_step, double loss) {
    const uint32_t *path = s->nodes + parent * s->steps;
    for (size_t t = first_step; t < s->steps; t++) {
        const paths_ways ways = ways_from(s, t, path);
        const double *row = best_paths_open_row(s, t);
        double own = -INFINITY;
        for (size_t k = 0; k < ways.count; k++)
            if (target_of(&ways, k) == path[t]) own = ways.logs[k] + row[path[t]];
        for (size_t k = 0; k < ways.count; k++) {
            const uint32_t node = target_of(&ways, k);
            const double value = ways.logs[k] + row[node];
            if (node != path[t] && value > -INFINITY)
                best_paths_offer(s, (paths_candidate){loss + (own - value), parent, t, node});
        }
        best_paths_close_row(s, t);
    }
}

/* Finds the best path, then repeatedly turns the best candidate into a path. */
static crd_status best_paths_find(paths_search *s, crd_error *error) {
    if (!best_paths_complete(s, 0, s->nodes)) return CRD_OK;
    s->found = 1;
    offer_from(s, 0, 0, 0);
    while (s->found < s->limit && s->count > 0) {
        if (crd_i_context_cancelled(s->chain->context)) return crd_i_fail_cancelled(error);
        const paths_candidate next = s->best[0];
        uint32_t *path = s->nodes + s->found * s->steps;
        memmove(s->best, s->best + 1, --s->count * sizeof *s->best);
        memcpy(path, s->nodes + next.parent * s->steps, next.step * sizeof *path);
        path[next.step] = next.node;
        if (!best_paths_complete(s, next.step + 1, path)) break;
        s->found++;
        if (s->count > s->limit - s->found) s->count = s->limit - s->found;
        offer_from(s, s->found - 1, next.step + 1, next.loss);
    }
    return CRD_OK;
}

static crd_status search_paths(paths_search *s, const crd_i_emissions *emissions, crd_error *error) {
    crd_context *context = s->chain->context;
    if (s->limit > SIZE_MAX / s->steps) return crd_i_fail_memory(error);
    s->nodes = crd_i_alloc(context, s->limit * s->steps, sizeof *s->nodes);
    s->best = crd_i_alloc(context, s->limit, sizeof *s->best);
    s->row = crd_i_alloc(context, s->chain->nodes, sizeof *s->row);
    if (s->nodes == NULL || s->best == NULL || s->row == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < s->chain->nodes; i++) s->row[i] = -INFINITY;
    crd_status status = chain_best_tails(s->work, emissions, error);
    return status == CRD_OK ? best_paths_find(s, error) : status;
}

crd_status crd_i_chain_best_paths(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, size_t count, int32_t *states, double *logs,
                                  size_t *result, crd_i_chain_answer *answer, crd_error *error) {
    *answer = (crd_i_chain_answer){0};
    *result = 0;
    if (count == 0) return CRD_OK;
    if (emissions->steps == 0) {
        *result = 1;
        logs[0] = 0;
        return CRD_OK;
    }
    paths_search s = {.work = workspace, .chain = chain, .steps = (size_t)emissions->steps, .limit = count};
    crd_status status = search_paths(&s, emissions, error);
    for (size_t k = 0; status == CRD_OK && k < s.found * s.steps; k++) states[k] = (int32_t)chain->state_of[s.nodes[k]];
    crd_free(chain->context, s.nodes);
    crd_free(chain->context, s.best);
    crd_free(chain->context, s.row);
    if (status == CRD_OK && s.found == 0) return crd_i_chain_impossible(workspace, emissions, answer, error);
    for (size_t n = 0; status == CRD_OK && n < s.found; n++) {
        crd_i_chain_answer one;
        status = crd_i_chain_path(chain, emissions, states + n * s.steps, workspace, &one, error);
        logs[n] = one.log_likelihood;
    }
    if (status != CRD_OK) return status;
    *result = s.found;
    answer->log_likelihood = logs[0];
    return CRD_OK;
}
