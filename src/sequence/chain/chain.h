/* SPDX-License-Identifier: MIT */
/* chain.h - inference in a hidden Markov model:
 *
 *     P(s, x) = P(s_1) P(x_1 | s_1) prod_t P(s_t | s_{t-1}) P(x_t | s_t) [P(end | s_T)]
 *
 * (Rabiner: A tutorial on hidden Markov models and selected applications in speech recognition; 1989.) This module sees
 * observations only through their log densities, which a callback computes for a range of steps. So a sequence of
 * length T needs memory for only about sqrt(T) steps. A chain of higher order is represented by nodes, where each node
 * is a context of the last states. Emissions and results belong to states, transitions to nodes.
 *
 * Forward-backward works with probabilities that are scaled at each step. If scaling would lose precision by underflow,
 * the sequence is computed again with logarithms. Results are bit-identical on every processor, and do not depend on
 * how much of a sequence is kept in memory. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_H
#define CRD_SEQUENCE_CHAIN_CHAIN_H

#include "base/context.h"
#include "math/random.h"
#include "math/simd/simd_columns.h"
#include "math/simd/simd_trellis.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ======== Sparse blocks ========
 *
 * A sparse chain is stored as a set of blocks. In a chain of higher order, contexts that differ only in their oldest
 * state have the same successors. So the transitions from these contexts to their successors form a matrix, and the
 * chain has one such matrix for each combination of the newer states. A block is stored either as
 *
 *   a matrix     with nodes in the lanes of vectors, or
 *   a base row   P(target | source) = g(source) B(target) + extras.
 *
 * A base row is used if most transitions were never counted, because smoothing distributes the remaining probability
 * in the same proportions after all sources. With hundreds of states, that holds for nearly all transitions. A sum
 * over targets is then g times a common sum, plus a sum over the extras. A maximum is computed in the same way,
 * because g B is at most the probability of a target that has an extra. */

/* Transitions from the nodes `sources` to the nodes `targets`. No other transitions leave these sources or enter these
 * targets. */
typedef struct crd_i_chain_block {
    /* positions in the source and target lists of all blocks, each ascending within a block */
    size_t first_source, source_count;
    size_t first_target, target_count;
    uint32_t state; /* the common state of all sources; UINT32_MAX: the states differ */
    bool has_base;  /* true: base row; false: matrix, with rows rounded up to CRD_I_SIMD */
    size_t source_stride, target_stride;
    const double *forward;                 /* matrix: one row of targets per source */
    const double *backward, *log_backward; /* matrix: one row of sources per target */
} crd_i_chain_block;

typedef struct crd_i_chain_blocks {
    crd_context *context;
    crd_i_chain_block *blocks;
    size_t count;
    uint32_t *sources, *targets;
    double *memory; /* storage of the matrices */
    size_t widest;  /* length of the longest row */
    /* Blocks with a base row, in the order of the lists: */
    double *base, *log_base;     /* B of each target */
    double *shares, *log_shares; /* g of each source */
    size_t *first_extra;         /* index of the first extra of each source, plus an end entry */
    uint32_t *extra_places;      /* for each extra: the position of its target within the block */
    /* for each extra: the probability beyond g B; and the logarithm of the whole probability */
    double *extras, *log_extras;
} crd_i_chain_blocks;

/* Input of crd_i_chain_blocks_create: transitions as in crd_i_chain_parts, with their logarithms. */
typedef struct crd_i_sparse_transitions {
    size_t nodes;
    const size_t *first;
    const uint32_t *targets, *state_of;
    const double *probabilities, *logs;
    const double *shared; /* B of each node; NULL: none */
} crd_i_sparse_transitions;

/* Creates the blocks of a sparse chain. Sets *out to NULL if blocks would be mostly zeros. Returns false if out of
 * memory. */
CRD_MUST_USE bool crd_i_chain_blocks_create(crd_context *context, const crd_i_sparse_transitions *transitions,
                                            crd_i_chain_blocks **out);
void crd_i_chain_blocks_destroy(crd_i_chain_blocks *blocks);

/* Scratch space of a thread. Each array is as long as the longest row. */
typedef struct crd_i_block_room {
    double *factors, *out; /* `out` is aligned */
    uint32_t *rows;
} crd_i_block_room;

/* Computes for each source k of the block: out[k] = sum over targets of P(target | source) values[target]. If `is_max`
 * is true: out[k] = max over targets of log P(target | source) + values[target]. Targets whose value is 0 (-INFINITY if
 * `is_max`) are skipped. Returns false if all targets are skipped. */
