/* SPDX-License-Identifier: MIT */
/* chain_blocks.h - a sparse chain as blocks: in a chain of higher order the contexts that differ in their oldest state alone have the
 * same successors, so that the transitions between these and those are a matrix, and all of them are one for each context of
 * the others. A block is kept as
 *
 *   a matrix     with nodes in the lanes of vectors, or
 *   a base row   P(target | source) = g(source) B(target) + extras, where most transitions were never counted, and what is left for
 *                these is shared out in the same way behind all sources: with hundreds of states that is nearly all of them. A
 *                sum over targets is then g times a sum that sources have in common, and a sum over extras. So is a maximum,
 *                since g B is at most the probability where there is an extra. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_BLOCKS_H
#define CRD_SEQUENCE_CHAIN_CHAIN_BLOCKS_H

#include "base/context.h"
#include "math/simd/simd_trellis.h"

/* Transitions from the nodes `sources` to the nodes `targets`; no others lead from or to these. */
typedef struct crd_i_chain_block {
    size_t first_source, source_count; /* in the lists of all blocks, each ascending */
    size_t first_target, target_count;
    uint32_t state; /* that all sources have; UINT32_MAX: they differ */
    bool has_base;  /* else it is a matrix, with rows rounded up to CRD_I_SIMD */
    size_t source_stride, target_stride;
    const double *forward;                 /* a row of targets for each source */
    const double *backward, *log_backward; /* a row of sources for each target */
} crd_i_chain_block;

typedef struct crd_i_chain_blocks {
    crd_context *context;
    crd_i_chain_block *blocks;
    size_t count;
    uint32_t *sources, *targets;
    double *memory; /* of matrices */
    size_t widest;  /* the longest row */
    /* Of blocks with a base, in the order of the lists: */
    double *base, *log_base;     /* B of each target */
    double *shares, *log_shares; /* g of each source */
    size_t *first_extra;         /* of each source, and behind the last one's */
    uint32_t *extra_places;      /* their targets among those of the block */
    double *extras, *log_extras; /* beyond g B; and the logarithms of the whole probabilities */
} crd_i_chain_blocks;

/* What blocks are made of: transitions of nodes as in crd_i_chain_parts, with their logarithms. */
typedef struct crd_i_sparse_transitions {
    size_t nodes;
    const size_t *first;
    const uint32_t *targets, *state_of;
    const double *probabilities, *logs;
    const double *shared; /* B of each node; NULL: none */
} crd_i_sparse_transitions;

/* *out NULL: blocks would be mostly zeros. false: out of memory. */
CRD_MUST_USE bool crd_i_chain_blocks_create(crd_context *context, const crd_i_sparse_transitions *transitions,
                                            crd_i_chain_blocks **out);
void crd_i_chain_blocks_destroy(crd_i_chain_blocks *blocks);

/* What a thread computes in: as many as the longest row. */
typedef struct crd_i_block_room {
    double *factors, *out; /* out is aligned */
    uint32_t *rows;
} crd_i_block_room;

/* room->out[k] of the block's source k: sum over its targets of P(target | source) values[target], or the greatest of log P(target |
 * source) + values[target]. Targets at or below `empty`, 0 or -INFINITY, do not count. false: none counts. */
CRD_MUST_USE bool crd_i_chain_block_backward(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block,
                                             const crd_i_simd_trellis *lanes, const double *values, bool is_max,
                                             const crd_i_block_room *workspace);
/* room->out[k] of the block's target k: sum over its sources of factor values[source] P(target | source). */
CRD_MUST_USE bool crd_i_chain_block_forward(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block,
                                            const crd_i_simd_trellis *lanes, const double *values, double factor,
                                            const crd_i_block_room *workspace);

#endif
