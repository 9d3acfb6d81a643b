/* SPDX-License-Identifier: MIT */
/* graph_equivalence.h - Markov equivalence classes of DAGs, and distances between graphs.
 *
 * Two DAGs are equivalent (represent the same independences) if they have the same edges, ignoring direction, and
 * the same v-structures a -> c <- b with a and b not adjacent (Verma and Pearl 1990). */
#ifndef CRD_STRUCTURE_GRAPH_EQUIVALENCE_H
#define CRD_STRUCTURE_GRAPH_EQUIVALENCE_H

#include "structure/graph.h"

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
