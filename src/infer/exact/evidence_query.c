/* SPDX-License-Identifier: MIT */
/* evidence_query.c - see evidence_query.h. */
#include "infer/exact/evidence_query.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"

#include <math.h>
#include <string.h>

static crd_status evidence_query_check_likelihoods(const crd_i_node *node, const double *likelihoods,
                                                   crd_error *error) {
    double most = 0;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        if (!(likelihoods[i] >= 0 && isfinite(likelihoods[i])))
            return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%g is not a valid likelihood of %s", likelihoods[i],
                              crd_i_quote(node->name, quoted));
        if (likelihoods[i] > most) most = likelihoods[i];
    }
    if (most > 0) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the likelihoods of %s rule out all of its states",
                      crd_i_quote(node->name, quoted));
}

static crd_status take_finding(crd_i_evidence_query *query, const crd_finding *finding, crd_error *error) {
    const crd_network *network = query->network;
    char quoted[CRD_I_QUOTED_ROOM];
    if (finding->node >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu in a finding: the network has %zu nodes",
                          finding->node, network->count);
    const crd_i_node *node = &network->nodes[finding->node];
    if (node->kind == CRD_NODE_UTILITY)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is a utility, which cannot be observed",
                          crd_i_quote(node->name, quoted));
    if (query->observed[finding->node] || (query->likelihoods != NULL && query->likelihoods[finding->node] != NULL))
        return crd_i_fail(error, CRD_ERROR_COLUMN, "%s occurs twice in the evidence", crd_i_quote(node->name, quoted));
    if (node->kind == CRD_NODE_GAUSSIAN) {
        if (finding->likelihoods != NULL)
            return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is continuous: it needs a number, not likelihoods of states",
                              crd_i_quote(node->name, quoted));
        if (!isfinite(finding->number))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%g is not a valid number for %s", finding->number,
                              crd_i_quote(node->name, quoted));
        query->numbers[finding->node] = finding->number;
        query->observed[finding->node] = true;
        return CRD_OK;
    }
    if (finding->likelihoods == NULL) {
        if (finding->state >= crd_i_node_states(node))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has no state number %zu", crd_i_quote(node->name, quoted),
                              finding->state);
        query->states[finding->node] = (int32_t)finding->state;
        query->observed[finding->node] = true;
        return CRD_OK;
    }
    if (node->kind != CRD_NODE_CHANCE)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is a decision: its finding must be one state",
                          crd_i_quote(node->name, quoted));
    if (query->likelihoods == NULL)
        query->likelihoods = crd_i_arena_alloc_zeroed(query->arena, network->count, sizeof *query->likelihoods);
    if (query->likelihoods == NULL) return crd_i_fail_memory(error);
    query->likelihoods[finding->node] = finding->likelihoods;
    return evidence_query_check_likelihoods(node, finding->likelihoods, error);
}

/* Marks all ancestors of the marked nodes. The loop visits children before parents. */
static crd_status mark_ancestors(crd_i_evidence_query *query, crd_error *error) {
    const crd_network *network = query->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = network->count; i-- > 0;) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        if (!query->tables[network->order[i]]) continue;
        if (node->kind == CRD_NODE_DECISION) {
            query->tables[network->order[i]] = false;
            if (query->observed[network->order[i]]) continue;
            crd_i_fail(error, CRD_ERROR_COLUMN, "the result depends on the decision %s: specify its choice",
                       crd_i_quote(node->name, quoted));
            crd_i_error_subject(error, node->name);
            return CRD_ERROR_COLUMN;
        }
        query->nodes++;
        for (size_t j = 0; j < node->parent_count; j++) query->tables[node->parents[j]] = true;
    }
    return CRD_OK;
}

/* Node kinds that a query accepts, and whether it asks for a joint posterior of Gaussian nodes. */
enum { DISCRETE = 1, CONTINUOUS = 2, TOGETHER = 4 };

static const char *evidence_query_kind_name(crd_node_kind kind) {
    return kind == CRD_NODE_DECISION ? "decision" : kind == CRD_NODE_UTILITY ? "utility" : "continuous node";
}

