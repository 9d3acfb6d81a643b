/* SPDX-License-Identifier: MIT */
/* triangulate.h - node elimination orders that keep the clique tables small.
 *
 * Eliminating a node connects its neighbors to each other and removes it. The node and its neighbors form a clique,
 * whose table has one cell per combination of states. Finding the order with the fewest cells is NP-hard. Therefore
 * several greedy heuristics are tried and the cheapest order is used. */
#ifndef CRD_INFER_EXACT_TRIANGULATE_H
#define CRD_INFER_EXACT_TRIANGULATE_H

#include "base/context.h"

/* An undirected graph. The neighbors of node i are near[starts[i]] .. near[starts[i + 1] - 1], each once and without
 * i itself. A node with states[i] = 0 is not in the graph and is nobody's neighbor. */
typedef struct crd_i_domain_graph {
    size_t count;
    const size_t *states;
    size_t *starts;
    uint32_t *near;
    const bool *is_last; /* by node: eliminated after all unmarked nodes; NULL: none */
} crd_i_domain_graph;

/* An elimination order. order[i] is eliminated at step i, when its neighbors are later[starts[i]] .. later[starts[i
 * + 1] - 1]. */
typedef struct crd_i_elimination {
    size_t count;
    uint32_t *order, *later;
    size_t *starts;
    double cells; /* total cells of all clique tables; a double, because it may exceed every integer type */
} crd_i_elimination;

/* Computes the cheapest of several orders: minimum fill-in, minimum weighted fill-in, smallest clique, and fewest
 * neighbors. If the result is still expensive, tries minimum fill-in with random tie-breaking. It stops when the best
 * order has fewer than `cells_a_try` cells per node for each try so far. It also stops if the best order has so many
 * cells that no order would help. */
CRD_MUST_USE crd_status crd_i_triangulate(crd_context *context, const crd_i_domain_graph *graph, double cells_a_try,
                                          crd_i_elimination *out, crd_error *error);
void crd_i_elimination_clear(crd_context *context, crd_i_elimination *elimination);

#endif
