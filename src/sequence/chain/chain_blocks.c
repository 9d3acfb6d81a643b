/* SPDX-License-Identifier: MIT */
/* chain_blocks.c - finds the blocks of a sparse chain, and multiplies with them. See chain.h. Blocks are the
 * connected components of the bipartite graph in which each transition joins its source (left) and its target
 * (right). */
#include "sequence/chain/chain.h"

#include "base/memory.h"

#include "math/functions/elementary.h"

#include <math.h>

/* Blocks are worthwhile if their matrices have at most MOST_ENTRIES entries per transition. A block has a base row if
 * fewer than one in TRANSITIONS_PER_EXTRA transitions is an extra, because a vector handles several matrix entries at a
 * time. */
enum { MOST_ENTRIES = 3, TRANSITIONS_PER_EXTRA = 8 };

/* Number of independent partial sums, for instruction-level parallelism. */
enum { PARTS = 4 };

void crd_i_chain_blocks_destroy(crd_i_chain_blocks *blocks) {
    if (blocks == NULL) return;
    crd_free(blocks->context, blocks->blocks);
    crd_free(blocks->context, blocks->sources);
    crd_free(blocks->context, blocks->targets);
    crd_free(blocks->context, blocks->memory);
    crd_free(blocks->context, blocks->base);
    crd_free(blocks->context, blocks->log_base);
    crd_free(blocks->context, blocks->shares);
    crd_free(blocks->context, blocks->log_shares);
    crd_free(blocks->context, blocks->first_extra);
    crd_free(blocks->context, blocks->extra_places);
    crd_free(blocks->context, blocks->extras);
    crd_free(blocks->context, blocks->log_extras);
    crd_free(blocks->context, blocks);
}

/* The block of each node as a source and as a target; UINT32_MAX: none. */
typedef struct blocks_components {
    uint32_t *of_source, *of_target;
    uint32_t *parents; /* union-find parents of the targets */
    uint32_t *places;  /* for each node as a target: its position within its block */
    size_t count;
} blocks_components;

static uint32_t root_of(uint32_t *parents, uint32_t node) {
    while (parents[node] != node) node = parents[node] = parents[parents[node]];
    return node;
}

/* Finds the connected components: the targets of each source are united. */
static void chain_blocks_find_components(const crd_i_sparse_transitions *transitions, blocks_components *components) {
    const size_t nodes = transitions->nodes;
    for (size_t i = 0; i < nodes; i++) {
        components->parents[i] = (uint32_t)i;
        components->of_source[i] = components->of_target[i] = UINT32_MAX;
    }
    for (size_t i = 0; i < nodes; i++)
        for (size_t e = transitions->first[i] + 1; e < transitions->first[i + 1]; e++) {
            const uint32_t a = root_of(components->parents, transitions->targets[e - 1]),
                           b = root_of(components->parents, transitions->targets[e]);
            if (a < b) components->parents[b] = a;
            else components->parents[a] = b;
        }
    /* Number the blocks by their first source. The number of a block is stored at its root. */
    for (size_t i = 0; i < nodes; i++) {
        if (transitions->first[i] == transitions->first[i + 1]) continue;
        const uint32_t root = root_of(components->parents, transitions->targets[transitions->first[i]]);
        if (components->of_target[root] == UINT32_MAX) components->of_target[root] = (uint32_t)components->count++;
        components->of_source[i] = components->of_target[root];
    }
    for (size_t j = 0; j < nodes; j++)
        components->of_target[j] = components->of_target[root_of(components->parents, (uint32_t)j)];
}

static size_t chain_blocks_rounded_up(size_t count) {
    return (count + CRD_I_SIMD - 1) / CRD_I_SIMD * CRD_I_SIMD;
}

