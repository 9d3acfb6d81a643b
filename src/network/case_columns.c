/* SPDX-License-Identifier: MIT */
/* case_columns.c - reads file rows as network cases: see credence/network.h. */
#include "network/network_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "table/frame.h"
#include "table/missing_values.h"
#include "table/read/reader.h"

#include <math.h>
#include <stdlib.h>

static bool case_columns_is_any_state(const crd_network *network, crd_text text) {
    for (size_t i = 0; i < network->count; i++)
        for (size_t state = 0; state < crd_i_node_states(&network->nodes[i]); state++) {
            crd_text name = crd_i_dictionary_text(network->nodes[i].states, state);
            if (crd_text_equal(crd_i_missing_spelling(name), text)) return true;
        }
    return false;
}

/* Sets the words that mean missing: the words of the model that the network was created from, or the default words
 * except those that are states. */
static bool case_columns_set_missing(crd_i_schema *schema, const crd_network *network) {
    const crd_i_schema *reading = network->reading;
    if (reading != NULL)
        return crd_i_schema_set_missing(schema, reading->missing, reading->missing_count, reading->missing_any_case);
    size_t kept = 0;
    crd_text *texts = crd_i_alloc(schema->context, schema->missing_count, sizeof *texts);
    if (texts == NULL) return false;
    for (size_t i = 0; i < schema->missing_count; i++)
        if (!case_columns_is_any_state(network, schema->missing[i])) texts[kept++] = schema->missing[i];
    bool done = crd_i_schema_set_missing(schema, texts, kept, schema->missing_any_case);
    crd_free(schema->context, texts);
    return done;
}

/* ---- Columns ---- */

static int case_columns_compare_numbers(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sets the column's cut points if the node's states are labels of adjacent intervals, as in a discretized column: rows
 * then contain numbers. Returns false if memory is exhausted. */
static bool find_intervals(crd_i_schema *schema, size_t column, const crd_i_node *node) {
    const size_t count = crd_i_node_states(node);
    char buffer[CRD_I_INTERVAL_ROOM];
    bool done = true, are_labels = count > 1;
    double *begins = crd_i_alloc(schema->context, count, sizeof *begins);
    if (begins == NULL) return false;
    for (size_t i = 0; are_labels && i < count; i++)
        are_labels = crd_i_interval_begin(crd_i_dictionary_text(node->states, i), &begins[i]);
    if (are_labels) {
        qsort(begins, count, sizeof *begins, case_columns_compare_numbers);
        const crd_i_intervals parted = {begins + 1, count - 1};
        are_labels = crd_i_cuts_fit(begins + 1, count - 1);
        for (size_t i = 0; are_labels && i < count; i++)
            are_labels = crd_i_node_find(node, crd_i_intervals_label(&parted, i, buffer)) >= 0;
        if (are_labels) done = crd_i_schema_set_intervals(schema, column, begins + 1, count - 1);
    }
    crd_free(schema->context, begins);
    return done;
}

/* Returns the column by which the network's model reads a node, or NULL. Nodes mostly have the order of the columns,
 * so the search begins at *next. */
static const crd_i_schema_column *find_reading(const crd_network *network, crd_text name, size_t *next) {
    const size_t count = network->reading == NULL ? 0 : network->reading->count;
    for (size_t i = 0; i < count; i++) {
        const crd_i_schema_column *column = &network->reading->columns[(*next + i) % count];
        if (!crd_text_equal(column->name, name)) continue;
        *next = (*next + i + 1) % count;
        return column;
    }
    return NULL;
}

/* Adds the column of a node. Finds intervals from the state labels if the column declares its states or if the model
 * reads numbers. */
static bool case_columns_add(crd_i_schema *schema, const crd_i_node *node, const crd_i_schema_column *reading,
                             size_t position, bool declares_states) {
    const size_t column = schema->count;
    const bool is_discrete = crd_i_node_is_discrete(node);
    const bool has_numbers = reading != NULL && (reading->type == CRD_TYPE_NUMERIC || reading->intervals.cuts != NULL);
    bool done = crd_i_schema_add(schema, node->name, is_discrete ? CRD_TYPE_CATEGORICAL : CRD_TYPE_NUMERIC,
                                 reading == NULL ? position : reading->position);
    for (size_t i = 0; done && declares_states && is_discrete && i < crd_i_node_states(node); i++)
        done = crd_i_schema_declare(schema, column, crd_i_dictionary_text(node->states, i));
    if (done && is_discrete && (declares_states || has_numbers)) done = find_intervals(schema, column, node);
    if (done && is_discrete) schema->columns[column].truth = crd_i_truth_words_of(node->states);
    if (!done || reading == NULL) return done;
    schema->columns[column].scale = reading->scale;
    schema->columns[column].has_words_only = reading->has_words_only;
    /* Numbers that are states, such as 1 and 2, are categories in the network, so no number format is set. */
    if (has_numbers && is_discrete && schema->columns[column].intervals.cuts == NULL) return true;
    return crd_i_schema_set_column_format(schema, column, reading->format, reading->field);
}

/* Adds the columns that the network's model reads, in model order. Columns of the same field are adjacent. */
static bool case_columns_add_known(crd_i_schema *schema, const crd_network *network, const bool *read,
                                   bool declares_states) {
    const crd_i_schema *reading = network->reading;
    bool done = true;
    for (size_t i = 0; i < reading->count && done; i++) {
        const int32_t node = crd_i_network_find(network, reading->columns[i].name);
        if (node < 0 || network->nodes[node].kind == CRD_NODE_UTILITY || (read != NULL && !read[node])) continue;
        done = case_columns_add(schema, &network->nodes[node], &reading->columns[i], 0, declares_states);
    }
    return done;
}

bool crd_i_rows_fill_schema(crd_i_schema *schema, const crd_network *network, const bool *read, bool declares_states) {
    const crd_i_schema *reading = network->reading;
    size_t next = 0, others = 0;
    schema->has_header = reading == NULL || reading->has_header;
    schema->has_literal_quotes = reading != NULL && reading->has_literal_quotes;
    schema->width = reading == NULL ? 0 : reading->width;
    if (reading != NULL && !case_columns_add_known(schema, network, read, declares_states)) return false;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        if (node->kind == CRD_NODE_UTILITY || find_reading(network, node->name, &next) != NULL) continue;
        const size_t position = schema->width + others++;
        if ((read == NULL || read[i]) && !case_columns_add(schema, node, NULL, position, declares_states)) return false;
    }
    /* Latent nodes have no column in the files that the model was trained on. */
    if (reading == NULL) schema->width = others;
    return case_columns_set_missing(schema, network);
}

