/* SPDX-License-Identifier: MIT */
/* network_sampler.c - rows drawn from a network: see credence/network.h.
 *
 * A node below which nothing is known is drawn from the row of its table that belongs to its parents, which come first.
 * Those from which arcs lead to evidence are drawn together, before all others, from a junction tree of them alone.
 * Without evidence that tree is empty, so that networks of any size can be drawn from. */
#include "base/error.h"
#include "base/memory.h"
#include "infer/evidence_query.h"
#include "infer/exact/junction_sample.h"

struct crd_network_sampler {
    const crd_network *network;
    uint64_t seed;
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
    crd_free(context, sampler);
}

/* What is the same in every row, and which nodes the tree leaves to be drawn. */
static crd_status divide_nodes(crd_network_sampler *made, const crd_i_evidence_query *question, crd_error *error) {
    const crd_network *network = made->network;
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
        if (made->known[index] < 0 && !question->tables[index]) made->behind[made->behind_count++] = index;
    }
    return CRD_OK;
}

static crd_status fill(crd_network_sampler *made, const crd_i_evidence_query *question, crd_error *error) {
    const crd_network *network = made->network;
    made->known = crd_i_alloc(network->context, network->count, sizeof *made->known);
    made->behind = crd_i_alloc(network->context, network->count, sizeof *made->behind);
    if (made->known == NULL || made->behind == NULL) return crd_i_fail_memory(error);
    crd_status status = divide_nodes(made, question, error);
    if (status == CRD_OK)
        status = crd_i_evidence_query_compile(question, NULL, 0, false, &made->junction, &made->work, NULL, error);
    if (status == CRD_OK) status = crd_i_junction_draw_begin(made->work, &question->findings, error);
    return status;
}

crd_status crd_network_sampler_create(const crd_network *network, const crd_finding *findings, size_t count,
                                      const crd_inference_options *options, crd_network_sampler **out,
                                      crd_error *error) {
    crd_i_evidence_query question;
    *out = NULL;
    crd_status status = crd_i_evidence_query_open(network, findings, count, NULL, 0, options, &question, error);
    if (status != CRD_OK) return status;
    crd_network_sampler *made = crd_i_alloc_zeroed(network->context, 1, sizeof *made);
    if (made == NULL) {
        status = crd_i_fail_memory(error);
    } else {
        made->network = network;
        made->seed = question.options.seed;
        status = fill(made, &question, error);
    }
    crd_i_evidence_query_close(&question);
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

crd_status crd_network_sampler_draw(crd_network_sampler *sampler, uint64_t row, int32_t *states, crd_error *error) {
    const crd_network *network = sampler->network;
    crd_i_random random = crd_i_random_at(sampler->seed, row);
    if (crd_i_context_cancelled(network->context)) return crd_i_fail_cancelled(error);
    for (size_t i = 0; i < network->count; i++) states[i] = sampler->known[i];
    crd_i_junction_draw(sampler->work, &random, states);
    for (size_t i = 0; i < sampler->behind_count; i++) {
        uint32_t node = sampler->behind[i];
        states[node] = draw_state(network, &network->nodes[node], &random, states);
    }
    return CRD_OK;
}
