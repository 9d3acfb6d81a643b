/* SPDX-License-Identifier: MIT */
/* context_nodes.h - a chain of any order as one of order 1: its nodes are contexts, the last states of a path, of which that
 * of a transition's source ends as that of its target begins. Only contexts that some path leads to are there. */
#ifndef CRD_SEQUENCE_CONTEXT_NODES_H
#define CRD_SEQUENCE_CONTEXT_NODES_H

#include "sequence/chain/chain.h"
#include "sequence/transition_model.h"

typedef struct crd_i_context_nodes {
    crd_context *context;
    size_t states, order, count;
    uint32_t
        *contexts; /* of each node `order` symbols, the earliest first; CRD_I_SYMBOL_BEGIN before the first state */
    uint32_t *state_of;    /* of each node its latest state */
    double *start, *end;   /* of each node; end NULL: sequences just stop */
    double *dense;         /* in order 1: source * count + target; else NULL, and */
    size_t *first;         /* of each source its first transition, and behind the last one's */
    uint32_t *targets;     /* ascending within a source */
    double *probabilities; /* above zero */
    double *
        shared; /* of each node, in higher orders: its probability where nothing is known of the oldest state before it */
} crd_i_context_nodes;

/* CRD_ERROR_LIMIT where there would be too many. */
CRD_MUST_USE crd_status crd_i_context_nodes_create(const crd_i_transition_model *model, crd_i_context_nodes **out,
                                                   crd_error *error);
void crd_i_context_nodes_destroy(crd_i_context_nodes *nodes);
CRD_MUST_USE crd_status crd_i_context_nodes_chain(const crd_i_context_nodes *nodes, crd_i_chain **out,
                                                  crd_error *error);

/* Expected counts of nodes and transitions, in their layout, added to counts of n-grams of the same order whose states have the
 * same numbers. false: out of memory. */
CRD_MUST_USE bool crd_i_context_nodes_count(const crd_i_context_nodes *nodes, const crd_i_chain_counts *expected,
                                            crd_i_ngram_counts *counts);

#endif
