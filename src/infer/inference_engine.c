/* SPDX-License-Identifier: MIT */
/* inference_engine.c - queries for cases that arrive in batches, and queries for single cases: see credence/network.h.
 *
 * The tree is compiled once from all tables relevant for the queried nodes or for nodes that some case may observe. So
 * the bits of a result do not depend on the other cases of its batch. A case that needs large tables gets its own tree.
 * If Gaussian nodes are relevant, trees are compiled for the set of observed nodes: see mixed_cases.h.
 *
 * Contents:
 *   1. Inference engine
 *   2. Posteriors of nodes
 *   3. Most probable explanations
 *   4. Queries of many cases */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "infer/approximate.h"
#include "infer/exact/evidence_query.h"
#include "infer/exact/mixed_cases.h"
#include "network/network_internal.h"

#include <math.h>
#include <string.h>

/* ======== 1. Inference engine ======== */

struct crd_network_engine {
    crd_i_arena *arena;
    const crd_network *network;
    crd_i_junction *junction;
    crd_i_mixed_cases *mixed; /* used instead of the tree if Gaussian nodes are relevant */
    unsigned threads;
    /* by node: value of Gaussian nodes that is the same in every case, otherwise NaN; may be NULL */
    double *stated_numbers;
    int32_t *stated;            /* by node: the state that it has in every case, or -1 */
    const double **likelihoods; /* by node: likelihoods for every case, stored in `numbers`, or NULL; NULL: none */
    double *numbers;
    bool *known;   /* by node: whether cases may observe it */
    bool *decides; /* by node: decisions that every case must contain, because results depend on them */
    bool *wanted;  /* by node */
    size_t *nodes;
    size_t node_count;
    bool has_findings; /* there are findings for every case */
    bool asks_numbers; /* a Gaussian node is queried */
};

void crd_network_engine_destroy(crd_network_engine *engine) {
    if (engine == NULL) return;
    crd_i_junction_destroy(engine->junction);
    crd_i_mixed_cases_destroy(engine->mixed);
    crd_i_arena_destroy(engine->arena);
}

/* ---- Creation ---- */

static crd_status inference_engine_make_room(crd_network_engine *engine, size_t node_count, crd_error *error) {
    crd_i_arena *arena = engine->arena;
    size_t count = engine->network->count;
    bool is_mixed = crd_i_network_first_gaussian(engine->network) != SIZE_MAX;
    engine->stated = crd_i_arena_alloc(arena, count, sizeof *engine->stated);
    engine->known = crd_i_arena_alloc_zeroed(arena, count, sizeof *engine->known);
    engine->decides = crd_i_arena_alloc_zeroed(arena, count, sizeof *engine->decides);
    engine->wanted = crd_i_arena_alloc_zeroed(arena, count, sizeof *engine->wanted);
    engine->nodes = crd_i_arena_alloc(arena, node_count, sizeof *engine->nodes);
    if (is_mixed) engine->stated_numbers = crd_i_arena_alloc(arena, count, sizeof *engine->stated_numbers);
    if (crd_i_arena_failed(arena)) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) engine->stated[i] = -1;
    for (size_t i = 0; is_mixed && i < count; i++) engine->stated_numbers[i] = NAN;
    return CRD_OK;
}

/* Copies the findings that hold in every case, because the caller may free them. */
static crd_status keep_findings(crd_network_engine *engine, const crd_finding *findings, size_t count,
                                crd_error *error) {
    const crd_network *network = engine->network;
    size_t numbers = 0, used = 0;
    engine->has_findings = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (network->nodes[findings[i].node].kind == CRD_NODE_GAUSSIAN) {
            engine->stated_numbers[findings[i].node] = findings[i].number;
            continue;
        }
        if (findings[i].likelihoods == NULL) engine->stated[findings[i].node] = (int32_t)findings[i].state;
        else numbers += crd_i_node_states(&network->nodes[findings[i].node]);
    }
    if (numbers == 0) return CRD_OK;
    engine->numbers = crd_i_arena_alloc(engine->arena, numbers, sizeof *engine->numbers);
    engine->likelihoods = crd_i_arena_alloc_zeroed(engine->arena, network->count, sizeof *engine->likelihoods);
    if (engine->likelihoods == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (findings[i].likelihoods == NULL) continue;
        size_t own = crd_i_node_states(&network->nodes[findings[i].node]);
        memcpy(engine->numbers + used, findings[i].likelihoods, own * sizeof *engine->numbers);
        engine->likelihoods[findings[i].node] = engine->numbers + used;
        used += own;
    }
    return CRD_OK;
}

