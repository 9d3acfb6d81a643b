/* SPDX-License-Identifier: MIT */
/* chain.h - inference in a Markov chain whose states are hidden:
 *
 *     P(s, x) = P(s_1) P(x_1 | s_1) prod_t P(s_t | s_{t-1}) P(x_t | s_t) [P(end | s_T)]
 *
 * (Rabiner: A tutorial on hidden Markov models and selected applications in speech recognition; 1989.) Observations are known
 * here by their log densities only, which a function computes for a range of steps, so that sequences of any length need
 * memory for the square root of it. A chain of higher order is one of nodes, each a context of last states: emissions and answers
 * are of states, transitions of nodes.
 *
 * Forward-backward works with probabilities that are scaled at each step; where that would lose something by underflow, the sequence
 * is computed once more with logarithms. Answers have the same bits on every processor, and do not depend on how much of a
 * sequence is kept in memory. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_H
#define CRD_SEQUENCE_CHAIN_CHAIN_H

#include "base/context.h"
#include "math/random.h"
#include "math/simd/simd_columns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CRD_I_CHAIN_BLOCK = 1024 /* steps that emissions and sinks are called with, at most */
};

/* ---- The chain ---- */

typedef struct crd_i_chain crd_i_chain;

/* What a chain is made of; everything is copied. Probabilities are finite and not negative; they need not sum to 1. */
typedef struct crd_i_chain_parts {
    size_t states; /* at least 1 */
    size_t nodes;  /* at least 1 */
    const uint32_t
        *state_of;       /* of each node; NULL: nodes are states. Successors of a node differ in their states, and so do
                               * nodes with a start probability: a path of states is one path of nodes. */
    const double *start; /* P(node) at the first step */
    const double *end;   /* P(end | node); NULL: sequences just stop */
    /* P(target | source): dense[source * nodes + target], or, where `dense` is NULL, sparse: those of a source are numbers
     * first[source] .. first[source + 1] - 1, their targets ascending. */
    const double *dense;
    const size_t *first;
    const uint32_t *targets;
    const double *probabilities;
    /* Of a sparse chain: of each node what it has in common behind most of its sources, P(target | source) being a share of
     * shared[target] and perhaps more. Where that holds, chains of many states are computed faster. NULL: nothing is known. */
    const double *shared;
} crd_i_chain_parts;

crd_status crd_i_chain_create(crd_context *context, const crd_i_chain_parts *parts, crd_i_chain **out,
                              crd_error *error);
void crd_i_chain_destroy(crd_i_chain *chain);

size_t crd_i_chain_nodes(const crd_i_chain *chain);
/* States rounded up to CRD_I_SIMD: the length of a row of log emissions or posteriors. */
size_t crd_i_chain_stride(const crd_i_chain *chain);
/* How many transitions there are: nodes * nodes, or those of the sparse form. */
size_t crd_i_chain_transition_count(const crd_i_chain *chain);

/* ---- Observations ---- */

typedef struct crd_i_emissions {
    const void *user;
    uint64_t steps;
    /* log P(x_t | state) of steps from .. to - 1, at most CRD_I_CHAIN_BLOCK of them: logs[(t - from) * stride + state]. What
     * stands behind the states of a row is free. A missing observation is 0 for all states, a state that a label rules out
     * -INFINITY. Called by any thread, for the same steps perhaps several times, with the same result. */
    crd_status (*fill)(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error);
} crd_i_emissions;

/* ---- Questions: what a thread computes in, reused from sequence to sequence ---- */

typedef struct crd_i_chain_workspace crd_i_chain_workspace;

crd_status crd_i_chain_workspace_create(const crd_i_chain *chain, crd_i_chain_workspace **out, crd_error *error);
void crd_i_chain_workspace_destroy(crd_i_chain_workspace *workspace);
/* Steps that are kept at a time, 0: as many as are reasonable. Answers do not depend on it. */
void crd_i_chain_workspace_keep(crd_i_chain_workspace *workspace, size_t steps);

/* An impossible sequence has probability 0: an answer, no failure. Then sinks are not called and counts stay. A sequence
 * of no steps has probability 1, with end probabilities too. */
typedef struct crd_i_chain_answer {
    double log_likelihood; /* log P(x), or log P(path, x) */
    bool is_impossible;
    uint64_t
        impossible_at; /* the first step t at which P(x_0 .. x_t) is 0; the number of steps where only the end is ruled out */
    bool used_logs; /* scaled arithmetic would have lost something */
} crd_i_chain_answer;

/* Posteriors P(s_t = k | x) of steps from .. to - 1, at most CRD_I_CHAIN_BLOCK: posteriors[(t - from) * stride + k], 0 behind the
 * states. Called in ascending order; may change them. *log_evidence, unless NULL, points meanwhile to log P(x_t | x_1 .. x_(t-1)) of
 * these steps, INFINITY where the density is. */
typedef struct crd_i_posterior_sink {
    void *user;
    crd_status (*take)(void *user, uint64_t source, uint64_t target, double *posteriors, crd_error *error);
    const double **log_evidence;
} crd_i_posterior_sink;

