/* SPDX-License-Identifier: MIT */
/* case_columns.c - rows of files as cases: see credence/network.h. */
#include "network/case_columns.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/frame.h"
#include "table/missing_values.h"
#include "table/read/reader.h"

#include <math.h>

static bool is_any_state(const crd_network *network, crd_text text) {
    for (size_t i = 0; i < network->count; i++)
        for (size_t state = 0; state < crd_i_node_states(&network->nodes[i]); state++) {
            crd_text name = crd_i_dictionary_text(network->nodes[i].states, state);
            if (crd_text_equal(crd_i_missing_spelling(name), text)) return true;
        }
    return false;
}

bool crd_i_rows_set_missing(crd_i_schema *schema, const crd_network *network) {
    size_t kept = 0;
    crd_text *texts = crd_i_alloc(schema->context, schema->missing_count, sizeof *texts);
    if (texts == NULL) return false;
    for (size_t i = 0; i < schema->missing_count; i++)
        if (!is_any_state(network, schema->missing[i])) texts[kept++] = schema->missing[i];
    bool done = crd_i_schema_set_missing(schema, texts, kept, schema->missing_any_case);
    crd_free(schema->context, texts);
    return done;
}

/* Files without a header have the nodes in their order, without utilities. */
static bool fill_schema(crd_i_schema *schema, const crd_network *network, const bool *read) {
    schema->has_header = true;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (node->kind == CRD_NODE_UTILITY) continue;
        size_t position = schema->width++;
        const crd_kind kind = crd_i_node_is_discrete(node) ? CRD_KIND_CATEGORY : CRD_KIND_NUMBER;
        if (read[i] && !crd_i_schema_add(schema, node->name, kind, position)) return false;
    }
    return crd_i_rows_set_missing(schema, network);
}

static crd_status mark(const crd_network *network, const size_t *nodes, size_t count, bool *read, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] >= network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "node %zu is to be read, and there are %zu", nodes[i],
                              network->count);
        if (network->nodes[nodes[i]].kind == CRD_NODE_UTILITY)
            return crd_i_fail(error, CRD_ERROR_COLUMN, "%s is a utility, which cannot be observed",
                              crd_i_quote(network->nodes[nodes[i]].name, quoted));
        read[nodes[i]] = true;
    }
    return CRD_OK;
}

crd_status crd_network_bind(const crd_network *network, const size_t *nodes, size_t count, crd_reader *reader,
                            crd_error *error) {
    crd_i_schema *schema = crd_i_schema_create(network->context);
    bool *read = crd_i_alloc_zeroed(network->context, network->count, sizeof *read);
    crd_status status = schema == NULL || read == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = mark(network, nodes, count, read, error);
    if (status == CRD_OK && !fill_schema(schema, network, read)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_reader_bind(reader, schema, error);
    crd_i_schema_destroy(schema);
    crd_free(network->context, read);
    return status;
}

/* A column's cells; numbers, and booleans' names, have to be said by a text that is a state. */
static void take_column(const crd_network *network, const crd_frame *frame, size_t column, size_t node, size_t begin,
                        size_t rows, int32_t *states, uint32_t *unknown) {
    const crd_i_column *from = &frame->columns[column];
    for (size_t row = 0; row < rows; row++) {
        if (!crd_i_column_present(from, begin + row)) continue;
        int32_t state = -1;
        if (from->kind == CRD_KIND_CATEGORY) {
            crd_text text = crd_i_dictionary_text(from->dictionary, (size_t)from->codes[begin + row]);
            state = crd_i_node_find_cell(&network->nodes[node], text);
        }
        states[row * network->count + node] = state;
        if (state < 0 && unknown != NULL) unknown[row]++;
    }
}

void crd_network_states(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows, int32_t *states,
                        uint32_t *unknown) {
    for (size_t i = 0; i < rows * network->count; i++) states[i] = -1;
    for (size_t row = 0; unknown != NULL && row < rows; row++) unknown[row] = 0;
    for (size_t column = 0; column < frame->column_count; column++) {
        int32_t node = crd_i_network_find(network, frame->columns[column].name);
        if (node < 0 || network->nodes[node].kind == CRD_NODE_UTILITY) continue;
        if (!crd_i_node_is_discrete(&network->nodes[node])) continue;
        take_column(network, frame, column, (size_t)node, begin, rows, states, unknown);
    }
}

void crd_network_numbers(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows,
                         double *numbers) {
    for (size_t i = 0; i < rows * network->count; i++) numbers[i] = NAN;
    for (size_t column = 0; column < frame->column_count; column++) {
        const crd_i_column *from = &frame->columns[column];
        int32_t node = crd_i_network_find(network, from->name);
        if (node < 0 || network->nodes[node].kind != CRD_NODE_GAUSSIAN || from->kind != CRD_KIND_NUMBER) continue;
        for (size_t row = 0; row < rows; row++)
            if (crd_i_column_present(from, begin + row))
                numbers[row * network->count + (size_t)node] = from->numbers[begin + row];
    }
}