crd_text crd_network_node_field(const crd_network *network, size_t node) {
    size_t next = 0;
    const crd_i_schema_column *column = find_reading(network, network->nodes[node].name, &next);
    return column == NULL || column->field.bytes == NULL ? (crd_text){"", 0} : column->field;
}

crd_status crd_network_read_cell(const crd_network *network, size_t node, crd_text cell, crd_value *out,
                                 crd_error *error) {
    const crd_i_node *source_node = &network->nodes[node];
    const bool is_discrete = crd_i_node_is_discrete(source_node);
    size_t next = 0;
    const crd_i_schema_column *reading = find_reading(network, source_node->name, &next);
    const crd_i_schema_column plain = {.name = source_node->name};
    const bool is_number = !is_discrete || (reading != NULL && reading->intervals.cuts != NULL);
    char buffer[CRD_NUMBER_ROOM];
    *out = (crd_value){CRD_TYPE_CATEGORICAL, 0, cell};
    if (is_discrete && crd_i_node_find(source_node, cell) >= 0) return CRD_OK;
    crd_status status = crd_i_schema_read_cell(network->context, reading == NULL ? &plain : reading,
                                               is_number ? CRD_TYPE_NUMERIC : CRD_TYPE_CATEGORICAL, cell, out, error);
    if (status != CRD_OK || !is_discrete || out->type != CRD_TYPE_NUMERIC) return status;
    /* Find the interval that contains the number. */
    const int32_t state = crd_i_node_find_cell(source_node, (crd_text){buffer, crd_number_format(out->number, buffer)});
    *out = (crd_value){CRD_TYPE_CATEGORICAL, 0,
                       state < 0 ? cell : crd_i_dictionary_text(source_node->states, (size_t)state)};
    return CRD_OK;
}

size_t crd_network_format_number(const crd_network *network, size_t node, double number, char buffer[CRD_CELL_ROOM]) {
    size_t next = 0;
    const crd_i_schema_column *reading = find_reading(network, network->nodes[node].name, &next);
    const crd_i_column_format plain = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    return crd_i_column_format_write(reading == NULL ? plain : reading->format, number, buffer);
}

/* Marks the nodes to read. Fails for unknown nodes and for utilities, which cannot be observed. */
static crd_status case_columns_mark(const crd_network *network, const size_t *nodes, size_t count, bool *read,
                                    crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < count; i++) {
        if (nodes[i] >= network->count)
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid node %zu: the network has %zu nodes", nodes[i],
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
    if (status == CRD_OK) status = case_columns_mark(network, nodes, count, read, error);
    if (status == CRD_OK && !crd_i_rows_fill_schema(schema, network, read, false)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = crd_i_reader_bind(reader, schema, error);
    crd_i_schema_destroy(schema);
    crd_free(network->context, read);
    return status;
}

/* Reads the values of a column. Numbers and boolean names must be written exactly like a state. */
static void case_columns_take(const crd_network *network, const crd_frame *frame, size_t column, size_t node,
                              size_t begin, size_t rows, int32_t *states, uint32_t *unknown) {
    const crd_i_column *source_column = &frame->columns[column];
    for (size_t row = 0; row < rows; row++) {
        if (!crd_i_column_present(source_column, begin + row)) continue;
        int32_t state = -1;
        if (source_column->type == CRD_TYPE_CATEGORICAL) {
            crd_text text = crd_i_dictionary_text(source_column->dictionary, (size_t)source_column->codes[begin + row]);
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
        if (node < 0 || network->nodes[node].kind == CRD_NODE_UTILITY || network->nodes[node].is_set) continue;
        if (!crd_i_node_is_discrete(&network->nodes[node])) continue;
        case_columns_take(network, frame, column, (size_t)node, begin, rows, states, unknown);
    }
}

void crd_network_numbers(const crd_network *network, const crd_frame *frame, size_t begin, size_t rows,
                         double *numbers) {
    for (size_t i = 0; i < rows * network->count; i++) numbers[i] = NAN;
    for (size_t column = 0; column < frame->column_count; column++) {
        const crd_i_column *source_column = &frame->columns[column];
        int32_t node = crd_i_network_find(network, source_column->name);
        if (node < 0 || network->nodes[node].kind != CRD_NODE_GAUSSIAN || network->nodes[node].is_set) continue;
        if (source_column->type != CRD_TYPE_NUMERIC) continue;
        for (size_t row = 0; row < rows; row++)
            if (crd_i_column_present(source_column, begin + row))
                numbers[row * network->count + (size_t)node] = source_column->numbers[begin + row];
    }
}
