/* SPDX-License-Identifier: MIT */
/* graph.c - see graph.h.
 *
 * Contents:
 *   1. Graph
 *   2. Equivalence classes and distances */
#include "structure/graph.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ======== 1. Graph ======== */

crd_i_graph *crd_i_graph_create(crd_context *context, size_t count) {
    crd_i_graph *graph = crd_i_arena_object(context, sizeof *graph);
    if (graph == NULL) return NULL;
    graph->context = context;
    graph->count = count;
    graph->words = (count + 63) / 64;
    graph->parents = crd_i_arena_alloc_zeroed(graph->arena, count, graph->words * sizeof *graph->parents);
    graph->children = crd_i_arena_alloc_zeroed(graph->arena, count, graph->words * sizeof *graph->children);
    if (!crd_i_arena_failed(graph->arena)) return graph;
    crd_i_graph_destroy(graph);
    return NULL;
}

void crd_i_graph_destroy(crd_i_graph *graph) {
    if (graph != NULL) crd_i_arena_destroy(graph->arena);
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

/* ======== 2. Equivalence classes and distances ======== */

/* Returns whether Meek's rule 1 or 2 directs the undirected edge a - b to a -> b. Rule 1: c -> a, with c and b not
 * adjacent. Rule 2: a -> c -> b. */
static bool follows_from_one(const crd_i_graph *graph, size_t a, size_t b) {
    const uint64_t *parents_a = crd_i_graph_parents(graph, a), *children_a = crd_i_graph_children(graph, a);
    const uint64_t *parents_b = crd_i_graph_parents(graph, b), *children_b = crd_i_graph_children(graph, b);
    for (size_t w = 0; w < graph->words; w++) {
        uint64_t into_a = parents_a[w] & ~children_a[w], out_of_a = children_a[w] & ~parents_a[w];
        uint64_t into_b = parents_b[w] & ~children_b[w], near_b = parents_b[w] | children_b[w];
        if (b / 64 == w) into_a &= ~(UINT64_C(1) << (b % 64));
        if ((into_a & ~near_b) != 0 || (out_of_a & into_b) != 0) return true;
    }
    return false;
}

/* Returns whether Meek's rule 3 or 4 directs the undirected edge a - b to a -> b. Rule 3: a - c -> b and a - d -> b,
 * with c and d not adjacent. Rule 4: a - c, c -> d -> b, with a and d adjacent, and c and b not adjacent. */
static bool follows_from_two(const crd_i_graph *graph, size_t a, size_t b) {
    for (size_t d = 0; d < graph->count; d++) {
        if (d == a || !crd_i_graph_is_directed(graph, d, b) || !crd_i_graph_is_adjacent(graph, a, d)) continue;
        bool is_free = crd_i_graph_is_undirected(graph, a, d);
        for (size_t c = 0; c < graph->count; c++) {
            if (c == b || c == d || !crd_i_graph_is_undirected(graph, a, c)) continue;
            if (is_free && crd_i_graph_is_directed(graph, c, b) && !crd_i_graph_is_adjacent(graph, c, d)) return true;
            if (crd_i_graph_is_directed(graph, c, d) && !crd_i_graph_is_adjacent(graph, c, b)) return true;
        }
    }
    return false;
}

void crd_i_graph_apply_meek_rules(crd_i_graph *graph, uint64_t *scratch) {
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t a = 0; a < graph->count; a++) {
            const uint64_t *row = crd_i_graph_children(graph, a);
            for (size_t b = crd_i_bit_next(row, graph->words, 0); b < graph->count;
                 b = crd_i_bit_next(row, graph->words, b + 1)) {
                if (!crd_i_graph_has(graph, b, a)) continue;
                if (!follows_from_one(graph, a, b) && !follows_from_two(graph, a, b)) continue;
                if (crd_i_graph_has_path(graph, b, a, scratch)) continue;
                crd_i_graph_remove(graph, b, a);
                has_changed = true;
            }
        }
    }
}

/* Returns whether an arc of a DAG is part of a v-structure: its head has another parent that is not adjacent to its
 * tail. */
static bool is_in_v_structure(const crd_i_graph *dag, size_t source, size_t target) {
    const uint64_t *others = crd_i_graph_parents(dag, target);
    const uint64_t *parents = crd_i_graph_parents(dag, source), *children = crd_i_graph_children(dag, source);
    for (size_t w = 0; w < dag->words; w++) {
        uint64_t apart = others[w] & ~(parents[w] | children[w]);
        if (source / 64 == w) apart &= ~(UINT64_C(1) << (source % 64));
        if (apart != 0) return true;
    }
    return false;
}