/* Fills the lists of sources and targets of all blocks. */
static void list_nodes(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *transitions,
                       blocks_components *components) {
    for (size_t i = 0; i < transitions->nodes; i++) {
        if (components->of_source[i] != UINT32_MAX) blocks->blocks[components->of_source[i]].source_count++;
        if (components->of_target[i] != UINT32_MAX) blocks->blocks[components->of_target[i]].target_count++;
    }
    for (size_t b = 0, sources = 0, targets = 0; b < blocks->count; b++) {
        crd_i_chain_block *block = &blocks->blocks[b];
        block->first_source = sources;
        block->first_target = targets;
        sources += block->source_count;
        targets += block->target_count;
        block->source_stride = chain_blocks_rounded_up(block->source_count);
        block->target_stride = chain_blocks_rounded_up(block->target_count);
        if (block->source_stride > blocks->widest) blocks->widest = block->source_stride;
        if (block->target_stride > blocks->widest) blocks->widest = block->target_stride;
        block->source_count = block->target_count = 0;
    }
    for (size_t i = 0; i < transitions->nodes; i++) {
        if (components->of_source[i] != UINT32_MAX) {
            crd_i_chain_block *block = &blocks->blocks[components->of_source[i]];
            if (block->source_count == 0) block->state = transitions->state_of[i];
            else if (block->state != transitions->state_of[i]) block->state = UINT32_MAX;
            blocks->sources[block->first_source + block->source_count++] = (uint32_t)i;
        }
        if (components->of_target[i] != UINT32_MAX) {
            crd_i_chain_block *block = &blocks->blocks[components->of_target[i]];
            components->places[i] = (uint32_t)block->target_count;
            blocks->targets[block->first_target + block->target_count++] = (uint32_t)i;
        }
    }
}

/* ---- Base rows ---- */

/* Returns g of a source: the largest multiple of the base row that fits below its row. */
static double chain_blocks_share(const crd_i_sparse_transitions *transitions, size_t source, size_t targets) {
    double share = INFINITY;
    /* some target cannot follow */
    if (transitions->first[source + 1] - transitions->first[source] < targets) return 0;
    for (size_t e = transitions->first[source]; e < transitions->first[source + 1]; e++) {
        const double base = transitions->shared[transitions->targets[e]];
        if (base > 0 && transitions->probabilities[e] < share * base) share = transitions->probabilities[e] / base;
    }
    return share == INFINITY ? 0 : share;
}

/* Returns whether a probability exceeds its share of the base row, apart from rounding. */
static bool is_extra(const crd_i_sparse_transitions *transitions, size_t transition, double share) {
    return transitions->probabilities[transition] >
           share * transitions->shared[transitions->targets[transition]] * (1 + 1e-12);
}

/* Chooses the blocks with a base row. Returns the number of their extras. */
static size_t choose_column_formats(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *transitions) {
    size_t all = 0;
    for (size_t b = 0; b < blocks->count; b++) {
        crd_i_chain_block *block = &blocks->blocks[b];
        size_t extras = 0;
        for (size_t s = 0; s < block->source_count; s++) {
            const size_t i = blocks->sources[block->first_source + s];
            const double share = chain_blocks_share(transitions, i, block->target_count);
            blocks->shares[block->first_source + s] = share;
            for (size_t e = transitions->first[i]; e < transitions->first[i + 1]; e++)
                extras += is_extra(transitions, e, share);
        }
        block->has_base = extras / block->source_count * TRANSITIONS_PER_EXTRA < block->target_count;
        if (block->has_base) all += extras;
    }
    return all;
}

static double chain_blocks_log(double x) {
    return x > 0 ? crd_log(x) : -INFINITY;
}

