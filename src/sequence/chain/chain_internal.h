/* SPDX-License-Identifier: MIT */
/* chain_internal.h - internals shared by the files of chain.h: the chain's tables, windows of steps, and workspaces.
 *
 * Windows. The backward pass runs first and stores only the row at the end of each window of steps (a checkpoint). When
 * the forward pass reaches a window, its backward rows are computed again from the checkpoint. So results are delivered
 * in ascending order, and windows of sqrt(T) steps need memory for about 2 sqrt(T) rows. A sequence that fits in one
 * window is computed only once. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_INTERNAL_H
#define CRD_SEQUENCE_CHAIN_CHAIN_INTERNAL_H

#include "math/simd/simd_trellis.h"
#include "sequence/chain/chain.h"

#include "sequence/chain/chain_blocks.h"
#include <math.h>

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

/* Computes the rows v of the most likely continuations from each step (see viterbi.c), all in one window. */
crd_status crd_i_chain_best_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions, crd_error *error);

void crd_i_node_lists_free(crd_context *context, crd_i_node_lists *rows);

#endif
