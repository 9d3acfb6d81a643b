/* SPDX-License-Identifier: MIT */
/* context_nodes.h - converts a chain of any order into a chain of order 1. Its nodes are contexts: the last `order`
 * states of a path. In a transition, the target's context is the source's context without its oldest state, plus the
 * new state. Only contexts that some path can reach are nodes. */
#ifndef CRD_SEQUENCE_CONTEXT_NODES_H
#define CRD_SEQUENCE_CONTEXT_NODES_H

#include "sequence/chain/chain.h"
#include "sequence/transition_model.h"

typedef struct crd_i_context_nodes {
    crd_context *context;
    size_t states, order, count;
    /* contexts of the nodes, `order` symbols each, oldest first; CRD_I_SYMBOL_BEGIN before the first state */
    uint32_t *contexts;
    uint32_t *state_of; /* latest state of each node */
    /* start and end probability of each node; `end` is NULL if there are no end probabilities */
    double *start, *end;
    double *dense;         /* order 1: transition probabilities [source * count + target]; NULL in higher orders */
    size_t *first;         /* higher orders: index of each source's first transition, plus an end entry */
    uint32_t *targets;     /* higher orders: target of each transition, ascending within a source */
    double *probabilities; /* higher orders: probability of each transition, above zero */
    double *shared;        /* higher orders: probability of each node if the oldest state before it is unknown */
} crd_i_context_nodes;

/* Creates the nodes of a transition model. Returns CRD_ERROR_LIMIT if there would be too many transitions. */
CRD_MUST_USE crd_status crd_i_context_nodes_create(const crd_i_transition_model *model, crd_i_context_nodes **out,
                                                   crd_error *error);
void crd_i_context_nodes_destroy(crd_i_context_nodes *nodes);
/* Creates the chain with these nodes. */
CRD_MUST_USE crd_status crd_i_context_nodes_chain(const crd_i_context_nodes *nodes, crd_i_chain **out,
                                                  crd_error *error);

/* Adds expected counts of nodes and transitions to n-gram counts of the same order, whose states must have the same
 * numbers. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_context_nodes_count(const crd_i_context_nodes *nodes, const crd_i_chain_counts *expected,
                                            crd_i_ngram_counts *counts);

#endif
