/* SPDX-License-Identifier: MIT */
/* best_paths.c - see chain.h: the most likely paths, in their order.
 *
 * Once the most likely way on from each node of each step is known (viterbi.c), the best path that follows another one up to some
 * step, goes to a given node there and then on as well as it can, is less likely by just
 *     (log A + v of the node that is left) - (log A + v of the node that is taken).
 * So each path that is found offers one candidate for each step behind the one at which it left its own predecessor, and each node there
 * that it does not take; the best candidate of all is the next path. Every path is a candidate once (Lawler 1972). */
#include "sequence/chain/sparse_trellis.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct candidate {
    double loss; /* of log P beside the best path */
    size_t parent, step;
    uint32_t node;
} candidate;

typedef struct search {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    size_t steps, limit; /* paths that are looked for */
    uint32_t *nodes;     /* of the paths found: steps each */
    size_t found;
    candidate *best; /* ascending by loss, of equals the first one first */
    size_t count;
    double *row; /* v of the step at hand, of all nodes */
} search;

/* ---- Rows ---- */

static const double *open_row(search *s, size_t t) {
    if (s->chain->is_dense) return s->work->tails.at + t * s->chain->stride;
    crd_i_sparse_scatter(&s->work->sparse_tails, s->steps - 1 - t, s->row);
    return s->row;
}

static void close_row(search *s, size_t t) {
    if (!s->chain->is_dense) crd_i_sparse_unscatter(&s->work->sparse_tails, s->steps - 1 - t, -INFINITY, s->row);
}

/* The ways into a step: from the start, or from a node. */
typedef struct ways {
    const double *logs;
    const uint32_t *targets; /* NULL: all nodes in turn */
    size_t count;
} ways;

static ways ways_from(const search *s, size_t t, const uint32_t *path) {
    const crd_i_chain *chain = s->chain;
    if (t == 0) return (ways){s->work->log_start, NULL, chain->nodes};
    const size_t from = path[t - 1];
    if (chain->is_dense) return (ways){chain->log_forward + from * chain->stride, NULL, chain->nodes};
    const size_t first = chain->first_out[from];
    return (ways){chain->log_out + first, chain->targets + first, chain->first_out[from + 1] - first};
}

static uint32_t target_of(const ways *of, size_t k) {
    return of->targets == NULL ? (uint32_t)k : of->targets[k];
}

/* ---- Paths ---- */

/* Goes on from step t as well as possible; fails where nothing is possible. */
static bool complete(search *s, size_t t, uint32_t *path) {
    for (; t < s->steps; t++) {
        const ways from = ways_from(s, t, path);
        const double *row = open_row(s, t);
        double most = -INFINITY;
        for (size_t k = 0; k < from.count; k++) {
            const uint32_t node = target_of(&from, k);
            if (from.logs[k] + row[node] > most) {
                most = from.logs[k] + row[node];
                path[t] = node;
            }
        }
        close_row(s, t);
        if (most == -INFINITY) return false;
    }
    return true;
}

/* Keeps a candidate if it is among the best that can still be needed. */
static void offer(search *s, candidate one) {
    const size_t room = s->limit - s->found;
    if (s->count == room) {
        if (room == 0 || !(one.loss < s->best[room - 1].loss)) return;
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

static void offer_from(search *s, size_t parent, size_t first_step, double loss) {
    const uint32_t *path = s->nodes + parent * s->steps;
    for (size_t t = first_step; t < s->steps; t++) {
        const ways from = ways_from(s, t, path);
        const double *row = open_row(s, t);
        double own = -INFINITY;
        for (size_t k = 0; k < from.count; k++)
            if (target_of(&from, k) == path[t]) own = from.logs[k] + row[path[t]];
        for (size_t k = 0; k < from.count; k++) {
            const uint32_t node = target_of(&from, k);
            const double value = from.logs[k] + row[node];
            if (node != path[t] && value > -INFINITY) offer(s, (candidate){loss + (own - value), parent, t, node});
        }
        close_row(s, t);
    }
}

static crd_status find_paths(search *s, crd_error *error) {
    if (!complete(s, 0, s->nodes)) return CRD_OK;
    s->found = 1;
    offer_from(s, 0, 0, 0);
    while (s->found < s->limit && s->count > 0) {
        if (crd_i_context_cancelled(s->chain->context)) return crd_i_fail_cancelled(error);
        const candidate next = s->best[0];
        uint32_t *path = s->nodes + s->found * s->steps;
        memmove(s->best, s->best + 1, --s->count * sizeof *s->best);
        memcpy(path, s->nodes + next.parent * s->steps, next.step * sizeof *path);
        path[next.step] = next.node;
        if (!complete(s, next.step + 1, path)) break;
        s->found++;
        if (s->count > s->limit - s->found) s->count = s->limit - s->found;
        offer_from(s, s->found - 1, next.step + 1, next.loss);
    }
    return CRD_OK;
}

static crd_status search_paths(search *s, const crd_i_emissions *emissions, crd_error *error) {
    crd_context *context = s->chain->context;
    if (s->limit > SIZE_MAX / s->steps) return crd_i_fail_memory(error);
    s->nodes = crd_i_alloc(context, s->limit * s->steps, sizeof *s->nodes);
    s->best = crd_i_alloc(context, s->limit, sizeof *s->best);
    s->row = crd_i_alloc(context, s->chain->nodes, sizeof *s->row);
    if (s->nodes == NULL || s->best == NULL || s->row == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < s->chain->nodes; i++) s->row[i] = -INFINITY;
    crd_status status = crd_i_chain_best_tails(s->work, emissions, error);
    return status == CRD_OK ? find_paths(s, error) : status;
}

crd_status crd_i_chain_best_paths(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, size_t count, int32_t *states, double *logs,
                                  size_t *found, crd_i_chain_answer *answer, crd_error *error) {
    *answer = (crd_i_chain_answer){0};
    *found = 0;
    if (count == 0) return CRD_OK;
    if (emissions->steps == 0) {
        *found = 1;
        logs[0] = 0;
        return CRD_OK;
    }
    search s = {.work = workspace, .chain = chain, .steps = (size_t)emissions->steps, .limit = count};
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
    *found = s.found;
    answer->log_likelihood = logs[0];
    return CRD_OK;
}
