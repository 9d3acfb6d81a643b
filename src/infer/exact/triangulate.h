/* SPDX-License-Identifier: MIT */
/* triangulate.h - an order in which to eliminate the nodes of a graph, so that the tables that arise stay small.
 *
 * Eliminating a node joins its neighbours to each other and takes it away; the node with its neighbours is a clique,
 * for which there will be a table with a cell for each combination of states. To find the order with the least cells is
 * NP-hard, so several greedy rules are tried, and the cheapest of their orders is taken. */
#ifndef CRD_INFER_EXACT_TRIANGULATE_H
#define CRD_INFER_EXACT_TRIANGULATE_H

#include "base/context.h"

/* Undirected: node i has the neighbours near[starts[i]] .. near[starts[i + 1] - 1], each once, never itself. A node
 * with states[i] of 0 is not in the graph, and nobody's neighbour. */
typedef struct crd_i_domain_graph {
    size_t count;
    const size_t *states;
    size_t *starts;
    uint32_t *near;
    const bool *is_last; /* by node: to be eliminated behind all that are not; NULL: none */
} crd_i_domain_graph;

/* order[i] is eliminated at i, when later[starts[i]] .. later[starts[i + 1] - 1] are its neighbours. */
typedef struct crd_i_elimination {
    size_t count;
    uint32_t *order, *later;
    size_t *starts;
    double cells; /* of the tables of all cliques; as a double, for it may be more than any integer holds */
} crd_i_elimination;

/* Takes the cheapest of several orders: by least fill-in, by least weighted fill-in, by smallest clique, by fewest
 * neighbours, and, where that is still dear, by least fill-in with several ways to break ties: as long as the tables of
 * the best order have `cells_a_try` cells a node for each try so far, but not so many that nothing would help. */
CRD_MUST_USE crd_status crd_i_triangulate(crd_context *context, const crd_i_domain_graph *graph, double cells_a_try,
                                          crd_i_elimination *out, crd_error *error);
void crd_i_elimination_clear(crd_context *context, crd_i_elimination *elimination);

#endif