CRD_MUST_USE bool crd_i_chain_block_backward(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block,
                                             const crd_i_simd_trellis *lanes, const double *values, bool is_max,
                                             const crd_i_block_room *workspace);
/* Computes for each target k of the block: out[k] = sum over sources of factor values[source] P(target | source).
 * Returns false if the values of all sources are 0. */
CRD_MUST_USE bool crd_i_chain_block_forward(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block,
                                            const crd_i_simd_trellis *lanes, const double *values, double factor,
                                            const crd_i_block_room *workspace);

enum {
    CRD_I_CHAIN_BLOCK = 1024 /* maximum number of steps per call of an emission callback or a sink */
};

/* ---- The chain ---- */

typedef struct crd_i_chain crd_i_chain;

/* Parameters of a chain; crd_i_chain_create copies all of them. Probabilities must be finite and not negative. They
 * need not sum to 1. */
typedef struct crd_i_chain_parts {
    size_t states; /* at least 1 */
    size_t nodes;  /* at least 1 */
    /* State of each node; NULL: nodes are states. The successors of a node must have different states, and so must the
     * nodes with a positive start probability. Then each state path corresponds to exactly one node path. */
    const uint32_t *state_of;
    const double *start; /* P(node) at the first step */
    const double *end;   /* P(end | node); NULL: no end probabilities */
    /* P(target | source), dense or sparse. Dense: dense[source * nodes + target]. Sparse, if `dense` is NULL: entries
     * first[source] .. first[source + 1] - 1 of `targets` and `probabilities`, with ascending targets. */
    const double *dense;
    const size_t *first;
    const uint32_t *targets;
    const double *probabilities;
    /* Sparse chains only: a value for each node such that P(target | source) is, for most sources, a multiple of
     * shared[target], plus extra probability for a few targets. Chains with many states are then computed faster. NULL:
     * no such values are known. */
    const double *shared;
} crd_i_chain_parts;

crd_status crd_i_chain_create(crd_context *context, const crd_i_chain_parts *parts, crd_i_chain **out,
                              crd_error *error);
void crd_i_chain_destroy(crd_i_chain *chain);

size_t crd_i_chain_nodes(const crd_i_chain *chain);
/* Returns the number of states rounded up to CRD_I_SIMD: the length of a row of log emissions or posteriors. */
size_t crd_i_chain_stride(const crd_i_chain *chain);
/* Returns the number of transitions: nodes * nodes if dense, otherwise the number of sparse entries. */
size_t crd_i_chain_transition_count(const crd_i_chain *chain);

/* ---- Observations ---- */

typedef struct crd_i_emissions {
    const void *user;
    uint64_t steps;
    /* Computes log P(x_t | state) for the steps from `source` to `target` - 1, at most CRD_I_CHAIN_BLOCK steps, as
     * logs[(t - source) * stride + state]. Entries past the last state are ignored. A missing observation is 0 for all
     * states. A state that a label rules out is -INFINITY. May be called by any thread, and several times for the same
     * steps; the result must be the same each time. */
    crd_status (*fill)(const void *user, uint64_t source, uint64_t target, double *logs, crd_error *error);
} crd_i_emissions;

/* ======== Inference ========
 *
 * A workspace belongs to one thread and is reused for many sequences. */

typedef struct crd_i_chain_workspace crd_i_chain_workspace;

crd_status crd_i_chain_workspace_create(const crd_i_chain *chain, crd_i_chain_workspace **out, crd_error *error);
void crd_i_chain_workspace_destroy(crd_i_chain_workspace *workspace);
/* Sets the number of steps that are kept in memory at a time; 0: choose automatically. Results do not depend on it. */
void crd_i_chain_workspace_keep(crd_i_chain_workspace *workspace, size_t steps);

/* Result of an inference call. An impossible sequence, with probability 0, is a result and not an error: sinks are not
 * called and counts stay unchanged. A sequence without steps has probability 1, even if there are end probabilities. */
typedef struct crd_i_chain_answer {
    double log_likelihood; /* log P(x), or log P(path, x) */
    bool is_impossible;
    /* the first step t with P(x_0 .. x_t) = 0; the number of steps if only the end is impossible */
    uint64_t impossible_at;
    bool used_logs; /* scaled arithmetic would have lost precision, so logarithms were used */
} crd_i_chain_answer;

