/* SPDX-License-Identifier: MIT */
/* chain_internal.h - what the files of chain.h share: the chain's tables, windows of steps, and the memory of a thread.
 *
 * Windows. The backward pass comes first: it keeps its row at the end of each window of steps only, and each window is computed once more
 * when the forward pass comes to it. So answers leave in ascending order, and with windows of sqrt(T) steps there are as many
 * rows as that. A sequence that fits into one window is computed once. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_INTERNAL_H
#define CRD_SEQUENCE_CHAIN_CHAIN_INTERNAL_H

#include "math/simd/simd_trellis.h"
#include "sequence/chain/chain.h"

#include "sequence/chain/chain_blocks.h"
#include <math.h>

/* Probabilities and their logarithms, one behind the other. Rows of the dense form have a length of `stride`: 0 and -INFINITY behind the nodes. */
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
    bool is_positive; /* no scaled probability can underflow to any effect: see forward_backward.c */
    bool has_end;
    bool *is_start_state;
    double *memory, *start, *log_start, *end, *log_end; /* rows; end is 1 and 0 where sequences just stop */
    /* dense: from source to target, and transposed; a row of zeros, and of their logarithms, behind the last one */
    double *forward, *backward, *log_forward, *log_backward;
    /* sparse: those of a source, and those of a target */
    size_t *first_out, *first_in;
    uint32_t *targets, *sources;
    double *out, *log_out, *in, *log_in;
    crd_i_chain_blocks *blocks; /* the same as matrices; NULL: these would be mostly zeros */
};

/* A sum of very many numbers: of each CRD_I_SUMMED of them one, and of these one whose rounding errors are added up beside it (Neumaier
 * 1974). */
enum { CRD_I_SUMMED = 8 };
typedef struct crd_i_careful_sum {
    double sum, remainder, part;
    unsigned count; /* in the part */
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

/* Doubles that begin at a multiple of CRD_I_SIMD_ALIGNMENT, as many as were asked for last. */
typedef struct crd_i_aligned_room {
    void *memory;
    double *cursor;
    size_t capacity;
} crd_i_aligned_room;

/* What is there before is lost. */
CRD_MUST_USE bool crd_i_aligned_reserve(crd_context *context, crd_i_aligned_room *workspace, size_t rows,
                                        size_t stride);

/* Rows of few nodes, in the order of being added. */
typedef struct crd_i_node_lists {
    size_t count; /* rows */
    size_t *first;
    uint32_t *nodes;
    double *values;
    size_t first_capacity, node_capacity, value_capacity;
} crd_i_node_lists;

struct crd_i_chain_workspace {
    const crd_i_chain *chain;
    size_t kept;
    /* What a sequence begins and ends with: the chain's, or what a filter has at the end of its lag */
    const double *start, *log_start, *end, *log_end;
    const bool *is_start_state;
    /* The window at hand */
    uint64_t source;
    size_t steps;
    bool is_infinite;            /* a density of the sequence is */
    bool is_window_infinite;     /* one of the window is: see `infinite` */
    crd_i_aligned_room logs;     /* rows of states: log emissions, scaled emissions, posteriors */
    crd_i_aligned_room expanded; /* the same of nodes, where these are not states */
    crd_i_aligned_room greatest; /* of each step's log emissions */
    crd_i_aligned_room tails;    /* rows of nodes: of the backward pass */
    crd_i_aligned_room checkpoints;
    crd_i_aligned_room sums, weighted, totals;
    crd_i_aligned_room infinite;         /* of each step of a window: INFINITY where a density is, else 0 */
    crd_i_aligned_room evidence;         /* log P(x_t | x_1 .. x_(t-1)) of the window's steps */
    double *filtered, *predicted, *tail; /* rows of nodes; the last two are zero between uses */
    double *state_sums;                  /* room for a row of states */
    crd_i_aligned_room row_memory;
    int32_t *path;
    size_t path_capacity;
    /* Sparse chains */
    crd_i_node_lists sparse_tails, sparse_checkpoints;
    uint32_t *active, *next_active;
    crd_i_block_room block; /* of chains of blocks */
    crd_i_aligned_room block_row;
};

/* How a sequence is divided: `count` windows of `length` steps, the last one perhaps shorter. */
typedef struct crd_i_windows {
    uint64_t steps;
    size_t length, count;
} crd_i_windows;

crd_i_windows crd_i_chain_windows(const crd_i_chain_workspace *workspace, uint64_t steps, size_t bytes_of_step);
/* The log emissions of a window, with -INFINITY behind the states, and at the first step for states that cannot begin; expanded to nodes where these are not states. */
crd_status crd_i_chain_load_logs(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                 const crd_i_windows *windows, size_t window, crd_error *error);
/* The log likelihood as it is where a density was infinite. */
static inline double crd_i_chain_limit(const crd_i_chain_workspace *workspace, double log_likelihood) {
    return workspace->is_infinite ? (double)INFINITY : log_likelihood;
}
/* log P(x_t | x_1 .. x_(t-1)) without the rounding of sums that are 1: a step without an observation has probability 1, not more. */
static inline double crd_i_chain_settled(double log_evidence) {
    return log_evidence < 0x1p-44 && log_evidence > -0x1p-44 ? 0 : log_evidence;
}
/* Rows of a value for each state become rows of a value for each node. */
void crd_i_chain_expand(const crd_i_chain *chain, const double *states, size_t steps, double *nodes);
/* The rows of nodes of the window at hand. */
double *crd_i_chain_node_rows(const crd_i_chain_workspace *workspace);

/* The window's posteriors, which stand in rows of states, to the sink. workspace->sums has the scale of each step, or its logarithm. */
crd_status crd_i_chain_emit(crd_i_chain_workspace *workspace, const crd_i_posterior_sink *sink, bool are_logs,
                            crd_error *error);

/* The window's path, in workspace->path, to the sink. */
crd_status crd_i_chain_emit_path(const crd_i_chain_workspace *workspace, const crd_i_path_sink *sink, crd_error *error);

/* Fills in the answer of an impossible sequence. */
crd_status crd_i_chain_impossible(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                  crd_i_chain_answer *answer, crd_error *error);

/* Forward-backward with logarithms. */
crd_status crd_i_chain_expect_by_logs(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                      const crd_i_posterior_sink *sink, const crd_i_chain_counts *counts,
                                      crd_i_chain_answer *answer, crd_error *error);

/* The logarithms of rows u of the backward pass: calls `take` for each window in ascending order, with that of its step t at
 * workspace->tails.at + t * nodes. */
crd_status crd_i_chain_log_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions,
                                 crd_status (*take)(void *user, crd_error *error), void *user,
                                 crd_i_chain_answer *answer, crd_error *error);

/* The rows of the most likely ways on from each step (see viterbi.c), all in one window. */
crd_status crd_i_chain_best_tails(crd_i_chain_workspace *workspace, const crd_i_emissions *emissions, crd_error *error);

void crd_i_node_lists_free(crd_context *context, crd_i_node_lists *rows);

#endif
