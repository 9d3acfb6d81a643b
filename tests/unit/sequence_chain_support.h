/* SPDX-License-Identifier: MIT */
/* sequence_chain_support.h - random chains of orders 1 to 3 with few states and steps, and what the enumeration of all their paths gives. */
#ifndef CRD_TESTS_SEQUENCE_CHAIN_SUPPORT_H
#define CRD_TESTS_SEQUENCE_CHAIN_SUPPORT_H

#include "sequence/chain/chain.h"

#include <math.h>
#include <string.h>

#include "counted_fixture.h"

enum { MAX_STATES = 3, MOST_ORDER = 3, MOST_NODES = 3 + 9 + 27, MOST_STEPS = 6, STRIDE = 8 };

/* Nodes are contexts of one to `order` states, the shorter first; dense[i * nodes + j] is 0 where j is not i with a state more. */
typedef struct random_model {
    size_t states, order, nodes, steps;
    bool has_end;
    uint32_t node_states[MOST_NODES];
    double start[MOST_NODES], end[MOST_NODES], dense[MOST_NODES * MOST_NODES];
    size_t first[MOST_NODES + 1];
    uint32_t targets[MOST_NODES * MAX_STATES];
    double probabilities[MOST_NODES * MAX_STATES];
    double logs[MOST_STEPS * STRIDE];
    double far[MOST_STEPS]; /* what all of a step's have in common: paths are compared without it */
} random_model;

typedef struct enumeration {
    double log_likelihood, best;
    size_t impossible_at;
    double posteriors[MOST_STEPS * STRIDE];
    double start[MOST_NODES], end[MOST_NODES], transitions[MOST_NODES * MOST_NODES];
} enumeration;

static inline double random_share(void) {
    return (double)(random_bits() >> 11) / 9007199254740992.0;
}

/* Zero now and then, or very small. */
static inline double random_probability(bool has_zeros) {
    if (has_zeros && random_below(4) == 0) return random_below(3) == 0 ? 1e-200 : 0;
    return 0.05 + random_share();
}

/* The number of the node that has these last states. */
static inline size_t node_of(const random_model *model, const size_t *states, size_t count) {
    size_t length = count < model->order ? count : model->order, before = 0, number = 0, power = 1;
    for (size_t l = 1; l < length; l++) {
        power *= model->states;
        before += power;
    }
    for (size_t k = count - length; k < count; k++) number = number * model->states + states[k];
    return before + number;
}

static inline void make_transitions(random_model *model, bool has_zeros) {
    size_t states[MOST_ORDER + 1] = {0}, edges = 0, node = 0;
    for (size_t length = 1; length <= model->order; length++) {
        size_t combinations = 1;
        for (size_t l = 0; l < length; l++) combinations *= model->states;
        for (size_t c = 0; c < combinations; c++, node++) {
            size_t remainder = c;
            for (size_t l = length; l-- > 0; remainder /= model->states) states[l] = remainder % model->states;
            model->node_states[node] = (uint32_t)states[length - 1];
            if (length == 1) model->start[node] = random_probability(has_zeros);
            model->end[node] = random_probability(has_zeros);
            model->first[node] = edges;
            for (size_t s = 0; s < model->states; s++) {
                states[length] = s;
                const size_t target = node_of(model, states, length + 1);
                const double p = random_probability(has_zeros) / (double)model->states;
                model->dense[node * model->nodes + target] = p;
                model->targets[edges] = (uint32_t)target;
                model->probabilities[edges++] = p;
            }
        }
    }
    model->first[node] = edges;
}

/* Observations that are missing, labeled, far from all states, or from all but one. */
static inline void make_logs(random_model *model, bool has_zeros) {
    for (size_t t = 0; t < model->steps; t++) {
        const size_t kind = random_below(8);
        const double far = model->far[t] = random_below(3) == 0 ? -1e5 : 0, spread = random_below(4) == 0 ? 1500 : 4;
        const size_t label = random_below(model->states);
        for (size_t k = 0; k < STRIDE; k++) {
            double *log = &model->logs[t * STRIDE + k];
            if (k >= model->states) *log = NAN;
            else if (kind == 0) *log = far;
            else if (has_zeros && kind == 1 && k != label) *log = -INFINITY;
            else *log = far - spread * random_share();
        }
        if (has_zeros && random_below(60) == 0)
            for (size_t k = 0; k < model->states; k++) model->logs[t * STRIDE + k] = -INFINITY;
    }
}

