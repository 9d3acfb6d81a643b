/* SPDX-License-Identifier: MIT */
/* count_table.c - creates tables of counts from readers, frames and other tables, and evaluates queries on them.
 *
 * Contents:
 *   1. Table creation
 *   2. Queries */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "math/independence_tests.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "query/event.h"
#include "table/column_schema.h"
#include "table/read/reader.h"

#include <credence/schema.h>
#include <math.h>
#include <string.h>

typedef struct crd_i_table_column {
    crd_text name;        /* owned */
    crd_column_type type; /* NONE: no value was present */
    size_t slot;          /* position of the column's code in a combination; SIZE_MAX: the column is not counted */
    /* texts of a categorical column, or the 8 bytes of each number; NULL if the column is not counted */
    crd_i_dictionary *values;
    int32_t *order; /* codes of the values in ascending order */
    size_t *places; /* for each code, its position in `order` */
} crd_i_table_column;

struct crd_table {
    crd_i_arena *arena;
    crd_context *context;
    crd_i_table_column *columns;
    size_t column_count;
    size_t slot_count;
    size_t *slots;                  /* the column of each slot */
    crd_i_dictionary *combinations; /* slot_count codes as bytes; -1 for a missing value */
    uint64_t *counts;               /* number of rows of each combination */
    size_t counts_capacity;
    uint64_t rows, left_out;
    crd_i_binding binding; /* finds the columns in the frames that are added */
};

/* Returns the code in one slot of a combination, or -1 for a missing value. */
static inline int32_t count_table_code(const crd_table *table, size_t combination, size_t slot) {
    int32_t code;
    const char *bytes = crd_i_dictionary_text(table->combinations, combination).bytes + slot * sizeof code;
    memcpy(&code, bytes, sizeof code);
    return code;
}

/* ======== 1. Table creation ======== */

static crd_text count_table_column_name(const void *table, size_t column) {
    return ((const crd_table *)table)->columns[column].name;
}

/* Creates an empty table for the named columns. `counted` marks the columns to count. */
static crd_status count_table_create(crd_context *context, const crd_text *names, const bool *counted, size_t count,
                                     crd_table **out, crd_error *error) {
    *out = NULL;
    crd_table *table = crd_i_arena_object(context, sizeof *table);
    if (table == NULL) return crd_i_fail_memory(error);
    table->context = context;
    table->binding.context = context;
    table->columns = crd_i_arena_alloc_zeroed(table->arena, count, sizeof *table->columns);
    table->slots = crd_i_arena_alloc(table->arena, count, sizeof *table->slots);
    table->combinations = crd_i_dictionary_create(context);
    bool done = table->slots != NULL && table->combinations != NULL;
    if (table->columns != NULL) table->column_count = count;
    for (size_t i = 0; done && i < count; i++) {
        crd_i_table_column *column = &table->columns[i];
        column->name = crd_i_arena_copy_text(table->arena, names[i]);
        column->slot = SIZE_MAX;
        if (!counted[i]) continue;
        column->slot = table->slot_count;
        table->slots[table->slot_count++] = i;
        column->values = crd_i_dictionary_create(context);
        done = column->values != NULL;
    }
    if (done && !crd_i_arena_failed(table->arena)) {
        *out = table;
        return CRD_OK;
    }
    crd_table_destroy(table);
    return crd_i_fail_memory(error);
}

void crd_table_destroy(crd_table *table) {
    if (table == NULL) return;
    for (size_t i = 0; i < table->column_count; i++) {
        crd_i_table_column *column = &table->columns[i];
        crd_i_dictionary_destroy(column->values);
        crd_free(table->context, column->order);
        crd_free(table->context, column->places);
    }
    crd_i_binding_clear(&table->binding);
    crd_i_dictionary_destroy(table->combinations);
    crd_free(table->context, table->counts);
    crd_i_arena_destroy(table->arena);
}

/* ---- Rows ---- */

/* Adds `rows` to the count of a combination of codes, and adds the combination if it is new. Returns false if memory
 * runs out. */