/* Receives the posteriors P(s_t = k | x) of the steps from `source` to `target` - 1, at most CRD_I_CHAIN_BLOCK steps,
 * as posteriors[(t - source) * stride + k], with 0 past the last state. `take` is called in ascending order and may
 * modify the posteriors. If log_evidence is not NULL, *log_evidence points during the call to log P(x_t | x_1 ..
 * x_(t-1)) of these steps. An entry is INFINITY if the density is infinite. */
typedef struct crd_i_posterior_sink {
    void *user;
    crd_status (*take)(void *user, uint64_t source, uint64_t target, double *posteriors, crd_error *error);
    const double **log_evidence;
} crd_i_posterior_sink;

/* Expected counts given the observations. Calls add to them. An array that is NULL is not computed. */
typedef struct crd_i_chain_counts {
    double *start;       /* for each node: expected number of sequences that start there */
    double *transitions; /* dense: [source * nodes + target]; otherwise in the order of the sparse entries */
    double *end; /* for each node: expected number of sequences that end there, with or without end probabilities */
} crd_i_chain_counts;

/* Receives the states of a path for the steps from `source` to `target` - 1, at most CRD_I_CHAIN_BLOCK steps, in
 * ascending order. */
typedef struct crd_i_path_sink {
    void *user;
    crd_status (*take)(void *user, uint64_t source, uint64_t target, const int32_t *states, crd_error *error);
} crd_i_path_sink;

crd_status crd_i_chain_likelihood(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, crd_i_chain_answer *answer, crd_error *error);

/* Computes posteriors by forward-backward. `sink` may be NULL. */
crd_status crd_i_chain_posteriors(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink,
                                  crd_i_chain_answer *answer, crd_error *error);

/* Computes posteriors and adds expected counts: the E step of Baum-Welch (Baum, Petrie, Soules and Weiss 1970). If the
 * sink fails, the counts are undefined. */
crd_status crd_i_chain_expect(const crd_i_chain *chain, const crd_i_emissions *emissions,
                              crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink,
                              const crd_i_chain_counts *counts, crd_i_chain_answer *answer, crd_error *error);

/* Finds the most likely path (Viterbi 1967). Ties go to the lexicographically smallest path. */
crd_status crd_i_chain_viterbi(const crd_i_chain *chain, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, const crd_i_path_sink *sink,
                               crd_i_chain_answer *answer, crd_error *error);

/* Computes log P(path, x) of a given path, with one state per step. */
crd_status crd_i_chain_path(const crd_i_chain *chain, const crd_i_emissions *emissions, const int32_t *states,
                            crd_i_chain_workspace *workspace, crd_i_chain_answer *answer, crd_error *error);

/* Finds the `count` most likely paths, best first. *result is the number of paths found, which is smaller if fewer
 * paths are possible. Path n has states[n * steps + t] and logs[n] = log P(path, x). Keeps one row per step, and all
 * paths, in memory. */
crd_status crd_i_chain_best_paths(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                  crd_i_chain_workspace *workspace, size_t count, int32_t *states, double *logs,
                                  size_t *result, crd_i_chain_answer *answer, crd_error *error);

/* Draws a path from P(s | x). */
crd_status crd_i_chain_draw_posterior(const crd_i_chain *chain, const crd_i_emissions *emissions,
                                      crd_i_chain_workspace *workspace, crd_i_random *random,
                                      const crd_i_path_sink *sink, crd_i_chain_answer *answer, crd_error *error);

/* Draws a path from the chain, with at most `most` states. Returns its length. It is shorter than `most` if the chain
 * has end probabilities and ends, or if no state can begin or follow. */
size_t crd_i_chain_draw(const crd_i_chain *chain, crd_i_random *random, size_t most, int32_t *states);

/* ======== Filtering ========
 *
 * Observations arrive one by one. */

typedef struct crd_i_chain_filter crd_i_chain_filter;

/* Creates a filter with memory for lag + 1 steps. */
crd_status crd_i_chain_filter_create(const crd_i_chain *chain, size_t lag, crd_i_chain_filter **out, crd_error *error);
void crd_i_chain_filter_destroy(crd_i_chain_filter *filter);
/* Begins a new sequence. */
void crd_i_chain_filter_begin(crd_i_chain_filter *filter);
/* Adds a step, given the log emission of each state. Sets *log_likelihood to log P(x_t | x_1 .. x_{t-1}). It is
 * -INFINITY for an impossible observation; the filter then continues as if the observation were missing. */
