/* SPDX-License-Identifier: MIT */
/* network.c - a Bayesian network: its structure, accessors, copies and builder. See network_internal.h and
 * credence/network.h.
 *
 * Contents:
 *   1. Nodes and tables
 *   2. Accessors
 *   3. Copies
 *   4. Builder */
#include "network/network_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/selector.h"
#include "base/text.h"
#include "table/values/column_format.h"

#include <credence/number.h>
#include <credence/schema.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Nodes and tables ======== */

static void clear_node(crd_context *context, crd_i_node *node) {
    crd_free(context, (void *)node->name.bytes);
    crd_i_dictionary_destroy(node->states);
    crd_free(context, node->parents);
    crd_free(context, node->children);
    crd_free(context, node->table);
}

void crd_network_destroy(crd_network *network) {
    if (network == NULL) return;
    crd_context *context = network->context;
    for (size_t i = 0; i < network->count; i++) clear_node(context, &network->nodes[i]);
    crd_free(context, network->nodes);
    crd_free(context, network->order);
    crd_free(context, (void *)network->name.bytes);
    crd_i_dictionary_destroy(network->names);
    crd_i_schema_destroy(network->reading);
    crd_free(context, network);
}

crd_status crd_i_network_create(crd_context *context, crd_text name, crd_network **out, crd_error *error) {
    *out = NULL;
    crd_network *network = crd_i_alloc_zeroed(context, 1, sizeof *network);
    if (network == NULL) return crd_i_fail_memory(error);
    network->context = context;
    network->name = crd_i_text_copy(context, name);
    network->names = crd_i_dictionary_create(context);
    if (network->name.bytes == NULL || network->names == NULL) {
        crd_network_destroy(network);
        return crd_i_fail_memory(error);
    }
    *out = network;
    return CRD_OK;
}

size_t crd_i_node_states(const crd_i_node *node) {
    return crd_i_dictionary_size(node->states);
}

size_t crd_i_node_width(const crd_i_node *node) {
    return node->width;
}

bool crd_i_node_is_discrete(const crd_i_node *node) {
    return node->kind != CRD_NODE_GAUSSIAN;
}

size_t crd_i_network_first_gaussian(const crd_network *network) {
    for (size_t i = 0; i < network->count; i++)
        if (network->nodes[i].kind == CRD_NODE_GAUSSIAN) return i;
    return SIZE_MAX;
}

bool crd_i_node_is_constant(const crd_i_node *node) {
    const size_t width = crd_i_node_width(node);
    for (size_t row = 0; row < node->rows; row++) {
        const double *numbers = node->table + row * width;
        if (numbers[0] != node->table[0]) return false;
        for (size_t i = 1; i < width; i++)
            if (numbers[i] != 0) return false;
    }
    return true;
}

bool crd_i_network_has_point_masses(const crd_network *network) {
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (node->kind != CRD_NODE_GAUSSIAN || crd_i_node_is_constant(node)) continue;
        const size_t width = crd_i_node_width(node);
        for (size_t row = 0; row < node->rows; row++)
            if (node->table[row * width + width - 1] == 0) return true;
    }
    return false;
}

crd_status crd_i_network_check_discrete(const crd_network *network, const char *description, crd_error *error) {
    const size_t node = crd_i_network_first_gaussian(network);
    char quoted[CRD_I_QUOTED_ROOM];
    if (node == SIZE_MAX) return CRD_OK;
    const crd_text name = network->nodes[node].name;
    crd_i_fail(error, CRD_ERROR_TYPE, "'%s' is a continuous node: %s", crd_i_quote(name, quoted), description);
    crd_i_error_subject(error, name);
    return CRD_ERROR_TYPE;
}

int32_t crd_i_network_find(const crd_network *network, crd_text name) {
    return crd_i_dictionary_find(network->names, name);
}

int32_t crd_i_node_find(const crd_i_node *node, crd_text state) {
    return crd_i_dictionary_find(node->states, state);
}