static bool table_count_rows(crd_table *table, const int32_t *codes, uint64_t rows) {
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
    crd_column_type type = source_column == NULL ? CRD_TYPE_NONE : source_column->type;
    if (type == CRD_TYPE_NONE) {
        for (size_t row = 0; row < frame->rows; row++) destination[row * step] = CRD_I_CODE_MISSING;
        return CRD_OK;
    }
    if (type == CRD_TYPE_TEXT) return crd_i_fail_text(error, column->name, "a table counts");
    if (column->type != CRD_TYPE_NONE && column->type != type) {
        char quoted[CRD_I_QUOTED_ROOM];
        crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "column '%s' has numbers in some rows and categories in others",
                   crd_i_quote(column->name, quoted));
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_SCHEMA_DIFFERS;
    }
    column->type = type;
    if (type == CRD_TYPE_NUMERIC)
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
        if (!table_count_rows(table, codes + row * table->slot_count, 1)) status = crd_i_fail_memory(error);
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
    if (column->type == CRD_TYPE_NUMERIC) return count_table_read_number;
    for (size_t i = 0; are_intervals && i < size; i++)
        are_intervals = crd_is_interval(crd_i_dictionary_text(column->values, i)) != 0;
    return are_intervals ? crd_i_interval_begin : crd_i_schema_view_number;
}

/* Updates the order of the values. Must be called after rows were added. Returns false if memory runs out. */
static bool table_order(crd_table *table) {
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
        column->type = CRD_TYPE_CATEGORICAL;
        for (size_t code = 0; done && code < crd_i_dictionary_size(values); code++)
            done = crd_i_dictionary_add(column->values, crd_i_dictionary_text(values, code)) >= 0;
    }
    crd_i_dictionary_destroy(names);
    crd_i_schema_destroy(schema);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

typedef struct counting_pass {
    crd_context *context;
    crd_reader *reader;
    const crd_text *names;
    const bool *counted;
    size_t count;
    crd_table *table;
} counting_pass;

/* Adds all rows to a new table. */
static crd_status counting_pass_make(void *state, crd_error *error) {
    counting_pass *pass = state;
    crd_table_destroy(pass->table);
    pass->table = NULL;
    crd_status status = count_table_create(pass->context, pass->names, pass->counted, pass->count, &pass->table, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        if (crd_i_context_cancelled(pass->context)) return crd_i_fail_cancelled(error);
        status = crd_reader_next(pass->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = count_table_add_rows(pass->table, frame, error);
    }
    return status;
}

/* Creates a table and adds all rows of the reader. On failure, *table may be partly filled; the caller destroys it. */
static crd_status count_table_read_all(crd_context *context, crd_reader *reader, const crd_text *names,
                                       const bool *counted, size_t count, crd_table **table, crd_error *error) {
    counting_pass pass = {context, reader, names, counted, count, NULL};
    crd_status status = crd_i_reader_make_passes(reader, counting_pass_make, &pass, error);
    *table = pass.table;
    if (status != CRD_OK) return status;
    if ((*table)->rows == 0) return crd_i_fail(error, CRD_ERROR_EMPTY, "the table has no rows to count");
    status = add_declared(*table, reader, error);
    if (status != CRD_OK) return status;
    return table_order(*table) ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_table_read(crd_context *context, crd_reader *reader, const size_t *columns, size_t count,
                          crd_table **out, crd_error *error) {
    *out = NULL;
    size_t all = crd_reader_column_count(reader);
    crd_table *table = NULL;
    crd_i_arena *scratch = crd_i_arena_create(context);
    crd_text *names = crd_i_arena_alloc(scratch, all, sizeof *names);
    bool *counted = crd_i_arena_alloc_zeroed(scratch, all, sizeof *counted);
    crd_status status = crd_i_arena_check(scratch, error);
    for (size_t i = 0; status == CRD_OK && i < all; i++) names[i] = crd_reader_column_name(reader, i);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        if (columns[i] < all) counted[columns[i]] = true;
        else status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown column %zu", columns[i]);
    }
    if (status == CRD_OK) status = count_table_prepare(reader, counted, error);
    if (status == CRD_OK) status = count_table_read_all(context, reader, names, counted, all, &table, error);
    crd_i_arena_destroy(scratch);
    if (status == CRD_OK) *out = table;
    else crd_table_destroy(table);
    return status;
}

/* ---- Properties ---- */

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

crd_column_type crd_table_column_type(const crd_table *table, size_t column) {
    return table->columns[column].type;
}

size_t crd_table_value_count(const crd_table *table, size_t column) {
    const crd_i_table_column *table_column = &table->columns[column];
    return table_column->order == NULL ? 0 : crd_i_dictionary_size(table_column->values);
}

crd_value crd_table_value(const crd_table *table, size_t column, size_t value) {
    const crd_i_table_column *table_column = &table->columns[column];
    crd_text text = crd_i_dictionary_text(table_column->values, (size_t)table_column->order[value]);
    crd_value result = {table_column->type, 0, text};
    if (table_column->type == CRD_TYPE_NUMERIC) {
        const crd_text none = {NULL, 0};
        result.number = number_in(text);
        result.text = none;
    }
    return result;
}

/* ======== 2. Queries ========
 *
 * Conditioning, joint counts, events, and tests of independence. */

static crd_status count_table_query_fail_column(crd_error *error, crd_status status, const crd_i_table_column *column,
                                                const char *description) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, status, "column '%s' %s", crd_i_quote(column->name, quoted), description);
    crd_i_error_subject(error, column->name);
    return status;
}