crd_status crd_i_chain_filter_push(crd_i_chain_filter *filter, const double *logs, double *log_likelihood,
                                   crd_error *error);
/* Computes P(s_{t-back} = k | x_1 .. x_t), where back <= lag and back < t: filtering for back = 0, otherwise fixed-lag
 * smoothing. If `is_ended` is true, also conditions on the sequence ending here. Probabilities are NaN if that is
 * impossible. */
crd_status crd_i_chain_filter_posterior(crd_i_chain_filter *filter, size_t back, bool is_ended, double *probabilities,
                                        crd_error *error);
/* Computes P(s_{t+ahead} = k | x_1 .. x_t). Before the first step, computes the distribution of step `ahead`, which
 * must be at least 1. With end probabilities, the probabilities sum to the probability that the sequence lasts that
 * long. */
crd_status crd_i_chain_filter_forecast(const crd_i_chain_filter *filter, uint64_t ahead, double *probabilities,
                                       crd_error *error);

/* ---- Properties ---- */

/* Computes the long-run fraction of time spent in each state if sequences do not end. For an irreducible chain,
 * periodic or not, this is the stationary distribution. For a chain with several closed classes, it is the mixture of
 * their stationary distributions, weighted by the absorption probabilities. */
crd_status crd_i_chain_stationary(const crd_i_chain *chain, double *probabilities, crd_error *error);
/* Computes the mean duration of a visit to each state, in steps: 1 / (1 - P(k | k)) in a chain of order 1, INFINITY if
 * the state is never left. For higher orders, it is the mean over the contexts in which the state is entered in the
 * long run. */
crd_status crd_i_chain_durations(const crd_i_chain *chain, double *steps, crd_error *error);

/* ======== Internals ========
 *
 * The chain's tables, windows of steps, and workspaces, which the files of this folder share.
 *
 * Windows. The backward pass runs first and stores only the row at the end of each window of steps (a checkpoint).
 * When the forward pass reaches a window, its backward rows are computed again from the checkpoint. So results are
 * delivered in ascending order, and windows of sqrt(T) steps need memory for about 2 sqrt(T) rows. A sequence that
 * fits in one window is computed only once. */

/* A chain: probabilities, and their logarithms in separate arrays. Rows have length `stride`; entries past the last
 * node are 0 and -INFINITY. */
struct crd_i_chain {
    crd_context *context;
    const crd_i_simd_trellis *lanes;
    const crd_i_simd_columns *columns;
    size_t states, nodes;
    size_t state_stride, stride;
    size_t transition_count;
    uint32_t *state_of;
    bool is_plain; /* nodes are states */
    bool is_dense;
    bool is_positive; /* scaled probabilities cannot underflow with any effect: see forward_backward.c */
    bool has_end;
    bool *is_start_state;
    /* one row each; without end probabilities, `end` is 1 and `log_end` is 0 */
    double *memory, *start, *log_start, *end, *log_end;
    /* dense: from source to target, and transposed; a row of zeros, and of their logarithms, follows the last row */
    double *forward, *backward, *log_forward, *log_backward;
    /* sparse: transitions by source (first_out, targets, out), and by target (first_in, sources, in) */
    size_t *first_out, *first_in;
    uint32_t *targets, *sources;
    double *out, *log_out, *in, *log_in;
    crd_i_chain_blocks *blocks; /* the sparse transitions as blocks; NULL: blocks would be mostly zeros */
};

/* Accurate sum of very many numbers. Every CRD_I_SUMMED numbers are summed plainly, and these partial sums are added
 * with a running compensation for rounding errors (Neumaier 1974). */
enum { CRD_I_SUMMED = 8 };
typedef struct crd_i_careful_sum {
    double sum, remainder, part;
    unsigned count; /* number of terms in `part` */
} crd_i_careful_sum;

static inline void crd_i_careful_flush(crd_i_careful_sum *careful) {
    const double x = careful->part, sum = careful->sum + x;
    if (sum - sum == 0)
        careful->remainder += fabs(careful->sum) >= fabs(x) ? (careful->sum - sum) + x : (x - sum) + careful->sum;
    careful->sum = sum;
    careful->part = 0;
    careful->count = 0;
}

static inline void crd_i_careful_add(crd_i_careful_sum *careful, double x) {
    careful->part += x;
    if (++careful->count == CRD_I_SUMMED) crd_i_careful_flush(careful);
}

