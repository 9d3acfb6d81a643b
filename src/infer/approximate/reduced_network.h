/* SPDX-License-Identifier: MIT */
/* reduced_network.h - the part of a network that remains under evidence: variables with the states that are still
 * possible, and tables over them.
 *
 * A state is impossible if some table contains only zeros for it, for all possible states of its neighbors. Removing
 * it may make other states impossible, so removal is repeated until nothing changes (arc consistency, Mackworth
 * 1977). This finds many, though not all, states of probability 0. It is sound: every removed state is impossible.
 * Nodes with a single remaining state cease to be variables. Hard evidence, zeros in tables and zero likelihoods are
 * thus treated uniformly, and samplers on the reduced network rarely reach dead ends. */
#ifndef CRD_INFER_APPROXIMATE_REDUCED_NETWORK_H
#define CRD_INFER_APPROXIMATE_REDUCED_NETWORK_H

#include "infer/evidence_query.h"
#include "infer/exact/state_elimination.h"

/* A table over some variables in ascending order; the state of the last one varies fastest. Its edges start at
 * `edge`. */
typedef struct crd_i_reduced_factor {
    size_t edge, edge_count;
    size_t table_at, cells;
} crd_i_reduced_factor;

typedef struct crd_i_reduced {
    crd_context *context;
    const crd_network *network;
    int32_t *variable_of; /* by node: its variable; -1 if its state is certain or the query does not need it */
    int32_t *state_of;    /* by node: its certain state, or -1 */
    /* Variables. Parents come before their children. */
    size_t count;
    uint32_t *node_of, *size_of; /* by variable: its node, and the number of remaining states, at least 2 */
    /* by variable: start of its states in `states`, and of its numbers in arrays indexed by variable state */
    size_t *starts;
    uint32_t *states; /* node state numbers of the remaining states */
    size_t widest;    /* the largest state count */
    /* Factors. An edge connects a factor and one of its variables. */
    size_t factor_count, edge_count;
    crd_i_reduced_factor *factors;
    uint32_t *edge_variables, *edge_factors;
    size_t *link_starts; /* by variable: start of its edges in `links` */
    uint32_t *links;
    double *tables;
    size_t most_cells;   /* size of the largest factor table */
    double log_constant; /* log of the factors divided out of the tables */
} crd_i_reduced;

/* Reduces the network of `question` under `evidence`, which includes the evidence of the query. Returns
 * CRD_ERROR_PROBABILITY, naming the contradictory findings, if some node has no possible state left. */
CRD_MUST_USE crd_status crd_i_reduce_network(const crd_i_evidence_query *query, const crd_i_evidence *findings,
                                             crd_i_reduced **out, crd_error *error);
void crd_i_reduced_destroy(crd_i_reduced *reduced);

#endif