/* Fails with CRD_ERROR_ARGUMENT if the table does not have the column or does not count it. */
static crd_status count_table_query_check_column(const crd_table *table, size_t column, crd_error *error) {
    if (column >= table->column_count) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown column %zu", column);
    if (table->columns[column].slot != SIZE_MAX) return CRD_OK;
    return count_table_query_fail_column(error, CRD_ERROR_ARGUMENT, &table->columns[column],
                                         "is not counted in the table");
}

static crd_status check_all(const crd_table *table, const size_t *columns, size_t count, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = count_table_query_check_column(table, columns[i], error);
    return status;
}

/* ---- Events ---- */

/* Checks that every comparison of the event fits its column: the column is counted, a category is compared by = or !=,
 * and a number is compared with a number. */
static crd_status check_event(const crd_table *table, const crd_event *event, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < event->part_count; i++)
        status = check_event(table, event->parts[i], error);
    if (status != CRD_OK || event->kind != CRD_I_EVENT_COMPARISON) return status;
    status = count_table_query_check_column(table, event->comparison.column, error);
    if (status != CRD_OK) return status;
    const crd_i_table_column *column = &table->columns[event->comparison.column];
    bool equality = event->comparison.relation == CRD_EVENT_EQUAL || event->comparison.relation == CRD_EVENT_UNEQUAL;
    if (column->type == CRD_TYPE_CATEGORICAL && !equality)
        return count_table_query_fail_column(error, CRD_ERROR_COLUMN, column,
                                             "is categorical: compare it by =, != or in {...}");
    if (column->type == CRD_TYPE_NUMERIC && !event->is_number)
        return count_table_query_fail_column(error, CRD_ERROR_COLUMN, column,
                                             "is numeric, but is compared with a value that is not a number");
    return CRD_OK;
}

typedef struct place {
    const crd_table *table;
    size_t combination;
} place;

/* Returns whether x has the relation to y. Even and odd ignore y; a number with a fraction is neither. */
static bool count_table_query_relates(double x, crd_event_relation relation, double y) {
    switch (relation) {
    case CRD_EVENT_EQUAL: return x == y;
    case CRD_EVENT_UNEQUAL: return x != y;
    case CRD_EVENT_LESS: return x < y;
    case CRD_EVENT_AT_MOST: return x <= y;
    case CRD_EVENT_GREATER: return x > y;
    case CRD_EVENT_EVEN: return fmod(x, 2) == 0;
    case CRD_EVENT_ODD: return fabs(fmod(x, 2)) == 1;
    case CRD_EVENT_AT_LEAST: break;
    }
    return x >= y;
}

static bool comparison_holds(const void *user, const crd_event *event) {
    const place *current_place = user;
    const crd_i_table_column *column = &current_place->table->columns[event->comparison.column];
    int32_t code = count_table_code(current_place->table, current_place->combination, column->slot);
    if (code < 0) return false;
    crd_text value = crd_i_dictionary_text(column->values, (size_t)code);
    if (column->type == CRD_TYPE_CATEGORICAL)
        return crd_text_equal(value, event->comparison.value) == (event->comparison.relation == CRD_EVENT_EQUAL);
    double number;
    memcpy(&number, value.bytes, sizeof number);
    return count_table_query_relates(number, event->comparison.relation, event->number);
}

