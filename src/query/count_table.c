/* SPDX-License-Identifier: MIT */
/* count_table.c - creates tables of counts from readers, from frames, and from other tables. */
#include "query/count_table.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/schema_view.h"
#include "table/read/reader.h"
#include "table/text_refusal.h"

#include <credence/schema.h>

static crd_text count_table_column_name(const void *table, size_t column) {
    return ((const crd_table *)table)->columns[column].name;
}

crd_status crd_i_table_create(crd_context *context, const crd_text *names, const bool *counted, size_t count,
                              crd_table **out, crd_error *error) {
    *out = NULL;
    crd_table *table = crd_i_alloc_zeroed(context, 1, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(error);
    table->context = context;
    table->binding.context = context;
    table->columns = crd_i_alloc_zeroed(context, count, sizeof *table->columns);
    table->slots = crd_i_alloc(context, count, sizeof *table->slots);
    table->combinations = crd_i_dictionary_create(context);
    if (table->columns == NULL || table->slots == NULL || table->combinations == NULL) goto fail;
    for (size_t i = 0; i < count; i++, table->column_count++) {
        crd_i_table_column *column = &table->columns[i];
        column->name = crd_i_text_copy(context, names[i]);
        column->slot = SIZE_MAX;
        if (column->name.bytes == NULL) goto fail;
        if (counted != NULL && !counted[i]) continue;
        column->slot = table->slot_count;
        table->slots[table->slot_count++] = i;
        column->values = crd_i_dictionary_create(context);
        if (column->values == NULL) {
            table->column_count++;
            goto fail;
        }
    }
    *out = table;
    return CRD_OK;

fail:
    crd_table_destroy(table);
    return crd_i_fail_memory(error);
}

crd_status crd_table_create(crd_context *context, const crd_text *names, size_t count, crd_table **out,
                            crd_error *error) {
    return crd_i_table_create(context, names, NULL, count, out, error);
}

void crd_table_destroy(crd_table *table) {
    if (table == NULL) return;
    for (size_t i = 0; i < table->column_count; i++) {
        crd_i_table_column *column = &table->columns[i];
        crd_free(table->context, (void *)column->name.bytes);
        crd_i_dictionary_destroy(column->values);
        crd_free(table->context, column->order);
        crd_free(table->context, column->places);
    }
    crd_i_binding_clear(&table->binding);
    crd_free(table->context, table->columns);
    crd_free(table->context, table->slots);
    crd_i_dictionary_destroy(table->combinations);
    crd_free(table->context, table->counts);
    crd_free(table->context, table);
}

/* ---- Rows ---- */

bool crd_i_table_count_rows(crd_table *table, const int32_t *codes, uint64_t rows) {
    size_t known = crd_i_dictionary_size(table->combinations);
    if (!crd_i_reserve(table->context, &table->counts, &table->counts_capacity, known + 1, sizeof *table->counts))
        return false;
    crd_text bytes = {(const char *)codes, table->slot_count * sizeof *codes};
    int32_t combination = crd_i_dictionary_add(table->combinations, bytes);
    if (combination < 0) return false;
    if ((size_t)combination == known) table->counts[known] = 0;
    table->counts[combination] += rows;
    table->rows += rows;
    return true;
}

/* Writes the codes of a numeric column to every `step`-th entry of `destination`. Returns false if memory runs out. */
static bool code_numbers(crd_i_table_column *column, const crd_i_column *source_column, size_t rows, size_t step,
                         int32_t *destination) {
    for (size_t row = 0; row < rows; row++) {
        destination[row * step] = CRD_I_CODE_MISSING;
        if (!crd_i_column_present(source_column, row)) continue;
        double number = source_column->numbers[row] == 0 ? 0 : source_column->numbers[row]; /* -0 is 0 */
        crd_text bytes = {(const char *)&number, sizeof number};
        int32_t code = crd_i_dictionary_add(column->values, bytes);
        if (code < 0) return false;
        destination[row * step] = code;
    }
    return true;
}

/* Writes the codes of column i to every slot_count-th entry of `destination`. Fails if the column is a text, or if it
 * is numeric in some rows and categorical in others. */
static crd_status code_column(crd_table *table, const crd_frame *frame, size_t i, int32_t *destination,
                              crd_error *error) {
    crd_i_table_column *column = &table->columns[i];
    const crd_i_column *source_column = crd_i_binding_column(&table->binding, frame, i);
    size_t step = table->slot_count;
    crd_kind kind = source_column == NULL ? CRD_KIND_NONE : source_column->kind;
    if (kind == CRD_KIND_NONE) {
        for (size_t row = 0; row < frame->rows; row++) destination[row * step] = CRD_I_CODE_MISSING;
        return CRD_OK;
    }
    if (kind == CRD_KIND_TEXT) return crd_i_fail_text(error, column->name, "a table counts");
    if (column->kind != CRD_KIND_NONE && column->kind != kind) {
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has numbers in some rows and categories in others",
                   crd_i_quote(column->name, quoted));
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    column->kind = kind;
    if (kind == CRD_KIND_NUMBER)
        return code_numbers(column, source_column, frame->rows, step, destination) ? CRD_OK : crd_i_fail_memory(error);
    const int32_t *codes = crd_i_binding_translate(&table->binding, frame, i, column->values, NULL, NULL);
    if (codes == NULL) return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++) destination[row * step] = codes[row];
    return CRD_OK;
}

