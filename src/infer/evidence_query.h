/* SPDX-License-Identifier: MIT */
/* evidence_query.h - a question to a network from outside, checked, and what it needs of the network. */
#ifndef CRD_INFER_EVIDENCE_QUERY_H
#define CRD_INFER_EVIDENCE_QUERY_H

#include "infer/exact/gaussian_evidence.h"

typedef struct crd_i_evidence_query {
    const crd_network *network;
    crd_i_evidence findings;    /* of all nodes */
    int32_t *states;            /* those of the evidence */
    const double **likelihoods; /* those of the evidence; NULL: none */
    bool *observed;             /* by node: its state is certain */
    /* By node: whether its table counts, as it does for all from which arcs lead to what is asked or known; never
     * those of decisions and utilities. */
    bool *tables;
    size_t nodes;                      /* how many tables count */
    double *numbers;                   /* by node, of observed Gaussian ones; NULL: the network has none */
    crd_i_gaussian_parts *parts;       /* of the Gaussian nodes that count; NULL: there are none */
    crd_i_gaussian_evidence *gaussian; /* of these, filled in */
    crd_inference_options options;
    double memory; /* bytes that may be taken */
} crd_i_evidence_query;

/* Checks evidence and nodes, of which there may be none: unknown or repeated ones, states that a node does not have,
 * likelihoods that are none, or a decision on which the answer depends and that is not taken. options NULL: defaults.
 * Gaussian nodes that count are eliminated (gaussian_evidence.h), which leaves the evidence to a tree of discrete ones.
 * Closed with _close, which also takes one that is all zero. */
CRD_MUST_USE crd_status crd_i_evidence_query_open(const crd_network *network, const crd_finding *findings, size_t count,
                                                  const size_t *nodes, size_t node_count,
                                                  const crd_inference_options *options, crd_i_evidence_query *out,
                                                  crd_error *error);
/* The same where the nodes asked are Gaussian, or where any of them may be. */
CRD_MUST_USE crd_status crd_i_evidence_query_open_gaussian(const crd_network *network, const crd_finding *findings,
                                                           size_t count, const size_t *nodes, size_t node_count,
                                                           const crd_inference_options *options,
                                                           crd_i_evidence_query *out, crd_error *error);
/* The same of Gaussian nodes whose joint moments are asked: those that are not observed are in one part. */
CRD_MUST_USE crd_status crd_i_evidence_query_open_together(const crd_network *network, const crd_finding *findings,
                                                           size_t count, const size_t *nodes, size_t node_count,
                                                           const crd_inference_options *options,
                                                           crd_i_evidence_query *out, crd_error *error);
CRD_MUST_USE crd_status crd_i_evidence_query_open_mixed(const crd_network *network, const crd_finding *findings,
                                                        size_t count, const size_t *nodes, size_t node_count,
                                                        const crd_inference_options *options, crd_i_evidence_query *out,
                                                        crd_error *error);
/* CRD_ERROR_COLUMN, naming a Gaussian node that counts, where `what` is the rest of the sentence. */
CRD_MUST_USE crd_status crd_i_evidence_query_check_discrete(const crd_i_evidence_query *question, const char *what,
                                                            crd_error *error);
void crd_i_evidence_query_close(crd_i_evidence_query *question);

/* The tree for this question alone, and room to ask it: closed with the two calls of junction_tree.h. `together`:
 * the nodes' joint posterior will be asked. asked, which may be NULL, gets the size. */
CRD_MUST_USE crd_status crd_i_evidence_query_compile(const crd_i_evidence_query *question, const size_t *nodes,
                                                     size_t node_count, bool together, crd_i_junction **junction,
                                                     crd_i_junction_work **work, crd_inference_result *asked,
                                                     crd_error *error);

/* The same for the most probable explanation of some nodes: see junction_tree.h. */
CRD_MUST_USE crd_status crd_i_evidence_query_compile_most(const crd_i_evidence_query *question, const bool *maximised,
                                                          crd_i_junction **junction, crd_i_junction_work **work,
                                                          crd_inference_result *asked, crd_error *error);

/* Hands `own` to a caller, whose struct may be of another version; it may be NULL. */
void crd_i_evidence_query_report(crd_inference_result *asked, const crd_inference_result *own);

#endif
