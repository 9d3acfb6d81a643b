/* SPDX-License-Identifier: MIT */
/* network_clone.c - bit-identical copies of a network. */
#include "network/network_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static crd_status clone_table(crd_network *target_network, size_t index, const crd_i_node *node, crd_error *error) {
    size_t cells = node->rows * crd_i_node_width(node);
    double *table = crd_i_alloc(target_network->context, cells, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(error);
    memcpy(table, node->table, cells * sizeof *table);
    crd_status status = crd_i_network_take_table(target_network, index, table, error);
    if (status != CRD_OK) crd_free(target_network->context, table);
    return status;
}

crd_status crd_i_network_clone(crd_context *context, const crd_network *network, crd_network **out, crd_error *error) {
    crd_network *copy;
    size_t added;
    *out = NULL;
    crd_status status = crd_i_network_create(context, network->name, &copy, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; status == CRD_OK && i < network->count; i++)
        status = crd_i_network_add_like(copy, &network->nodes[i], &added, error);
    for (size_t i = 0; status == CRD_OK && i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        status = crd_i_network_set_parents(copy, i, node->parents, node->parent_count, error);
        if (status == CRD_OK && node->table != NULL) status = clone_table(copy, i, node, error);
    }
    if (status == CRD_OK) status = crd_i_network_finish(copy, error);
    if (status == CRD_OK && network->reading != NULL) {
        copy->reading = crd_i_schema_clone(network->reading);
        if (copy->reading == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) *out = copy;
    else crd_network_destroy(copy);
    return status;
}
