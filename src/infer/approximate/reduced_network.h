/* SPDX-License-Identifier: MIT */
/* reduced_network.h - what evidence leave of a network: variables with the states that are still possible, and tables of them.
 *
 * A state is impossible where some table has nothing but zeros for it, whatever the possible states of its neighbours.
 * Striking it out may strike out others, until nothing changes (arc consistency, Mackworth 1977). That finds many of
 * the states of probability 0, though not all, and it is sound: what is struck out is impossible. Nodes with one state
 * left are no variables any more. So hard evidence, zeros in tables and likelihoods of 0 are all one thing, and
 * samplers that look at what is left seldom run into dead ends. */
#ifndef CRD_INFER_APPROXIMATE_REDUCED_NETWORK_H
#define CRD_INFER_APPROXIMATE_REDUCED_NETWORK_H

#include "infer/evidence_query.h"
#include "infer/exact/state_elimination.h"

/* A table over some variables, ascending, those of the last varying fastest: edges `edge` and on. */
typedef struct crd_i_reduced_factor {
    size_t edge, edge_count;
    size_t table_at, cells;
} crd_i_reduced_factor;

typedef struct crd_i_reduced {
    crd_context *context;
    const crd_network *network;
    int32_t *variable_of; /* by node: the variable that it is; -1: its state is certain, or the question needs it not */
    int32_t *state_of;    /* by node: the state that is certain, or -1 */
    /* Variables: parents before their children. */
    size_t count;
    uint32_t *node_of, *size_of; /* its node, and how many states are left: 2 or more */
    size_t *starts;              /* where its states begin in `states`, and its numbers in arrays beside that */
    uint32_t *states;            /* the node's numbers of the states that are left */
    size_t widest;               /* the greatest size */
    /* Factors, of two kinds of neighbours: an edge is a variable of a factor. */
    size_t factor_count, edge_count;
    crd_i_reduced_factor *factors;
    uint32_t *edge_variables, *edge_factors;
    size_t *link_starts; /* by variable: where its edges begin in `links` */
    uint32_t *links;
    double *tables;
    size_t most_cells;   /* of a factor */
    double log_constant; /* log of what was divided out of the tables */
} crd_i_reduced;

/* evidence: the question's, or more of them. Where no state of some node is left it is CRD_ERROR_PROBABILITY: the
 * evidence contradict each other, and those that do so are named. */
CRD_MUST_USE crd_status crd_i_reduce_network(const crd_i_evidence_query *question, const crd_i_evidence *findings,
                                             crd_i_reduced **out, crd_error *error);
void crd_i_reduced_destroy(crd_i_reduced *reduced);

#endif