/* Expected counts given the observations, added up. */
typedef struct crd_i_chain_counts {
    double *start;       /* of each node; NULL: not wanted, as below */
    double *transitions; /* dense[source * nodes + target], or in the order of the sparse form */
    double *end; /* of each node: how often sequences ended there, whether or not the chain has end probabilities */
} crd_i_chain_counts;

/* States of a path, from .. to - 1, at most CRD_I_CHAIN_BLOCK of them, in ascending order. */
typedef struct crd_i_path_sink {
    void *user;
    crd_status (*take)(void *user, uint64_t source, uint64_t target, const int32_t *states, crd_error *error);
} crd_i_path_sink;

crd_status crd_i_chain_likelihood(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, crd_i_chain_answer *answer, crd_error *error);

/* Forward-backward; `sink` may be NULL. */
crd_status crd_i_chain_posteriors(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink,
                                  crd_i_chain_answer *answer, crd_error *error);

/* The same, with expected counts: the E step of Baum and Welch. After a failure in the sink the counts are of no use. */
crd_status crd_i_chain_expect(const crd_i_chain *chain, const crd_i_emissions *emissions,
                              crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink,
                              const crd_i_chain_counts *counts, crd_i_chain_answer *answer, crd_error *error);

/* The most likely path, of equally likely ones that whose first states come first. */
crd_status crd_i_chain_viterbi(const crd_i_chain *chain, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, const crd_i_path_sink *sink,
                               crd_i_chain_answer *answer, crd_error *error);

/* log P(path, x) of a given path, one state a step. */
crd_status crd_i_chain_path(const crd_i_chain *chain, const crd_i_emissions *emissions, const int32_t *states,
                            crd_i_chain_workspace *workspace, crd_i_chain_answer *answer, crd_error *error);

/* The `count` most likely paths, the best first, or as many as there are (*found). Path number n: states[n * steps + t] and
 * logs[n] = log P(path, x). Keeps a row for each step, and the paths, in memory. */
crd_status crd_i_chain_best_paths(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, size_t count, int32_t *states, double *logs,
                                  size_t *result, crd_i_chain_answer *answer, crd_error *error);

/* A path drawn from P(s | x). */
crd_status crd_i_chain_draw_posterior(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                      crd_i_chain_workspace *workspace, crd_i_random *random,
                                      const crd_i_path_sink *sink, crd_i_chain_answer *answer, crd_error *error);

/* A path drawn from the chain: of `most` states, or fewer where it has end probabilities and ends. Returns how many; fewer too
 * where no state can begin or follow. */
size_t crd_i_chain_draw(const crd_i_chain *chain, crd_i_random *random, size_t most, int32_t *states);

/* ---- Observations that come one by one ---- */

typedef struct crd_i_chain_filter crd_i_chain_filter;

/* Memory is for lag + 1 steps. */
crd_status crd_i_chain_filter_create(const crd_i_chain *chain, size_t lag, crd_i_chain_filter **out, crd_error *error);
void crd_i_chain_filter_destroy(crd_i_chain_filter *filter);
/* Begins a sequence. */
void crd_i_chain_filter_begin(crd_i_chain_filter *filter);
/* One step more, with the log emission of each state. *log_likelihood becomes log P(x_t | x_1 .. x_{t-1}): -INFINITY for an observation that
 * is impossible, after which the filter goes on as if it were missing. */
crd_status crd_i_chain_filter_push(crd_i_chain_filter *filter, const double *logs, double *log_likelihood,
                                   crd_error *error);
uint64_t crd_i_chain_filter_steps(const crd_i_chain_filter *filter);
/* P(s_{t-back} = k | x_1 .. x_t) for back <= lag and < t; `is_ended`: given too that the sequence ends here. NaN where that is
 * impossible. */
crd_status crd_i_chain_filter_posterior(crd_i_chain_filter *filter, size_t back, bool is_ended, double *probabilities,
                                        crd_error *error);
/* P(s_{t+ahead} = k | x_1 .. x_t); before the first step, that of step `ahead`, at least 1. With end probabilities they sum to the
 * probability that the sequence goes on for so long. */
crd_status crd_i_chain_filter_forecast(const crd_i_chain_filter *filter, uint64_t ahead, double *probabilities,
                                       crd_error *error);

/* ---- Properties ---- */

/* In what part of the time each state is visited in the long run, where sequences do not end: of an irreducible chain, periodic or not, the
 * stationary distribution; of one with several closed classes, their stationary distributions by the probabilities of being
 * caught in each. */
crd_status crd_i_chain_stationary(const crd_i_chain *chain, double *probabilities, crd_error *error);
/* How many steps a visit to each state lasts on average: 1 / (1 - P(k | k)) in a chain of order 1, INFINITY where it is never left. In
 * chains of higher order the mean over the contexts in which it is entered in the long run. */
crd_status crd_i_chain_durations(const crd_i_chain *chain, double *steps, crd_error *error);

#endif
