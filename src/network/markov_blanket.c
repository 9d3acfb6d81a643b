/* SPDX-License-Identifier: MIT */
/* markov_blanket.c - the Markov blanket (Pearl 1988): a node's parents, its children and the other parents of its
 * children. Given them, the node is independent of all other nodes. See credence/network.h. */
#include "base/error.h"
#include "base/memory.h"
#include "network/network_internal.h"

static void mark_parents(const crd_network *network, size_t node, bool *marks) {
    const crd_i_node *current_node = &network->nodes[node];
    for (size_t i = 0; i < current_node->parent_count; i++) marks[current_node->parents[i]] = true;
}

crd_status crd_network_markov_blanket(const crd_network *network, size_t node, size_t **blanket, size_t *count,
                                      crd_error *error) {
    *blanket = NULL;
    *count = 0;
    if (node >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", node,
                          network->count);
    bool *marks = crd_i_alloc_zeroed(network->context, network->count, sizeof *marks);
    size_t *nodes = crd_i_alloc(network->context, network->count, sizeof *nodes);
    if (marks == NULL || nodes == NULL) {
        crd_free(network->context, marks);
        crd_free(network->context, nodes);
        return crd_i_fail_memory(error);
    }
    const crd_i_node *current_node = &network->nodes[node];
    mark_parents(network, node, marks);
    for (size_t i = 0; i < current_node->child_count; i++) {
        if (network->nodes[current_node->children[i]].kind == CRD_NODE_UTILITY) continue;
        marks[current_node->children[i]] = true;
        mark_parents(network, current_node->children[i], marks);
    }
    marks[node] = false;
    for (size_t i = 0; i < network->count; i++)
        if (marks[i]) nodes[(*count)++] = i;
    crd_free(network->context, marks);
    *blanket = nodes;
    return CRD_OK;
}
