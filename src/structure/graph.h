/* SPDX-License-Identifier: MIT */
/* graph.h - a graph over numbered nodes, stored as bit rows: the structure of a Bayesian network during a search.
 *
 * Arcs in both directions between i and j represent an undirected edge i - j. A directed acyclic graph (DAG) has no
 * undirected edges. A completed partially directed acyclic graph (CPDAG) represents all DAGs of a Markov equivalence
 * class; its undirected edges are the arcs whose direction differs among them. Bit i of row j of `parents` is set if
 * there is an arc from i to j, and so is bit j of row i of `children`. Bits from `count` on are zero. */
#ifndef CRD_STRUCTURE_GRAPH_H
#define CRD_STRUCTURE_GRAPH_H

#include "base/arena.h"
#include "base/context.h"

typedef struct crd_i_graph {
    crd_i_arena *arena;
    crd_context *context;
    size_t count; /* number of nodes */
    size_t words; /* words per bit row, 64 nodes each */
    uint64_t *parents, *children;
} crd_i_graph;

/* Creates a graph without arcs. Returns NULL if memory runs out. */
crd_i_graph *crd_i_graph_create(crd_context *context, size_t count);
/* Copies a graph. Returns NULL if memory runs out. */
crd_i_graph *crd_i_graph_clone(const crd_i_graph *graph);
void crd_i_graph_destroy(crd_i_graph *graph);
/* Overwrites a graph with another graph that has the same number of nodes. */
void crd_i_graph_assign(crd_i_graph *target_graph, const crd_i_graph *source_graph);
/* Removes all arcs. */
void crd_i_graph_clear(crd_i_graph *graph);
/* Returns whether two graphs with the same number of nodes have the same arcs. */
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

/* Returns the position of the first set bit at or after `source`; words * 64 if there is none. */
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

/* Returns whether the graph has an arc; an undirected edge counts as an arc in both directions. */
static inline bool crd_i_graph_has(const crd_i_graph *graph, size_t source, size_t target) {
    return crd_i_bit(crd_i_graph_children(graph, source), target);
}

/* Returns whether there is an arc from `source` to `target` and none in the opposite direction. */
static inline bool crd_i_graph_is_directed(const crd_i_graph *graph, size_t source, size_t target) {
    return crd_i_graph_has(graph, source, target) && !crd_i_graph_has(graph, target, source);
}

/* Returns whether there is an undirected edge. */
static inline bool crd_i_graph_is_undirected(const crd_i_graph *graph, size_t a, size_t b) {
    return crd_i_graph_has(graph, a, b) && crd_i_graph_has(graph, b, a);
}

/* Returns whether there is an arc in either direction or an undirected edge. */
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

/* Returns the number of arcs and undirected edges; an undirected edge counts once. */
size_t crd_i_graph_edge_count(const crd_i_graph *graph);
/* Lists the nodes with an arc to the node, in ascending order. `parents` has room for `count` nodes. Returns their
 * number. */
size_t crd_i_graph_parent_list(const crd_i_graph *graph, size_t node, uint32_t *parents);
size_t crd_i_graph_parent_count(const crd_i_graph *graph, size_t node);
/* Returns whether there is a path along directed arcs from `source` to `target`; true if they are the same node.
 * `scratch` has room for 2 * words. In a DAG, adding the arc target -> source closes a cycle exactly if there is
 * such a path. */
bool crd_i_graph_has_path(const crd_i_graph *graph, size_t source, size_t target, uint64_t *scratch);
/* Computes a topological order: arcs lead from earlier to later nodes, and among the nodes that can come next the
 * smallest number is first. `scratch` has room for `words`. Returns false if there is a directed cycle; an
 * undirected edge is one. `order` may be NULL. */
CRD_MUST_USE bool crd_i_graph_order(const crd_i_graph *graph, uint32_t *order, uint64_t *scratch);

/* Computes the Markov blanket of a node as a bit row. In a DAG these are its parents, its children and their other
 * parents; given them, the node is independent of all other nodes (Pearl 1988). In a CPDAG the blanket contains the
 * undirected neighbors and every node that is in the blanket in each DAG of the class. */
void crd_i_graph_markov_blanket(const crd_i_graph *graph, size_t node, uint64_t *blanket);

/* ======== Equivalence classes and distances ========
 *
 * Two DAGs are equivalent (represent the same independences) if they have the same edges, ignoring direction, and the
 * same v-structures a -> c <- b with a and b not adjacent (Verma and Pearl 1990). */

/* Directs every undirected edge whose direction follows from the directed ones: the opposite direction would create
 * a new v-structure or a directed cycle (Meek 1995, rules 1 to 4). If the given directions contradict each other,
 * edges that would close a cycle stay undirected. `scratch` has room for 2 * words. */
void crd_i_graph_apply_meek_rules(crd_i_graph *graph, uint64_t *scratch);

/* Computes the CPDAG of a DAG: the arcs of v-structures are directed, and the arcs that follow from them. If
 * `forbidden` is not NULL, the class is restricted to the DAGs without an arc of `forbidden`; `dag` must be one of
 * them. */
CRD_MUST_USE crd_status crd_i_graph_complete(const crd_i_graph *dag, const crd_i_graph *forbidden, crd_i_graph **out,
                                             crd_error *error);

/* Computes a consistent extension: a DAG with the edges of a partially directed graph, its directions and no new
 * v-structure (Dor and Tarsi 1992). If there is none, *is_consistent is false. The DAG then has new v-structures, as
 * few as the greedy choice of sinks finds; if the graph has a directed cycle, one of its arcs is reversed.
 * is_consistent may be NULL. */
CRD_MUST_USE crd_status crd_i_graph_extend(const crd_i_graph *graph, crd_i_graph **out, bool *is_consistent,
                                           crd_error *error);

/* Returns the number of pairs of nodes in which two graphs with the same number of nodes differ: an edge that only
 * one of them has, or a different direction, each counts 1. Applied to CPDAGs, this is the structural Hamming
 * distance (Tsamardinos, Brown and Aliferis 2006). */
size_t crd_i_graph_distance(const crd_i_graph *a, const crd_i_graph *b);
/* Computes the structural Hamming distance of two DAGs: the distance of their CPDAGs. */
CRD_MUST_USE crd_status crd_i_graph_hamming_distance(const crd_i_graph *a, const crd_i_graph *b, size_t *distance,
                                                     crd_error *error);

#endif