/* Opens a query with the common findings plus one finding for each node that cases may observe, in any state. The
 * relevant part of the network is the same for all of these. */
static crd_status inference_engine_open_query(crd_network_engine *engine, const crd_network_query *request,
                                              const size_t *known, size_t known_count, crd_i_evidence_query *query,
                                              crd_error *error) {
    const size_t count = request->finding_count;
    const crd_network *network = engine->network;
    crd_finding *all = crd_i_alloc(network->context, count + known_count, sizeof *all);
    if (all == NULL) return crd_i_fail_memory(error);
    size_t used = count;
    if (count > 0) memcpy(all, request->findings, count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (request->findings[i].node < network->count) engine->known[request->findings[i].node] = true;
    for (size_t i = 0; i < known_count; i++) {
        if (known[i] < network->count && engine->known[known[i]]) continue;
        if (known[i] < network->count) engine->known[known[i]] = true;
        const crd_finding finding = {known[i], 0, NULL, 0};
        all[used++] = finding;
    }
    crd_status status = crd_i_evidence_query_open_mixed(network, all, used, request->nodes, request->node_count,
                                                        request->options, query, error);
    crd_free(network->context, all);
    return status;
}

static void find_decisions(crd_network_engine *engine, const crd_i_evidence_query *query) {
    const crd_network *network = engine->network;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        for (size_t j = 0; node->kind == CRD_NODE_DECISION && j < node->child_count; j++)
            engine->decides[i] = engine->decides[i] || query->tables[node->children[j]];
    }
}

static crd_status inference_engine_compile(crd_network_engine *engine, const crd_i_evidence_query *query,
                                           crd_error *error) {
    const crd_network *network = engine->network;
    const crd_i_evidence findings = {.states = engine->stated, .likelihoods = engine->likelihoods};
    crd_i_junction_options options = {.tables = query->tables, .memory = query->memory};
    bool *observed = NULL;
    if (engine->has_findings) {
        observed = crd_i_alloc(network->context, network->count, sizeof *observed);
        if (observed == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < network->count; i++) observed[i] = engine->stated[i] >= 0;
        options.observed = observed;
        options.findings = &findings;
    }
    crd_status status = crd_i_junction_compile(network, &options, &engine->junction, error);
    crd_free(network->context, observed);
    return status;
}

crd_status crd_network_engine_create(const crd_network *network, const crd_network_query *request, const size_t *known,
                                     size_t known_count, crd_network_engine **out, crd_error *error) {
    crd_network_query copy = CRD_NETWORK_QUERY_INIT;
    crd_i_evidence_query query = {.network = NULL};
    *out = NULL;
    crd_status status = crd_i_network_query_read(request, &copy, error);
    if (status != CRD_OK) return status;
    crd_network_engine *engine = crd_i_arena_object(network->context, sizeof *engine);
    if (engine == NULL) return crd_i_fail_memory(error);
    engine->network = network;
    engine->node_count = copy.node_count;
    status = inference_engine_make_room(engine, copy.node_count, error);
    if (status == CRD_OK) status = inference_engine_open_query(engine, &copy, known, known_count, &query, error);
    if (status == CRD_OK) status = keep_findings(engine, copy.findings, copy.finding_count, error);
    if (status == CRD_OK) {
        engine->threads = query.options.threads;
        for (size_t i = 0; i < copy.node_count; i++) {
            engine->nodes[i] = copy.nodes[i];
            engine->wanted[copy.nodes[i]] = true;
            engine->asks_numbers = engine->asks_numbers || network->nodes[copy.nodes[i]].kind == CRD_NODE_GAUSSIAN;
        }
        find_decisions(engine, &query);
        status = query.parts == NULL
                     ? inference_engine_compile(engine, &query, error)
                     : crd_i_mixed_cases_create(network, engine->wanted, query.memory, &engine->mixed, error);
    }
    crd_i_evidence_query_close(&query);
    if (status == CRD_OK) *out = engine;
    else crd_network_engine_destroy(engine);
    return status;
}

