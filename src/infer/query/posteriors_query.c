/* SPDX-License-Identifier: MIT */
/* posteriors_query.c - posteriors of nodes, each by itself or together: see credence/network.h. */
#include "infer/approximate/approximate.h"
#include "infer/evidence_query.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static crd_status ask_each(const crd_i_evidence_query *question, const size_t *nodes, size_t count, double *posteriors,
                           crd_inference_result *asked, crd_error *error) {
    const crd_network *network = question->network;
    crd_context *context = network->context;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(question, nodes, count, false, &junction, &work, asked, error);
    if (status != CRD_OK) return status;
    double *all = crd_i_alloc(context, crd_i_junction_start(junction, network->count), sizeof *all);
    bool *wanted = crd_i_alloc_zeroed(context, network->count, sizeof *wanted);
    if (all == NULL || wanted == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (size_t i = 0; i < count; i++) wanted[nodes[i]] = true;
        status =
            crd_i_junction_ask(work, &question->findings, wanted, count == 0 ? NULL : all, &asked->log_evidence, error);
        if (status == CRD_OK)
            asked->log_evidence = crd_i_gaussian_log_evidence(question->gaussian, asked->log_evidence);
    }
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        size_t states = crd_i_node_states(&network->nodes[nodes[i]]);
        memcpy(posteriors, all + crd_i_junction_start(junction, nodes[i]), states * sizeof *posteriors);
        posteriors += states;
    }
    crd_free(context, all);
    crd_free(context, wanted);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

static crd_status ask_joint(const crd_i_evidence_query *question, const size_t *nodes, size_t count, double *joint,
                            crd_inference_result *asked, crd_error *error) {
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(question, nodes, count, true, &junction, &work, asked, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_ask_together(work, &question->findings, joint, &asked->log_evidence, error);
    if (status == CRD_OK) asked->log_evidence = crd_i_gaussian_log_evidence(question->gaussian, asked->log_evidence);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

/* How many numbers the answer has. */
static size_t answer_size(const crd_network *network, const size_t *nodes, size_t count, bool together) {
    size_t sum = 0, product = 1;
    for (size_t i = 0; i < count; i++) {
        sum += crd_i_node_states(&network->nodes[nodes[i]]);
        product *= crd_i_node_states(&network->nodes[nodes[i]]);
    }
    return together ? product : sum;
}

static crd_status ask_exactly(const crd_i_evidence_query *question, const size_t *nodes, size_t count, bool together,
                              double *answer, double *errors, crd_inference_result *asked, crd_error *error) {
    crd_status status = together ? ask_joint(question, nodes, count, answer, asked, error)
                                 : ask_each(question, nodes, count, answer, asked, error);
    if (status == CRD_OK && errors != NULL)
        memset(errors, 0, answer_size(question->network, nodes, count, together) * sizeof *errors);
    return status;
}

/* How much an exact answer would take, where it is not asked for. */
static crd_status measure(const crd_i_evidence_query *question, const size_t *nodes, size_t count, bool together,
                          crd_inference_result *asked, crd_error *error) {
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(question, nodes, count, together, &junction, &work, asked, error);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status == CRD_OK ? CRD_ERROR_LIMIT : status;
}

static crd_status ask(const crd_network *network, const crd_finding *findings, size_t count, const size_t *nodes,
                      size_t node_count, bool together, const crd_inference_options *options, double *answer,
                      double *errors, crd_inference_result *asked, crd_error *error) {
    crd_i_evidence_query question;
    crd_inference_result own = CRD_INFERENCE_RESULT_INIT;
    crd_status status =
        crd_i_evidence_query_open(network, findings, count, nodes, node_count, options, &question, error);
    if (status != CRD_OK) return status;
    own.nodes = question.nodes;
    bool is_estimated = question.options.is_always_approximate;
    status = is_estimated ? measure(&question, nodes, node_count, together, &own, error)
                          : ask_exactly(&question, nodes, node_count, together, answer, errors, &own, error);
    if (status == CRD_ERROR_LIMIT && (is_estimated || question.options.approximation != CRD_APPROXIMATION_NEVER))
        status = crd_i_approximate(&question, nodes, node_count, together, answer, errors, &own, error);
    crd_i_evidence_query_report(asked, &own);
    crd_i_evidence_query_close(&question);
    return status;
}

crd_status crd_network_posteriors(const crd_network *network, const crd_finding *findings, size_t count,
                                  const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                  double *posteriors, double *errors, crd_inference_result *asked, crd_error *error) {
    return ask(network, findings, count, nodes, node_count, false, options, posteriors, errors, asked, error);
}

crd_status crd_network_joint_posterior(const crd_network *network, const crd_finding *findings, size_t count,
                                       const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                       double *joint, double *errors, crd_inference_result *asked, crd_error *error) {
    return ask(network, findings, count, nodes, node_count, true, options, joint, errors, asked, error);
}