static crd_status check_asked(crd_i_evidence_query *query, const size_t *nodes, size_t count, unsigned kinds,
                              crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] >= query->network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu in the query: the network has %zu nodes",
                              nodes[i], query->network->count);
        const crd_i_node *node = &query->network->nodes[nodes[i]];
        if (node->kind == CRD_NODE_CHANCE && !(kinds & DISCRETE))
            return crd_i_fail(error, CRD_ERROR_COLUMN, "%s has states, not a density", crd_i_quote(node->name, quoted));
        if (node->kind != CRD_NODE_CHANCE && (node->kind != CRD_NODE_GAUSSIAN || !(kinds & CONTINUOUS)))
            return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is a %s, which has no probabilities",
                              crd_i_quote(node->name, quoted), evidence_query_kind_name(node->kind));
        query->tables[nodes[i]] = true;
    }
    return CRD_OK;
}

/* Divides the relevant Gaussian nodes into parts and eliminates them. */
static crd_status take_gaussian(crd_i_evidence_query *query, const size_t *nodes, size_t count, unsigned kinds,
                                crd_error *error) {
    const crd_network *network = query->network;
    bool is_any = false, *asked = NULL;
    for (size_t i = 0; i < network->count; i++)
        is_any = is_any || (query->tables[i] && network->nodes[i].kind == CRD_NODE_GAUSSIAN);
    if (!is_any) return CRD_OK;
    if (kinds & CONTINUOUS) {
        asked = crd_i_arena_alloc_zeroed(query->arena, network->count, sizeof *asked);
        if (asked == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < count; i++) asked[nodes[i]] = true;
    }
    crd_status status = crd_i_gaussian_parts_create(network, query->observed, asked, (kinds & TOGETHER) != 0,
                                                    query->memory, &query->parts, error);
    if (status == CRD_OK) status = crd_i_gaussian_evidence_create(query->parts, &query->gaussian, error);
    if (status == CRD_OK) status = crd_i_gaussian_evidence_fill(query->gaussian, query->states, query->numbers, error);
    if (status == CRD_OK) query->findings.set_logs = (const double *const *)query->gaussian->logs;
    return status;
}

