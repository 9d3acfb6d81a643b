/* SPDX-License-Identifier: MIT */
/* graph_equivalence.h - classes of DAGs that state the same independences (Markov equivalence), and how far two graphs
 * differ.
 *
 * Two DAGs are equivalent where they have the same edges and the same v-structures, a -> c <- b with a and b not adjacent
 * (Verma and Pearl 1990). */
#ifndef CRD_STRUCTURE_GRAPH_EQUIVALENCE_H
#define CRD_STRUCTURE_GRAPH_EQUIVALENCE_H

#include "structure/graph.h"

/* Orients every undirected edge whose direction follows from those that have one: otherwise there would be a further
 * v-structure or a directed cycle (Meek 1995, rules 1 to 4). Where the directions contradict each other, edges that
 * would close a cycle stay undirected. `scratch` is room for 2 * words. */
void crd_i_graph_apply_meek_rules(crd_i_graph *graph, uint64_t *scratch);

/* The CPDAG of a DAG: arcs of v-structures are directed, and what follows from them. The DAGs it stands for are those
 * without an arc of `forbidden` (NULL: all), of which the DAG has none. */
CRD_MUST_USE crd_status crd_i_graph_complete(const crd_i_graph *dag, const crd_i_graph *forbidden, crd_i_graph **out,
                                             crd_error *error);

/* A DAG with the edges of a partially directed graph, its directions, and no further v-structure (Dor and Tarsi 1992).
 * Where there is none, *is_consistent is false and the DAG has further v-structures, as few as its greedy order of sinks
 * finds; where the graph has a directed cycle, one of its arcs is reversed. is_consistent may be NULL. */
CRD_MUST_USE crd_status crd_i_graph_extend(const crd_i_graph *graph, crd_i_graph **out, bool *is_consistent,
                                           crd_error *error);

/* In how many pairs of nodes two graphs of as many nodes differ: an edge that one of them has, or the direction of an
 * edge that both have, each counts 1. The structural Hamming distance (Tsamardinos, Brown and Aliferis 2006) is that of
 * their CPDAGs. */
size_t crd_i_graph_distance(const crd_i_graph *a, const crd_i_graph *b);
/* That of the CPDAGs of two DAGs. */
CRD_MUST_USE crd_status crd_i_graph_hamming_distance(const crd_i_graph *a, const crd_i_graph *b, size_t *distance,
                                                     crd_error *error);

#endif