/* Fills the base rows, shares and extras of the blocks. */
static void fill_base(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *transitions,
                      const blocks_components *components) {
    size_t extra = 0, sources = 0;
    for (size_t b = 0; b < blocks->count; b++) {
        const crd_i_chain_block *block = &blocks->blocks[b];
        for (size_t t = block->first_target; t < block->first_target + block->target_count; t++) {
            blocks->base[t] = transitions->shared[blocks->targets[t]];
            blocks->log_base[t] = chain_blocks_log(blocks->base[t]);
        }
        for (sources = block->first_source; sources < block->first_source + block->source_count; sources++) {
            const size_t i = blocks->sources[sources];
            const double share = blocks->shares[sources];
            blocks->log_shares[sources] = chain_blocks_log(share);
            blocks->first_extra[sources] = extra;
            for (size_t e = transitions->first[i]; block->has_base && e < transitions->first[i + 1]; e++) {
                if (!is_extra(transitions, e, share)) continue;
                blocks->extra_places[extra] = components->places[transitions->targets[e]];
                blocks->extras[extra] =
                    transitions->probabilities[e] - share * transitions->shared[transitions->targets[e]];
                blocks->log_extras[extra++] = transitions->logs[e];
            }
        }
    }
    blocks->first_extra[sources] = extra;
}

/* Creates the base rows and extras. Returns false if out of memory, like the functions below. */
static bool chain_blocks_make_base(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *transitions,
                                   const blocks_components *components) {
    crd_context *context = blocks->context;
    const size_t nodes = transitions->nodes;
    blocks->shares = crd_i_alloc(context, nodes, sizeof *blocks->shares);
    if (blocks->shares == NULL) return false;
    const size_t extras = choose_column_formats(blocks, transitions);
    blocks->log_shares = crd_i_alloc(context, nodes, sizeof *blocks->log_shares);
    blocks->base = crd_i_alloc(context, nodes, sizeof *blocks->base);
    blocks->log_base = crd_i_alloc(context, nodes, sizeof *blocks->log_base);
    blocks->first_extra = crd_i_alloc(context, nodes + 1, sizeof *blocks->first_extra);
    blocks->extra_places = crd_i_alloc(context, extras, sizeof *blocks->extra_places);
    blocks->extras = crd_i_alloc(context, extras, sizeof *blocks->extras);
    blocks->log_extras = crd_i_alloc(context, extras, sizeof *blocks->log_extras);
    if (blocks->log_shares == NULL || blocks->base == NULL || blocks->log_base == NULL || blocks->first_extra == NULL ||
        blocks->extra_places == NULL || blocks->extras == NULL || blocks->log_extras == NULL)
        return false;
    fill_base(blocks, transitions, components);
    return true;
}

/* ---- Matrices ---- */

/* Returns the number of entries of all matrices, or SIZE_MAX if it overflows. Sets *transitions to the number of
 * transitions in these blocks. */
static size_t chain_blocks_measure(const crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *sparse,
                                   size_t *transitions) {
    size_t entries = 0;
    *transitions = 0;
    for (size_t b = 0; b < blocks->count; b++) {
        const crd_i_chain_block *block = &blocks->blocks[b];
        if (block->has_base) continue;
        if (block->source_stride > SIZE_MAX / 64 / block->target_stride) return SIZE_MAX;
        const size_t own = block->source_count * block->target_stride + 2 * block->target_count * block->source_stride;
        if (own > SIZE_MAX / 64 - entries) return SIZE_MAX;
        entries += own;
        for (size_t s = block->first_source; s < block->first_source + block->source_count; s++)
            *transitions += sparse->first[blocks->sources[s] + 1] - sparse->first[blocks->sources[s]];
    }
    return entries;
}