/* ---- Queries ---- */

static crd_status fail_undecided(const crd_i_node *node, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "the result depends on the decision %s: every case must specify its choice",
               crd_i_quote(node->name, quoted));
    crd_i_error_subject(error, node->name);
    return CRD_ERROR_COLUMN;
}

/* Checks the states of cases. Cases are numbered from 0 in the order of the call. */
static crd_status inference_engine_check_states(const crd_network_engine *engine, const int32_t *states, size_t cases,
                                                crd_error *error) {
    const crd_network *network = engine->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t j = 0; j < cases; j++, states += network->count) {
        for (size_t i = 0; i < network->count; i++) {
            const crd_i_node *node = &network->nodes[i];
            if (states[i] < 0 && engine->decides[i] && engine->stated[i] < 0) return fail_undecided(node, error);
            if (states[i] < 0 || node->kind == CRD_NODE_GAUSSIAN) continue;
            if ((size_t)states[i] >= crd_i_node_states(node))
                return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has no state number %d, as in case %zu",
                                  crd_i_quote(node->name, quoted), (int)states[i], j);
            if (node->kind == CRD_NODE_CHANCE && !engine->known[i])
                return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                  "case %zu observes %s, which is not among the nodes that cases may observe", j,
                                  crd_i_quote(node->name, quoted));
        }
    }
    return CRD_OK;
}

/* Copies the cases and adds the common findings. */
static int32_t *add_findings(const crd_network_engine *engine, const int32_t *states, size_t cases) {
    size_t count = engine->network->count;
    if (cases > SIZE_MAX / count) return NULL;
    int32_t *all = crd_i_alloc(engine->network->context, cases * count, sizeof *all);
    if (all == NULL) return NULL;
    for (size_t j = 0; j < cases; j++) {
        for (size_t i = 0; i < count; i++) {
            bool is_soft = engine->likelihoods != NULL && engine->likelihoods[i] != NULL;
            int32_t own = is_soft ? -1 : states[j * count + i];
            all[j * count + i] = engine->stated[i] >= 0 ? engine->stated[i] : own;
        }
    }
    return all;
}

/* ---- Cases with numbers ---- */

typedef struct mixed_asking {
    const crd_network_engine *engine;
    const int32_t *states;
    const double *numbers; /* NULL if no case has numbers */
    size_t answer_size;
    double *posteriors, *log_evidence;
} mixed_asking;

/* Scratch space for one case. */
typedef struct mixed_room {
    crd_i_arena *arena;
    double *numbers, *posteriors, *moments;
    size_t *starts;
} mixed_room;

static size_t posterior_size(const crd_network *network, size_t *starts) {
    size_t size = 0;
    for (size_t i = 0; i < network->count; i++) {
        if (starts != NULL) starts[i] = size;
        size += crd_i_node_states(&network->nodes[i]);
    }
    return size;
}

/* Returns the number of values in the result for a node. */
static size_t answer_places(const crd_i_node *node) {
    return node->kind == CRD_NODE_GAUSSIAN ? 2 : crd_i_node_states(node);
}