static crd_status network_add_states(crd_i_node *node, const crd_text *states, size_t count, crd_error *error) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < count; i++) {
        int32_t code = crd_i_dictionary_add(node->states, states[i]);
        if (code < 0) return crd_i_fail_memory(error);
        if ((size_t)code != i)
            return crd_i_fail(error, CRD_ERROR_COLUMN, "the state %s of %s occurs twice",
                              crd_i_quote(states[i], quoted[0]), crd_i_quote(node->name, quoted[1]));
    }
    return CRD_OK;
}

/* Adds a node of any kind, with a copy of its name and states. */
static crd_status network_add(crd_network *network, crd_text name, crd_node_kind kind, const crd_text *states,
                              size_t state_count, size_t *out, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (crd_i_network_find(network, name) >= 0)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "two nodes are called %s", crd_i_quote(name, quoted));
    if (network->count >= CRD_I_MOST_NODES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "too many nodes at %s: a network has at most %d",
                          crd_i_quote(name, quoted), CRD_I_MOST_NODES);
    crd_context *context = network->context;
    if (!crd_i_reserve(context, &network->nodes, &network->capacity, network->count + 1, sizeof *network->nodes))
        return crd_i_fail_memory(error);
    crd_i_node node = {.kind = kind, .rows = 1, .width = kind == CRD_NODE_GAUSSIAN ? 2 : state_count};
    node.name = crd_i_text_copy(context, name);
    node.states = crd_i_dictionary_create(context);
    crd_status status = CRD_OK;
    if (node.name.bytes == NULL || node.states == NULL) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = network_add_states(&node, states, state_count, error);
    if (status == CRD_OK && crd_i_dictionary_add(network->names, name) < 0) status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        clear_node(context, &node);
        return status;
    }
    *out = network->count;
    network->nodes[network->count++] = node;
    return CRD_OK;
}

crd_status crd_i_network_add(crd_network *network, crd_text name, const crd_text *states, size_t state_count,
                             size_t *out, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (state_count == 0 && crd_i_network_find(network, name) < 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "%s has no states: a node needs at least one",
                          crd_i_quote(name, quoted));
    if (state_count > CRD_I_MAX_STATES)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "%s has %zu states: a node has at most %d", crd_i_quote(name, quoted),
                          state_count, CRD_I_MAX_STATES);
    return network_add(network, name, CRD_NODE_CHANCE, states, state_count, out, error);
}

crd_status crd_i_network_add_gaussian(crd_network *network, crd_text name, size_t *out, crd_error *error) {
    return network_add(network, name, CRD_NODE_GAUSSIAN, NULL, 0, out, error);
}

crd_status crd_i_network_add_like(crd_network *network, const crd_i_node *node, size_t *added, crd_error *error) {
    const size_t count = crd_i_node_states(node);
    crd_text *states = crd_i_alloc(network->context, count, sizeof *states);
    if (states == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) states[i] = crd_i_dictionary_text(node->states, i);
    crd_status status = network_add(network, node->name, node->kind, states, count, added, error);
    crd_free(network->context, states);
    return status;
}

void crd_i_network_set_kind(crd_network *network, size_t node, crd_node_kind kind) {
    network->nodes[node].kind = kind;
}