/* Adds the rows of a frame without updating the order of the values. If it fails, some of the rows may have been
 * added. */
static crd_status count_table_add_rows(crd_table *table, const crd_frame *frame, crd_error *error) {
    if (!crd_i_binding_bind(&table->binding, 0, frame, table->column_count, count_table_column_name, table))
        return crd_i_fail_memory(error);
    if (table->slot_count > 0 && frame->rows > SIZE_MAX / table->slot_count) return crd_i_fail_memory(error);
    int32_t *codes = crd_i_alloc(table->context, frame->rows * table->slot_count, sizeof *codes);
    if (codes == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t slot = 0; status == CRD_OK && slot < table->slot_count; slot++)
        status = code_column(table, frame, table->slots[slot], codes + slot, error);
    for (size_t row = 0; status == CRD_OK && row < frame->rows; row++)
        if (!crd_i_table_count_rows(table, codes + row * table->slot_count, 1)) status = crd_i_fail_memory(error);
    crd_free(table->context, codes);
    return status;
}

/* ---- Order ---- */

static double number_in(crd_text bytes) {
    double number;
    memcpy(&number, bytes.bytes, sizeof number);
    return number;
}

static bool count_table_read_number(crd_text bytes, double *value) {
    *value = number_in(bytes);
    return true;
}

/* Returns the sort key of a column: numbers by value, intervals by lower bound, other categories as in
 * crd_i_schema_view_number. */
static crd_i_value_order order_of(const crd_i_table_column *column) {
    size_t size = crd_i_dictionary_size(column->values);
    bool are_intervals = size > 0;
    if (column->kind == CRD_KIND_NUMBER) return count_table_read_number;
    for (size_t i = 0; are_intervals && i < size; i++)
        are_intervals = crd_is_interval(crd_i_dictionary_text(column->values, i)) != 0;
    return are_intervals ? crd_i_interval_begin : crd_i_schema_view_number;
}

bool crd_i_table_order(crd_table *table) {
    for (size_t slot = 0; slot < table->slot_count; slot++) {
        crd_i_table_column *column = &table->columns[table->slots[slot]];
        size_t size = crd_i_dictionary_size(column->values);
        crd_free(table->context, column->order);
        crd_free(table->context, column->places);
        column->order = crd_i_alloc(table->context, size, sizeof *column->order);
        column->places = crd_i_alloc(table->context, size, sizeof *column->places);
        if (column->order == NULL || column->places == NULL) return false;
        if (crd_i_dictionary_order(column->values, NULL, order_of(column), column->order) == SIZE_MAX) return false;
        for (size_t i = 0; i < size; i++) column->places[column->order[i]] = i;
    }
    return true;
}

crd_status crd_table_add(crd_table *table, const crd_frame *frame, crd_error *error) {
    crd_status status = count_table_add_rows(table, frame, error);
    if (status == CRD_OK && !crd_i_table_order(table)) status = crd_i_fail_memory(error);
    return status;
}

/* ---- Readers ---- */

/* Ignores the reader's columns that are not counted, except the target, which is always read. Fails if the table has
 * weights. */
static crd_status count_table_prepare(crd_reader *reader, const bool *counted, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    if (schema->weight.name.bytes != NULL)
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT,
                            "a table of counts counts every row once, so row weights are not supported");
    for (size_t i = 0; status == CRD_OK && i < crd_reader_column_count(reader); i++) {
        bool is_target = schema->target < schema->count && schema->columns[schema->target].position == i;
        if (!counted[i] && !is_target) status = crd_reader_ignore(reader, i, error);
    }
    crd_i_schema_destroy(schema);
    return status;
}