static crd_status ask_mixed_case(const mixed_asking *query, size_t index, const mixed_room *workspace,
                                 crd_error *error) {
    const crd_network_engine *asker = query->engine;
    const crd_network *network = asker->network;
    const crd_i_evidence findings = {.states = query->states + index * network->count,
                                     .likelihoods = asker->likelihoods};
    double log_evidence = -INFINITY,
           *answer = query->posteriors == NULL ? NULL : query->posteriors + index * query->answer_size;
    for (size_t i = 0; i < network->count; i++) {
        double own_number = query->numbers == NULL ? NAN : query->numbers[index * network->count + i];
        workspace->numbers[i] = isnan(asker->stated_numbers[i]) ? own_number : asker->stated_numbers[i];
    }
    double *posteriors = answer == NULL ? NULL : workspace->posteriors, *moments = NULL;
    if (answer != NULL && asker->asks_numbers) moments = workspace->moments;
    /* Without an error struct, no search for contradictory findings is made. */
    crd_status status =
        crd_i_mixed_cases_ask(asker->mixed, &findings, workspace->numbers, posteriors, moments, &log_evidence, NULL);
    if (status != CRD_OK && status != CRD_ERROR_PROBABILITY)
        status = crd_i_mixed_cases_ask(asker->mixed, &findings, workspace->numbers, posteriors, moments, &log_evidence,
                                       error);
    bool is_possible = status == CRD_OK;
    if (!is_possible && status != CRD_ERROR_PROBABILITY) return status;
    for (size_t i = 0; answer != NULL && i < asker->node_count; i++) {
        const crd_i_node *node = &network->nodes[asker->nodes[i]];
        bool is_gaussian = node->kind == CRD_NODE_GAUSSIAN;
        const double *source = is_gaussian ? workspace->moments + 2 * asker->nodes[i]
                                           : workspace->posteriors + workspace->starts[asker->nodes[i]];
        for (size_t s = 0; s < answer_places(node); s++) *answer++ = is_possible ? source[s] : 0;
    }
    if (query->log_evidence != NULL) query->log_evidence[index] = is_possible ? log_evidence : -INFINITY;
    return CRD_OK;
}

static crd_status ask_mixed(void *state, void *workspace, size_t index, crd_error *error) {
    mixed_asking *query = state;
    mixed_room *arrays = workspace;
    const crd_network *network = query->engine->network;
    if (arrays->arena == NULL) {
        arrays->arena = crd_i_arena_create(network->context);
        arrays->numbers = crd_i_arena_alloc(arrays->arena, network->count, sizeof *arrays->numbers);
        arrays->moments = crd_i_arena_alloc(arrays->arena, 2 * network->count, sizeof *arrays->moments);
        arrays->starts = crd_i_arena_alloc(arrays->arena, network->count, sizeof *arrays->starts);
        arrays->posteriors =
            crd_i_arena_alloc(arrays->arena, posterior_size(network, arrays->starts), sizeof *arrays->posteriors);
        if (crd_i_arena_failed(arrays->arena)) return crd_i_fail_memory(error);
    }
    return ask_mixed_case(query, index, arrays, error);
}

static void mixed_room_clear(void *state, void *workspace) {
    (void)state;
    crd_i_arena_destroy(((mixed_room *)workspace)->arena);
}

static crd_status inference_engine_ask_mixed(const crd_network_engine *engine, const int32_t *states,
                                             const double *numbers, size_t cases, double *posteriors,
                                             double *log_evidence, crd_error *error) {
    const crd_network *network = engine->network;
    mixed_asking query = {.engine = engine,
                          .states = states,
                          .numbers = numbers,
                          .posteriors = engine->node_count == 0 ? NULL : posteriors,
                          .log_evidence = log_evidence};
    for (size_t i = 0; i < engine->node_count; i++)
        query.answer_size += answer_places(&network->nodes[engine->nodes[i]]);
    crd_i_parallel_loop loop = {.state = &query,
                                .items = cases,
                                .threads = engine->threads,
                                .work = ask_mixed,
                                .workspace_size = sizeof(mixed_room),
                                .clear = mixed_room_clear};
    return crd_i_parallel_for(network->context, &loop, error);
}

static crd_status check_numbers(const crd_network_engine *engine, const double *numbers, size_t cases,
                                crd_error *error) {
    const crd_network *network = engine->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t at = 0; numbers != NULL && at < cases * network->count; at++) {
        size_t i = at % network->count;
        const crd_i_node *node = &network->nodes[i];
        if (node->kind != CRD_NODE_GAUSSIAN || isnan(numbers[at])) continue;
        if (isinf(numbers[at]))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%g is not a valid number for %s in case %zu", numbers[at],
                              crd_i_quote(node->name, quoted), at / network->count);
        if (!engine->known[i])
            return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                              "case %zu observes %s, which is not among the nodes that cases may observe",
                              at / network->count, crd_i_quote(node->name, quoted));
    }
    return CRD_OK;
}