/* Computes the size of the table that these parents give a node: *rows rows of *width numbers. */
static crd_status measure_table(const crd_network *network, const crd_i_node *node, const uint32_t *parents,
                                size_t parent_count, size_t *rows, size_t *width, crd_error *error) {
    char quoted[2][CRD_I_QUOTED_ROOM];
    size_t continuous = 0;
    for (size_t i = 0; i < parent_count; i++) {
        const crd_i_node *parent = &network->nodes[parents[i]];
        if (crd_i_node_is_discrete(parent)) continue;
        if (crd_i_node_is_discrete(node))
            return crd_i_fail(error, CRD_ERROR_TYPE,
                              "the continuous node %s cannot be a parent of %s, which has states: only continuous "
                              "nodes have continuous parents",
                              crd_i_quote(parent->name, quoted[0]), crd_i_quote(node->name, quoted[1]));
        continuous++;
    }
    *width = crd_i_node_is_discrete(node) ? crd_i_node_states(node) : continuous + 2;
    *rows = 1;
    /* A decision has no table, so its number of parents is not limited. */
    for (size_t i = 0; node->kind != CRD_NODE_DECISION && i < parent_count; i++) {
        const crd_i_node *parent = &network->nodes[parents[i]];
        if (!crd_i_node_is_discrete(parent)) continue;
        if (*rows > SIZE_MAX / sizeof(double) / *width / crd_i_node_states(parent))
            return crd_i_fail(error, CRD_ERROR_LIMIT, "the table of %s would have too many rows: it has %zu parents",
                              crd_i_quote(node->name, *quoted), parent_count);
        *rows *= crd_i_node_states(parent);
    }
    return CRD_OK;
}

crd_status crd_i_network_set_parents(crd_network *network, size_t index, const uint32_t *parents, size_t parent_count,
                                     crd_error *error) {
    crd_i_node *node = &network->nodes[index];
    char quoted[2][CRD_I_QUOTED_ROOM];
    size_t rows = 0, width = 0;
    if (parent_count > CRD_I_MAX_PARENTS)
        return crd_i_fail(error, CRD_ERROR_LIMIT, "%s has %zu parents: the maximum is %d",
                          crd_i_quote(node->name, *quoted), parent_count, CRD_I_MAX_PARENTS);
    if (node->parents != NULL)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "the probabilities of %s occur twice",
                          crd_i_quote(node->name, *quoted));
    for (size_t i = 0; i < parent_count; i++) {
        const crd_i_node *parent = &network->nodes[parents[i]];
        for (size_t j = 0; j < i; j++)
            if (parents[j] == parents[i])
                return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is twice a parent of %s",
                                  crd_i_quote(parent->name, quoted[0]), crd_i_quote(node->name, quoted[1]));
        if (parents[i] == index)
            return crd_i_fail(error, CRD_ERROR_CYCLE, "%s is its own parent", crd_i_quote(node->name, *quoted));
    }
    crd_status status = measure_table(network, node, parents, parent_count, &rows, &width, error);
    if (status != CRD_OK) return status;
    node->parents = crd_i_alloc(network->context, parent_count, sizeof *node->parents);
    if (node->parents == NULL) return crd_i_fail_memory(error);
    if (parent_count > 0) memcpy(node->parents, parents, parent_count * sizeof *parents);
    node->parent_count = parent_count;
    node->rows = rows;
    node->width = width;
    return CRD_OK;
}

const char *crd_i_network_row_words(const crd_network *network, const crd_i_node *node, size_t row,
                                    char buffer[CRD_I_ROW_WORDS]) {
    const size_t size = CRD_I_ROW_WORDS;
    size_t used = 0, stride = node->rows;
    buffer[0] = '\0';
    for (size_t i = 0; i < node->parent_count && used + 1 < size; i++) {
        const crd_i_node *parent = &network->nodes[node->parents[i]];
        char quoted[2][CRD_I_QUOTED_ROOM];
        if (!crd_i_node_is_discrete(parent)) continue;
        stride /= crd_i_node_states(parent);
        size_t state = row / stride % crd_i_node_states(parent);
        int length = snprintf(buffer + used, size - used, "%s%s=%s", used == 0 ? " given " : ", ",
                              crd_i_quote(parent->name, quoted[0]),
                              crd_i_quote(crd_i_dictionary_text(parent->states, state), quoted[1]));
        used += (size_t)length;
    }
    return buffer;
}

/* Checks a row of a Gaussian node: the intercept and coefficients of the mean, and the variance. */
static crd_status check_gaussian_row(const crd_network *network, const crd_i_node *node, size_t row,
                                     const double *values, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM], words[CRD_I_ROW_WORDS];
    const size_t last = crd_i_node_width(node) - 1;
    for (size_t i = 0; i <= last; i++) {
        const char *description = i < last ? "coefficient of a mean" : "variance";
        if (isfinite(values[i]) && (i < last || values[i] >= 0)) continue;
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%g is not a valid %s in the table of %s%s", values[i],
                          description, crd_i_quote(node->name, quoted),
                          crd_i_network_row_words(network, node, row, words));
    }
    return CRD_OK;
}

