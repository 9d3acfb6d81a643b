/* SPDX-License-Identifier: MIT */
/* mpe_query.c - the most probable explanation of some nodes, or of all: see credence/network.h. */
#include "infer/evidence_query.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct query_explanation {
    crd_i_evidence_query query;
    size_t *all;     /* the chance nodes, if all are queried */
    bool *maximised; /* by node; NULL: all */
    int32_t *states;
} query_explanation;

static bool list_chances(const crd_network *network, query_explanation *explanation, size_t *count) {
    *count = 0;
    explanation->all = crd_i_alloc(network->context, network->count, sizeof *explanation->all);
    for (size_t i = 0; explanation->all != NULL && i < network->count; i++)
        if (network->nodes[i].kind == CRD_NODE_CHANCE) explanation->all[(*count)++] = i;
    return explanation->all != NULL;
}

/* Rejects hidden Gaussian nodes. The mode of a density depends on the units of the numbers, so it is not a most
 * probable explanation. */
static crd_status mpe_query_check_observed(const crd_i_evidence_query *query, crd_error *error) {
    const crd_network *network = query->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < network->count; i++) {
        if (network->nodes[i].kind != CRD_NODE_GAUSSIAN || query->observed[i]) continue;
        return crd_i_fail(error, CRD_ERROR_COLUMN,
                          "%s is a continuous node: query the most probable states of named discrete nodes, or observe "
                          "every continuous node",
                          crd_i_quote(network->nodes[i].name, quoted));
    }
    return CRD_OK;
}

static crd_status mpe_query_find_states(query_explanation *explanation, const size_t *nodes, size_t count,
                                        double *log_probability, crd_inference_result *result, crd_error *error) {
    const crd_network *network = explanation->query.network;
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    explanation->states = crd_i_alloc(network->context, network->count, sizeof *explanation->states);
    if (nodes != NULL)
        explanation->maximised = crd_i_alloc_zeroed(network->context, network->count, sizeof *explanation->maximised);
    if (explanation->states == NULL || (nodes != NULL && explanation->maximised == NULL))
        return crd_i_fail_memory(error);
    for (size_t i = 0; nodes != NULL && i < count; i++) explanation->maximised[nodes[i]] = true;
    crd_status status =
        crd_i_evidence_query_compile_most(&explanation->query, explanation->maximised, &junction, &work, result, error);
    if (status == CRD_OK)
        status = crd_i_junction_most_probable(work, &explanation->query.findings, explanation->states, log_probability,
                                              error);
    if (status == CRD_OK)
        status = crd_i_junction_ask(work, &explanation->query.findings, NULL, NULL, &result->log_evidence, error);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

crd_status crd_network_mpe(const crd_network *network, const crd_finding *findings, size_t count, const size_t *nodes,
                           size_t node_count, const crd_inference_options *options, size_t *states,
                           double *log_probability, crd_inference_result *result, crd_error *error) {
    query_explanation explanation = {.all = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    double log_most = 0;
    size_t asked_count = node_count;
    if (nodes == NULL && !list_chances(network, &explanation, &asked_count)) return crd_i_fail_memory(error);
    crd_status status = crd_i_evidence_query_open(network, findings, count, nodes == NULL ? explanation.all : nodes,
                                                  asked_count, options, &explanation.query, error);
    said.nodes = explanation.query.nodes;
    if (status == CRD_OK && nodes == NULL) status = mpe_query_check_observed(&explanation.query, error);
    if (status == CRD_OK) status = mpe_query_find_states(&explanation, nodes, node_count, &log_most, &said, error);
    /* Utilities have one state, and so do nodes without any information. */
    for (size_t i = 0; status == CRD_OK && nodes == NULL && i < network->count; i++)
        states[i] = explanation.states[i] < 0 ? 0 : (size_t)explanation.states[i];
    for (size_t i = 0; status == CRD_OK && nodes != NULL && i < node_count; i++)
        states[i] = (size_t)explanation.states[nodes[i]];
    if (status == CRD_OK && log_probability != NULL) *log_probability = log_most;
    crd_i_evidence_query_report(result, &said);
    crd_free(network->context, explanation.all);
    crd_free(network->context, explanation.maximised);
    crd_free(network->context, explanation.states);
    crd_i_evidence_query_close(&explanation.query);
    return status;
}
