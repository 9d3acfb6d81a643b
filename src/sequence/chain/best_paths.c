/* SPDX-License-Identifier: MIT */
/* best_paths.c - the n most likely paths, best first. See chain.h.
 *
 * viterbi.c computes v, the log probability of the best continuation from each node of each step. Consider a path that
 * follows a known path up to some step, takes a different node there, and then continues optimally. Its log probability
 * is smaller than the known path's by
 *
 *   (log A + v of the known path's node) - (log A + v of the new node).
 *
 * So each path that is found offers one candidate for each step after its own deviation and each node not taken there.
 * The best candidate overall is the next path. Every path is a candidate exactly once (Lawler 1972). */
#include "sequence/chain/sparse_trellis.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

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
    crd_status status = crd_i_chain_best_tails(s->work, emissions, error);
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
