/* SPDX-License-Identifier: MIT */
/* barren_nodes.c - see barren_nodes.h. */
#include "network/barren_nodes.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { FROM_CHILD = 1, FROM_PARENT = 2, TOP = 4, BOTTOM = 8 };

typedef struct rolling {
    const crd_network *network;
    const bool *observed;
    unsigned char *marks;
    uint64_t *visits; /* node * 2, plus 1 from a parent; each at most once */
    size_t count;
} rolling;

static void visit(rolling *own, uint32_t node, unsigned char from) {
    if (own->marks[node] & from) return;
    own->marks[node] = (unsigned char)(own->marks[node] | from);
    own->visits[own->count++] = (uint64_t)node * 2 + (from == FROM_PARENT);
}

static void pass_to_parents(rolling *own, uint32_t index) {
    const crd_i_node *node = &own->network->nodes[index];
    if (own->marks[index] & TOP) return;
    own->marks[index] |= TOP;
    for (size_t i = 0; i < node->parent_count; i++) visit(own, node->parents[i], FROM_CHILD);
}

static void pass_to_children(rolling *own, uint32_t index) {
    const crd_i_node *node = &own->network->nodes[index];
    if (own->marks[index] & BOTTOM) return;
    own->marks[index] |= BOTTOM;
    for (size_t i = 0; i < node->child_count; i++) visit(own, node->children[i], FROM_PARENT);
}

crd_status crd_i_prune(const crd_network *network, const bool *asked, const bool *observed, bool *tables, bool *reached,
                       crd_error *error) {
    crd_context *context = network->context;
    rolling own = {.network = network, .observed = observed};
    own.marks = crd_i_alloc_zeroed(context, network->count, sizeof *own.marks);
    own.visits = crd_i_alloc(context, 2 * network->count, sizeof *own.visits);
    crd_status status = CRD_OK;
    if (own.marks == NULL || own.visits == NULL) {
        status = crd_i_fail_memory(error);
        goto end;
    }
    for (uint32_t i = 0; i < network->count; i++)
        if (asked[i]) visit(&own, i, FROM_CHILD);
    for (size_t i = 0; i < own.count; i++) {
        uint32_t node = (uint32_t)(own.visits[i] / 2);
        bool from_parent = own.visits[i] % 2 == 1, is_observed = observed != NULL && observed[node];
        if (is_observed ? from_parent : !from_parent) pass_to_parents(&own, node);
        if (!is_observed) pass_to_children(&own, node);
    }
    for (size_t i = 0; i < network->count; i++) {
        if (tables != NULL) tables[i] = (own.marks[i] & TOP) != 0;
        if (reached != NULL) reached[i] = (own.marks[i] & (FROM_CHILD | FROM_PARENT)) != 0;
    }
end:
    crd_free(context, own.marks);
    crd_free(context, own.visits);
    return status;
}
