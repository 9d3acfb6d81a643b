/* SPDX-License-Identifier: MIT */
/* influence_diagram.c - see policy.h. */
#include "infer/policy.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* ---- Checks of observations ---- */

/* Finds for each node an open decision that it depends on, or UINT32_MAX. A decision that has been taken depends on
 * nothing. */
static void mark_effects(const crd_network *network, const bool *is_taken, uint32_t *cause) {
    for (size_t i = 0; i < network->count; i++) {
        uint32_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        cause[index] = UINT32_MAX;
        for (size_t j = 0; !is_taken[index] && j < node->parent_count; j++) {
            uint32_t parent = node->parents[j];
            bool is_open = network->nodes[parent].kind == CRD_NODE_DECISION && !is_taken[parent];
            if (is_open) cause[index] = parent;
            else if (cause[parent] != UINT32_MAX) cause[index] = cause[parent];
        }
    }
}

static crd_status check_known(const crd_network *network, const uint32_t *cause, size_t node, crd_error *error) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    if (node >= network->count || network->nodes[node].kind != CRD_NODE_CHANCE || cause[node] == UINT32_MAX)
        return CRD_OK;
    crd_i_fail(
        error, CRD_ERROR_SCHEMA_DIFFERS, "%s cannot be known before %s is decided, because it depends on this decision",
        crd_i_quote(network->nodes[node].name, quoted[0]), crd_i_quote(network->nodes[cause[node]].name, quoted[1]));
    crd_i_error_subject(error, network->nodes[node].name);
    return CRD_ERROR_SCHEMA_DIFFERS;
}

static crd_status influence_diagram_check_observed(const crd_network *network, size_t node, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (node >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu to observe: the network has %zu nodes", node,
                          network->count);
    if (network->nodes[node].kind == CRD_NODE_CHANCE) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is a %s, which cannot be observed",
                      crd_i_quote(network->nodes[node].name, quoted),
                      network->nodes[node].kind == CRD_NODE_DECISION ? "decision" : "utility");
}

crd_status crd_i_diagram_check(const crd_network *network, const crd_finding *findings, size_t count,
                               const size_t *observed, size_t observed_count, crd_error *error) {
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    uint32_t *cause = crd_i_arena_alloc(scratch, network->count, sizeof *cause);
    bool *is_taken = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *is_taken);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status != CRD_OK) goto end;
    for (size_t i = 0; i < count; i++)
        if (findings[i].node < network->count && network->nodes[findings[i].node].kind == CRD_NODE_DECISION)
            is_taken[findings[i].node] = true;
    mark_effects(network, is_taken, cause);
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = check_known(network, cause, findings[i].node, error);
    for (size_t i = 0; status == CRD_OK && i < observed_count; i++) {
        status = influence_diagram_check_observed(network, observed[i], error);
        if (status == CRD_OK) status = check_known(network, cause, observed[i], error);
    }
end:
    crd_i_arena_destroy(scratch);
    return status;
}

/* ---- Order ---- */

/* Lists all decisions in topological order; ties go to the smallest node number. Other nodes are visited as soon as
 * all their parents have been. */
static bool order_decisions(const crd_network *network, crd_i_arena *scratch, uint32_t *order, size_t *count) {
    size_t *waiting = crd_i_arena_alloc(scratch, network->count, sizeof *waiting), passed_count = 0, ready_count = 0;
    uint32_t *passed = crd_i_arena_alloc(scratch, network->count, sizeof *passed);
    uint32_t *ready = crd_i_arena_alloc(scratch, network->count, sizeof *ready);
    *count = 0;
    if (crd_i_arena_failed(scratch)) return false;
    for (uint32_t i = 0; i < network->count; i++) {
        waiting[i] = network->nodes[i].parent_count;
        if (waiting[i] > 0) continue;
        if (network->nodes[i].kind == CRD_NODE_DECISION) ready[ready_count++] = i;
        else passed[passed_count++] = i;
    }
    while (passed_count > 0 || ready_count > 0) {
        uint32_t next;
        if (passed_count > 0) {
            next = passed[--passed_count];
        } else {
            size_t first = 0;
            for (size_t i = 1; i < ready_count; i++)
                if (ready[i] < ready[first]) first = i;
            next = ready[first];
            ready[first] = ready[--ready_count];
            order[(*count)++] = next;
        }
        const crd_i_node *node = &network->nodes[next];
        for (size_t i = 0; i < node->child_count; i++) {
            uint32_t child = node->children[i];
            if (--waiting[child] > 0) continue;
            if (network->nodes[child].kind == CRD_NODE_DECISION) ready[ready_count++] = child;
            else passed[passed_count++] = child;
        }
    }
    return true;
}

