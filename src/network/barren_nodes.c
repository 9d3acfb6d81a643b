/* SPDX-License-Identifier: MIT */
/* barren_nodes.c - see barren_nodes.h. */
#include "network/barren_nodes.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { FROM_CHILD = 1, FROM_PARENT = 2, TOP = 4, BOTTOM = 8 };

typedef struct nodes_rolling {
    const crd_network *network;
    const bool *observed;
    unsigned char *marks;
    uint64_t *visits; /* node * 2, plus 1 if reached from a parent; each visit at most once */
    size_t count;
} nodes_rolling;

/* Schedules a visit of a node from a child or a parent, unless it is scheduled already. */
static void barren_nodes_visit(nodes_rolling *rolling, uint32_t node, unsigned char source) {
    if (rolling->marks[node] & source) return;
    rolling->marks[node] = (unsigned char)(rolling->marks[node] | source);
    rolling->visits[rolling->count++] = (uint64_t)node * 2 + (source == FROM_PARENT);
}

static void pass_to_parents(nodes_rolling *rolling, uint32_t index) {
    const crd_i_node *node = &rolling->network->nodes[index];
    if (rolling->marks[index] & TOP) return;
    rolling->marks[index] |= TOP;
    for (size_t i = 0; i < node->parent_count; i++) barren_nodes_visit(rolling, node->parents[i], FROM_CHILD);
}

static void pass_to_children(nodes_rolling *rolling, uint32_t index) {
    const crd_i_node *node = &rolling->network->nodes[index];
    if (rolling->marks[index] & BOTTOM) return;
    rolling->marks[index] |= BOTTOM;
    for (size_t i = 0; i < node->child_count; i++) barren_nodes_visit(rolling, node->children[i], FROM_PARENT);
}

crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables, bool *reached,
                       crd_error *error) {
    crd_context *context = network->context;
    nodes_rolling rolling = {.network = network, .observed = observed};
    rolling.marks = crd_i_alloc_zeroed(context, network->count, sizeof *rolling.marks);
    rolling.visits = crd_i_alloc(context, 2 * network->count, sizeof *rolling.visits);
    crd_status status = CRD_OK;
    if (rolling.marks == NULL || rolling.visits == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    for (uint32_t i = 0; i < network->count; i++)
        if (asked[i]) barren_nodes_visit(&rolling, i, FROM_CHILD);
    for (size_t i = 0; i < rolling.count; i++) {
        uint32_t node = (uint32_t)(rolling.visits[i] / 2);
        bool from_parent = rolling.visits[i] % 2 == 1, is_observed = observed != NULL && observed[node];
        if (is_observed ? from_parent : !from_parent) pass_to_parents(&rolling, node);
        if (!is_observed) pass_to_children(&rolling, node);
    }
    for (size_t i = 0; i < network->count; i++) {
        if (tables != NULL) tables[i] = (rolling.marks[i] & TOP) != 0;
        if (reached != NULL) reached[i] = (rolling.marks[i] & (FROM_CHILD | FROM_PARENT)) != 0;
    }
end:
    crd_free(context, rolling.marks);
    crd_free(context, rolling.visits);
    return status;
}
