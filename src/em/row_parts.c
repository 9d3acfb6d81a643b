/* SPDX-License-Identifier: MIT */
/* row_parts.c - finds the parts of a row. See network_fit.h. The unobserved members of each family are united into
 * disjoint sets (union-find with path halving); the resulting sets are the parts. */
#include "em/network_fit.h"

#include "base/error.h"
#include "base/memory.h"

void crd_i_row_parts_close(crd_i_row_parts *parts) {
    crd_context *context = parts->context;
    crd_free(context, parts->states);
    crd_free(context, parts->counts);
    crd_free(context, parts->is_open);
    crd_free(context, parts->bases);
    crd_free(context, parts->leads);
    crd_free(context, parts->missing);
    crd_free(context, parts->families);
    crd_free(context, parts->missing_ends);
    crd_free(context, parts->family_ends);
    crd_free(context, parts->part_of);
    const crd_i_row_parts none = {.context = context};
    *parts = none;
}

crd_status crd_i_row_parts_open(crd_i_row_parts *parts, const crd_network *network, const size_t *starts,
                                crd_error *error) {
    crd_context *context = network->context;
    size_t count = network->count;
    const crd_i_row_parts row = {
        .context = context,
        .network = network,
        .starts = starts,
        .states = crd_i_alloc(context, count, sizeof *parts->states),
        .counts = crd_i_alloc(context, count, sizeof *parts->counts),
        .is_open = crd_i_alloc(context, count, sizeof *parts->is_open),
        .bases = crd_i_alloc(context, count, sizeof *parts->bases),
        .leads = crd_i_alloc(context, count, sizeof *parts->leads),
        .missing = crd_i_alloc(context, count, sizeof *parts->missing),
        .families = crd_i_alloc(context, count, sizeof *parts->families),
        .missing_ends = crd_i_alloc(context, count, sizeof *parts->missing_ends),
        .family_ends = crd_i_alloc(context, count, sizeof *parts->family_ends),
        .part_of = crd_i_alloc(context, count, sizeof *parts->part_of),
    };
    *parts = row;
    if (row.states != NULL && row.counts != NULL && row.is_open != NULL && row.bases != NULL && row.leads != NULL &&
        row.missing != NULL && row.families != NULL && row.missing_ends != NULL && row.family_ends != NULL &&
        row.part_of != NULL)
        return CRD_OK;
    crd_i_row_parts_close(parts);
    return crd_i_fail_memory(error);
}

void crd_i_row_parts_read(crd_i_row_parts *parts, const crd_i_case_table *table, const size_t *columns, size_t row) {
    const crd_network *network = parts->network;
    for (size_t i = 0; i < network->count; i++) {
        uint32_t code =
            columns[i] == SIZE_MAX ? CRD_I_CASE_MISSING32 : crd_i_case_code(&table->columns[columns[i]], row);
        parts->states[i] = code == CRD_I_CASE_MISSING32 ? -1 : (int32_t)code;
        parts->counts[i] = parts->states[i] >= 0;
    }
    for (size_t i = network->count; i-- > 0;) {
        const crd_i_node *node = &network->nodes[network->order[i]];
        if (!parts->counts[network->order[i]]) continue;
        for (size_t j = 0; j < node->parent_count; j++) parts->counts[node->parents[j]] = true;
    }
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        size_t stride = 1, base = parts->starts[i];
        if (!parts->counts[i]) continue;
        parts->is_open[i] = false;
        for (size_t j = node->parent_count + 1; j-- > 0;) {
            size_t member = j == node->parent_count ? i : node->parents[j];
            if (parts->states[member] < 0) parts->is_open[i] = true;
            else base += (size_t)parts->states[member] * stride;
            stride *= crd_i_node_states(&network->nodes[member]);
        }
        parts->bases[i] = (uint32_t)base;
    }
}

/* Returns the representative of the node's set, halving the path to it. */
static uint32_t lead_of(const crd_i_row_parts *parts, uint32_t node) {
    uint32_t *leads = parts->leads;
    while (leads[node] != node) {
        leads[node] = leads[leads[node]];
        node = leads[node];
    }
    return node;
}

/* Unites the unobserved members of a node's family. Returns the representative of their set. */
static uint32_t row_parts_unite(const crd_i_row_parts *parts, size_t node) {
    const crd_i_node *current_node = &parts->network->nodes[node];
    uint32_t first = parts->states[node] < 0 ? lead_of(parts, (uint32_t)node) : UINT32_MAX;
    for (size_t j = 0; j < current_node->parent_count; j++) {
        if (parts->states[current_node->parents[j]] >= 0) continue;
        uint32_t lead = lead_of(parts, current_node->parents[j]);
        if (first == UINT32_MAX) first = lead;
        /* The representative is the smallest index. */
        if (lead < first) parts->leads[first] = lead, first = lead;
        else parts->leads[lead] = first;
    }
    return first;
}

void crd_i_row_parts_find(crd_i_row_parts *parts) {
    size_t count = parts->network->count, missing = 0, families = 0;
    parts->count = 0;
    for (uint32_t i = 0; i < count; i++) parts->leads[i] = i;
    for (size_t i = 0; i < count; i++)
        if (parts->counts[i] && parts->is_open[i]) row_parts_unite(parts, i);
    /* Number the parts in the order of their first nodes. Count the nodes and families of each part, then place
     * them. */
    for (uint32_t i = 0; i < count; i++) {
        if (!parts->counts[i] || parts->states[i] >= 0) continue;
        uint32_t lead = lead_of(parts, i);
        if (lead == i) {
            parts->missing_ends[parts->count] = parts->family_ends[parts->count] = 0;
            parts->part_of[i] = (uint32_t)parts->count++;
        }
        parts->missing_ends[parts->part_of[lead]]++;
    }
    for (size_t i = 0; i < count; i++)
        if (parts->counts[i] && parts->is_open[i]) parts->family_ends[parts->part_of[row_parts_unite(parts, i)]]++;
    for (size_t p = 0; p < parts->count; p++) {
        size_t own_missing = parts->missing_ends[p], own_families = parts->family_ends[p];
        parts->missing_ends[p] = missing;
        parts->family_ends[p] = families;
        missing += own_missing;
        families += own_families;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!parts->counts[i]) continue;
        if (parts->states[i] < 0) parts->missing[parts->missing_ends[parts->part_of[lead_of(parts, i)]]++] = i;
        if (parts->is_open[i]) parts->families[parts->family_ends[parts->part_of[row_parts_unite(parts, i)]]++] = i;
    }
}
