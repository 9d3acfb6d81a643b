/* SPDX-License-Identifier: MIT */
/* chain_draws.c - draws paths from the chain and from its posterior. See chain.h.
 *
 * With the rows u of the backward pass (forward_backward.c), P(s_1 | x) is proportional to P(s_1) u_1, and
 * P(s_{t+1} | s_t, x) to A u_{t+1}. So a path is drawn from its first step to its last, each state given the previous
 * state (backward filtering, forward sampling). */
#include "sequence/chain/chain.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/elementary.h"

#include <math.h>

/* ---- From the chain ---- */

/* The possible next nodes with their weights: the transitions of a node, or the start probabilities. */
typedef struct draws_choices {
    const double *weights;
    const uint32_t *targets; /* NULL: all nodes in order */
    size_t count;
} draws_choices;

static draws_choices choices_from(const crd_i_chain *chain, bool is_first, size_t node) {
    if (is_first) return (draws_choices){chain->start, NULL, chain->nodes};
    if (chain->is_dense) return (draws_choices){chain->forward + node * chain->stride, NULL, chain->nodes};
    const size_t first = chain->first_out[node];
    return (draws_choices){chain->out + first, chain->targets + first, chain->first_out[node + 1] - first};
}

size_t crd_i_chain_draw(const crd_i_chain *chain, crd_i_random *random, size_t most, int32_t *states) {
    size_t node = 0;
    for (size_t t = 0; t < most; t++) {
        const draws_choices choices = choices_from(chain, t == 0, node);
        double total = t > 0 && chain->has_end ? chain->end[node] : 0;
        const double end = total;
        for (size_t k = 0; k < choices.count; k++) total += choices.weights[k];
        if (!(total > 0)) return t;
        double position = crd_i_random_uniform(random) * total - end;
        if (position < 0) return t;
        size_t chosen = SIZE_MAX;
        for (size_t k = 0; k < choices.count && (position >= 0 || chosen == SIZE_MAX); k++) {
            if (!(choices.weights[k] > 0)) continue;
            chosen = k;
            position -= choices.weights[k];
        }
        if (chosen == SIZE_MAX) return t;
        node = choices.targets == NULL ? chosen : choices.targets[chosen];
        states[t] = (int32_t)chain->state_of[node];
    }
    return most;
}

/* ---- From the posterior ---- */

typedef struct draw_run {
    const crd_i_chain *chain;
    crd_i_chain_workspace *work;
    crd_i_random *random;
    const crd_i_path_sink *sink;
    double *weights; /* scratch space for a row */
    size_t node;
} draw_run;

/* Draws the window's part of the path, given the logarithms of the rows u. */
static crd_status draw_window(void *user, crd_error *error) {
    draw_run *r = user;
    const crd_i_chain *chain = r->chain;
    crd_i_chain_workspace *work = r->work;
    if (!crd_i_reserve(chain->context, &work->path, &work->path_capacity, work->steps, sizeof *work->path))
        return crd_i_fail_memory(error);
    for (size_t t = 0; t < work->steps; t++) {
        const draws_choices choices = choices_from(chain, work->source == 0 && t == 0, r->node);
        const double *row = work->tails.cursor + t * chain->nodes;
        double most = -INFINITY, total = 0;
        for (size_t k = 0; k < choices.count; k++) {
            const size_t node = choices.targets == NULL ? k : choices.targets[k];
            r->weights[k] = choices.weights[k] > 0 ? crd_log(choices.weights[k]) + row[node] : -INFINITY;
            if (r->weights[k] > most) most = r->weights[k];
        }
        for (size_t k = 0; k < choices.count; k++) r->weights[k] = total += crd_exp(r->weights[k] - most);
        const size_t chosen = crd_i_random_choice(r->random, r->weights, choices.count);
        r->node = choices.targets == NULL ? chosen : choices.targets[chosen];
        work->path[t] = (int32_t)chain->state_of[r->node];
    }
    return crd_i_chain_emit_path(work, r->sink, error);
}

crd_status crd_i_chain_draw_posterior(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                      crd_i_chain_workspace *workspace, crd_i_random *random,
                                      const crd_i_path_sink *sink, crd_i_chain_answer *answer, crd_error *error) {
    *answer = (crd_i_chain_answer){0};
    if (emissions->steps == 0) return CRD_OK;
    draw_run r = {.chain = chain, .work = workspace, .random = random, .sink = sink};
    r.weights = crd_i_alloc(chain->context, chain->nodes, sizeof *r.weights);
    if (r.weights == NULL) return crd_i_fail_memory(error);
    crd_status status = crd_i_chain_log_tails(workspace, emissions, draw_window, &r, answer, error);
    crd_free(chain->context, r.weights);
    return status;
}
