/* SPDX-License-Identifier: MIT */
/* inference_engine.c - cases that come in parts: see credence/network.h. The tree is compiled once, of the tables
 * that count for what is asked or may be known in some case, so that the bits of an answer do not depend on which
 * other cases come with it. Where a case needs large tables, it gets a tree of its own. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "infer/evidence_query.h"

#include <string.h>

struct crd_network_engine {
    const crd_network *network;
    crd_i_junction *junction;
    unsigned threads;
    int32_t *stated;            /* by node, the state that it has in every case, or -1 */
    const double **likelihoods; /* by node, those of every case, in `numbers`, or NULL; NULL: there are none */
    double *numbers;
    bool *known;   /* by node, those of which cases may say something */
    bool *decides; /* by node, decisions that every case has to state, as answers depend on them */
    bool *wanted;  /* by node */
    size_t *nodes;
    size_t node_count;
    bool has_findings; /* that hold in every case */
};

void crd_network_engine_destroy(crd_network_engine *asker) {
    if (asker == NULL) return;
    crd_context *context = asker->network->context;
    crd_i_junction_destroy(asker->junction);
    crd_free(context, asker->stated);
    crd_free(context, (void *)asker->likelihoods);
    crd_free(context, asker->numbers);
    crd_free(context, asker->known);
    crd_free(context, asker->decides);
    crd_free(context, asker->wanted);
    crd_free(context, asker->nodes);
    crd_free(context, asker);
}

/* ---- Making ---- */

static crd_status make_room(crd_network_engine *made, size_t node_count, crd_error *error) {
    crd_context *context = made->network->context;
    size_t count = made->network->count;
    made->stated = crd_i_alloc(context, count, sizeof *made->stated);
    made->known = crd_i_alloc_zeroed(context, count, sizeof *made->known);
    made->decides = crd_i_alloc_zeroed(context, count, sizeof *made->decides);
    made->wanted = crd_i_alloc_zeroed(context, count, sizeof *made->wanted);
    made->nodes = crd_i_alloc(context, node_count, sizeof *made->nodes);
    if (made->stated == NULL || made->known == NULL || made->decides == NULL || made->wanted == NULL ||
        made->nodes == NULL)
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) made->stated[i] = -1;
    return CRD_OK;
}

/* What holds in every case is kept, since the caller's may be gone by then. */
static crd_status keep_findings(crd_network_engine *made, const crd_finding *findings, size_t count, crd_error *error) {
    const crd_network *network = made->network;
    size_t numbers = 0, used = 0;
    made->has_findings = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (findings[i].likelihoods == NULL) made->stated[findings[i].node] = (int32_t)findings[i].state;
        else numbers += crd_i_node_states(&network->nodes[findings[i].node]);
    }
    if (numbers == 0) return CRD_OK;
    made->numbers = crd_i_alloc(network->context, numbers, sizeof *made->numbers);
    made->likelihoods = crd_i_alloc_zeroed(network->context, network->count, sizeof *made->likelihoods);
    if (made->numbers == NULL || made->likelihoods == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (findings[i].likelihoods == NULL) continue;
        size_t own = crd_i_node_states(&network->nodes[findings[i].node]);
        memcpy(made->numbers + used, findings[i].likelihoods, own * sizeof *made->numbers);
        made->likelihoods[findings[i].node] = made->numbers + used;
        used += own;
    }
    return CRD_OK;
}

/* The evidence of every case, and one more for each node that cases may know, whichever state that is: what a question
 * needs of the network is the same for all of them. */
static crd_status open_question(crd_network_engine *made, const crd_finding *findings, size_t count,
                                const size_t *known, size_t known_count, const size_t *nodes, size_t node_count,
                                const crd_inference_options *options, crd_i_evidence_query *question,
                                crd_error *error) {
    const crd_network *network = made->network;
    crd_finding *all = crd_i_alloc(network->context, count + known_count, sizeof *all);
    if (all == NULL) return crd_i_fail_memory(error);
    size_t used = count;
    if (count > 0) memcpy(all, findings, count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (findings[i].node < network->count) made->known[findings[i].node] = true;
    for (size_t i = 0; i < known_count; i++) {
        if (known[i] < network->count && made->known[known[i]]) continue;
        if (known[i] < network->count) made->known[known[i]] = true;
        const crd_finding finding = {known[i], 0, NULL, 0};
        all[used++] = finding;
    }
    crd_status status = crd_i_evidence_query_open(network, all, used, nodes, node_count, options, question, error);
    crd_free(network->context, all);
    return status;
}

static void find_decisions(crd_network_engine *made, const crd_i_evidence_query *question) {
    const crd_network *network = made->network;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        for (size_t j = 0; node->kind == CRD_NODE_DECISION && j < node->child_count; j++)
            made->decides[i] = made->decides[i] || question->tables[node->children[j]];
    }
}