crd_status crd_i_graph_complete(const crd_i_graph *dag, const crd_i_graph *forbidden, crd_i_graph **out,
                                crd_error *error) {
    *out = NULL;
    crd_i_graph *graph = crd_i_graph_clone(dag);
    uint64_t *scratch = crd_i_alloc(dag->context, 2 * dag->words, sizeof *scratch);
    if (graph == NULL || scratch == NULL) {
        crd_free(dag->context, scratch);
        crd_i_graph_destroy(graph);
        return crd_i_fail_memory(error);
    }
    for (size_t target = 0; target < dag->count; target++) {
        const uint64_t *row = crd_i_graph_parents(dag, target);
        for (size_t source = crd_i_bit_next(row, dag->words, 0); source < dag->count;
             source = crd_i_bit_next(row, dag->words, source + 1))
            if (!is_in_v_structure(dag, source, target) &&
                (forbidden == NULL || !crd_i_graph_has(forbidden, target, source)))
                crd_i_graph_add(graph, target, source);
    }
    crd_i_graph_apply_meek_rules(graph, scratch);
    crd_free(dag->context, scratch);
    *out = graph;
    return CRD_OK;
}

/* Returns the cost of making a node a sink with all its undirected edges directed into it; 0: it can be a sink. Each
 * pair of neighbors that violates the condition of Dor and Tarsi because they are not adjacent costs 1. A directed
 * arc that leaves the node costs more than all such pairs. */
static size_t cost_of_sink(const crd_i_graph *left, size_t node) {
    const uint64_t *parents = crd_i_graph_parents(left, node), *children = crd_i_graph_children(left, node);
    size_t cost = 0;
    for (size_t w = 0; w < left->words; w++)
        cost += left->count * left->count * (size_t)__builtin_popcountll(children[w] & ~parents[w]);
    for (size_t y = crd_i_bit_next(children, left->words, 0); y < left->count;
         y = crd_i_bit_next(children, left->words, y + 1)) {
        if (!crd_i_bit(parents, y)) continue;
        const uint64_t *into_y = crd_i_graph_parents(left, y), *out_of_y = crd_i_graph_children(left, y);
        for (size_t w = 0; w < left->words; w++) {
            uint64_t apart = (parents[w] | children[w]) & ~(into_y[w] | out_of_y[w]);
            if (y / 64 == w) apart &= ~(UINT64_C(1) << (y % 64));
            cost += (size_t)__builtin_popcountll(apart);
        }
    }
    return cost;
}

/* Directs all edges of a node of `left` into it in `dag`, and removes them from `left`. */
static void take_sink(crd_i_graph *left, crd_i_graph *dag, size_t node) {
    for (size_t i = 0; i < left->count; i++) {
        if (i == node || !crd_i_graph_is_adjacent(left, i, node)) continue;
        crd_i_graph_add(dag, i, node);
        crd_i_graph_remove(left, i, node);
        crd_i_graph_remove(left, node, i);
    }
}

crd_status crd_i_graph_extend(const crd_i_graph *graph, crd_i_graph **out, bool *is_consistent, crd_error *error) {
    *out = NULL;
    crd_status status = CRD_OK;
    crd_i_graph *left = crd_i_graph_clone(graph), *dag = crd_i_graph_create(graph->context, graph->count);
    bool *is_taken = crd_i_alloc_zeroed(graph->context, graph->count, sizeof *is_taken);
    if (is_consistent != NULL) *is_consistent = true;
    if (left == NULL || dag == NULL || is_taken == NULL) {
        status = crd_i_fail_memory(error);
        goto done;
    }
    for (size_t i = 0; i < graph->count; i++) {
        size_t best = SIZE_MAX, least = SIZE_MAX;
        /* Starts with the last number: if two adjacent nodes can both be sinks, the arc leads from the first to the
         * last. */
        for (size_t node = graph->count; node-- > 0 && least > 0;) {
            if (is_taken[node]) continue;
            size_t cost = cost_of_sink(left, node);
            if (cost >= least) continue;
            best = node;
            least = cost;
        }
        if (least > 0 && is_consistent != NULL) *is_consistent = false;
        is_taken[best] = true;
        take_sink(left, dag, best);
    }
    *out = dag;
    dag = NULL;
done:
    crd_free(graph->context, is_taken);
    crd_i_graph_destroy(left);
    crd_i_graph_destroy(dag);
    return status;
}

size_t crd_i_graph_distance(const crd_i_graph *a, const crd_i_graph *b) {
    size_t distance = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = i + 1; j < a->count; j++)
            distance += crd_i_graph_has(a, i, j) != crd_i_graph_has(b, i, j) ||
                        crd_i_graph_has(a, j, i) != crd_i_graph_has(b, j, i);
    return distance;
}

crd_status crd_i_graph_hamming_distance(const crd_i_graph *a, const crd_i_graph *b, size_t *distance,
                                        crd_error *error) {
    *distance = 0;
    crd_i_graph *class_a = NULL, *class_b = NULL;
    crd_status status = crd_i_graph_complete(a, NULL, &class_a, error);
    if (status == CRD_OK) status = crd_i_graph_complete(b, NULL, &class_b, error);
    if (status == CRD_OK) *distance = crd_i_graph_distance(class_a, class_b);
    crd_i_graph_destroy(class_a);
    crd_i_graph_destroy(class_b);
    return status;
}