/* Adds the values that the file or a schema declares, so they are known even if no row has them. */
static crd_status add_declared(crd_table *table, const crd_reader *reader, crd_error *error) {
    crd_i_schema *schema;
    crd_status status = crd_i_reader_schema(reader, &schema, error);
    if (status != CRD_OK) return status;
    crd_i_dictionary *names = crd_i_dictionary_create(table->context);
    bool done = names != NULL;
    for (size_t i = 0; done && i < table->column_count; i++)
        done = crd_i_dictionary_add(names, table->columns[i].name) >= 0;
    for (size_t i = 0; done && i < schema->count; i++) {
        const crd_i_dictionary *values = schema->columns[i].values;
        int32_t found = values == NULL ? -1 : crd_i_dictionary_find(names, schema->columns[i].name);
        if (found < 0 || table->columns[found].values == NULL) continue;
        crd_i_table_column *column = &table->columns[found];
        column->kind = CRD_KIND_CATEGORY;
        for (size_t code = 0; done && code < crd_i_dictionary_size(values); code++)
            done = crd_i_dictionary_add(column->values, crd_i_dictionary_text(values, code)) >= 0;
    }
    crd_i_dictionary_destroy(names);
    crd_i_schema_destroy(schema);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Creates a table and adds all rows of the reader. Starts again with an empty table if the reader restarts because it
 * changed a column type. On failure, *table may be partly filled; the caller destroys it. */
static crd_status count_table_read_all(crd_context *context, crd_reader *reader, const crd_text *names,
                                       const bool *counted, size_t count, crd_table **table, crd_error *error) {
    crd_status status = crd_i_table_create(context, names, counted, count, table, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        if (crd_i_context_cancelled(context)) return crd_i_fail_cancelled(error);
        status = crd_reader_next(reader, &frame, error);
        if (status == CRD_RESTART) {
            crd_table_destroy(*table);
            status = crd_i_table_create(context, names, counted, count, table, error);
            continue;
        }
        if (status != CRD_OK) return status;
        if (frame == NULL) break;
        status = count_table_add_rows(*table, frame, error);
    }
    if (status != CRD_OK) return status;
    if ((*table)->rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no rows to count");
    status = add_declared(*table, reader, error);
    if (status != CRD_OK) return status;
    return crd_i_table_order(*table) ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_table_read(crd_context *context, crd_reader *reader, const size_t *columns, size_t count,
                          crd_table **out, crd_error *error) {
    *out = NULL;
    size_t all = crd_reader_column_count(reader);
    crd_table *table = NULL;
    crd_text *names = crd_i_alloc(context, all, sizeof *names);
    bool *counted = crd_i_alloc_zeroed(context, all, sizeof *counted);
    crd_status status = names == NULL || counted == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < all; i++) names[i] = crd_reader_column_name(reader, i);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (columns[i] < all) counted[columns[i]] = true;
        else status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown column %zu", columns[i]);
    }
    if (status == CRD_OK) status = count_table_prepare(reader, counted, error);
    if (status == CRD_OK) status = count_table_read_all(context, reader, names, counted, all, &table, error);
    crd_free(context, names);
    crd_free(context, counted);
    if (status != CRD_OK) {
        crd_table_destroy(table);
        return status;
    }
    *out = table;
    return CRD_OK;
}

/* ---- What it is ---- */

uint64_t crd_table_rows(const crd_table *table) {
    return table->rows;
}

uint64_t crd_table_left_out(const crd_table *table) {
    return table->left_out;
}

size_t crd_table_column_count(const crd_table *table) {
    return table->column_count;
}

crd_text crd_table_column_name(const crd_table *table, size_t column) {
    return table->columns[column].name;
}

crd_kind crd_table_column_kind(const crd_table *table, size_t column) {
    return table->columns[column].kind;
}

size_t crd_table_value_count(const crd_table *table, size_t column) {
    const crd_i_table_column *table_column = &table->columns[column];
    return table_column->order == NULL ? 0 : crd_i_dictionary_size(table_column->values);
}

crd_value crd_table_value(const crd_table *table, size_t column, size_t value) {
    const crd_i_table_column *table_column = &table->columns[column];
    crd_text text = crd_i_dictionary_text(table_column->values, (size_t)table_column->order[value]);
    crd_value result = {table_column->kind, 0, text};
    if (table_column->kind == CRD_KIND_NUMBER) {
        const crd_text none = {NULL, 0};
        result.number = number_in(text);
        result.text = none;
    }
    return result;
}