static inline double crd_i_careful_total(crd_i_careful_sum sum) {
    crd_i_careful_flush(&sum);
    return sum.sum + sum.remainder;
}

/* A growing array of doubles, aligned to CRD_I_SIMD_ALIGNMENT. */
typedef struct crd_i_aligned_room {
    void *memory;
    double *cursor;
    size_t capacity;
} crd_i_aligned_room;

/* Makes room for rows * stride doubles. The previous contents may be lost. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_aligned_reserve(crd_context *context, crd_i_aligned_room *workspace, size_t rows,
                                        size_t stride);

/* Sparse rows: for each row, a list of nodes and their values, in the order in which they were added. */
typedef struct crd_i_node_lists {
    size_t count; /* number of rows */
    size_t *first;
    uint32_t *nodes;
    double *values;
    size_t first_capacity, node_capacity, value_capacity;
} crd_i_node_lists;

struct crd_i_chain_workspace {
    const crd_i_chain *chain;
    size_t kept;
    /* Start and end probabilities of a sequence: the chain's, or a filter's prediction at the start of its lag. */
    const double *start, *log_start, *end, *log_end;
    const bool *is_start_state;
    /* The current window. */
    uint64_t source;
    size_t steps;
    bool is_infinite;            /* some density of the sequence is infinite */
    bool is_window_infinite;     /* some density of the window is infinite: see `infinite` */
    crd_i_aligned_room logs;     /* rows of states: log emissions, then scaled emissions, then posteriors */
    crd_i_aligned_room expanded; /* the same rows by node, if nodes are not states */
    crd_i_aligned_room greatest; /* the maximum log emission of each step */
    crd_i_aligned_room tails;    /* rows of nodes of the backward pass */
    crd_i_aligned_room checkpoints;
    crd_i_aligned_room sums, weighted, totals;
    /* for each step of a window: INFINITY if a density is infinite, otherwise 0 */
    crd_i_aligned_room infinite;
    crd_i_aligned_room evidence;         /* log P(x_t | x_1 .. x_(t-1)) for the steps of the window */
    double *filtered, *predicted, *tail; /* rows of nodes; `predicted` and `tail` are zero between uses */
    double *state_sums;                  /* scratch space for a row of states */
    crd_i_aligned_room row_memory;
    int32_t *path;
    size_t path_capacity;
    /* Sparse chains only. */
    crd_i_node_lists sparse_tails, sparse_checkpoints;
    uint32_t *active, *next_active;
    crd_i_block_room block; /* for chains with blocks */
    crd_i_aligned_room block_row;
};

/* Division of a sequence into `count` windows of `length` steps. The last window may be shorter. */
typedef struct crd_i_windows {
    uint64_t steps;
    size_t length, count;
} crd_i_windows;

crd_i_windows crd_i_chain_windows(const crd_i_chain_workspace *workspace, uint64_t steps, size_t bytes_of_step);
/* Loads the log emissions of a window. Entries past the last state are set to -INFINITY, and so are states that cannot
 * begin at the first step. */
crd_status crd_i_chain_load_logs(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                 const crd_i_windows *windows, size_t window, crd_error *error);
/* Runs a backward pass from the last window to the first. `backward` loads a window and computes its rows; checkpoint w
 * is the row of the first step after window w. Afterwards the first window is ready for the forward pass. */
crd_status crd_i_chain_backward_all(crd_i_chain_workspace *workspace, const crd_i_windows *windows,
                                    crd_status (*backward)(void *run, size_t window, crd_error *error), void *run,
                                    crd_error *error);
/* Returns the log likelihood, or INFINITY if some density was infinite. */
static inline double crd_i_chain_limit(const crd_i_chain_workspace *workspace, double log_likelihood) {
    return workspace->is_infinite ? (double)INFINITY : log_likelihood;
}
/* Removes the rounding error of sums that should be 1 from log P(x_t | x_1 .. x_(t-1)). A step without an observation
 * must have probability exactly 1. */
static inline double crd_i_chain_settled(double log_evidence) {
    return log_evidence < 0x1p-44 && log_evidence > -0x1p-44 ? 0 : log_evidence;
}
/* Expands rows with a value for each state into rows with a value for each node. */
void crd_i_chain_expand(const crd_i_chain *chain, const double *states, size_t steps, double *nodes);
/* Returns the rows of nodes of the current window. */
double *crd_i_chain_node_rows(const crd_i_chain_workspace *workspace);