crd_status crd_network_engine_posteriors(const crd_network_engine *engine, const int32_t *states, const double *numbers,
                                         size_t cases, double *posteriors, double *log_evidence, crd_error *error) {
    int32_t *all = NULL;
    crd_status status = inference_engine_check_states(engine, states, cases, error);
    if (status == CRD_OK && engine->stated_numbers != NULL) status = check_numbers(engine, numbers, cases, error);
    if (status != CRD_OK || cases == 0) return status;
    if (engine->has_findings) {
        all = add_findings(engine, states, cases);
        if (all == NULL) return crd_i_fail_memory(error);
    }
    if (engine->mixed != NULL) {
        status = inference_engine_ask_mixed(engine, all == NULL ? states : all, numbers, cases, posteriors,
                                            log_evidence, error);
        crd_free(engine->network->context, all);
        return status;
    }
    const crd_i_junction_cases junction_cases = {.count = cases,
                                                 .states = all == NULL ? states : all,
                                                 .likelihoods = engine->likelihoods,
                                                 .wanted = engine->wanted,
                                                 .threads = engine->threads,
                                                 .posteriors = engine->node_count == 0 ? NULL : posteriors,
                                                 .log_evidence = log_evidence,
                                                 .nodes = engine->nodes,
                                                 .node_count = engine->node_count};
    status = crd_i_junction_ask_cases(engine->junction, &junction_cases, error);
    crd_free(engine->network->context, all);
    return status;
}

/* ======== 2. Posteriors of nodes ========
 *
 * The posteriors are of each node separately, or of several nodes jointly. */