/* Returns whether observing a node adds information: it has several states and is not known yet. */
static bool is_news(const crd_i_evidence_query *query, size_t node) {
    return !query->observed[node] && crd_i_node_states(&query->network->nodes[node]) > 1;
}

static crd_status add_decision(crd_i_diagram *diagram, uint32_t node, const bool *is_known, crd_error *error) {
    const crd_network *network = diagram->query->network;
    crd_i_decision *decision = &diagram->decisions[diagram->count];
    size_t known = 0;
    for (size_t i = 0; i < network->count; i++) known += is_known[i];
    decision->node = node;
    decision->states = crd_i_node_states(&network->nodes[node]);
    decision->known = crd_i_alloc(network->context, known, sizeof *decision->known);
    if (decision->known == NULL) return crd_i_fail_memory(error);
    for (uint32_t i = 0; i < network->count; i++)
        if (is_known[i]) decision->known[decision->known_count++] = i;
    diagram->decision_at[node] = (uint32_t)diagram->count++;
    return CRD_OK;
}

static crd_status list_decisions(crd_i_diagram *diagram, const size_t *observed, size_t observed_count,
                                 crd_error *error) {
    const crd_i_evidence_query *query = diagram->query;
    const crd_network *network = query->network;
    size_t count = 0;
    crd_i_arena *scratch = crd_i_arena_create(network->context);
    uint32_t *order = crd_i_arena_alloc(scratch, network->count, sizeof *order);
    bool *is_known = crd_i_arena_alloc_zeroed(scratch, network->count, sizeof *is_known);
    crd_status status = CRD_OK;
    if (order_decisions(network, scratch, order, &count))
        diagram->decisions = crd_i_alloc_zeroed(network->context, count, sizeof *diagram->decisions);
    if (diagram->decisions == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < observed_count; i++) is_known[observed[i]] = is_news(query, observed[i]);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        const crd_i_node *node = &network->nodes[order[i]];
        for (size_t j = 0; j < node->parent_count; j++)
            if (network->nodes[node->parents[j]].kind == CRD_NODE_CHANCE)
                is_known[node->parents[j]] = is_news(query, node->parents[j]);
        if (query->observed[order[i]]) continue;
        status = add_decision(diagram, order[i], is_known, error);
        is_known[order[i]] = is_news(query, order[i]);
    }
    crd_i_arena_destroy(scratch);
    return status;
}

crd_status crd_i_diagram_open(const crd_i_evidence_query *query, const size_t *observed, size_t observed_count,
                              crd_i_diagram *out, crd_error *error) {
    const crd_network *network = query->network;
    crd_i_arena *arena = crd_i_arena_create(network->context);
    crd_i_diagram diagram = {.arena = arena, .query = query};
    diagram.decision_at = crd_i_arena_alloc(arena, network->count, sizeof *diagram.decision_at);
    diagram.child_starts = crd_i_arena_alloc(arena, network->count + 1, sizeof *diagram.child_starts);
    diagram.utilities = crd_i_arena_alloc(arena, network->count, sizeof *diagram.utilities);
    diagram.needed = crd_i_arena_alloc(arena, network->count, sizeof *diagram.needed);
    diagram.conditions = crd_i_arena_alloc(arena, network->count, sizeof *diagram.conditions);
    diagram.marks = crd_i_arena_alloc(arena, network->count, sizeof *diagram.marks);
    diagram.visits = crd_i_arena_alloc(arena, 2 * network->count, sizeof *diagram.visits);
    crd_status status = crd_i_arena_check(arena, error);
    if (status == CRD_OK) {
        for (size_t i = 0; i < network->count; i++) diagram.decision_at[i] = UINT32_MAX;
        status = list_decisions(&diagram, observed, observed_count, error);
    }
    *out = diagram;
    if (status != CRD_OK) crd_i_diagram_close(out);
    return status;
}

