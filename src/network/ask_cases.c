/* ask_cases.c - many cases, from outside: see credence/network.h. One tree is for all of them, of the tables that count
 * for what is asked or known in any case; where a case needs large tables, it gets a tree of its own. */
#include "network/question.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* Checks every state, and makes a finding of each node that some case knows. */
static crd_status check_states(const crd_network *network, const int32_t *states, size_t cases, crd_finding *findings,
                               size_t *known, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *known = 0;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t own = crd_i_node_states(node), seen = 0;
        int32_t last = -1;
        for (size_t j = 0; j < cases; j++) {
            int32_t state = states[j * network->count + i];
            if (state < 0) continue;
            if ((size_t)state >= own)
                return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has no state number %d: case %zu says so",
                                  crd_i_quote(node->name, quoted), (int)state, j);
            last = state;
            seen++;
        }
        /* A decision counts as known where every case says what is chosen; a utility never. */
        if (seen == 0 || node->kind == CRD_NODE_UTILITY || (node->kind == CRD_NODE_DECISION && seen < cases)) continue;
        const crd_finding finding = {i, (size_t)last, NULL};
        findings[(*known)++] = finding;
    }
    return CRD_OK;
}

crd_status crd_network_ask_cases(const crd_network *network, const int32_t *states, size_t cases, const size_t *nodes,
                                 size_t node_count, const crd_ask_options *options, double *posteriors,
                                 double *log_evidence, crd_error *error) {
    crd_context *context = network->context;
    crd_i_question question = {.network = NULL};
    crd_i_junction *junction = NULL;
    size_t known = 0;
    bool *wanted = crd_i_alloc_zeroed(context, network->count, sizeof *wanted);
    crd_finding *findings = crd_i_alloc(context, network->count, sizeof *findings);
    crd_status status = CRD_OK;
    if (wanted == NULL || findings == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = check_states(network, states, cases, findings, &known, error);
    if (status == CRD_OK)
        status = crd_i_question_open(network, findings, known, nodes, node_count, options, &question, error);
    if (status == CRD_OK) {
        const crd_i_junction_options compiled = {.tables = question.tables, .memory = question.memory};
        for (size_t i = 0; i < node_count; i++) wanted[nodes[i]] = true;
        status = crd_i_junction_compile(network, &compiled, &junction, error);
    }
    if (status == CRD_OK) {
        const crd_i_junction_cases asked = {.count = cases,
                                            .states = states,
                                            .wanted = wanted,
                                            .threads = question.options.threads,
                                            .posteriors = node_count == 0 ? NULL : posteriors,
                                            .log_evidence = log_evidence,
                                            .nodes = nodes,
                                            .node_count = node_count};
        status = crd_i_junction_ask_cases(junction, &asked, error);
    }
    crd_i_junction_destroy(junction);
    crd_i_question_close(&question);
    crd_free(context, wanted);
    crd_free(context, findings);
    return status;
}