/* Returns whether a combination has a value in each column that the event compares. */
static bool event_present(const crd_table *table, size_t combination, const crd_event *event) {
    for (size_t i = 0; i < event->part_count; i++)
        if (!event_present(table, combination, event->parts[i])) return false;
    return event->kind != CRD_I_EVENT_COMPARISON ||
           count_table_code(table, combination, table->columns[event->comparison.column].slot) >= 0;
}

static bool all_present(const crd_table *table, size_t combination, const size_t *columns, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (count_table_code(table, combination, table->columns[columns[i]].slot) < 0) return false;
    return true;
}

crd_status crd_table_count(const crd_table *table, const crd_event *const *events, size_t count, uint64_t *rows,
                           crd_error *error) {
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        crd_status status = check_event(table, events[i], error);
        if (status != CRD_OK) return status;
    }
    uint64_t sum = 0;
    for (size_t c = 0; c < crd_i_dictionary_size(table->combinations); c++) {
        place current_place = {table, c};
        bool all = true;
        for (size_t i = 0; all && i < count; i++)
            all = event_present(table, c, events[i]) && crd_i_event_holds(events[i], comparison_holds, &current_place);
        if (all) sum += table->counts[c];
    }
    *rows = sum;
    return CRD_OK;
}

/* ---- Conditions ---- */

/* Creates an empty table with the same columns and the same codes of values. */
static crd_status count_table_query_create_like(const crd_table *table, crd_table **out, crd_error *error) {
    *out = NULL;
    crd_i_arena *scratch = crd_i_arena_create(table->context);
    crd_text *names = crd_i_arena_alloc(scratch, table->column_count, sizeof *names);
    bool *counted = crd_i_arena_alloc(scratch, table->column_count, sizeof *counted);
    crd_status status = crd_i_arena_check(scratch, error);
    for (size_t i = 0; status == CRD_OK && i < table->column_count; i++) {
        names[i] = table->columns[i].name;
        counted[i] = table->columns[i].slot != SIZE_MAX;
    }
    if (status == CRD_OK) status = count_table_create(table->context, names, counted, table->column_count, out, error);
    crd_i_arena_destroy(scratch);
    for (size_t slot = 0; status == CRD_OK && slot < table->slot_count; slot++) {
        const crd_i_table_column *column = &table->columns[table->slots[slot]];
        crd_i_table_column *table_column = &(*out)->columns[table->slots[slot]];
        crd_i_dictionary_destroy(table_column->values);
        table_column->values = crd_i_dictionary_clone(column->values);
        table_column->type = column->type;
        if (table_column->values == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK && !table_order(*out)) status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_table_destroy(*out);
        *out = NULL;
    }
    return status;
}

crd_status crd_table_given(const crd_table *table, const size_t *asked, size_t count, const crd_event *event,
                           crd_table **out, crd_error *error) {
    *out = NULL;
    crd_table *result = NULL;
    int32_t *codes = NULL;
    crd_status status = check_all(table, asked, count, error);
    if (status == CRD_OK && event != NULL) status = check_event(table, event, error);
    if (status == CRD_OK) status = count_table_query_create_like(table, &result, error);
    if (status != CRD_OK) goto fail;
    codes = crd_i_alloc(table->context, table->slot_count, sizeof *codes);
    if (codes == NULL) goto no_memory;
    for (size_t c = 0; c < crd_i_dictionary_size(table->combinations); c++) {
        place current_place = {table, c};
        if (!all_present(table, c, asked, count) || (event != NULL && !event_present(table, c, event))) {
            result->left_out += table->counts[c];
            continue;
        }
        if (event != NULL && !crd_i_event_holds(event, comparison_holds, &current_place)) continue;
        for (size_t slot = 0; slot < table->slot_count; slot++) codes[slot] = count_table_code(table, c, slot);
        if (!table_count_rows(result, codes, table->counts[c])) goto no_memory;
    }
    crd_free(table->context, codes);
    *out = result;
    return CRD_OK;

no_memory:
    status = crd_i_fail_memory(error);
fail:
    crd_free(table->context, codes);
    crd_table_destroy(result);
    return status;
}