/* Checks the single row `values`, to be stored at `row`, like crd_i_network_take_table. */
static crd_status network_check_row(const crd_network *network, size_t index, size_t row, const double *values,
                                    crd_error *error) {
    const crd_i_node *node = &network->nodes[index];
    char quoted[CRD_I_QUOTED_ROOM], words[CRD_I_ROW_WORDS];
    size_t states = crd_i_node_states(node);
    double sum = 0;
    if (node->kind == CRD_NODE_UTILITY && !isfinite(values[0]))
        return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%g is not a valid utility in the table of %s%s", values[0],
                          crd_i_quote(node->name, quoted), crd_i_network_row_words(network, node, row, words));
    if (node->kind == CRD_NODE_GAUSSIAN) return check_gaussian_row(network, node, row, values, error);
    if (node->kind != CRD_NODE_CHANCE) return CRD_OK;
    for (size_t state = 0; state < states; state++) {
        if (!(values[state] >= 0 && values[state] <= 1 + CRD_I_ROW_SLACK))
            return crd_i_fail(error, CRD_ERROR_PROBABILITY, "%g is not a valid probability in the table of %s%s",
                              values[state], crd_i_quote(node->name, quoted),
                              crd_i_network_row_words(network, node, row, words));
        sum += values[state];
    }
    if (fabs(sum - 1) <= CRD_I_ROW_SLACK) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_PROBABILITY, "the probabilities of %s%s sum to %g, not 1",
                      crd_i_quote(node->name, quoted), crd_i_network_row_words(network, node, row, words), sum);
}

crd_status crd_i_network_take_table(crd_network *network, size_t index, double *table, crd_error *error) {
    crd_i_node *node = &network->nodes[index];
    char quoted[CRD_I_QUOTED_ROOM];
    if (node->table != NULL)
        return crd_i_fail(error, CRD_ERROR_COLUMN, "the probabilities of %s occur twice",
                          crd_i_quote(node->name, quoted));
    for (size_t row = 0; row < node->rows && node->kind != CRD_NODE_DECISION; row++) {
        crd_status status = network_check_row(network, index, row, table + row * node->width, error);
        if (status != CRD_OK) return status;
    }
    node->table = table;
    return CRD_OK;
}

/* Fills in the children of each node from the parents. */
static crd_status network_list_children(crd_network *network, crd_error *error) {
    for (size_t i = 0; i < network->count; i++)
        for (size_t j = 0; j < network->nodes[i].parent_count; j++)
            network->nodes[network->nodes[i].parents[j]].child_count++;
    for (size_t i = 0; i < network->count; i++) {
        crd_i_node *node = &network->nodes[i];
        crd_free(network->context, node->children);
        node->children = crd_i_alloc(network->context, node->child_count, sizeof *node->children);
        node->child_count = 0;
        if (node->children == NULL) return crd_i_fail_memory(error);
    }
    for (size_t i = 0; i < network->count; i++)
        for (size_t j = 0; j < network->nodes[i].parent_count; j++) {
            crd_i_node *parent = &network->nodes[network->nodes[i].parents[j]];
            parent->children[parent->child_count++] = (uint32_t)i;
        }
    return CRD_OK;
}

/* Fails with CRD_ERROR_CYCLE and names the nodes of a cycle. waiting[node] is above 0 for nodes that could not be
 * ordered; each has such a parent. So going from parent to parent returns to a visited node, which closes a cycle. */
