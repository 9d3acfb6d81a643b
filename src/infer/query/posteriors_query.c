/* SPDX-License-Identifier: MIT */
/* posteriors_query.c - posteriors of nodes, separately or jointly: see credence/network.h. */
#include "infer/approximate/approximate.h"
#include "infer/evidence_query.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static crd_status posteriors_query_ask_each(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                            double *posteriors, crd_inference_result *result, crd_error *error) {
    const crd_network *network = query->network;
    crd_context *context = network->context;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(query, nodes, count, false, &junction, &work, result, error);
    if (status != CRD_OK) return status;
    double *all = crd_i_alloc(context, crd_i_junction_start(junction, network->count), sizeof *all);
    bool *wanted = crd_i_alloc_zeroed(context, network->count, sizeof *wanted);
    if (all == NULL || wanted == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        for (size_t i = 0; i < count; i++) wanted[nodes[i]] = true;
        status =
            crd_i_junction_ask(work, &query->findings, wanted, count == 0 ? NULL : all, &result->log_evidence, error);
        if (status == CRD_OK) result->log_evidence = crd_i_gaussian_log_evidence(query->gaussian, result->log_evidence);
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

static crd_status posteriors_query_ask_joint(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                             double *joint, crd_inference_result *result, crd_error *error) {
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(query, nodes, count, true, &junction, &work, result, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_ask_together(work, &query->findings, joint, &result->log_evidence, error);
    if (status == CRD_OK) result->log_evidence = crd_i_gaussian_log_evidence(query->gaussian, result->log_evidence);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

/* Returns the number of values in the result. */
static size_t posteriors_query_answer_size(const crd_network *network, const size_t *nodes, size_t count,
                                           bool together) {
    size_t sum = 0, product = 1;
    for (size_t i = 0; i < count; i++) {
        sum += crd_i_node_states(&network->nodes[nodes[i]]);
        product *= crd_i_node_states(&network->nodes[nodes[i]]);
    }
    return together ? product : sum;
}

static crd_status ask_exactly(const crd_i_evidence_query *query, const size_t *nodes, size_t count, bool together,
                              double *answer, double *errors, crd_inference_result *result, crd_error *error) {
    crd_status status = together ? posteriors_query_ask_joint(query, nodes, count, answer, result, error)
                                 : posteriors_query_ask_each(query, nodes, count, answer, result, error);
    if (status == CRD_OK && errors != NULL)
        memset(errors, 0, posteriors_query_answer_size(query->network, nodes, count, together) * sizeof *errors);
    return status;
}

/* Computes the cost of exact inference when only an approximate result is requested. */
static crd_status posteriors_query_measure(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                           bool together, crd_inference_result *result, crd_error *error) {
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(query, nodes, count, together, &junction, &work, result, error);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status == CRD_OK ? CRD_ERROR_LIMIT : status;
}

static crd_status posteriors_query_ask(const crd_network *network, const crd_finding *findings, size_t count,
                                       const size_t *nodes, size_t node_count, bool together,
                                       const crd_inference_options *options, double *answer, double *errors,
                                       crd_inference_result *result, crd_error *error) {
    crd_i_evidence_query query;
    crd_inference_result inference = CRD_INFERENCE_RESULT_INIT;
    crd_status status = crd_i_evidence_query_open(network, findings, count, nodes, node_count, options, &query, error);
    if (status != CRD_OK) return status;
    inference.nodes = query.nodes;
    bool is_estimated = query.options.is_always_approximate;
    status = is_estimated ? posteriors_query_measure(&query, nodes, node_count, together, &inference, error)
                          : ask_exactly(&query, nodes, node_count, together, answer, errors, &inference, error);
    if (status == CRD_ERROR_LIMIT && (is_estimated || query.options.approximation != CRD_APPROXIMATION_NEVER))
        status = crd_i_approximate(&query, nodes, node_count, together, answer, errors, &inference, error);
    crd_i_evidence_query_report(result, &inference);
    crd_i_evidence_query_close(&query);
    return status;
}

crd_status crd_network_posteriors(const crd_network *network, const crd_finding *findings, size_t count,
                                  const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                  double *posteriors, double *errors, crd_inference_result *result, crd_error *error) {
    return posteriors_query_ask(network, findings, count, nodes, node_count, false, options, posteriors, errors, result,
                                error);
}

crd_status crd_network_joint_posterior(const crd_network *network, const crd_finding *findings, size_t count,
                                       const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                       double *joint, double *errors, crd_inference_result *result, crd_error *error) {
    return posteriors_query_ask(network, findings, count, nodes, node_count, true, options, joint, errors, result,
                                error);
}
