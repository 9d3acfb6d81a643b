/* SPDX-License-Identifier: MIT */
/* graph.c - see graph.h. */
#include "structure/graph.h"

#include "base/memory.h"

#include <string.h>

crd_i_graph *crd_i_graph_create(crd_context *context, size_t count) {
    crd_i_graph *graph = crd_i_alloc_zeroed(context, 1, sizeof *graph);
    if (graph == NULL) return NULL;
    graph->context = context;
    graph->count = count;
    graph->words = (count + 63) / 64;
    if (graph->words > 0 && count > SIZE_MAX / graph->words) goto fail;
    graph->parents = crd_i_alloc_zeroed(context, count * graph->words, sizeof *graph->parents);
    graph->children = crd_i_alloc_zeroed(context, count * graph->words, sizeof *graph->children);
    if (graph->parents == NULL || graph->children == NULL) goto fail;
    return graph;

fail:
    crd_i_graph_destroy(graph);
    return NULL;
}

void crd_i_graph_destroy(crd_i_graph *graph) {
    if (graph == NULL) return;
    crd_free(graph->context, graph->parents);
    crd_free(graph->context, graph->children);
    crd_free(graph->context, graph);
}

static size_t row_bytes(const crd_i_graph *graph) {
    return graph->count * graph->words * sizeof *graph->parents;
}

void crd_i_graph_assign(crd_i_graph *target_graph, const crd_i_graph *source_graph) {
    if (row_bytes(source_graph) == 0) return;
    memcpy(target_graph->parents, source_graph->parents, row_bytes(source_graph));
    memcpy(target_graph->children, source_graph->children, row_bytes(source_graph));
}

crd_i_graph *crd_i_graph_clone(const crd_i_graph *graph) {
    crd_i_graph *copy = crd_i_graph_create(graph->context, graph->count);
    if (copy != NULL) crd_i_graph_assign(copy, graph);
    return copy;
}

void crd_i_graph_clear(crd_i_graph *graph) {
    if (row_bytes(graph) == 0) return;
    memset(graph->parents, 0, row_bytes(graph));
    memset(graph->children, 0, row_bytes(graph));
}

bool crd_i_graph_equal(const crd_i_graph *a, const crd_i_graph *b) {
    return row_bytes(a) == 0 || memcmp(a->parents, b->parents, row_bytes(a)) == 0;
}

size_t crd_i_graph_edge_count(const crd_i_graph *graph) {
    size_t edges = 0;
    for (size_t i = 0; i < graph->count; i++) {
        const uint64_t *destination = crd_i_graph_children(graph, i), *source = crd_i_graph_parents(graph, i);
        for (size_t j = crd_i_bit_next(destination, graph->words, 0); j < graph->count;
             j = crd_i_bit_next(destination, graph->words, j + 1))
            edges += i < j || !crd_i_bit(source, j);
    }
    return edges;
}

size_t crd_i_graph_parent_list(const crd_i_graph *graph, size_t node, uint32_t *parents) {
    const uint64_t *row = crd_i_graph_parents(graph, node);
    size_t count = 0;
    for (size_t i = crd_i_bit_next(row, graph->words, 0); i < graph->count;
         i = crd_i_bit_next(row, graph->words, i + 1))
        parents[count++] = (uint32_t)i;
    return count;
}

size_t crd_i_graph_parent_count(const crd_i_graph *graph, size_t node) {
    const uint64_t *row = crd_i_graph_parents(graph, node);
    size_t count = 0;
    for (size_t w = 0; w < graph->words; w++) count += (size_t)__builtin_popcountll(row[w]);
    return count;
}

bool crd_i_graph_has_path(const crd_i_graph *graph, size_t source, size_t target, uint64_t *scratch) {
    size_t words = graph->words;
    if (source == target) return true;
    uint64_t *reached = scratch, *open = scratch + words;
    memset(scratch, 0, 2 * words * sizeof *scratch);
    crd_i_bit_set(reached, source);
    crd_i_bit_set(open, source);
    for (size_t index = source; index < graph->count; index = crd_i_bit_next(open, words, 0)) {
        const uint64_t *children = crd_i_graph_children(graph, index), *parents = crd_i_graph_parents(graph, index);
        crd_i_bit_clear(open, index);
        for (size_t w = 0; w < words; w++) {
            uint64_t fresh = children[w] & ~parents[w] & ~reached[w];
            reached[w] |= fresh;
            open[w] |= fresh;
        }
        if (crd_i_bit(reached, target)) return true;
    }
    return false;
}

static bool are_within(const uint64_t *row, const uint64_t *set, size_t words) {
    for (size_t w = 0; w < words; w++)
        if ((row[w] & ~set[w]) != 0) return false;
    return true;
}

bool crd_i_graph_order(const crd_i_graph *graph, uint32_t *order, uint64_t *scratch) {
    uint64_t *placed = scratch;
    if (graph->words > 0) memset(placed, 0, graph->words * sizeof *placed);
    for (size_t i = 0; i < graph->count; i++) {
        size_t next = 0;
        while (next < graph->count &&
               (crd_i_bit(placed, next) || !are_within(crd_i_graph_parents(graph, next), placed, graph->words)))
            next++;
        if (next == graph->count) return false;
        crd_i_bit_set(placed, next);
        if (order != NULL) order[i] = (uint32_t)next;
    }
    return true;
}

void crd_i_graph_markov_blanket(const crd_i_graph *graph, size_t node, uint64_t *blanket) {
    const uint64_t *children = crd_i_graph_children(graph, node), *parents = crd_i_graph_parents(graph, node);
    size_t words = graph->words;
    for (size_t w = 0; w < words; w++) blanket[w] = children[w] | parents[w];
    for (size_t child = crd_i_bit_next(children, words, 0); child < graph->count;
         child = crd_i_bit_next(children, words, child + 1)) {
        if (crd_i_bit(parents, child)) continue;
        const uint64_t *others = crd_i_graph_parents(graph, child), *below = crd_i_graph_children(graph, child);
        for (size_t w = 0; w < words; w++) blanket[w] |= others[w] & ~below[w];
    }
    crd_i_bit_clear(blanket, node);
}