/* Fills the matrices of the blocks without a base row, starting at `next`. */
static void chain_blocks_fill(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *transitions,
                              const blocks_components *components, double *next) {
    for (size_t b = 0; b < blocks->count; b++) {
        crd_i_chain_block *block = &blocks->blocks[b];
        if (block->has_base) continue;
        const size_t out = block->source_count * block->target_stride, in = block->target_count * block->source_stride;
        double *forward = next, *backward = forward + out, *logs = backward + in;
        next = logs + in;
        for (size_t k = 0; k < out + in; k++) forward[k] = 0;
        for (size_t k = 0; k < in; k++) logs[k] = -INFINITY;
        for (size_t s = 0; s < block->source_count; s++) {
            const size_t i = blocks->sources[block->first_source + s];
            for (size_t e = transitions->first[i]; e < transitions->first[i + 1]; e++) {
                const size_t t = components->places[transitions->targets[e]];
                forward[s * block->target_stride + t] = transitions->probabilities[e];
                backward[t * block->source_stride + s] = transitions->probabilities[e];
                logs[t * block->source_stride + s] = transitions->logs[e];
            }
        }
        block->forward = forward;
        block->backward = backward;
        block->log_backward = logs;
    }
}

/* ---- Creating ---- */

/* Creates the blocks. Sets *is_worth to false if the matrices would be mostly zeros. */
static bool chain_blocks_make(crd_i_chain_blocks *blocks, const crd_i_sparse_transitions *sparse,
                              blocks_components *components, bool *is_worth) {
    crd_context *context = blocks->context;
    chain_blocks_find_components(sparse, components);
    blocks->count = components->count;
    blocks->blocks = crd_i_alloc_zeroed(context, components->count, sizeof *blocks->blocks);
    blocks->sources = crd_i_alloc(context, sparse->nodes, sizeof *blocks->sources);
    blocks->targets = crd_i_alloc(context, sparse->nodes, sizeof *blocks->targets);
    if (blocks->blocks == NULL || blocks->sources == NULL || blocks->targets == NULL) return false;
    list_nodes(blocks, sparse, components);
    if (sparse->shared != NULL && !chain_blocks_make_base(blocks, sparse, components)) return false;
    size_t transitions;
    const size_t entries = chain_blocks_measure(blocks, sparse, &transitions);
    *is_worth = blocks->count > 0 && entries / 3 / MOST_ENTRIES <= transitions;
    if (!*is_worth) return true;
    blocks->memory = crd_i_alloc(context, entries + CRD_I_SIMD_ALIGNMENT / sizeof(double), sizeof *blocks->memory);
    if (blocks->memory == NULL) return false;
    const size_t odd = (uintptr_t)blocks->memory % CRD_I_SIMD_ALIGNMENT / sizeof(double);
    chain_blocks_fill(blocks, sparse, components,
                      blocks->memory + (odd == 0 ? 0 : CRD_I_SIMD_ALIGNMENT / sizeof(double) - odd));
    return true;
}

bool crd_i_chain_blocks_create(crd_context *context, const crd_i_sparse_transitions *transitions,
                               crd_i_chain_blocks **out) {
    *out = NULL;
    crd_i_chain_blocks *blocks = crd_i_alloc_zeroed(context, 1, sizeof *blocks);
    blocks_components components = {crd_i_alloc(context, transitions->nodes, sizeof *components.of_source),
                                    crd_i_alloc(context, transitions->nodes, sizeof *components.of_target),
                                    crd_i_alloc(context, transitions->nodes, sizeof *components.parents),
                                    crd_i_alloc(context, transitions->nodes, sizeof *components.places), 0};
    bool is_worth = false, done = blocks != NULL && components.of_source != NULL && components.of_target != NULL &&
                                  components.parents != NULL && components.places != NULL;
    if (blocks != NULL) blocks->context = context;
    if (done) done = chain_blocks_make(blocks, transitions, &components, &is_worth);
    crd_free(context, components.of_source);
    crd_free(context, components.of_target);
    crd_free(context, components.parents);
    crd_free(context, components.places);
    if (done && is_worth) *out = blocks;
    else crd_i_chain_blocks_destroy(blocks);
    return done;
}

/* ---- Products ---- */

/* Lists the nodes with a value above `empty`: their positions in workspace->rows, and value * factor in
 * workspace->factors. Returns their number. */
