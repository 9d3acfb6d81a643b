/* SPDX-License-Identifier: MIT */
/* evidence_query.h - a checked query from outside the module, and the part of the network that it needs. */
#ifndef CRD_INFER_EXACT_EVIDENCE_QUERY_H
#define CRD_INFER_EXACT_EVIDENCE_QUERY_H

#include "infer/exact/gaussian_elimination.h"

typedef struct crd_i_evidence_query {
    crd_i_arena *arena;
    const crd_network *network;
    crd_i_evidence findings;    /* evidence on all nodes */
    int32_t *states;            /* states in `findings` */
    const double **likelihoods; /* likelihoods in `findings`, or NULL */
    bool *observed;             /* by node: its state is certain */
    /* By node: whether its table is used. This is true for all ancestors of queried or observed nodes, and never for
     * decisions and utilities. */
    bool *tables;
    size_t nodes;    /* number of tables in use */
    double *numbers; /* by node: values of observed Gaussian nodes; NULL if the network has no Gaussian nodes */
    crd_i_gaussian_parts *parts;       /* relevant Gaussian nodes, or NULL if there are none */
    crd_i_gaussian_evidence *gaussian; /* the observed values entered into `parts` */
    crd_inference_options options;
    double memory; /* memory limit in bytes */
} crd_i_evidence_query;

/* Checks evidence and nodes; `nodes` may be empty. Reports unknown or repeated nodes, unknown states, invalid
 * likelihoods, and decisions without a choice on which the result depends. If `options` is NULL, defaults are used.
 * Relevant Gaussian nodes are eliminated (gaussian_elimination.h), which leaves evidence on a tree of discrete nodes.
 * Close the query with _close, which also accepts an all-zero query. */
CRD_MUST_USE crd_status crd_i_evidence_query_open(const crd_network *network, const crd_finding *findings, size_t count,
                                                  const size_t *nodes, size_t node_count,
                                                  const crd_inference_options *options, crd_i_evidence_query *out,
                                                  crd_error *error);
/* Copies a public query over the defaults in `copy`. Returns CRD_ERROR_ARGUMENT if it was not initialized. */
CRD_MUST_USE crd_status crd_i_network_query_read(const crd_network_query *request, crd_network_query *copy,
                                                 crd_error *error);
/* Variants of crd_i_evidence_query_open for queried nodes that must all be Gaussian, or that may be of either kind. */
CRD_MUST_USE crd_status crd_i_evidence_query_open_gaussian(const crd_network *network, const crd_finding *findings,
                                                           size_t count, const size_t *nodes, size_t node_count,
                                                           const crd_inference_options *options,
                                                           crd_i_evidence_query *out, crd_error *error);
/* Variant of crd_i_evidence_query_open for the joint moments of Gaussian nodes: all unobserved nodes are put in one
 * part. */
CRD_MUST_USE crd_status crd_i_evidence_query_open_together(const crd_network *network, const crd_finding *findings,
                                                           size_t count, const size_t *nodes, size_t node_count,
                                                           const crd_inference_options *options,
                                                           crd_i_evidence_query *out, crd_error *error);
CRD_MUST_USE crd_status crd_i_evidence_query_open_mixed(const crd_network *network, const crd_finding *findings,
                                                        size_t count, const size_t *nodes, size_t node_count,
                                                        const crd_inference_options *options, crd_i_evidence_query *out,
                                                        crd_error *error);
/* Returns CRD_ERROR_COLUMN, naming the node, if a Gaussian node is relevant. `description` is the rest of the message.
 * */
CRD_MUST_USE crd_status crd_i_evidence_query_check_discrete(const crd_i_evidence_query *query, const char *description,
                                                            crd_error *error);
void crd_i_evidence_query_close(crd_i_evidence_query *query);

/* Compiles a junction tree for this query only and creates a workspace. Close both with the functions of
 * junction_tree.h. If `together` is true, the joint posterior of the nodes will be queried. Sets the size in
 * `result`, which may be NULL. */
CRD_MUST_USE crd_status crd_i_evidence_query_compile(const crd_i_evidence_query *query, const size_t *nodes,
                                                     size_t node_count, bool together, crd_i_junction **junction,
                                                     crd_i_junction_work **work, crd_inference_result *result,
                                                     crd_error *error);

/* Compiles a junction tree for the most probable explanation of some nodes. See junction_tree.h. */
CRD_MUST_USE crd_status crd_i_evidence_query_compile_most(const crd_i_evidence_query *query, const bool *maximized,
                                                          crd_i_junction **junction, crd_i_junction_work **work,
                                                          crd_inference_result *result, crd_error *error);

/* Copies `inference` to the caller's struct, which may be NULL or have the size of another version. */
void crd_i_evidence_query_report(crd_inference_result *result, const crd_inference_result *inference);

#endif