static crd_status posteriors_query_ask_each(const crd_i_evidence_query *query, const size_t *nodes, size_t count,
                                            double *posteriors, crd_inference_result *result, crd_error *error) {
    const crd_network *network = query->network;
    crd_i_junction *junction;
    crd_i_junction_work *work;
    crd_status status = crd_i_evidence_query_compile(query, nodes, count, false, &junction, &work, result, error);
    if (status != CRD_OK) return status;
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    double *all = crd_i_arena_alloc(scratch, crd_i_junction_start(junction, network->count), sizeof *all);
    bool *wanted = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *wanted);
    status = crd_i_arena_check(scratch, error);
    if (status == CRD_OK) {
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
    crd_i_arena_destroy(scratch);
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

static crd_status posteriors_query_ask(const crd_network *network, const crd_network_query *request, bool together,
                                       double *answer, double *errors, crd_inference_result *result, crd_error *error) {
    crd_network_query copy = CRD_NETWORK_QUERY_INIT;
    crd_i_evidence_query query;
    crd_inference_result inference = CRD_INFERENCE_RESULT_INIT;
    crd_status status = crd_i_network_query_read(request, &copy, error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_open(network, copy.findings, copy.finding_count, copy.nodes, copy.node_count,
                                           copy.options, &query, error);
    if (status != CRD_OK) return status;
    inference.nodes = query.nodes;
    bool is_estimated = query.options.is_always_approximate;
    status = is_estimated
                 ? posteriors_query_measure(&query, copy.nodes, copy.node_count, together, &inference, error)
                 : ask_exactly(&query, copy.nodes, copy.node_count, together, answer, errors, &inference, error);
    if (status == CRD_ERROR_LIMIT && (is_estimated || query.options.approximation != CRD_APPROXIMATION_NEVER))
        status = crd_i_approximate(&query, copy.nodes, copy.node_count, together, answer, errors, &inference, error);
    crd_i_evidence_query_report(result, &inference);
    crd_i_evidence_query_close(&query);
    return status;
}

crd_status crd_network_posteriors(const crd_network *network, const crd_network_query *query, double *posteriors,
                                  double *errors, crd_inference_result *result, crd_error *error) {
    return posteriors_query_ask(network, query, false, posteriors, errors, result, error);
}

crd_status crd_network_joint_posterior(const crd_network *network, const crd_network_query *query, double *joint,
                                       double *errors, crd_inference_result *result, crd_error *error) {
    return posteriors_query_ask(network, query, true, joint, errors, result, error);
}

/* ======== 3. Most probable explanations ========
 *
 * An explanation contains some nodes or all. */

typedef struct query_explanation {
    crd_i_arena *arena;
    crd_i_evidence_query query;
    size_t *all;     /* the chance nodes, if all are queried */
    bool *maximized; /* by node; NULL: all */
    int32_t *states;
} query_explanation;

static void list_chances(const crd_network *network, query_explanation *explanation, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < network->count; i++)
        if (network->nodes[i].kind == CRD_NODE_CHANCE) explanation->all[(*count)++] = i;
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
    explanation->states = crd_i_arena_alloc(explanation->arena, network->count, sizeof *explanation->states);
    if (nodes != NULL)
        explanation->maximized = crd_i_arena_alloc_zeroed(explanation->arena, network->count, sizeof(bool));
    if (crd_i_arena_failed(explanation->arena)) return crd_i_fail_memory(error);
    for (size_t i = 0; nodes != NULL && i < count; i++) explanation->maximized[nodes[i]] = true;
    crd_status status =
        crd_i_evidence_query_compile_most(&explanation->query, explanation->maximized, &junction, &work, result, error);
    if (status == CRD_OK)
        status = crd_i_junction_most_probable(work, &explanation->query.findings, explanation->states, log_probability,
                                              error);
    if (status == CRD_OK)
        status = crd_i_junction_ask(work, &explanation->query.findings, NULL, NULL, &result->log_evidence, error);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

crd_status crd_network_mpe(const crd_network *network, const crd_network_query *query, size_t *states,
                           double *log_probability, crd_inference_result *result, crd_error *error) {
    crd_network_query copy = CRD_NETWORK_QUERY_INIT;
    query_explanation explanation = {.all = NULL};
    crd_inference_result said = CRD_INFERENCE_RESULT_INIT;
    double log_most = 0;
    crd_status status = crd_i_network_query_read(query, &copy, error);
    if (status != CRD_OK) return status;
    const size_t *nodes = copy.nodes;
    size_t queried_count = copy.node_count;
    explanation.arena = crd_i_arena_create(network->context);
    explanation.all = crd_i_arena_alloc(explanation.arena, network->count, sizeof *explanation.all);
    if (explanation.all == NULL) {
        crd_i_arena_destroy(explanation.arena);
        return crd_i_fail_memory(error);
    }
    if (nodes == NULL) list_chances(network, &explanation, &queried_count);
    status =
        crd_i_evidence_query_open(network, copy.findings, copy.finding_count, nodes == NULL ? explanation.all : nodes,
                                  queried_count, copy.options, &explanation.query, error);
    said.nodes = explanation.query.nodes;
    if (status == CRD_OK && nodes == NULL) status = mpe_query_check_observed(&explanation.query, error);
    if (status == CRD_OK) status = mpe_query_find_states(&explanation, nodes, copy.node_count, &log_most, &said, error);
    /* Utilities have one state, and so do nodes without any information. */
    for (size_t i = 0; status == CRD_OK && nodes == NULL && i < network->count; i++)
        states[i] = explanation.states[i] < 0 ? 0 : (size_t)explanation.states[i];
    for (size_t i = 0; status == CRD_OK && nodes != NULL && i < copy.node_count; i++)
        states[i] = (size_t)explanation.states[nodes[i]];
    if (status == CRD_OK && log_probability != NULL) *log_probability = log_most;
    crd_i_evidence_query_report(result, &said);
    crd_i_evidence_query_close(&explanation.query);
    crd_i_arena_destroy(explanation.arena);
    return status;
}

/* ======== 4. Queries of many cases ======== */

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

crd_status crd_network_case_posteriors(const crd_network *network, const crd_network_query *query,
                                       const int32_t *states, const double *numbers, size_t cases, double *posteriors,
                                       double *log_evidence, crd_error *error) {
    crd_network_engine *engine = NULL;
    size_t *known = crd_i_alloc(network->context, network->count, sizeof *known);
    if (known == NULL) return crd_i_fail_memory(error);
    size_t known_count = cases_query_find_known(network, states, numbers, cases, known);
    crd_status status = crd_network_engine_create(network, query, known, known_count, &engine, error);
    if (status == CRD_OK)
        status = crd_network_engine_posteriors(engine, states, numbers, cases, posteriors, log_evidence, error);
    crd_network_engine_destroy(engine);
    crd_free(network->context, known);
    return status;
}
