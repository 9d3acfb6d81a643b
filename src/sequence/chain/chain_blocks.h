/* SPDX-License-Identifier: MIT */
/* chain_blocks.h - a sparse chain as a set of blocks. In a chain of higher order, contexts that differ only in their
 * oldest state have the same successors. So the transitions from these contexts to their successors form a matrix, and
 * the chain has one such matrix for each combination of the newer states. A block is stored either as
 *
 *   a matrix     with nodes in the lanes of vectors, or
 *   a base row   P(target | source) = g(source) B(target) + extras.
 *
 * A base row is used if most transitions were never counted, because smoothing distributes the remaining probability in
 * the same proportions after all sources. With hundreds of states, that holds for nearly all transitions. A sum over
 * targets is then g times a common sum, plus a sum over the extras. A maximum is computed in the same way, because g B
 * is at most the probability of a target that has an extra. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_BLOCKS_H
#define CRD_SEQUENCE_CHAIN_CHAIN_BLOCKS_H

#include "base/context.h"
#include "math/simd/simd_trellis.h"

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

#endif
