/* SPDX-License-Identifier: MIT */
/* state_elimination.h - the states that evidence leave of each node.
 *
 * A state is impossible where some table has nothing but zeros for it, whatever the possible states of its neighbours.
 * Striking it out may strike out others, until nothing changes (arc consistency, Mackworth 1977). That finds many of
 * the states of probability 0, though not all, and it is sound: what is struck out is impossible. */
#ifndef CRD_INFER_EXACT_STATE_ELIMINATION_H
#define CRD_INFER_EXACT_STATE_ELIMINATION_H

#include "infer/exact/junction_tree.h"

/* The states that are left once others are struck out, in room for all of a network's nodes. */
typedef struct crd_i_state_elimination {
    const crd_network *network;
    const bool *tables; /* by node, whose tables count */
    const crd_i_evidence *findings;
    size_t *starts;    /* by node */
    uint32_t *states;  /* what is left of a node's, from its start on, ascending */
    uint32_t *sizes;   /* how many are left */
    uint32_t *waiting; /* nodes whose tables have to be looked at, a ring */
    bool *is_waiting;
    bool *is_seen;   /* room: by state of a family */
    size_t *places;  /* room: by member of a family */
    size_t *seen_at; /* room */
    size_t widest;   /* the most members of a family */
} crd_i_state_elimination;

CRD_MUST_USE crd_status crd_i_state_elimination_open(crd_i_state_elimination *narrowing, const crd_network *network,
                                                     const bool *tables, const crd_i_evidence *findings,
                                                     crd_error *error);
void crd_i_state_elimination_close(crd_i_state_elimination *narrowing);
/* Strikes out what is impossible by the evidence of the nodes marked in `counts` (NULL: all); false: nothing is left of
 * some node. */
bool crd_i_state_elimination_run(crd_i_state_elimination *narrowing, const bool *counts);

#endif