void crd_i_diagram_close(crd_i_diagram *diagram) {
    if (diagram->query == NULL) return;
    crd_context *context = diagram->query->network->context;
    for (size_t i = 0; i < diagram->count; i++) {
        crd_free(context, diagram->decisions[i].known);
        crd_free(context, diagram->decisions[i].utilities);
        crd_free(context, diagram->decisions[i].choices);
    }
    crd_free(context, diagram->decisions);
    crd_free(context, diagram->children);
    crd_i_arena_destroy(diagram->arena);
    const crd_i_diagram none = {0};
    *diagram = none;
}

/* ---- Arcs ---- */

/* Returns the current parents of a node. */
static const uint32_t *parents_of(const crd_i_diagram *diagram, uint32_t index, size_t *count) {
    const crd_i_node *node = &diagram->query->network->nodes[index];
    const crd_i_decision *decision = NULL;
    *count = node->parent_count;
    if (node->kind != CRD_NODE_DECISION) return node->parents;
    if (diagram->decision_at[index] != UINT32_MAX) decision = &diagram->decisions[diagram->decision_at[index]];
    *count = decision != NULL && decision->is_solved ? decision->known_count : 0;
    return *count > 0 ? decision->known : NULL;
}

static crd_status influence_diagram_list_children(crd_i_diagram *diagram, crd_error *error) {
    const crd_network *network = diagram->query->network;
    size_t *starts = diagram->child_starts, count;
    memset(starts, 0, (network->count + 1) * sizeof *starts);
    for (uint32_t i = 0; i < network->count; i++) {
        const uint32_t *parents = parents_of(diagram, i, &count);
        for (size_t j = 0; j < count; j++) starts[parents[j] + 1]++;
    }
    for (size_t i = 0; i < network->count; i++) starts[i + 1] += starts[i];
    if (!crd_i_reserve(network->context, &diagram->children, &diagram->child_room, starts[network->count],
                       sizeof *diagram->children))
        return crd_i_fail_memory(error);
    for (uint32_t i = 0; i < network->count; i++) {
        const uint32_t *parents = parents_of(diagram, i, &count);
        for (size_t j = 0; j < count; j++) diagram->children[starts[parents[j]]++] = i;
    }
    /* The loop above moved each start to the next one; this restores the starts. */
    for (size_t i = network->count; i > 0; i--) starts[i] = starts[i - 1];
    starts[0] = 0;
    return CRD_OK;
}

/* ---- Relevance ---- */

enum { FROM_CHILD = 1, FROM_PARENT = 2 };

static void influence_diagram_visit(crd_i_diagram *diagram, size_t *count, uint32_t node, unsigned char source) {
    if (diagram->marks[node] & source) return;
    diagram->marks[node] = (unsigned char)(diagram->marks[node] | source);
    diagram->visits[(*count)++] = (uint64_t)node * 2 + (source == FROM_PARENT);
}

static void visit_parents(crd_i_diagram *diagram, size_t *count, uint32_t node) {
    size_t parent_count;
    const uint32_t *parents = parents_of(diagram, node, &parent_count);
    for (size_t i = 0; i < parent_count; i++) influence_diagram_visit(diagram, count, parents[i], FROM_CHILD);
}

static void visit_children(crd_i_diagram *diagram, size_t *count, uint32_t node) {
    for (size_t i = diagram->child_starts[node]; i < diagram->child_starts[node + 1]; i++)
        influence_diagram_visit(diagram, count, diagram->children[i], FROM_PARENT);
}

