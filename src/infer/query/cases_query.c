/* SPDX-License-Identifier: MIT */
/* cases_query.c - public queries for many cases at once: see credence/network.h. */
#include "base/error.h"
#include "base/memory.h"
#include "network/network_internal.h"

#include <math.h>

/* Finds the nodes observed in some case. A decision counts as known if every case contains its choice. A utility is
 * never known. */
static size_t cases_query_find_known(const crd_network *network, const int32_t *states, const double *numbers,
                                     size_t cases, size_t *known) {
    size_t count = 0;
    for (size_t i = 0; i < network->count; i++) {
        size_t seen = 0;
        crd_node_kind kind = network->nodes[i].kind;
        for (size_t j = 0; j < cases; j++)
            seen += kind == CRD_NODE_GAUSSIAN ? numbers != NULL && !isnan(numbers[j * network->count + i])
                                              : states[j * network->count + i] >= 0;
        if (seen == 0 || kind == CRD_NODE_UTILITY || (kind == CRD_NODE_DECISION && seen < cases)) continue;
        known[count++] = i;
    }
    return count;
}

crd_status crd_network_case_posteriors(const crd_network *network, const int32_t *states, const double *numbers,
                                       size_t cases, const size_t *nodes, size_t node_count,
                                       const crd_inference_options *options, double *posteriors, double *log_evidence,
                                       crd_error *error) {
    crd_network_engine *engine = NULL;
    size_t *known = crd_i_alloc(network->context, network->count, sizeof *known);
    if (known == NULL) return crd_i_fail_memory(error);
    size_t known_count = cases_query_find_known(network, states, numbers, cases, known);
    crd_status status =
        crd_network_engine_create(network, NULL, 0, known, known_count, nodes, node_count, options, &engine, error);
    if (status == CRD_OK)
        status = crd_network_engine_posteriors(engine, states, numbers, cases, posteriors, log_evidence, error);
    crd_network_engine_destroy(engine);
    crd_free(network->context, known);
    return status;
}
