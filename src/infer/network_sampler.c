/* SPDX-License-Identifier: MIT */
/* network_sampler.c - rows drawn from a network: see credence/network.h.
 *
 * A node without observed descendants is drawn from the table row of its parents, which are drawn first. Ancestors
 * of evidence are drawn jointly before all others, from a junction tree that contains only them. Without evidence
 * that tree is empty, so networks of any size can be sampled. Gaussian ancestors of evidence are drawn part by part
 * after the states (gaussian_elimination.h). */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "infer/exact/evidence_query.h"
#include "infer/exact/junction_tree.h"

#include <math.h>

struct crd_network_sampler {
    crd_i_arena *arena;
    const crd_network *network;
    crd_i_evidence_query query;
    crd_i_junction *junction; /* tree of the ancestors of evidence */
    crd_i_junction_work *work;
    int32_t *known; /* by node: the state that every row has, or -1 */
    uint32_t *end;  /* nodes drawn from their tables, parents first */
    size_t behind_count;
};

void crd_network_sampler_destroy(crd_network_sampler *sampler) {
    if (sampler == NULL) return;
    crd_i_junction_work_destroy(sampler->work);
    crd_i_junction_destroy(sampler->junction);
    crd_i_evidence_query_close(&sampler->query);
    crd_i_arena_destroy(sampler->arena);
}

/* Finds the states that are equal in every row, and the nodes to draw from their tables. */
static crd_status divide_nodes(crd_network_sampler *sampler, crd_error *error) {
    const crd_network *network = sampler->network;
    const crd_i_evidence_query *query = &sampler->query;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < network->count; i++) {
        uint32_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        sampler->known[index] = node->kind == CRD_NODE_UTILITY ? 0 : query->states[index];
        if (node->kind == CRD_NODE_DECISION && !query->observed[index]) {
            crd_i_fail(error, CRD_ERROR_COLUMN, "the draws depend on the decision %s: specify its choice",
                       crd_i_quote(node->name, quoted));
            crd_i_error_subject(error, node->name);
            return CRD_ERROR_COLUMN;
        }
        if (sampler->known[index] < 0 && !query->observed[index] && !query->tables[index])
            sampler->end[sampler->behind_count++] = index;
    }
    return CRD_OK;
}

static crd_status network_sampler_fill(crd_network_sampler *sampler, crd_error *error) {
    const crd_network *network = sampler->network;
    const crd_i_evidence_query *query = &sampler->query;
    sampler->known = crd_i_arena_alloc(sampler->arena, network->count, sizeof *sampler->known);
    sampler->end = crd_i_arena_alloc(sampler->arena, network->count, sizeof *sampler->end);
    if (sampler->end == NULL) return crd_i_fail_memory(error);
    crd_status status = divide_nodes(sampler, error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_compile(query, NULL, 0, false, &sampler->junction, &sampler->work, NULL, error);
    if (status == CRD_OK) status = crd_i_junction_draw_begin(sampler->work, &query->findings, error);
    return status;
}

crd_status crd_network_sampler_create(const crd_network *network, const crd_finding *findings, size_t count,
                                      const crd_inference_options *options, crd_network_sampler **out,
                                      crd_error *error) {
    *out = NULL;
    crd_network_sampler *sampler = crd_i_arena_object(network->context, sizeof *sampler);
    if (sampler == NULL) return crd_i_fail_memory(error);
    sampler->network = network;
    crd_status status = crd_i_evidence_query_open(network, findings, count, NULL, 0, options, &sampler->query, error);
    if (status == CRD_OK) status = network_sampler_fill(sampler, error);
    if (status == CRD_OK) *out = sampler;
    else crd_network_sampler_destroy(sampler);
    return status;
}

/* Draws a state of a node given the states of its parents. */
static int32_t network_sampler_draw_state(const crd_network *network, const crd_i_node *node, crd_i_random *random,
                                          const int32_t *states) {
    size_t own = crd_i_node_states(node), row = 0, last = 0;
    for (size_t i = 0; i < node->parent_count; i++)
        row = row * crd_i_node_states(&network->nodes[node->parents[i]]) + (size_t)states[node->parents[i]];
    const double *cells = node->table + row * own;
    double total = 0, sum = 0;
    for (size_t i = 0; i < own; i++) total += cells[i];
    double point = crd_i_random_uniform(random) * total;
    for (size_t i = 0; i < own; i++) {
        sum += cells[i];
        if (cells[i] > 0) last = i;
        if (sum > point) return (int32_t)i;
    }
    /* The product was rounded up to the total. */
    return (int32_t)last;
}

/* Draws a value of a Gaussian node given its parents. */
static double draw_number(const crd_network *network, const crd_i_node *node, crd_i_random *random,
                          const int32_t *states, const double *numbers) {
    size_t row = 0, column = 1;
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_i_node *parent = &network->nodes[node->parents[i]];
        if (parent->kind != CRD_NODE_GAUSSIAN) row = row * crd_i_node_states(parent) + (size_t)states[node->parents[i]];
    }
    const double *cells = node->table + row * node->width;
    double mean = cells[0];
    for (size_t i = 0; i < node->parent_count; i++)
        if (network->nodes[node->parents[i]].kind == CRD_NODE_GAUSSIAN)
            mean += cells[column++] * numbers[node->parents[i]];
    return mean + sqrt(cells[column]) * crd_i_random_normal(random);
}

/* Draws the Gaussian ancestors of evidence. All states that they depend on must be drawn already. */
static void draw_parts(const crd_i_evidence_query *query, crd_i_random *random, const int32_t *states,
                       double *numbers) {
    for (size_t i = 0; i < query->parts->count; i++) {
        const crd_i_gaussian_part *part = &query->parts->parts[i];
        if (part->hidden_count == 0) continue;
        crd_i_gaussian_eliminate(query->gaussian->work, part, query->network, states, query->numbers);
        crd_i_gaussian_draw(query->gaussian->work, random, numbers);
    }
}

crd_status crd_network_sampler_draw(crd_network_sampler *sampler, uint64_t row, int32_t *states, double *numbers,
                                    crd_error *error) {
    const crd_network *network = sampler->network;
    const crd_i_evidence_query *query = &sampler->query;
    crd_i_random random = crd_i_random_at(query->options.seed, row);
    if (numbers == NULL && query->numbers != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the network has continuous nodes, so the array for numbers is required");
    if (crd_i_context_cancelled(network->context)) return crd_i_fail_cancelled(error);
    for (size_t i = 0; i < network->count; i++) states[i] = sampler->known[i];
    for (size_t i = 0; numbers != NULL && i < network->count; i++)
        numbers[i] = query->numbers != NULL && network->nodes[i].kind == CRD_NODE_GAUSSIAN ? query->numbers[i] : NAN;
    crd_i_junction_draw(sampler->work, &random, states);
    if (query->parts != NULL) draw_parts(query, &random, states, numbers);
    for (size_t i = 0; i < sampler->behind_count; i++) {
        uint32_t node = sampler->end[i];
        if (network->nodes[node].kind == CRD_NODE_GAUSSIAN)
            numbers[node] = draw_number(network, &network->nodes[node], &random, states, numbers);
        else states[node] = network_sampler_draw_state(network, &network->nodes[node], &random, states);
    }
    return CRD_OK;
}
