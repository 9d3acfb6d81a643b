/* SPDX-License-Identifier: MIT */
/* network_builder.c - networks built call by call: see credence/network.h.
 *
 * The draft is a network whose parents and tables may change. Finishing copies it and applies the same checks as to
 * a network file, so the builder remains usable. */
#include "network/network_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

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
    if (status == CRD_OK) status = crd_i_network_check_row(builder->draft, index, row, values, error);
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
