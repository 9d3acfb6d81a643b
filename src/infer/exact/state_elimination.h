/* SPDX-License-Identifier: MIT */
/* state_elimination.h - the states of each node that are possible under evidence.
 *
 * A state is impossible if some table contains only zeros for it, for all possible states of its neighbors. Removing
 * it may make other states impossible, so removal is repeated until nothing changes (arc consistency, Mackworth
 * 1977). This finds many, though not all, states of probability 0. It is sound: every removed state is impossible. */
#ifndef CRD_INFER_EXACT_STATE_ELIMINATION_H
#define CRD_INFER_EXACT_STATE_ELIMINATION_H

#include "base/arena.h"
#include "infer/exact/junction_tree.h"

/* The remaining states, with room for all nodes of a network. */
typedef struct crd_i_state_elimination {
    crd_i_arena *arena;
    const crd_network *network;
    const bool *tables; /* by node: whether its table is used */
    const crd_i_evidence *findings;
    size_t *starts;    /* by node */
    uint32_t *states;  /* remaining states of a node, from its start, ascending */
    uint32_t *sizes;   /* number of remaining states */
    uint32_t *waiting; /* nodes whose tables must be checked (ring buffer) */
    bool *is_waiting;
    bool *is_seen;   /* scratch, by state of a family */
    size_t *places;  /* scratch, by member of a family */
    size_t *seen_at; /* scratch */
    size_t widest;   /* the largest family size */
} crd_i_state_elimination;

CRD_MUST_USE crd_status crd_i_state_elimination_open(crd_i_state_elimination *narrowing, const crd_network *network,
                                                     const bool *tables, const crd_i_evidence *findings,
                                                     crd_error *error);
void crd_i_state_elimination_close(crd_i_state_elimination *narrowing);
/* Removes states that are impossible under the evidence on the nodes marked in `counts` (NULL: all). Returns false
 * if some node has no state left. */
bool crd_i_state_elimination_run(crd_i_state_elimination *narrowing, const bool *counts);

#endif
