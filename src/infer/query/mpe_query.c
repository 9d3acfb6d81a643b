/* SPDX-License-Identifier: MIT */
/* mpe_query.c - the most probable explanation of some nodes, or of all: see credence/network.h. */
#include "infer/evidence_query.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

typedef struct explanation {
    crd_i_evidence_query question;
    size_t *all;     /* the chance nodes, where all are asked */
    bool *maximised; /* by node; NULL: all */
    int32_t *states;
} explanation;

static bool list_chances(const crd_network *network, explanation *own, size_t *count) {
    *count = 0;
    own->all = crd_i_alloc(network->context, network->count, sizeof *own->all);
    for (size_t i = 0; own->all != NULL && i < network->count; i++)
        if (network->nodes[i].kind == CRD_NODE_CHANCE) own->all[(*count)++] = i;
    return own->all != NULL;
}

/* States have a most probable explanation; what a density has is the place where it is greatest, which depends on the
 * units of the numbers. */
static crd_status check_observed(const crd_i_evidence_query *question, crd_error *error) {
    const crd_network *network = question->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < network->count; i++) {
        if (network->nodes[i].kind != CRD_NODE_GAUSSIAN || question->observed[i]) continue;
        return crd_i_fail(
            error, CRD_ERROR_COLUMN,
            "%s is a continuous node: the most probable states are those of some discrete nodes, by name, "
            "or of all once every number is observed",
            crd_i_quote(network->nodes[i].name, quoted));
    }
    return CRD_OK;
}

static crd_status find_states(explanation *own, const size_t *nodes, size_t count, double *log_probability,
                              crd_inference_result *asked, crd_error *error) {
    const crd_network *network = own->question.network;
    crd_i_junction *junction = NULL;
    crd_i_junction_work *work = NULL;
    own->states = crd_i_alloc(network->context, network->count, sizeof *own->states);
    if (nodes != NULL) own->maximised = crd_i_alloc_zeroed(network->context, network->count, sizeof *own->maximised);
    if (own->states == NULL || (nodes != NULL && own->maximised == NULL)) return crd_i_fail_memory(error);
    for (size_t i = 0; nodes != NULL && i < count; i++) own->maximised[nodes[i]] = true;
    crd_status status =
        crd_i_evidence_query_compile_most(&own->question, own->maximised, &junction, &work, asked, error);
    if (status == CRD_OK)
        status = crd_i_junction_most_probable(work, &own->question.findings, own->states, log_probability, error);
    if (status == CRD_OK)
        status = crd_i_junction_ask(work, &own->question.findings, NULL, NULL, &asked->log_evidence, error);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

crd_status crd_network_mpe(const crd_network *network, const crd_finding *findings, size_t count, const size_t *nodes,
                           size_t node_count, const crd_inference_options *options, size_t *states,
                           double *log_probability, crd_inference_result *asked, crd_error *error) {
    explanation own = {.all = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    double log_most = 0;
    size_t asked_count = node_count;
    if (nodes == NULL && !list_chances(network, &own, &asked_count)) return crd_i_fail_memory(error);
    crd_status status = crd_i_evidence_query_open(network, findings, count, nodes == NULL ? own.all : nodes,
                                                  asked_count, options, &own.question, error);
    said.nodes = own.question.nodes;
    if (status == CRD_OK && nodes == NULL) status = check_observed(&own.question, error);
    if (status == CRD_OK) status = find_states(&own, nodes, node_count, &log_most, &said, error);
    /* Utilities have one state, and so has what nothing is known about. */
    for (size_t i = 0; status == CRD_OK && nodes == NULL && i < network->count; i++)
        states[i] = own.states[i] < 0 ? 0 : (size_t)own.states[i];
    for (size_t i = 0; status == CRD_OK && nodes != NULL && i < node_count; i++)
        states[i] = (size_t)own.states[nodes[i]];
    if (status == CRD_OK && log_probability != NULL) *log_probability = log_most;
    crd_i_evidence_query_report(asked, &said);
    crd_free(network->context, own.all);
    crd_free(network->context, own.maximised);
    crd_free(network->context, own.states);
    crd_i_evidence_query_close(&own.question);
    return status;
}