static size_t chain_blocks_gather(const uint32_t *nodes, size_t count, const double *values, double empty,
                                  double factor, const crd_i_block_room *workspace) {
    size_t found = 0;
    for (size_t k = 0; k < count; k++) {
        const double value = values[nodes[k]];
        workspace->rows[found] = (uint32_t)k;
        workspace->factors[found] = value * factor;
        found += value > empty;
    }
    return found;
}

/* Version of crd_i_chain_block_backward for a block with a base row. */
static bool backward_by_base(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block, const double *values,
                             bool is_max, const crd_i_block_room *workspace) {
    const double empty = is_max ? -INFINITY : 0;
    const uint32_t *targets = blocks->targets + block->first_target;
    const double *base = (is_max ? blocks->log_base : blocks->base) + block->first_target;
    double parts[PARTS], most = empty;
    for (size_t p = 0; p < PARTS; p++) parts[p] = empty;
    for (size_t k = 0; k < block->target_count; k++) {
        const double value = workspace->factors[k] = values[targets[k]];
        double *part = &parts[k % PARTS];
        most = value > most ? value : most;
        if (!is_max) *part += base[k] * value;
        else *part = base[k] + value > *part ? base[k] + value : *part;
    }
    const bool any = most > empty;
    double common = parts[0];
    for (size_t p = 1; p < PARTS; p++) common = !is_max ? common + parts[p] : parts[p] > common ? parts[p] : common;
    for (size_t k = 0; any && k < block->source_count; k++) {
        const size_t s = block->first_source + k;
        double result = is_max ? blocks->log_shares[s] + common : blocks->shares[s] * common;
        for (size_t e = blocks->first_extra[s]; e < blocks->first_extra[s + 1]; e++) {
            const double value = workspace->factors[blocks->extra_places[e]];
            if (!is_max) result += blocks->extras[e] * value;
            else if (blocks->log_extras[e] + value > result) result = blocks->log_extras[e] + value;
        }
        workspace->out[k] = result;
    }
    return any;
}

bool crd_i_chain_block_backward(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block,
                                const crd_i_simd_trellis *lanes, const double *values, bool is_max,
                                const crd_i_block_room *workspace) {
    if (block->has_base) return backward_by_base(blocks, block, values, is_max, workspace);
    const size_t count = chain_blocks_gather(blocks->targets + block->first_target, block->target_count, values,
                                             is_max ? -INFINITY : 0, 1, workspace);
    if (count == 0) return false;
    if (is_max)
        lanes->multiply_max(block->log_backward, block->source_stride, workspace->rows, workspace->factors, count,
                            workspace->out);
    else
        lanes->multiply(block->backward, block->source_stride, workspace->rows, workspace->factors, count,
                        workspace->out);
    return true;
}

static void forward_by_base(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block, size_t count,
                            const crd_i_block_room *workspace) {
    double common = 0;
    for (size_t k = 0; k < count; k++)
        common += blocks->shares[block->first_source + workspace->rows[k]] * workspace->factors[k];
    for (size_t k = 0; k < block->target_count; k++) workspace->out[k] = blocks->base[block->first_target + k] * common;
    for (size_t k = 0; k < count; k++) {
        const size_t s = block->first_source + workspace->rows[k];
        for (size_t e = blocks->first_extra[s]; e < blocks->first_extra[s + 1]; e++)
            workspace->out[blocks->extra_places[e]] += blocks->extras[e] * workspace->factors[k];
    }
}

bool crd_i_chain_block_forward(const crd_i_chain_blocks *blocks, const crd_i_chain_block *block,
                               const crd_i_simd_trellis *lanes, const double *values, double factor,
                               const crd_i_block_room *workspace) {
    const size_t count =
        chain_blocks_gather(blocks->sources + block->first_source, block->source_count, values, 0, factor, workspace);
    if (count == 0) return false;
    if (block->has_base) forward_by_base(blocks, block, count, workspace);
    else
        lanes->multiply(block->forward, block->target_stride, workspace->rows, workspace->factors, count,
                        workspace->out);
    return true;
}