/* Passes the window's posteriors, which are in the rows of states, to the sink. workspace->sums holds the scale c_t of
 * each step, or its logarithm if `are_logs` is true. */
crd_status crd_i_chain_emit(crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink, bool are_logs,
                            crd_error *error);

/* Passes the window's path in workspace->path to the sink. */
crd_status crd_i_chain_emit_path(const crd_i_chain_workspace *workspace, const crd_i_path_sink *sink, crd_error *error);

/* Fills in the answer for an impossible sequence. */
crd_status crd_i_chain_impossible(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                  crd_i_chain_answer *answer, crd_error *error);

/* Runs forward-backward with logarithms. */
crd_status crd_i_chain_expect_by_logs(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                      const crd_i_posterior_sink *sink, const crd_i_chain_counts *counts,
                                      crd_i_chain_answer *answer, crd_error *error);

/* Computes the logarithms of the rows u of the backward pass. Calls `take` for each window in ascending order, with the
 * row of the window's step t at workspace->tails.cursor + t * nodes. */
crd_status crd_i_chain_log_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                 crd_status (*take)(void *user, crd_error *error), void *user,
                                 crd_i_chain_answer *answer, crd_error *error);

void crd_i_node_lists_free(crd_context *context, crd_i_node_lists *rows);

/* ======== Sparse trellis ========
 *
 * Forward and backward passes over the steps of a sparse chain. If observations leave few nodes possible, a step
 * takes time proportional to the number of transitions between possible nodes. */

/* Runs the backward pass over the current window:
 *
 *   u_t = e_t (A u_{t+1}) / (sum of u_{t+1}), or if `is_max`
 *   v_t = log e_t + max (log A + v_{t+1}) - (maximum of v_{t+1})
 *
 * The rows of states must contain scaled emissions, or log emissions if `is_max`. The row of step t becomes row steps -
 * 1 - t of workspace->sparse_tails. Before the previous window is processed, crd_i_sparse_checkpoint must store the
 * last row. */
crd_status crd_i_sparse_backward(crd_i_chain_workspace *workspace, const crd_i_windows *windows, size_t window,
                                 bool is_max, crd_error *error);
crd_status crd_i_sparse_checkpoint(crd_i_chain_workspace *workspace, crd_error *error);

/* State of the forward pass between steps: the number of reachable nodes, and scales. The equations are those that
 * crd_i_forward_pass states. */
typedef struct crd_i_sparse_pass {
    size_t active_count;
    double sum, least, overlap;
} crd_i_sparse_pass;

/* Runs the forward pass over the window. If `is_final` is true, the rows of states become posteriors, and `counts`,
 * unless NULL, are increased. The scales are stored in workspace->sums. */
void crd_i_sparse_forward(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass, bool is_final,
                          const crd_i_chain_counts *counts);
/* Cleans up after the last window, or after an abandoned pass. */
void crd_i_sparse_forward_end(crd_i_chain_workspace *workspace, crd_i_sparse_pass *pass);

/* Writes a sparse row into a row of all nodes, and resets these entries to `empty`. */
void crd_i_sparse_scatter(const crd_i_node_lists *rows, size_t row, double *destination);
void crd_i_sparse_unscatter(const crd_i_node_lists *rows, size_t row, double empty, double *destination);

/* ======== Viterbi run ========
 *
 * The most likely path, window by window, for callers that process it step by step. */

typedef struct crd_i_viterbi_run {
    crd_i_chain_workspace *work;
    const crd_i_chain *chain;
    const crd_i_emissions *emissions;
    crd_i_windows windows;
    size_t window; /* index of the next window */
    size_t node;   /* node of the previous step */
    crd_i_careful_sum total;
} crd_i_viterbi_run;

/* Runs the backward pass. The sequence must have at least one step. */
crd_status crd_i_viterbi_begin(crd_i_viterbi_run *run, const crd_i_emissions *emissions,
                               crd_i_chain_workspace *workspace, crd_error *error);
/* Finds the path in the next window. The path of the steps workspace->source .. workspace->source + workspace->steps -
 * 1 is in workspace->path. After the last window, `answer` contains the log probability. If the sequence is impossible,
 * the first call reports it, and there must be no further call. */
crd_status crd_i_viterbi_next(crd_i_viterbi_run *run, crd_i_chain_answer *answer, crd_error *error);

#endif
