/* SPDX-License-Identifier: MIT */
/* graph.h - a graph over numbered nodes, held as bit rows: the structure of a Bayesian network while it is searched.
 *
 * There is an arc from i to j, or there is none; both directions at once are an undirected edge i - j. A directed
 * acyclic graph (DAG) has no undirected edge; a completed partially directed acyclic graph (CPDAG) stands for all DAGs
 * that state the same independences, its undirected edges for arcs that differ among them. Row j of `parents` has bit i
 * where there is an arc from i to j, and row i of `children` bit j: each arc is in both, and an undirected edge in both
 * rows of both nodes. Bits from `count` on are zero. */
#ifndef CRD_STRUCTURE_GRAPH_H
#define CRD_STRUCTURE_GRAPH_H

#include "base/context.h"

typedef struct crd_i_graph {
    crd_context *context;
    size_t count; /* of nodes */
    size_t words; /* of a bit row: 64 nodes each */
    uint64_t *parents, *children;
} crd_i_graph;

/* Without arcs; or a copy. NULL: out of memory. */
crd_i_graph *crd_i_graph_create(crd_context *context, size_t count);
crd_i_graph *crd_i_graph_clone(const crd_i_graph *graph);
void crd_i_graph_destroy(crd_i_graph *graph);
/* Overwrites a graph with another of as many nodes. */
void crd_i_graph_assign(crd_i_graph *target_graph, const crd_i_graph *source_graph);
void crd_i_graph_clear(crd_i_graph *graph);
/* Whether two graphs of as many nodes have the same arcs. */
bool crd_i_graph_equal(const crd_i_graph *a, const crd_i_graph *b);

static inline bool crd_i_bit(const uint64_t *row, size_t index) {
    return (row[index / 64] >> (index % 64) & 1) != 0;
}

static inline void crd_i_bit_set(uint64_t *row, size_t index) {
    row[index / 64] |= UINT64_C(1) << (index % 64);
}

static inline void crd_i_bit_clear(uint64_t *row, size_t index) {
    row[index / 64] &= ~(UINT64_C(1) << (index % 64));
}

/* The first bit of a row that is set, from `from` on; words * 64 where there is none. */
static inline size_t crd_i_bit_next(const uint64_t *row, size_t words, size_t source) {
    size_t word = source / 64;
    if (word >= words) return words * 64;
    uint64_t left = row[word] & UINT64_MAX << (source % 64);
    while (left == 0) {
        if (++word == words) return words * 64;
        left = row[word];
    }
    return word * 64 + (size_t)__builtin_ctzll(left);
}

static inline const uint64_t *crd_i_graph_parents(const crd_i_graph *graph, size_t node) {
    return graph->parents + node * graph->words;
}

static inline const uint64_t *crd_i_graph_children(const crd_i_graph *graph, size_t node) {
    return graph->children + node * graph->words;
}

/* Whether there is an arc, which an undirected edge is too. */
static inline bool crd_i_graph_has(const crd_i_graph *graph, size_t source, size_t target) {
    return crd_i_bit(crd_i_graph_children(graph, source), target);
}

/* Whether there is an arc in this direction alone; an undirected edge; either. */
static inline bool crd_i_graph_is_directed(const crd_i_graph *graph, size_t source, size_t target) {
    return crd_i_graph_has(graph, source, target) && !crd_i_graph_has(graph, target, source);
}

static inline bool crd_i_graph_is_undirected(const crd_i_graph *graph, size_t a, size_t b) {
    return crd_i_graph_has(graph, a, b) && crd_i_graph_has(graph, b, a);
}

static inline bool crd_i_graph_is_adjacent(const crd_i_graph *graph, size_t a, size_t b) {
    return crd_i_graph_has(graph, a, b) || crd_i_graph_has(graph, b, a);
}

static inline void crd_i_graph_add(crd_i_graph *graph, size_t source, size_t target) {
    crd_i_bit_set(graph->children + source * graph->words, target);
    crd_i_bit_set(graph->parents + target * graph->words, source);
}

static inline void crd_i_graph_remove(crd_i_graph *graph, size_t source, size_t target) {
    crd_i_bit_clear(graph->children + source * graph->words, target);
    crd_i_bit_clear(graph->parents + target * graph->words, source);
}

static inline void crd_i_graph_add_edge(crd_i_graph *graph, size_t a, size_t b) {
    crd_i_graph_add(graph, a, b);
    crd_i_graph_add(graph, b, a);
}

/* Edges of either kind, an undirected one once. */
size_t crd_i_graph_edge_count(const crd_i_graph *graph);
/* Nodes with an arc to the node, in ascending order, into room for `count`; returns how many. */
size_t crd_i_graph_parent_list(const crd_i_graph *graph, size_t node, uint32_t *parents);
size_t crd_i_graph_parent_count(const crd_i_graph *graph, size_t node);
/* Whether there is a path from a node to another (or itself: true) along arcs that are directed; `scratch` is room for
 * 2 * words. In a DAG, adding the arc to -> from closes a cycle exactly where there is one. */
bool crd_i_graph_has_path(const crd_i_graph *graph, size_t source, size_t target, uint64_t *scratch);
/* Nodes such that arcs lead from earlier to later ones, the least number first where several can come next; `scratch` is
 * room for `words`. False where there is a directed cycle (an undirected edge is one). `order` may be NULL. */
CRD_MUST_USE bool crd_i_graph_order(const crd_i_graph *graph, uint32_t *order, uint64_t *scratch);

/* The Markov blanket of a node of a DAG, given which it is independent of all others: its parents, its children and
 * their other parents, as a bit row. Of a CPDAG undirected neighbours are in it, and so is whatever is in that of each
 * of its DAGs. */
void crd_i_graph_markov_blanket(const crd_i_graph *graph, size_t node, uint64_t *blanket);

#endif
