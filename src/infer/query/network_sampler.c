/* SPDX-License-Identifier: MIT */
/* network_sampler.c - rows drawn from a network: see credence/network.h.
 *
 * A node below which nothing is known is drawn from the row of its table that belongs to its parents, which come first.
 * Those from which arcs lead to evidence are drawn together, before all others, from a junction tree of them alone.
 * Without evidence that tree is empty, so that networks of any size can be drawn from. Gaussian nodes from which arcs
 * lead to evidence are drawn once the states are, part by part (gaussian_elimination.h). */
#include "base/error.h"
#include "base/memory.h"
#include "infer/evidence_query.h"
#include "infer/exact/junction_sample.h"

#include <math.h>

struct crd_network_sampler {
    const crd_network *network;
    crd_i_evidence_query question;
    crd_i_junction *junction; /* of the nodes from which arcs lead to evidence */
    crd_i_junction_work *work;
    int32_t *known;   /* by node, the state that every row has, or -1 */
    uint32_t *behind; /* nodes that are drawn from their tables, parents first */
    size_t behind_count;
};

void crd_network_sampler_destroy(crd_network_sampler *sampler) {
    if (sampler == NULL) return;
    crd_context *context = sampler->network->context;
    crd_i_junction_work_destroy(sampler->work);
    crd_i_junction_destroy(sampler->junction);
    crd_free(context, sampler->known);
    crd_free(context, sampler->behind);
    crd_i_evidence_query_close(&sampler->question);
    crd_free(context, sampler);
}

/* What is the same in every row, and which nodes the tree leaves to be drawn. */
static crd_status divide_nodes(crd_network_sampler *made, crd_error *error) {
    const crd_network *network = made->network;
    const crd_i_evidence_query *question = &made->question;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < network->count; i++) {
        uint32_t index = network->order[i];
        const crd_i_node *node = &network->nodes[index];
        made->known[index] = node->kind == CRD_NODE_UTILITY ? 0 : question->states[index];
        if (node->kind == CRD_NODE_DECISION && !question->observed[index]) {
            crd_i_fail(error, CRD_ERROR_COLUMN, "rows depend on the decision %s: state its choice",
                       crd_i_quote(node->name, quoted));
            crd_i_error_subject(error, node->name);
            return CRD_ERROR_COLUMN;
        }
        if (made->known[index] < 0 && !question->observed[index] && !question->tables[index])
            made->behind[made->behind_count++] = index;
    }
    return CRD_OK;
}

static crd_status fill(crd_network_sampler *made, crd_error *error) {
    const crd_network *network = made->network;
    const crd_i_evidence_query *question = &made->question;
    made->known = crd_i_alloc(network->context, network->count, sizeof *made->known);
    made->behind = crd_i_alloc(network->context, network->count, sizeof *made->behind);
    if (made->known == NULL || made->behind == NULL) return crd_i_fail_memory(error);
    crd_status status = divide_nodes(made, error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_compile(question, NULL, 0, false, &made->junction, &made->work, NULL, error);
    if (status == CRD_OK) status = crd_i_junction_draw_begin(made->work, &question->findings, error);
    return status;
}

crd_status crd_network_sampler_create(const crd_network *network, const crd_finding *findings, size_t count,
                                      const crd_inference_options *options, crd_network_sampler **out,
                                      crd_error *error) {
    *out = NULL;
    crd_network_sampler *made = crd_i_alloc_zeroed(network->context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->network = network;
    crd_status status = crd_i_evidence_query_open(network, findings, count, NULL, 0, options, &made->question, error);
    if (status == CRD_OK) status = fill(made, error);
    if (status != CRD_OK) {
        crd_network_sampler_destroy(made);
        return status;
    }
    *out = made;
    return CRD_OK;
}

/* A state of a node, given those of its parents. */
static int32_t draw_state(const crd_network *network, const crd_i_node *node, crd_i_random *random,
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
    /* The product rounded up to the total itself. */
    return (int32_t)last;
}

/* A number of a Gaussian node, given its parents. */
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

/* The Gaussian nodes from which arcs lead to evidence, once all states that they depend on are drawn. */
static void draw_parts(const crd_i_evidence_query *question, crd_i_random *random, const int32_t *states,
                       double *numbers) {
    for (size_t i = 0; i < question->parts->count; i++) {
        const crd_i_gaussian_part *part = &question->parts->parts[i];
        if (part->hidden_count == 0) continue;
        crd_i_gaussian_eliminate(question->gaussian->work, part, question->network, states, question->numbers);
        crd_i_gaussian_draw(question->gaussian->work, random, numbers);
    }
}

crd_status crd_network_sampler_draw(crd_network_sampler *sampler, uint64_t row, int32_t *states, double *numbers,
                                    crd_error *error) {
    const crd_network *network = sampler->network;
    const crd_i_evidence_query *question = &sampler->question;
    crd_i_random random = crd_i_random_at(question->options.seed, row);
    if (numbers == NULL && question->numbers != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the network has continuous nodes, and there is no room for numbers");
    if (crd_i_context_cancelled(network->context)) return crd_i_fail_cancelled(error);
    for (size_t i = 0; i < network->count; i++) states[i] = sampler->known[i];
    for (size_t i = 0; numbers != NULL && i < network->count; i++)
        numbers[i] =
            question->numbers != NULL && network->nodes[i].kind == CRD_NODE_GAUSSIAN ? question->numbers[i] : NAN;
    crd_i_junction_draw(sampler->work, &random, states);
    if (question->parts != NULL) draw_parts(question, &random, states, numbers);
    for (size_t i = 0; i < sampler->behind_count; i++) {
        uint32_t node = sampler->behind[i];
        if (network->nodes[node].kind == CRD_NODE_GAUSSIAN)
            numbers[node] = draw_number(network, &network->nodes[node], &random, states, numbers);
        else states[node] = draw_state(network, &network->nodes[node], &random, states);
    }
    return CRD_OK;
}