static crd_status name_cycle(const crd_network *network, size_t *waiting, crd_error *error) {
    size_t index = 0, steps = 0;
    while (waiting[index] == 0) index++;
    /* After as many steps as there are nodes, the walk is on the cycle. */
    for (size_t i = 0; i < 2 * network->count; i++) {
        const crd_i_node *node = &network->nodes[index];
        size_t j = 0;
        while (waiting[node->parents[j]] == 0) j++;
        index = node->parents[j];
    }
    char words[500], quoted[CRD_I_QUOTED_ROOM];
    size_t used = 0, first = index;
    words[0] = '\0';
    do {
        const crd_i_node *node = &network->nodes[index];
        if (used + 1 < sizeof words) {
            int length = snprintf(words + used, sizeof words - used, "%s <- ", crd_i_quote(node->name, quoted));
            used += (size_t)length;
        }
        size_t j = 0;
        while (waiting[node->parents[j]] == 0) j++;
        index = node->parents[j];
    } while (index != first && ++steps < network->count);
    return crd_i_fail(error, CRD_ERROR_CYCLE, "the graph has a directed cycle: %s%s", words,
                      used < sizeof words ? crd_i_quote(network->nodes[first].name, quoted) : "...");
}

crd_status crd_i_network_finish(crd_network *network, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (node->table == NULL && node->kind != CRD_NODE_DECISION)
            return crd_i_fail(error, CRD_ERROR_EMPTY, "the %s are missing for %s",
                              node->kind == CRD_NODE_UTILITY    ? "utilities"
                              : node->kind == CRD_NODE_GAUSSIAN ? "mean and variance"
                                                                : "probabilities",
                              crd_i_quote(node->name, quoted));
        for (size_t j = 0; j < node->parent_count; j++)
            if (network->nodes[node->parents[j]].kind == CRD_NODE_UTILITY)
                return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "%s has a utility as a parent",
                                  crd_i_quote(node->name, quoted));
    }
    if (network->count == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the network has no nodes");
    crd_status status = network_list_children(network, error);
    if (status != CRD_OK) return status;
    /* waiting[node]: number of its parents that are not in the order yet */
    size_t *waiting = crd_i_alloc(network->context, network->count, sizeof *waiting), done = 0;
    uint32_t *order = crd_i_alloc(network->context, network->count, sizeof *order);
    if (waiting == NULL || order == NULL) {
        status = crd_i_fail_memory(error);
        goto fail;
    }
    for (size_t i = 0; i < network->count; i++)
        if ((waiting[i] = network->nodes[i].parent_count) == 0) order[done++] = (uint32_t)i;
    for (size_t i = 0; i < done; i++) {
        const crd_i_node *node = &network->nodes[order[i]];
        for (size_t j = 0; j < node->child_count; j++)
            if (--waiting[node->children[j]] == 0) order[done++] = node->children[j];
    }
    if (done < network->count) {
        status = name_cycle(network, waiting, error);
        goto fail;
    }
    crd_free(network->context, waiting);
    network->order = order;
    return CRD_OK;
fail:
    crd_free(network->context, waiting);
    crd_free(network->context, order);
    return status;
}

/* ======== 2. Accessors ======== */

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

size_t crd_i_network_child_count(const crd_network *network, size_t node) {
    return network->nodes[node].child_count;
}

size_t crd_i_network_child(const crd_network *network, size_t node, size_t child) {
    return network->nodes[node].children[child];
}

const double *crd_network_cpt(const crd_network *network, size_t node, size_t *rows) {
    if (rows != NULL) *rows = network->nodes[node].rows;
    return network->nodes[node].table;
}

size_t crd_network_cpt_width(const crd_network *network, size_t node) {
    return crd_i_node_width(&network->nodes[node]);
}

const uint32_t *crd_i_network_order(const crd_network *network) {
    return network->order;
}

/* ======== 3. Copies ========
 *
 * Copies are bit-identical. */

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
        copy->nodes[i].is_set = node->is_set;
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

/* ======== 4. Builder ========
 *
 * The draft is a network whose parents and tables may change. Finishing copies it and applies the same checks as to
 * a network file, so the builder remains usable. */

struct crd_network_builder {
    crd_context *context;
    crd_network *draft;
};

