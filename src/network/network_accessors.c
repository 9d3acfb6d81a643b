/* SPDX-License-Identifier: MIT */
/* network_accessors.c - public accessors of a network: see credence/network.h. */
#include "base/error.h"
#include "network/network_internal.h"
#include "table/forms/truth_words.h"
#include "table/read/column_selector.h"

#include <credence/number.h>
#include <credence/schema.h>

crd_text crd_network_name(const crd_network *network) {
    return network->name;
}

size_t crd_network_node_count(const crd_network *network) {
    return network->count;
}

size_t crd_network_find(const crd_network *network, crd_text name) {
    int32_t node = crd_i_network_find(network, name);
    return node < 0 ? SIZE_MAX : (size_t)node;
}

crd_text crd_network_node_name(const crd_network *network, size_t node) {
    return network->nodes[node].name;
}

static crd_text name_of_node(const void *network, size_t node) {
    return crd_network_node_name(network, node);
}

static size_t network_accessors_find_node(const void *network, crd_text name) {
    return crd_network_find(network, name);
}

crd_status crd_network_select(const crd_network *network, crd_text selector, size_t *nodes, size_t *count,
                              crd_error *error) {
    const crd_i_names names = {"node", network, network->count, name_of_node, network_accessors_find_node};
    *count = 0;
    if (names.count == 0) return crd_i_fail(error, CRD_ERROR_COLUMN, "the network has no nodes");
    return crd_i_select(&names, selector, nodes, count, error);
}

crd_node_kind crd_network_node_kind(const crd_network *network, size_t node) {
    return network->nodes[node].kind;
}

size_t crd_network_state_count(const crd_network *network, size_t node) {
    return crd_i_node_states(&network->nodes[node]);
}

crd_text crd_network_state(const crd_network *network, size_t node, size_t state) {
    return crd_i_dictionary_text(network->nodes[node].states, state);
}

int32_t crd_i_node_find_cell(const crd_i_node *node, crd_text cell) {
    int32_t found = crd_i_find_value(node->states, cell);
    double number;
    if (found >= 0 || crd_number_parse(cell, &number) != CRD_NUMBER_FINITE) return found;
    for (size_t i = 0; i < crd_i_node_states(node); i++) {
        crd_text state = crd_i_dictionary_text(node->states, i);
        if (!crd_is_interval(state)) return -1;
        if (crd_interval_contains(state, number)) found = (int32_t)i;
    }
    return found;
}

size_t crd_network_find_state(const crd_network *network, size_t node, crd_text state) {
    int32_t found = crd_i_node_find_cell(&network->nodes[node], state);
    return found < 0 ? SIZE_MAX : (size_t)found;
}

size_t crd_network_parent_count(const crd_network *network, size_t node) {
    return network->nodes[node].parent_count;
}

size_t crd_network_parent(const crd_network *network, size_t node, size_t parent) {
    return network->nodes[node].parents[parent];
}

size_t crd_network_child_count(const crd_network *network, size_t node) {
    return network->nodes[node].child_count;
}

size_t crd_network_child(const crd_network *network, size_t node, size_t child) {
    return network->nodes[node].children[child];
}

const double *crd_network_cpt(const crd_network *network, size_t node, size_t *rows) {
    if (rows != NULL) *rows = network->nodes[node].rows;
    return network->nodes[node].table;
}

size_t crd_network_cpt_width(const crd_network *network, size_t node) {
    return crd_i_node_width(&network->nodes[node]);
}

const uint32_t *crd_network_order(const crd_network *network) {
    return network->order;
}
