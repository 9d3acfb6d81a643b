/* SPDX-License-Identifier: MIT */
/* chain_blocks.c - see chain_blocks.h. Blocks are the components of the graph in which each transition joins its source, as a
 * source, with its target, as a target. */
#include "sequence/chain/chain_blocks.h"

#include "base/memory.h"

#include <math.h>

/* Entries of blocks for each transition that there is, at most. */
enum { MOST_ENTRIES = 3 };

void crd_i_chain_blocks_destroy(crd_i_chain_blocks *blocks) {
    if (blocks == NULL) return;
    crd_free(blocks->context, blocks->blocks);
    crd_free(blocks->context, blocks->sources);
    crd_free(blocks->context, blocks->targets);
    crd_free(blocks->context, blocks->memory);
    crd_free(blocks->context, blocks);
}

/* The block of each node as a source and as a target; UINT32_MAX: of none. */
typedef struct components {
    uint32_t *of_source, *of_target;
    uint32_t *parents; /* of targets: the trees of a union-find structure */
    uint32_t *places;  /* of each node as a target among those of its block */
    size_t count;
} components;

static uint32_t root_of(uint32_t *parents, uint32_t node) {
    while (parents[node] != node) node = parents[node] = parents[parents[node]];
    return node;
}

static void find_components(const crd_i_sparse_transitions *from, components *of) {
    const size_t nodes = from->nodes;
    for (size_t i = 0; i < nodes; i++) {
        of->parents[i] = (uint32_t)i;
        of->of_source[i] = of->of_target[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < nodes; i++)
        for (size_t e = from->first[i] + 1; e < from->first[i + 1]; e++) {
            const uint32_t a = root_of(of->parents, from->targets[e - 1]), b = root_of(of->parents, from->targets[e]);
            if (a < b) of->parents[b] = a;
            else of->parents[a] = b;
        }
    /* Numbered by their first source; a block's number is kept at the root. */
    for (size_t i = 0; i < nodes; i++) {
        if (from->first[i] == from->first[i + 1]) continue;
        const uint32_t root = root_of(of->parents, from->targets[from->first[i]]);
        if (of->of_target[root] == UINT32_MAX) of->of_target[root] = (uint32_t)of->count++;
        of->of_source[i] = of->of_target[root];
    }
    for (size_t j = 0; j < nodes; j++) of->of_target[j] = of->of_target[root_of(of->parents, (uint32_t)j)];
}

static size_t rounded_up(size_t count) {
    return (count + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
}

/* How many sources and targets each block has, and where they begin. Returns how many entries all matrices have, or SIZE_MAX. */
static size_t measure(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *from, const components *of) {
    for (size_t i = 0; i < from->nodes; i++) {
        if (of->of_source[i] != UINT32_MAX) blocks->blocks[of->of_source[i]].source_count++;
        if (of->of_target[i] != UINT32_MAX) blocks->blocks[of->of_target[i]].target_count++;
    }
    size_t entries = 0;
    for (size_t b = 0, sources = 0, targets = 0; b < blocks->count; b++) {
        crd_i_chain_block *block = &blocks->blocks[b];
        block->first_source = sources;
        block->first_target = targets;
        sources += block->source_count;
        targets += block->target_count;
        block->source_stride = rounded_up(block->source_count);
        block->target_stride = rounded_up(block->target_count);
        if (block->source_count > SIZE_MAX / 64 / block->target_stride) return SIZE_MAX;
        const size_t own = block->source_count * block->target_stride + 2 * block->target_count * block->source_stride;
        if (own > SIZE_MAX / 64 - entries) return SIZE_MAX;
        entries += own;
        if (block->source_stride > blocks->widest) blocks->widest = block->source_stride;
        if (block->target_stride > blocks->widest) blocks->widest = block->target_stride;
    }
    return entries;
}

/* The lists of sources and targets. */
static void list_nodes(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *from, components *of) {
    for (size_t b = 0; b < blocks->count; b++) blocks->blocks[b].source_count = blocks->blocks[b].target_count = 0;
    for (size_t i = 0; i < from->nodes; i++) {
        if (of->of_source[i] != UINT32_MAX) {
            crd_i_chain_block *block = &blocks->blocks[of->of_source[i]];
            if (block->source_count == 0) block->state = from->state_of[i];
            else if (block->state != from->state_of[i]) block->state = UINT32_MAX;
            blocks->sources[block->first_source + block->source_count++] = (uint32_t)i;
        }
        if (of->of_target[i] != UINT32_MAX) {
            crd_i_chain_block *block = &blocks->blocks[of->of_target[i]];
            of->places[i] = (uint32_t)block->target_count;
            blocks->targets[block->first_target + block->target_count++] = (uint32_t)i;
        }
    }
}

static void fill(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *from, const components *of, double *next) {
    for (size_t b = 0; b < blocks->count; b++) {
        crd_i_chain_block *block = &blocks->blocks[b];
        const size_t out = block->source_count * block->target_stride, in = block->target_count * block->source_stride;
        double *forward = next, *backward = forward + out, *logs = backward + in;
        next = logs + in;
        for (size_t k = 0; k < out + in; k++) forward[k] = 0;
        for (size_t k = 0; k < in; k++) logs[k] = -INFINITY;
        for (size_t s = 0; s < block->source_count; s++) {
            const size_t i = blocks->sources[block->first_source + s];
            for (size_t e = from->first[i]; e < from->first[i + 1]; e++) {
                const size_t t = of->places[from->targets[e]];
                forward[s * block->target_stride + t] = from->probabilities[e];
                backward[t * block->source_stride + s] = from->probabilities[e];
                logs[t * block->source_stride + s] = from->logs[e];
            }
        }
        block->forward = forward;
        block->backward = backward;
        block->log_backward = logs;
    }
}

/* false: out of memory. */
static bool make(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *from, components *of, bool *is_worth) {
    crd_context *context = blocks->context;
    find_components(from, of);
    blocks->count = of->count;
    blocks->blocks = crd_i_alloc_zeroed(context, of->count, sizeof *blocks->blocks);
    if (blocks->blocks == NULL) return false;
    const size_t entries = measure(blocks, from, of), transitions = from->first[from->nodes];
    *is_worth = transitions > 0 && entries / 3 / MOST_ENTRIES < transitions;
    if (!*is_worth) return true;
    blocks->sources = crd_i_alloc(context, from->nodes, sizeof *blocks->sources);
    blocks->targets = crd_i_alloc(context, from->nodes, sizeof *blocks->targets);
    blocks->memory = crd_i_alloc(context, entries + CRD_I_SIMD_ALIGNMENT / sizeof(double), sizeof *blocks->memory);
    if (blocks->sources == NULL || blocks->targets == NULL || blocks->memory == NULL) return false;
    const size_t odd = (uintptr_t)blocks->memory % CRD_I_SIMD_ALIGNMENT / sizeof(double);
    list_nodes(blocks, from, of);
    fill(blocks, from, of, blocks->memory + (odd == 0 ? 0 : CRD_I_SIMD_ALIGNMENT / sizeof(double) - odd));
    return true;
}

bool crd_i_chain_blocks_create(crd_context *context, const crd_i_sparse_transitions *from, crd_i_chain_blocks **out) {
    *out = NULL;
    crd_i_chain_blocks *blocks = crd_i_alloc_zeroed(context, 1, sizeof *blocks);
    components of = {crd_i_alloc(context, from->nodes, sizeof *of.of_source),
                     crd_i_alloc(context, from->nodes, sizeof *of.of_target),
                     crd_i_alloc(context, from->nodes, sizeof *of.parents),
                     crd_i_alloc(context, from->nodes, sizeof *of.places), 0};
    bool is_worth = false, done = blocks != NULL && of.of_source != NULL && of.of_target != NULL &&
                                  of.parents != NULL && of.places != NULL;
    if (blocks != NULL) blocks->context = context;
    if (done) done = make(blocks, from, &of, &is_worth);
    crd_free(context, of.of_source);
    crd_free(context, of.of_target);
    crd_free(context, of.parents);
    crd_free(context, of.places);
    if (done && is_worth) *out = blocks;
    else crd_i_chain_blocks_destroy(blocks);
    return done;
}