static crd_status compile(crd_network_engine *made, const crd_i_evidence_query *question, crd_error *error) {
    const crd_network *network = made->network;
    const crd_i_evidence findings = {.states = made->stated, .likelihoods = made->likelihoods};
    crd_i_junction_options options = {.tables = question->tables, .memory = question->memory};
    bool *observed = NULL;
    if (made->has_findings) {
        observed = crd_i_alloc(network->context, network->count, sizeof *observed);
        if (observed == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < network->count; i++) observed[i] = made->stated[i] >= 0;
        options.observed = observed;
        options.findings = &findings;
    }
    crd_status status = crd_i_junction_compile(network, &options, &made->junction, error);
    crd_free(network->context, observed);
    return status;
}

crd_status crd_network_engine_create(const crd_network *network, const crd_finding *findings, size_t count,
                                     const size_t *known, size_t known_count, const size_t *nodes, size_t node_count,
                                     const crd_inference_options *options, crd_network_engine **out, crd_error *error) {
    crd_i_evidence_query question = {.network = NULL};
    *out = NULL;
    crd_network_engine *made = crd_i_alloc_zeroed(network->context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->network = network;
    made->node_count = node_count;
    crd_status status = make_room(made, node_count, error);
    if (status == CRD_OK)
        status = open_question(made, findings, count, known, known_count, nodes, node_count, options, &question, error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_check_discrete(&question, "cases have states of discrete nodes", error);
    if (status == CRD_OK) status = keep_findings(made, findings, count, error);
    if (status == CRD_OK) {
        made->threads = question.options.threads;
        for (size_t i = 0; i < node_count; i++) {
            made->nodes[i] = nodes[i];
            made->wanted[nodes[i]] = true;
        }
        find_decisions(made, &question);
        status = compile(made, &question, error);
    }
    crd_i_evidence_query_close(&question);
    if (status == CRD_OK) *out = made;
    else crd_network_engine_destroy(made);
    return status;
}

/* ---- Asking ---- */

static crd_status fail_undecided(const crd_i_node *node, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "the answer depends on the decision %s: every case has to state its choice",
               crd_i_quote(node->name, quoted));
    crd_i_error_subject(error, node->name);
    return CRD_ERROR_COLUMN;
}

/* Cases are counted from 0, as they are handed over. */
static crd_status check_states(const crd_network_engine *asker, const int32_t *states, size_t cases, crd_error *error) {
    const crd_network *network = asker->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t j = 0; j < cases; j++, states += network->count) {
        for (size_t i = 0; i < network->count; i++) {
            const crd_i_node *node = &network->nodes[i];
            if (states[i] < 0 && asker->decides[i] && asker->stated[i] < 0) return fail_undecided(node, error);
            if (states[i] < 0) continue;
            if ((size_t)states[i] >= crd_i_node_states(node))
                return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has no state number %d: case %zu says so",
                                  crd_i_quote(node->name, quoted), (int)states[i], j);
            if (node->kind == CRD_NODE_CHANCE && !asker->known[i])
                return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                  "case %zu knows %s, which is not among the nodes that cases may know", j,
                                  crd_i_quote(node->name, quoted));
        }
    }
    return CRD_OK;
}

/* The cases with what holds in all of them. */
static int32_t *add_findings(const crd_network_engine *asker, const int32_t *states, size_t cases) {
    size_t count = asker->network->count;
    if (cases > SIZE_MAX / count) return NULL;
    int32_t *all = crd_i_alloc(asker->network->context, cases * count, sizeof *all);
    if (all == NULL) return NULL;
    for (size_t j = 0; j < cases; j++) {
        for (size_t i = 0; i < count; i++) {
            bool is_soft = asker->likelihoods != NULL && asker->likelihoods[i] != NULL;
            int32_t own = is_soft ? -1 : states[j * count + i];
            all[j * count + i] = asker->stated[i] >= 0 ? asker->stated[i] : own;
        }
    }
    return all;
}

crd_status crd_network_engine_posteriors(const crd_network_engine *asker, const int32_t *states, size_t cases,
                                         double *posteriors, double *log_evidence, crd_error *error) {
    int32_t *all = NULL;
    crd_status status = check_states(asker, states, cases, error);
    if (status != CRD_OK || cases == 0) return status;
    if (asker->has_findings) {
        all = add_findings(asker, states, cases);
        if (all == NULL) return crd_i_fail_memory(error);
    }
    const crd_i_junction_cases asked = {.count = cases,
                                        .states = all == NULL ? states : all,
                                        .likelihoods = asker->likelihoods,
                                        .wanted = asker->wanted,
                                        .threads = asker->threads,
                                        .posteriors = asker->node_count == 0 ? NULL : posteriors,
                                        .log_evidence = log_evidence,
                                        .nodes = asker->nodes,
                                        .node_count = asker->node_count};
    status = crd_i_junction_ask_cases(asker->junction, &asked, error);
    crd_free(asker->network->context, all);
    return status;
}