crd_status crd_network_builder_create(crd_context *context, crd_text name, crd_network_builder **out,
                                      crd_error *error) {
    crd_network_builder *builder = crd_i_alloc_zeroed(context, 1, sizeof *builder);
    *out = NULL;
    if (builder == NULL) return crd_i_fail_memory(error);
    builder->context = context;
    crd_status status = crd_i_network_create(context, name, &builder->draft, error);
    if (status == CRD_OK) *out = builder;
    else crd_network_builder_destroy(builder);
    return status;
}

crd_status crd_network_builder_from(const crd_network *network, crd_network_builder **out, crd_error *error) {
    crd_network_builder *builder = crd_i_alloc_zeroed(network->context, 1, sizeof *builder);
    *out = NULL;
    if (builder == NULL) return crd_i_fail_memory(error);
    builder->context = network->context;
    crd_status status = crd_i_network_clone(network->context, network, &builder->draft, error);
    if (status == CRD_OK) *out = builder;
    else crd_network_builder_destroy(builder);
    return status;
}

void crd_network_builder_destroy(crd_network_builder *builder) {
    if (builder == NULL) return;
    crd_network_destroy(builder->draft);
    crd_free(builder->context, builder);
}

crd_status crd_network_builder_add_node(crd_network_builder *builder, crd_text name, crd_node_kind kind,
                                        const crd_text *states, size_t state_count, size_t *node, crd_error *error) {
    const crd_text utility = crd_text_of(CRD_I_UTILITY_STATE);
    size_t added;
    if (node != NULL) *node = CRD_NONE;
    const bool is_gaussian = kind == CRD_NODE_GAUSSIAN;
    if (kind != CRD_NODE_CHANCE && kind != CRD_NODE_DECISION && kind != CRD_NODE_UTILITY && !is_gaussian)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node kind %d", (int)kind);
    if (kind == CRD_NODE_UTILITY) {
        states = &utility;
        state_count = 1;
    }
    crd_status status = is_gaussian ? crd_i_network_add_gaussian(builder->draft, name, &added, error)
                                    : crd_i_network_add(builder->draft, name, states, state_count, &added, error);
    if (status != CRD_OK) {
        crd_i_error_subject(error, name);
        return status;
    }
    crd_i_network_set_kind(builder->draft, added, kind);
    if (node != NULL) *node = added;
    return CRD_OK;
}

static crd_status check_node(const crd_network_builder *builder, size_t node, crd_error *error) {
    if (node < builder->draft->count) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", node,
                      builder->draft->count);
}

/* Replaces the parents of a node and removes its table. The node is unchanged on failure. */
static crd_status replace_parents(crd_network_builder *builder, size_t index, const uint32_t *parents, size_t count,
                                  crd_error *error) {
    crd_i_node *node = &builder->draft->nodes[index], before = *node;
    node->parents = NULL;
    crd_status status = crd_i_network_set_parents(builder->draft, index, parents, count, error);
    if (status != CRD_OK) {
        *node = before;
        crd_i_error_subject(error, node->name);
        return status;
    }
    crd_free(builder->context, before.parents);
    crd_free(builder->context, before.table);
    node->table = NULL;
    return CRD_OK;
}

crd_status crd_network_builder_add_arc(crd_network_builder *builder, size_t parent, size_t child, crd_error *error) {
    crd_status status = check_node(builder, parent, error);
    if (status == CRD_OK) status = check_node(builder, child, error);
    if (status != CRD_OK) return status;
    const crd_i_node *node = &builder->draft->nodes[child];
    uint32_t *parents = crd_i_alloc(builder->context, node->parent_count + 1, sizeof *parents);
    if (parents == NULL) return crd_i_fail_memory(error);
    if (node->parent_count > 0) memcpy(parents, node->parents, node->parent_count * sizeof *parents);
    parents[node->parent_count] = (uint32_t)parent;
    status = replace_parents(builder, child, parents, node->parent_count + 1, error);
    crd_free(builder->context, parents);
    return status;
}

