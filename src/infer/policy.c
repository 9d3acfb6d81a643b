/* SPDX-License-Identifier: MIT */
/* policy.c - see credence/network.h and policy.h. */
#include "infer/policy.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>

/* Choices whose expected utilities differ by less than this fraction of the largest count as equal, because the
 * difference may be rounding error. */
static const double TIE = 0x1p-40;

void crd_policy_destroy(crd_policy *policy) {
    if (policy != NULL) crd_i_arena_destroy(policy->arena);
}

/* ---- Checks ---- */

static crd_status policy_check_types(const crd_network *network, crd_error *error) {
    bool has_decision = false, has_utility = false;
    double sum = 0;
    crd_status status =
        crd_i_network_check_discrete(network, "decisions are supported only in networks of nodes with states", error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        has_decision = has_decision || node->kind == CRD_NODE_DECISION;
        has_utility = has_utility || node->kind == CRD_NODE_UTILITY;
        double most = 0;
        for (size_t j = 0; node->kind == CRD_NODE_UTILITY && j < node->rows; j++)
            most = fmax(most, fabs(node->table[j]));
        sum += most;
    }
    if (!has_decision) return crd_i_fail(error, CRD_ERROR_EMPTY, "the network has no decisions");
    if (!has_utility)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "the network has no utilities: all decisions are equally good");
    if (sum <= DBL_MAX / 2) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_LIMIT, "the sum of the utilities is too large");
}

/* Computes the probability of the evidence and checks that it is possible. */
static crd_status ask_evidence(const crd_i_evidence_query *query, size_t count, double *log_evidence,
                               crd_error *error) {
    crd_i_junction *junction;
    crd_i_junction_work *work;
    *log_evidence = 0;
    if (count == 0) return CRD_OK;
    crd_status status = crd_i_evidence_query_compile(query, NULL, 0, false, &junction, &work, NULL, error);
    if (status != CRD_OK) return status;
    status = crd_i_junction_ask(work, &query->findings, NULL, NULL, log_evidence, error);
    crd_i_junction_work_destroy(work);
    crd_i_junction_destroy(junction);
    return status;
}

/* ---- Solving ---- */

/* Returns the first of the best choices, or UINT32_MAX if the combination is impossible. */
static uint32_t policy_best(const double *utilities, size_t states) {
    double most = -INFINITY, size = 0;
    uint32_t best = 0;
    for (size_t i = 0; i < states; i++) {
        if (isnan(utilities[i])) return UINT32_MAX;
        most = utilities[i] > most ? utilities[i] : most;
        size = fabs(utilities[i]) > size ? fabs(utilities[i]) : size;
    }
    while (utilities[best] < most - TIE * size) best++;
    return best;
}

static crd_status policy_solve(crd_i_diagram *diagram, size_t index, crd_error *error) {
    const crd_network *network = diagram->query->network;
    crd_i_decision *decision = &diagram->decisions[index];
    crd_status status = crd_i_diagram_focus(diagram, index, error);
    if (status == CRD_OK) status = crd_i_expectation(diagram, index, &decision->utilities, error);
    if (status != CRD_OK) return status;
    decision->combinations = 1;
    for (size_t i = 0; i < decision->known_count; i++)
        decision->combinations *= crd_i_node_states(&network->nodes[decision->known[i]]);
    decision->choices = crd_i_alloc(network->context, decision->combinations, sizeof *decision->choices);
    if (decision->choices == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < decision->combinations; i++)
        decision->choices[i] = policy_best(decision->utilities + i * decision->states, decision->states);
    decision->is_solved = true;
    return CRD_OK;
}

static crd_status solve_all(crd_i_diagram *diagram, double *utility, crd_error *error) {
    double *expected = NULL;
    crd_status status = CRD_OK;
    for (size_t i = diagram->count; status == CRD_OK && i-- > 0;) status = policy_solve(diagram, i, error);
    if (status == CRD_OK) status = crd_i_diagram_focus(diagram, SIZE_MAX, error);
    if (status == CRD_OK) status = crd_i_expectation(diagram, SIZE_MAX, &expected, error);
    if (status == CRD_OK) *utility = expected[0];
    crd_free(diagram->query->network->context, expected);
    return status;
}

/* Copies the solved decisions. */
static crd_status policy_take_decisions(crd_policy *policy, const crd_i_diagram *diagram, crd_error *error) {
    policy->decision_count = diagram->count;
    policy->decisions = crd_i_arena_alloc_zeroed(policy->arena, diagram->count, sizeof *policy->decisions);
    for (size_t i = 0; policy->decisions != NULL && i < diagram->count; i++) {
        const crd_i_decision *source = &diagram->decisions[i];
        crd_policy_decision *decision = &policy->decisions[i];
        *decision = (crd_policy_decision){.node = source->node,
                                          .known_count = source->known_count,
                                          .combinations = source->combinations,
                                          .choice_count = source->states};
        decision->known = crd_i_arena_alloc(policy->arena, source->known_count, sizeof *decision->known);
        decision->choices = crd_i_arena_alloc(policy->arena, source->combinations, sizeof *decision->choices);
        decision->utilities = crd_i_arena_copy(policy->arena, source->utilities, source->combinations * source->states,
                                               sizeof *decision->utilities);
        if (crd_i_arena_failed(policy->arena)) break;
        for (size_t k = 0; k < source->known_count; k++) decision->known[k] = source->known[k];
        for (size_t c = 0; c < source->combinations; c++)
            decision->choices[c] = source->choices[c] == UINT32_MAX ? CRD_NONE : source->choices[c];
    }
    return crd_i_arena_check(policy->arena, error);
}

crd_status crd_policy_create(const crd_network *network, const crd_finding *findings, size_t count,
                             const size_t *observed, size_t observed_count, const crd_inference_options *options,
                             crd_policy **out, crd_error *error) {
    crd_i_evidence_query query = {0};
    crd_i_diagram diagram = {0};
    *out = NULL;
    crd_policy *policy = crd_i_arena_object(network->context, sizeof *policy);
    if (policy == NULL) return crd_i_fail_memory(error);
    crd_status status = policy_check_types(network, error);
    if (status == CRD_OK) status = crd_i_diagram_check(network, findings, count, observed, observed_count, error);
    if (status == CRD_OK) status = crd_i_evidence_query_open(network, findings, count, NULL, 0, options, &query, error);
    if (status == CRD_OK) status = ask_evidence(&query, count, &policy->log_evidence, error);
    if (status == CRD_OK) status = crd_i_diagram_open(&query, observed, observed_count, &diagram, error);
    if (status == CRD_OK) status = solve_all(&diagram, &policy->utility, error);
    if (status == CRD_OK) status = policy_take_decisions(policy, &diagram, error);
    if (status == CRD_OK) *out = policy;
    else crd_policy_destroy(policy);
    crd_i_diagram_close(&diagram);
    crd_i_evidence_query_close(&query);
    return status;
}

crd_status crd_network_value_of_observing(const crd_network *network, const crd_finding *findings, size_t count,
                                          size_t node, const crd_inference_options *options, double *value,
                                          crd_error *error) {
    crd_policy *policy = NULL, *without = NULL;
    crd_status status = crd_policy_create(network, findings, count, &node, 1, options, &policy, error);
    if (status == CRD_OK) status = crd_policy_create(network, findings, count, NULL, 0, options, &without, error);
    /* More information is never worse, so a negative value is rounding error. */
    *value = status == CRD_OK ? fmax(policy->utility - without->utility, 0) : 0;
    crd_policy_destroy(policy);
    crd_policy_destroy(without);
    return status;
}

/* ---- Results ---- */