static void mark_utilities(crd_i_diagram *diagram, size_t decision) {
    const crd_network *network = diagram->query->network;
    size_t count = 0;
    memset(diagram->marks, 0, network->count * sizeof *diagram->marks);
    for (uint32_t i = 0; i < network->count; i++)
        if (decision == SIZE_MAX) influence_diagram_visit(diagram, &count, i, FROM_PARENT);
    if (decision != SIZE_MAX) influence_diagram_visit(diagram, &count, diagram->decisions[decision].node, FROM_PARENT);
    for (size_t i = 0; i < count; i++) visit_children(diagram, &count, (uint32_t)(diagram->visits[i] / 2));
    for (size_t i = 0; i < network->count; i++)
        diagram->utilities[i] = network->nodes[i].kind == CRD_NODE_UTILITY && diagram->marks[i] != 0;
}

static bool has_likelihood(const crd_i_evidence_query *query, size_t node) {
    return query->likelihoods != NULL && query->likelihoods[node] != NULL;
}

/* Drops irrelevant information with the Bayes ball of junction_tree.h, rolled from the utilities. Likelihood evidence
 * on a node acts like an observed child. Known nodes that the ball does not reach are irrelevant. */
static void drop_what_does_not_matter(crd_i_diagram *diagram, crd_i_decision *decision) {
    const crd_i_evidence_query *query = diagram->query;
    size_t network_count = query->network->count, count = 0, kept = 0;
    memcpy(diagram->conditions, query->observed, network_count * sizeof *diagram->conditions);
    diagram->conditions[decision->node] = true;
    for (size_t i = 0; i < decision->known_count; i++) diagram->conditions[decision->known[i]] = true;
    memset(diagram->marks, 0, network_count * sizeof *diagram->marks);
    for (uint32_t i = 0; i < network_count; i++)
        if (diagram->utilities[i]) influence_diagram_visit(diagram, &count, i, FROM_CHILD);
    for (size_t i = 0; i < count; i++) {
        uint32_t node = (uint32_t)(diagram->visits[i] / 2);
        bool from_parent = diagram->visits[i] % 2 == 1, is_condition = diagram->conditions[node];
        if (is_condition ? from_parent : !from_parent || has_likelihood(query, node))
            visit_parents(diagram, &count, node);
        if (!is_condition) visit_children(diagram, &count, node);
    }
    /* A decision with a single choice needs no information. */
    for (size_t i = 0; decision->states > 1 && i < decision->known_count; i++)
        if (diagram->marks[decision->known[i]] != 0) decision->known[kept++] = decision->known[i];
    decision->known_count = kept;
}

/* Marks the utilities in use, the evidence, the decision's information, and all their ancestors. */
static void influence_diagram_mark_needed(crd_i_diagram *diagram, const crd_i_decision *decision) {
    const crd_i_evidence_query *query = diagram->query;
    size_t network_count = query->network->count, count = 0;
    memset(diagram->marks, 0, network_count * sizeof *diagram->marks);
    for (uint32_t i = 0; i < network_count; i++)
        if (diagram->utilities[i] || query->observed[i] || has_likelihood(query, i))
            influence_diagram_visit(diagram, &count, i, FROM_CHILD);
    for (size_t i = 0; decision != NULL && i < decision->known_count; i++)
        influence_diagram_visit(diagram, &count, decision->known[i], FROM_CHILD);
    for (size_t i = 0; i < count; i++) visit_parents(diagram, &count, (uint32_t)(diagram->visits[i] / 2));
    for (size_t i = 0; i < network_count; i++) diagram->needed[i] = diagram->marks[i] != 0;
}

crd_status crd_i_diagram_focus(crd_i_diagram *diagram, size_t decision, crd_error *error) {
    crd_status status = influence_diagram_list_children(diagram, error);
    if (status != CRD_OK) return status;
    mark_utilities(diagram, decision);
    if (decision != SIZE_MAX) drop_what_does_not_matter(diagram, &diagram->decisions[decision]);
    influence_diagram_mark_needed(diagram, decision == SIZE_MAX ? NULL : &diagram->decisions[decision]);
    return CRD_OK;
}
