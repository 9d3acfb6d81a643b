/* SPDX-License-Identifier: MIT */
/* chain_blocks.h - a sparse chain as dense blocks: in a chain of higher order the contexts that differ in their oldest state alone
 * have the same successors, so that the transitions between these and those are a matrix, and all of them are one for each
 * context of the others. Steps are then products of small matrices, with nodes in the lanes of vectors. */
#ifndef CRD_SEQUENCE_CHAIN_CHAIN_BLOCKS_H
#define CRD_SEQUENCE_CHAIN_CHAIN_BLOCKS_H

#include "math/simd/simd_trellis.h"

#include "base/context.h"

/* Transitions from the nodes `sources` to the nodes `targets`; no others lead from or to these. */
typedef struct crd_i_chain_block {
    size_t first_source, source_count; /* in the lists of all blocks, each ascending */
    size_t first_target, target_count;
    size_t source_stride, target_stride;   /* rounded up to CRD_I_SIMD */
    const double *forward;                 /* a row of targets for each source */
    const double *backward, *log_backward; /* a row of sources for each target */
    uint32_t state;                        /* that all sources have; UINT32_MAX: they differ */
} crd_i_chain_block;

typedef struct crd_i_chain_blocks {
    crd_context *context;
    crd_i_chain_block *blocks;
    size_t count;
    uint32_t *sources, *targets;
    double *memory;
    size_t widest; /* the longest row */
} crd_i_chain_blocks;

/* What blocks are made of: transitions of nodes as in crd_i_chain_parts, with their logarithms. */
typedef struct crd_i_sparse_transitions {
    size_t nodes;
    const size_t *first;
    const uint32_t *targets, *state_of;
    const double *probabilities, *logs;
} crd_i_sparse_transitions;

/* *out NULL: blocks would be mostly zeros. false: out of memory. */
CRD_MUST_USE bool crd_i_chain_blocks_create(crd_context *context, const crd_i_sparse_transitions *from,
                                            crd_i_chain_blocks **out);
void crd_i_chain_blocks_destroy(crd_i_chain_blocks *blocks);

#endif