static inline void make_model(random_model *model) {
    memset(model, 0, sizeof *model);
    const bool has_zeros = random_below(2);
    model->states = 1 + random_below(MAX_STATES);
    model->order = 1 + random_below(MOST_ORDER);
    for (size_t l = 0, power = 1; l < model->order; l++) model->nodes += power *= model->states;
    model->steps = random_below(MOST_STEPS + 1);
    model->has_end = random_below(2);
    make_transitions(model, has_zeros);
    make_logs(model, has_zeros);
}

static inline crd_status fill_emissions(const void *user, uint64_t source, uint64_t target, double *logs,
                                        crd_error *error) {
    (void)error;
    const random_model *model = user;
    memcpy(logs, model->logs + source * STRIDE, (target - source) * STRIDE * sizeof(double));
    return CRD_OK;
}

static inline crd_i_chain *chain_of(const random_model *model, bool is_sparse) {
    crd_i_chain_parts parts = {
        .states = model->states,
        .nodes = model->nodes,
        .state_of = model->node_states,
        .start = model->start,
        .end = model->has_end ? model->end : NULL,
        .dense = is_sparse ? NULL : model->dense,
        .first = model->first,
        .targets = model->targets,
        .probabilities = model->probabilities,
    };
    crd_i_chain *chain = NULL;
    assert_int_equal(crd_i_chain_create(context, &parts, &chain, NULL), CRD_OK);
    return chain;
}

/* log P of the first `count` steps of a path and their observations, without its end. */
static inline double log_of_path(const random_model *model, const size_t *states, size_t count) {
    double sum = 0;
    for (size_t t = 0; t < count; t++) {
        const size_t node = node_of(model, states, t + 1);
        sum += log(t == 0 ? model->start[node] : model->dense[node_of(model, states, t) * model->nodes + node]);
        sum += model->logs[t * STRIDE + states[t]] - model->far[t];
    }
    return sum;
}

/* Whether the observations of the first `count` steps are possible. */
static inline bool is_possible(const random_model *model, size_t *states, size_t done, size_t count) {
    if (done == count) return log_of_path(model, states, count) > -INFINITY;
    for (states[done] = 0; states[done] < model->states; states[done]++)
        if (is_possible(model, states, done + 1, count)) return true;
    return false;
}

static inline double log_with_end(const random_model *model, const size_t *states) {
    double log_path = log_of_path(model, states, model->steps);
    if (model->has_end && model->steps > 0) log_path += log(model->end[node_of(model, states, model->steps)]);
    return log_path;
}

static inline bool next_path(const random_model *model, size_t *states) {
    size_t t = model->steps;
    while (t > 0 && ++states[t - 1] == model->states) states[--t] = 0;
    return t > 0;
}

/* All paths twice: for the greatest and for the sums. */
static inline void enumerate(const random_model *model, enumeration *out) {
    size_t states[MOST_STEPS] = {0};
    memset(out, 0, sizeof *out);
    out->best = -INFINITY;
    do {
        double log_path = log_with_end(model, states);
        if (log_path > out->best) out->best = log_path;
    } while (next_path(model, states));
    double sum = 0;
    if (out->best > -INFINITY) do
            sum += exp(log_with_end(model, states) - out->best);
        while (next_path(model, states));
    out->log_likelihood = sum > 0 ? out->best + log(sum) : -INFINITY;
    while (out->impossible_at < model->steps && is_possible(model, states, 0, out->impossible_at + 1))
        out->impossible_at++;
    memset(states, 0, sizeof states);
    if (sum > 0 && model->steps > 0) do {
            const double share = exp(log_with_end(model, states) - out->best) / sum;
            for (size_t t = 0; t < model->steps; t++) {
                const size_t node = node_of(model, states, t + 1);
                out->posteriors[t * STRIDE + states[t]] += share;
                if (t == 0) out->start[node] += share;
                else out->transitions[node_of(model, states, t) * model->nodes + node] += share;
                if (t + 1 == model->steps) out->end[node] += share;
            }
        } while (next_path(model, states));
    for (size_t t = 0; t < model->steps; t++) {
        out->best += model->far[t];
        out->log_likelihood += model->far[t];
    }
}

#endif