crd_status crd_network_builder_remove_arc(crd_network_builder *builder, size_t parent, size_t child, crd_error *error) {
    crd_status status = check_node(builder, parent, error);
    if (status == CRD_OK) status = check_node(builder, child, error);
    if (status != CRD_OK) return status;
    const crd_i_node *node = &builder->draft->nodes[child];
    uint32_t *parents = crd_i_alloc(builder->context, node->parent_count, sizeof *parents);
    size_t kept = 0;
    if (parents == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < node->parent_count; i++)
        if (node->parents[i] != parent) parents[kept++] = node->parents[i];
    status = kept < node->parent_count ? replace_parents(builder, child, parents, kept, error)
                                       : crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                                    "the network has no arc from node %zu to node %zu", parent, child);
    crd_free(builder->context, parents);
    return status;
}

/* ---- Conditional probability tables ---- */

static crd_status check_has_table(const crd_network_builder *builder, size_t index, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = check_node(builder, index, error);
    if (status != CRD_OK) return status;
    const crd_i_node *node = &builder->draft->nodes[index];
    if (node->kind != CRD_NODE_DECISION) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s is a decision, and decisions have no table",
                      crd_i_quote(node->name, quoted));
}

crd_status crd_network_builder_set_cpt(crd_network_builder *builder, size_t index, const double *values, size_t count,
                                       crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_status status = check_has_table(builder, index, error);
    if (status != CRD_OK) return status;
    crd_i_node *node = &builder->draft->nodes[index];
    size_t cells = node->rows * crd_i_node_width(node);
    if (count != cells)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the table of %s needs %zu numbers, got %zu",
                          crd_i_quote(node->name, quoted), cells, count);
    double *table = crd_i_alloc(builder->context, cells, sizeof *table), *before = node->table;
    if (table == NULL) return crd_i_fail_memory(error);
    memcpy(table, values, cells * sizeof *table);
    node->table = NULL;
    status = crd_i_network_take_table(builder->draft, index, table, error);
    if (status != CRD_OK) node->table = before;
    if (status != CRD_OK) crd_i_error_subject(error, node->name);
    crd_free(builder->context, status == CRD_OK ? before : table);
    return status;
}

/* Finds the table row for a combination of parent states. */
static crd_status network_builder_find_row(const crd_network_builder *builder, const crd_i_node *node,
                                           const size_t *parent_states, size_t *row, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    *row = 0;
    for (size_t i = 0; i < node->parent_count; i++) {
        const crd_i_node *parent = &builder->draft->nodes[node->parents[i]];
        size_t states = crd_i_node_states(parent);
        if (!crd_i_node_is_discrete(parent)) continue;
        if (parent_states[i] >= states)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has %zu states, but not a state %zu",
                              crd_i_quote(parent->name, quoted), states, parent_states[i]);
        *row = *row * states + parent_states[i];
    }
    return CRD_OK;
}

crd_status crd_network_builder_set_cpt_row(crd_network_builder *builder, size_t index, const size_t *parent_states,
                                           const double *values, crd_error *error) {
    size_t row;
    crd_status status = check_has_table(builder, index, error);
    if (status != CRD_OK) return status;
    crd_i_node *node = &builder->draft->nodes[index];
    size_t width = crd_i_node_width(node);
    status = network_builder_find_row(builder, node, parent_states, &row, error);
    if (status == CRD_OK) status = network_check_row(builder->draft, index, row, values, error);
    if (status != CRD_OK) {
        crd_i_error_subject(error, node->name);
        return status;
    }
    if (node->table == NULL) {
        /* Rows that are not set are NaN. */
        node->table = crd_i_alloc(builder->context, node->rows * width, sizeof *node->table);
        if (node->table == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < node->rows * width; i++) node->table[i] = NAN;
    }
    memcpy(node->table + row * width, values, width * sizeof *values);
    return CRD_OK;
}

