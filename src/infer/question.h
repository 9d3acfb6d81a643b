/* question.h - a question to a network from outside, checked, and what it needs of the network. */
#ifndef CRD_INFER_QUESTION_H
#define CRD_INFER_QUESTION_H

#include "infer/junction.h"

typedef struct crd_i_question {
    const crd_network *network;
    crd_i_findings findings;    /* of all nodes */
    int32_t *states;            /* those of the findings */
    const double **likelihoods; /* those of the findings; NULL: none */
    bool *observed;             /* by node: its state is certain */
    /* By node: whether its table counts, as it does for all from which arrows lead to what is asked or known; never
     * those of decisions and utilities. */
    bool *tables;
    size_t nodes; /* how many tables count */
    crd_ask_options options;
    double memory; /* bytes that may be taken */
} crd_i_question;

/* Checks findings and nodes, of which there may be none: unknown or repeated ones, states that a node does not have,
 * likelihoods that are none, or a decision on which the answer depends and that is not taken. options NULL: defaults.
 * Closed with _close, which also takes one that is all zero. */
CRD_MUST_USE crd_status crd_i_question_open(const crd_network *network, const crd_finding *findings, size_t count,
                                            const size_t *nodes, size_t node_count, const crd_ask_options *options,
                                            crd_i_question *out, crd_error *error);
void crd_i_question_close(crd_i_question *question);

/* The tree for this question alone, and room to ask it: closed with the two calls of junction.h. `together`: the nodes'
 * joint posterior will be asked. asked, which may be NULL, gets the size. */
CRD_MUST_USE crd_status crd_i_question_compile(const crd_i_question *question, const size_t *nodes, size_t node_count,
                                               bool together, crd_i_junction **junction, crd_i_junction_work **work,
                                               crd_asked *asked, crd_error *error);

/* The same for the most probable states of some nodes: see junction.h. */
CRD_MUST_USE crd_status crd_i_question_compile_most(const crd_i_question *question, const bool *maximised,
                                                    crd_i_junction **junction, crd_i_junction_work **work,
                                                    crd_asked *asked, crd_error *error);

/* Hands `own` to a caller, whose struct may be of another version; it may be NULL. */
void crd_i_question_report(crd_asked *asked, const crd_asked *own);

#endif