/* ---- Joint counts ---- */

crd_status crd_table_cells(const crd_table *table, const size_t *columns, size_t count, size_t *cells,
                           crd_error *error) {
    *cells = 0;
    crd_status status = check_all(table, columns, count, error);
    if (status != CRD_OK) return status;
    size_t product = 1;
    for (size_t i = 0; i < count; i++) {
        size_t values = crd_table_value_count(table, columns[i]);
        if (values > 0 && product > CRD_TABLE_MOST_CELLS / values)
            return crd_i_fail(error, CRD_ERROR_LIMIT,
                              "the joint table of these columns has more than %d entries: query fewer columns",
                              CRD_TABLE_MOST_CELLS);
        product *= values;
    }
    *cells = product;
    return CRD_OK;
}

/* Calls `visit` for each combination without missing values in the columns, with its cell of the joint table and its
 * number of rows. The last column varies fastest. */
static void visit_cells(const crd_table *table, const size_t *columns, size_t count,
                        void (*visit)(void *user, size_t cell, uint64_t rows), void *user) {
    for (size_t c = 0; c < crd_i_dictionary_size(table->combinations); c++) {
        if (!all_present(table, c, columns, count)) continue;
        size_t cell = 0;
        for (size_t i = 0; i < count; i++) {
            const crd_i_table_column *column = &table->columns[columns[i]];
            int32_t code = count_table_code(table, c, column->slot);
            cell = cell * crd_i_dictionary_size(column->values) + column->places[code];
        }
        visit(user, cell, table->counts[c]);
    }
}

static void count_table_query_add_rows(void *user, size_t cell, uint64_t rows) {
    ((uint64_t *)user)[cell] += rows;
}

crd_status crd_table_counts(const crd_table *table, const size_t *columns, size_t count, uint64_t *rows,
                            crd_error *error) {
    size_t cells;
    crd_status status = crd_table_cells(table, columns, count, &cells, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < cells; i++) rows[i] = 0;
    visit_cells(table, columns, count, count_table_query_add_rows, rows);
    return CRD_OK;
}

crd_status crd_table_moments(const crd_table *table, size_t column, double *mean, double *variance, crd_error *error) {
    uint64_t *counts = NULL, rows = 0;
    *mean = *variance = NAN;
    crd_status status = count_table_query_check_column(table, column, error);
    if (status != CRD_OK) return status;
    if (table->columns[column].type == CRD_TYPE_CATEGORICAL)
        return count_table_query_fail_column(error, CRD_ERROR_COLUMN, &table->columns[column],
                                             "is categorical, so it has no mean");
    size_t values = crd_table_value_count(table, column);
    counts = crd_i_alloc(table->context, values + 1, sizeof *counts);
    if (counts == NULL) return crd_i_fail_memory(error);
    status = crd_table_counts(table, &column, 1, counts, error);
    for (size_t i = 0; status == CRD_OK && i < values; i++) rows += counts[i];
    if (status == CRD_OK && rows == 0)
        status = count_table_query_fail_column(error, CRD_ERROR_EMPTY, &table->columns[column],
                                               "has no value in these rows");
    if (status == CRD_OK) {
        double n = (double)rows, sum = 0, squares = 0;
        for (size_t i = 0; i < values; i++) sum += (double)counts[i] / n * crd_table_value(table, column, i).number;
        for (size_t i = 0; i < values; i++) {
            double away = crd_table_value(table, column, i).number - sum;
            squares += (double)counts[i] / n * away * away;
        }
        *mean = sum;
        *variance = squares;
    }
    crd_free(table->context, counts);
    return status;
}

/* ---- Independence ---- */

static void count_table_query_add(void *user, size_t cell, uint64_t rows) {
    ((double *)user)[cell] += (double)rows;
}

/* Returns whether a numeric column contains only a few different whole numbers, such as the points of a die. A test can
 * then treat them as categories. */