/* Checks that every row of every table is set. */
static crd_status check_rows_are_set(const crd_network_builder *builder, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM], words[CRD_I_ROW_WORDS];
    for (size_t i = 0; i < builder->draft->count; i++) {
        const crd_i_node *node = &builder->draft->nodes[i];
        for (size_t row = 0; node->table != NULL && row < node->rows; row++) {
            if (!isnan(node->table[row * crd_i_node_width(node)])) continue;
            crd_i_fail(error, CRD_ERROR_EMPTY, "the row of %s%s is missing", crd_i_quote(node->name, quoted),
                       crd_i_network_row_words(builder->draft, node, row, words));
            crd_i_error_subject(error, node->name);
            return CRD_ERROR_EMPTY;
        }
    }
    return CRD_OK;
}

crd_status crd_network_builder_finish(const crd_network_builder *builder, crd_network **out, crd_error *error) {
    *out = NULL;
    crd_status status = check_rows_are_set(builder, error);
    return status == CRD_OK ? crd_i_network_clone(builder->context, builder->draft, out, error) : status;
}

/* ---- Interventions ---- */

static crd_status fail_action(const crd_i_node *node, crd_status status, const char *description, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, "an intervention cannot set %s: %s", crd_i_quote(node->name, quoted), description);
    crd_i_error_subject(error, node->name);
    return status;
}

static crd_status check_action(const crd_network *network, const crd_finding *actions, size_t index, crd_error *error) {
    const crd_finding *action = &actions[index];
    if (action->node >= network->count)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", action->node,
                          network->count);
    const crd_i_node *node = &network->nodes[action->node];
    for (size_t i = 0; i < index; i++)
        if (actions[i].node == action->node) return fail_action(node, CRD_ERROR_COLUMN, "it is listed twice", error);
    if (node->kind == CRD_NODE_UTILITY) return fail_action(node, CRD_ERROR_TYPE, "it is a utility", error);
    if (action->likelihoods != NULL)
        return fail_action(node, CRD_ERROR_ARGUMENT, "it needs a certain state, not likelihoods", error);
    if (node->kind == CRD_NODE_GAUSSIAN)
        return isfinite(action->number) ? CRD_OK
                                        : fail_action(node, CRD_ERROR_NUMBER, "the number is not finite", error);
    if (action->state >= crd_i_node_states(node))
        return fail_action(node, CRD_ERROR_ARGUMENT, "the state does not exist", error);
    return CRD_OK;
}

/* Cuts the arcs into a node and makes its value certain. */
static crd_status set_node(crd_network_builder *builder, const crd_finding *action, crd_error *error) {
    crd_i_node *node = &builder->draft->nodes[action->node];
    crd_status status = replace_parents(builder, action->node, NULL, 0, error);
    if (status != CRD_OK) return status;
    if (node->kind == CRD_NODE_DECISION) crd_i_network_set_kind(builder->draft, action->node, CRD_NODE_CHANCE);
    node->is_set = true;
    const size_t width = crd_i_node_width(node);
    double *row = crd_i_alloc_zeroed(builder->context, width, sizeof *row);
    if (row == NULL) return crd_i_fail_memory(error);
    if (node->kind == CRD_NODE_GAUSSIAN) row[0] = action->number; /* the mean; the variance is 0 */
    else row[action->state] = 1;
    status = crd_network_builder_set_cpt(builder, action->node, row, width, error);
    crd_free(builder->context, row);
    return status;
}

crd_status crd_network_intervene(const crd_network *network, const crd_finding *actions, size_t count,
                                 crd_network **out, crd_error *error) {
    crd_network_builder *builder = NULL;
    crd_status status = CRD_OK;
    *out = NULL;
    for (size_t i = 0; i < count && status == CRD_OK; i++) status = check_action(network, actions, i, error);
    if (status == CRD_OK) status = crd_network_builder_from(network, &builder, error);
    for (size_t i = 0; i < count && status == CRD_OK; i++) status = set_node(builder, &actions[i], error);
    if (status == CRD_OK) status = crd_network_builder_finish(builder, out, error);
    crd_network_builder_destroy(builder);
    return status;
}