static crd_status evidence_query_fill(crd_i_evidence_query *query, const crd_finding *findings, size_t count,
                                      const size_t *nodes, size_t node_count, unsigned kinds, crd_error *error) {
    crd_status status = check_asked(query, nodes, node_count, kinds, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = take_finding(query, &findings[i], error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < query->network->count; i++)
        if (query->observed[i] || (query->likelihoods != NULL && query->likelihoods[i] != NULL))
            query->tables[i] = true;
    query->findings.states = query->states;
    query->findings.likelihoods = query->likelihoods;
    status = mark_ancestors(query, error);
    return status == CRD_OK && query->numbers != NULL ? take_gaussian(query, nodes, node_count, kinds, error) : status;
}

static crd_status evidence_query_open(const crd_network *network, const crd_finding *findings, size_t count,
                                      const size_t *nodes, size_t node_count, unsigned kinds,
                                      const crd_inference_options *options, crd_i_evidence_query *out,
                                      crd_error *error) {
    crd_i_evidence_query query = {.network = network, .options = CRD_INFERENCE_OPTIONS_INIT};
    const crd_i_evidence_query none = {0};
    *out = none;
    if (options != NULL && !crd_i_copy_in(options, &query.options, sizeof query.options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    query.memory = query.options.memory > 0 ? query.options.memory : crd_i_free_memory() / 2;
    query.arena = crd_i_arena_create(network->context);
    query.states = crd_i_arena_alloc(query.arena, network->count, sizeof *query.states);
    query.observed = crd_i_arena_alloc_zeroed(query.arena, network->count, sizeof *query.observed);
    query.tables = crd_i_arena_alloc_zeroed(query.arena, network->count, sizeof *query.tables);
    if (crd_i_network_first_gaussian(network) != SIZE_MAX)
        query.numbers = crd_i_arena_alloc_zeroed(query.arena, network->count, sizeof *query.numbers);
    crd_status status = crd_i_arena_check(query.arena, error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < network->count; i++) query.states[i] = -1;
        status = evidence_query_fill(&query, findings, count, nodes, node_count, kinds, error);
    }
    *out = query;
    if (status != CRD_OK) crd_i_evidence_query_close(out);
    return status;
}

crd_status crd_i_network_query_read(const crd_network_query *request, crd_network_query *copy, crd_error *error) {
    if (request == NULL || !crd_i_copy_in(request, copy, sizeof *copy))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the query of the network is not initialized");
    return CRD_OK;
}

crd_status crd_i_evidence_query_open(const crd_network *network, const crd_finding *findings, size_t count,
                                     const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                     crd_i_evidence_query *out, crd_error *error) {
    return evidence_query_open(network, findings, count, nodes, node_count, DISCRETE, options, out, error);
}

crd_status crd_i_evidence_query_open_gaussian(const crd_network *network, const crd_finding *findings, size_t count,
                                              const size_t *nodes, size_t node_count,
                                              const crd_inference_options *options, crd_i_evidence_query *out,
                                              crd_error *error) {
    return evidence_query_open(network, findings, count, nodes, node_count, CONTINUOUS, options, out, error);
}

crd_status crd_i_evidence_query_open_together(const crd_network *network, const crd_finding *findings, size_t count,
                                              const size_t *nodes, size_t node_count,
                                              const crd_inference_options *options, crd_i_evidence_query *out,
                                              crd_error *error) {
    return evidence_query_open(network, findings, count, nodes, node_count, CONTINUOUS | TOGETHER, options, out, error);
}

crd_status crd_i_evidence_query_open_mixed(const crd_network *network, const crd_finding *findings, size_t count,
                                           const size_t *nodes, size_t node_count, const crd_inference_options *options,
                                           crd_i_evidence_query *out, crd_error *error) {
    return evidence_query_open(network, findings, count, nodes, node_count, DISCRETE | CONTINUOUS, options, out, error);
}

crd_status crd_i_evidence_query_check_discrete(const crd_i_evidence_query *query, const char *description,
                                               crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (query->parts == NULL) return CRD_OK;
    crd_text name = query->network->nodes[query->parts->parts[0].nodes[0]].name;
    return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is a continuous node: %s", crd_i_quote(name, quoted), description);
}

void crd_i_evidence_query_close(crd_i_evidence_query *query) {
    if (query->network == NULL) return;
    crd_i_arena_destroy(query->arena);
    crd_i_gaussian_evidence_destroy(query->gaussian);
    crd_i_gaussian_parts_destroy(query->parts);
    const crd_i_evidence_query none = {0};
    *query = none;
}

static crd_status evidence_query_compile(const crd_i_evidence_query *query, crd_i_junction_options *options,
                                         crd_i_junction **junction, crd_i_junction_work **work,
                                         crd_inference_result *result, crd_error *error) {
    crd_i_stage_report("compiling the junction tree", 0, 0);
    options->tables = query->tables;
    options->observed = query->observed;
    options->findings = &query->findings;
    options->sets = query->parts == NULL ? NULL : query->parts->sets;
    options->set_count = query->parts == NULL ? 0 : query->parts->count;
    options->memory = query->memory;
    options->threads = crd_i_thread_pool_size(query->options.threads);
    options->is_for_one_case = true;
    options->cells = result == NULL ? NULL : &result->cells;
    options->bytes = result == NULL ? NULL : &result->bytes;
    crd_status status = crd_i_junction_compile(query->network, options, junction, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(*junction, work, error);
    if (status == CRD_OK) return CRD_OK;
    crd_i_junction_destroy(*junction);
    *junction = NULL;
    return status;
}

crd_status crd_i_evidence_query_compile(const crd_i_evidence_query *query, const size_t *nodes, size_t node_count,
                                        bool together, crd_i_junction **junction, crd_i_junction_work **work,
                                        crd_inference_result *result, crd_error *error) {
    crd_context *context = query->network->context;
    crd_i_junction_options options = {.together_count = 0};
    *junction = NULL;
    *work = NULL;
    uint32_t *joined = NULL;
    size_t repeated = SIZE_MAX;
    if (together) {
        joined = crd_i_alloc(context, node_count, sizeof *joined);
        if (joined == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < node_count; i++) {
            joined[i] = (uint32_t)nodes[i];
            for (size_t j = 0; j < i; j++) repeated = nodes[j] == nodes[i] ? i : repeated;
        }
        options.together = joined;
        options.together_count = node_count;
    }
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = repeated == SIZE_MAX
                            ? evidence_query_compile(query, &options, junction, work, result, error)
                            : crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s is named twice",
                                         crd_i_quote(query->network->nodes[nodes[repeated]].name, quoted));
    crd_free(context, joined);
    return status;
}

crd_status crd_i_evidence_query_compile_most(const crd_i_evidence_query *query, const bool *maximized,
                                             crd_i_junction **junction, crd_i_junction_work **work,
                                             crd_inference_result *result, crd_error *error) {
    crd_i_junction_options options = {.maximized = maximized};
    *junction = NULL;
    *work = NULL;
    return evidence_query_compile(query, &options, junction, work, result, error);
}

void crd_i_evidence_query_report(crd_inference_result *result, const crd_inference_result *inference) {
    if (result != NULL) crd_i_copy_out(inference, sizeof *inference, result);
}