static bool count_table_query_has_few_whole_numbers(const crd_i_table_column *column) {
    enum { MOST_VALUES = 20 };
    const size_t count = crd_i_dictionary_size(column->values);
    for (size_t i = 0; i < count && count <= MOST_VALUES; i++) {
        double number;
        memcpy(&number, crd_i_dictionary_text(column->values, i).bytes, sizeof number);
        if (number != floor(number)) return false;
    }
    return count <= MOST_VALUES;
}

/* Checks that the columns are different and have values that a test of independence can count. */
static crd_status count_table_query_check_categories(const crd_table *table, const size_t *columns, size_t count,
                                                     crd_error *error) {
    for (size_t i = 0; i < count; i++) {
        const crd_i_table_column *column = &table->columns[columns[i]];
        if (column->type == CRD_TYPE_NUMERIC && !count_table_query_has_few_whole_numbers(column))
            return count_table_query_fail_column(
                error, CRD_ERROR_COLUMN, column,
                "is numeric: the test counts each value of a categorical column, or of a few whole numbers");
        for (size_t j = 0; j < i; j++)
            if (columns[j] == columns[i])
                return count_table_query_fail_column(error, CRD_ERROR_COLUMN, column, "is listed twice");
    }
    return CRD_OK;
}

/* Copies the statistics and computes the p-values of a test of independence. */
static void count_table_query_hand_over(const crd_i_contingency *contingency, crd_independence *out) {
    crd_independence result = CRD_INDEPENDENCE_INIT;
    result.rows = contingency->rows;
    result.chi_squared = contingency->chi_squared;
    result.chi_squared_p = crd_i_contingency_p(contingency->chi_squared, contingency->degrees);
    result.g_squared = contingency->g_squared;
    result.g_squared_p = crd_i_contingency_p(contingency->g_squared, contingency->degrees);
    result.degrees = contingency->degrees;
    result.information = crd_i_contingency_information(contingency);
    result.tables = contingency->tables;
    result.cells = contingency->cells;
    result.cells_below = contingency->cells_below;
    result.least_expected = contingency->least_expected;
    crd_i_copy_out(&result, sizeof result, out);
}

/* Returns the number of combinations of the columns' values. */
static size_t count_combinations(const crd_table *table, const size_t *columns, size_t count) {
    size_t product = 1;
    for (size_t i = 0; i < count; i++) product *= crd_table_value_count(table, columns[i]);
    return product;
}

crd_status crd_table_independence(const crd_table *table, const size_t *a, size_t a_count, const size_t *b,
                                  size_t b_count, const size_t *given, size_t given_count, crd_independence *out,
                                  crd_error *error) {
    crd_i_arena *scratch = crd_i_arena_create(table->context);
    crd_i_contingency sum = {0, 0, 0, 0, 0, 0, 0, 0};
    size_t cells = 0, count = given_count + a_count + b_count;
    size_t *columns = crd_i_arena_alloc(scratch, count, sizeof *columns);
    crd_status status = crd_i_arena_check(scratch, error);
    if (status != CRD_OK) goto end;
    for (size_t i = 0; i < given_count; i++) columns[i] = given[i];
    for (size_t i = 0; i < a_count; i++) columns[given_count + i] = a[i];
    for (size_t i = 0; i < b_count; i++) columns[given_count + a_count + i] = b[i];
    status = crd_table_cells(table, columns, count, &cells, error);
    if (status == CRD_OK) status = count_table_query_check_categories(table, columns, count, error);
    if (status != CRD_OK) goto end;
    size_t rows = count_combinations(table, a, a_count), width = count_combinations(table, b, b_count);
    double *counts = crd_i_arena_alloc_zeroed(scratch, cells, sizeof *counts);
    double *sums = crd_i_arena_alloc(scratch, rows + width, sizeof *sums);
    status = crd_i_arena_check(scratch, error);
    if (status != CRD_OK) goto end;
    visit_cells(table, columns, count, count_table_query_add, counts);
    for (size_t index = 0; index < cells; index += rows * width)
        crd_i_contingency_add(&sum, counts + index, rows, width, sums, sums + rows);
    if (sum.rows == 0) status = crd_i_fail(error, CRD_ERROR_EMPTY, "no row has a value in every column of the query");
    else count_table_query_hand_over(&sum, out);

end:
    crd_i_arena_destroy(scratch);
    return status;
}
