/* SPDX-License-Identifier: MIT */
/* shared_cases.c - builds one case table from the rows of all processes of a group: see case_table.h.
 *
 * Each process gathers the rows of all processes, with their states as texts, and arranges them again. States, codes
 * and rows are then identical to the result of a single process. Rows without weights are sent as distinct rows with
 * their counts, because sums of counts are exact. Rows with weights are sent unmerged, because sums of weights are
 * rounded and must be added in one order. */
#include "cases/case_table.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/byte_codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column of one process's part, as pointers into its bytes. */
typedef struct part_column {
    crd_text name;
    crd_column_type type;
    bool has_intervals;
    size_t state_count;
    const unsigned char *states; /* consecutive texts */
    const unsigned char *cells;
    size_t width; /* bytes per cell */
} part_column;

typedef struct part {
    size_t rows, column_count;
    part_column *columns;         /* sorted by name */
    const unsigned char *weights; /* NULL: all 1 */
} part;

typedef struct cases_unification {
    crd_context *context;
    crd_i_gathered gathered;
    size_t count;
    part *parts;
    crd_i_case_table *table;
} cases_unification;

/* ---- Bytes ---- */

static size_t width_of(const crd_i_case_column *column) {
    return column->numbers != NULL ? sizeof(double) : column->codes8 != NULL ? 1 : column->codes16 != NULL ? 2 : 4;
}

static const void *shared_cases_cells(const crd_i_case_column *column) {
    if (column->numbers != NULL) return column->numbers;
    if (column->codes8 != NULL) return column->codes8;
    return column->codes16 != NULL ? (const void *)column->codes16 : column->codes32;
}

/* Encodes a table: rows, columns with their states and cells, weights. */
static crd_status shared_cases_encode(const crd_i_case_table *table, crd_i_encoder *encoder, crd_error *error) {
    crd_i_encode_u64(encoder, table->rows);
    crd_i_encode_u8(encoder, table->weights != NULL);
    crd_i_encode_u64(encoder, table->column_count);
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column *column = &table->columns[i];
        crd_i_encode_text(encoder, column->name);
        crd_i_encode_u8(encoder, (uint8_t)column->type);
        crd_i_encode_u8(encoder, column->has_intervals);
        crd_i_encode_u8(encoder, (uint8_t)width_of(column));
        crd_i_encode_u64(encoder, column->state_count);
        for (size_t k = 0; k < column->state_count; k++) crd_i_encode_text(encoder, column->states[k]);
        crd_i_encode_bytes(encoder, shared_cases_cells(column), table->rows * width_of(column));
    }
    if (table->weights != NULL) crd_i_encode_bytes(encoder, table->weights, table->rows * sizeof *table->weights);
    return encoder->failed ? crd_i_fail_memory(error) : CRD_OK;
}

static uint32_t code_at(const part_column *column, size_t row) {
    uint16_t code16;
    uint32_t code32;
    switch (column->width) {
    case 1: return column->cells[row] == CRD_I_CASE_MISSING8 ? CRD_I_CASE_MISSING32 : column->cells[row];
    case 2:
        memcpy(&code16, column->cells + row * sizeof code16, sizeof code16);
        return code16 == CRD_I_CASE_MISSING16 ? CRD_I_CASE_MISSING32 : code16;
    default: memcpy(&code32, column->cells + row * sizeof code32, sizeof code32); return code32;
    }
}

/* Returns whether all values of a column are codes of its states or missing. */
static bool shared_cases_are_codes(const part_column *column, size_t rows) {
    bool are = true;
    for (size_t row = 0; are && row < rows; row++) {
        const uint32_t code = code_at(column, row);
        are = code == CRD_I_CASE_MISSING32 || code < column->state_count;
    }
    return are;
}

/* Decodes a part without copying its cells, and checks it. Returns an error if the bytes are invalid. */
static crd_status open_part(cases_unification *unification, crd_i_cursor cursor, part *target_part, crd_error *error) {
    target_part->rows = (size_t)crd_i_decode_u64(&cursor);
    const bool has_weights = crd_i_decode_u8(&cursor) != 0;
    target_part->column_count = (size_t)crd_i_decode_u64(&cursor);
    enum { LEAST_COLUMN = 4 };
    if (!crd_i_cursor_holds(&cursor, target_part->column_count, LEAST_COLUMN)) return crd_i_fail_received(error);
    target_part->columns =
        crd_i_alloc_zeroed(unification->context, target_part->column_count, sizeof *target_part->columns);
    if (target_part->columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; !cursor.failed && i < target_part->column_count; i++) {
        part_column *column = &target_part->columns[i];
        column->name = crd_i_decode_text(&cursor);
        column->type = (crd_column_type)crd_i_decode_u8(&cursor);
        column->has_intervals = crd_i_decode_u8(&cursor) != 0;
        column->width = crd_i_decode_u8(&cursor);
        column->state_count = (size_t)crd_i_decode_u64(&cursor);
        column->states = cursor.at;
        for (size_t k = 0; !cursor.failed && k < column->state_count; k++) (void)crd_i_decode_text(&cursor);
        column->cells = cursor.at;
        const bool is_number = column->type == CRD_TYPE_NUMERIC;
        const bool is_width = is_number ? column->width == sizeof(double)
                                        : column->width == 1 || column->width == 2 || column->width == 4;
        if (cursor.failed || !is_width || !crd_i_cursor_holds(&cursor, target_part->rows, column->width) ||
            (!is_number && !shared_cases_are_codes(column, target_part->rows)))
            return crd_i_fail_received(error);
        cursor.at += target_part->rows * column->width;
    }
    target_part->weights = has_weights ? cursor.at : NULL;
    if (cursor.failed || (has_weights && !crd_i_cursor_holds(&cursor, target_part->rows, sizeof(double))))
        return crd_i_fail_received(error);
    return CRD_OK;
}

/* ---- Columns ---- */

static int shared_cases_compare_names(const void *a, const void *b) {
    return crd_i_text_compare(*(const crd_text *)a, *(const crd_text *)b);
}

/* Collects the distinct column names of all parts in sorted order. `names` has room for all of them. Returns their
 * number. */
static size_t list_names(const cases_unification *unification, crd_text *names) {
    size_t count = 0, kept = 0;
    for (size_t p = 0; p < unification->count; p++)
        for (size_t i = 0; i < unification->parts[p].column_count; i++)
            names[count++] = unification->parts[p].columns[i].name;
    if (count > 0) qsort(names, count, sizeof *names, shared_cases_compare_names);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !crd_text_equal(names[kept - 1], names[i])) names[kept++] = names[i];
    return kept;
}

/* Returns the column of a part; NULL if the part does not have it, or has no cells in it. */
static const part_column *shared_cases_find_column(const part *source_part, crd_text name) {
    size_t low = 0, high = source_part->column_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = crd_i_text_compare(source_part->columns[middle].name, name);
        if (order == 0) {
            const part_column *column = &source_part->columns[middle];
            return column->type == CRD_TYPE_CATEGORICAL && column->state_count == 0 ? NULL : column;
        }
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static bool join_numbers(const cases_unification *unification, crd_i_case_column *column) {
    column->numbers = crd_i_alloc(unification->context, unification->table->rows, sizeof *column->numbers);
    if (column->numbers == NULL) return false;
    for (size_t p = 0, row = 0; p < unification->count; row += unification->parts[p++].rows) {
        const part_column *source_column = shared_cases_find_column(&unification->parts[p], column->name);
        if (source_column != NULL) {
            if (unification->parts[p].rows > 0)
                memcpy(column->numbers + row, source_column->cells,
                       unification->parts[p].rows * sizeof *column->numbers);
            continue;
        }
        for (size_t i = 0; i < unification->parts[p].rows; i++) column->numbers[row + i] = (double)NAN;
    }
    return true;
}

/* Collects the states of all parts in the order of models. Sets *places to the position of each code; the caller frees
 * it. false: out of memory. */
static bool join_states(const cases_unification *unification, size_t number, crd_i_dictionary *values,
                        uint32_t **places) {
    const crd_i_case_column *column = &unification->table->columns[number];
    for (size_t p = 0; p < unification->count; p++) {
        const part_column *source_column = shared_cases_find_column(&unification->parts[p], column->name);
        crd_i_cursor texts = {.at = source_column == NULL ? NULL : source_column->states,
                              .end = source_column == NULL ? NULL : source_column->cells};
        for (size_t k = 0; source_column != NULL && k < source_column->state_count; k++)
            if (crd_i_dictionary_add(values, crd_i_decode_text(&texts)) < 0) return false;
    }
    const size_t count = crd_i_dictionary_size(values);
    int32_t *ordered = crd_i_alloc(unification->context, count, sizeof *ordered);
    *places = crd_i_alloc(unification->context, count, sizeof **places);
    bool done = ordered != NULL && *places != NULL;
    if (done && count > 0) {
        const crd_i_value_order order = column->has_intervals ? crd_i_interval_begin : crd_i_schema_view_number;
        done = crd_i_dictionary_order(values, NULL, order, ordered) != SIZE_MAX;
        for (size_t i = 0; done && i < count; i++) (*places)[ordered[i]] = (uint32_t)i;
        done = done && crd_i_case_column_states(unification->table, number, values, ordered, count);
    }
    crd_free(unification->context, ordered);
    return done;
}

/* Copies the codes of all parts, translated to the states of the joint table. false: out of memory. */
static bool join_codes(const cases_unification *unification, size_t number, const crd_i_dictionary *values,
                       const uint32_t *places) {
    crd_i_case_column *column = &unification->table->columns[number];
    const size_t states = crd_i_dictionary_size(values);
    uint32_t *own_places = crd_i_alloc(unification->context, states, sizeof *own_places);
    bool done = own_places != NULL && crd_i_case_column_codes(unification->table, number, unification->table->rows);
    for (size_t p = 0, row = 0; done && p < unification->count; row += unification->parts[p++].rows) {
        const part_column *source_column = shared_cases_find_column(&unification->parts[p], column->name);
        crd_i_cursor texts = {.at = source_column == NULL ? NULL : source_column->states,
                              .end = source_column == NULL ? NULL : source_column->cells};
        for (size_t k = 0; source_column != NULL && k < source_column->state_count; k++)
            own_places[k] = places[crd_i_dictionary_find(values, crd_i_decode_text(&texts))];
        for (size_t i = 0; i < unification->parts[p].rows; i++) {
            const uint32_t code = source_column == NULL ? CRD_I_CASE_MISSING32 : code_at(source_column, i);
            crd_i_case_put(column, row + i, code == CRD_I_CASE_MISSING32 ? code : own_places[code]);
        }
    }
    crd_free(unification->context, own_places);
    return done;
}

static bool join_categories(const cases_unification *unification, size_t number) {
    crd_i_dictionary *values = crd_i_dictionary_create(unification->context);
    uint32_t *places = NULL;
    const bool done = values != NULL && join_states(unification, number, values, &places) &&
                      join_codes(unification, number, values, places);
    crd_free(unification->context, places);
    crd_i_dictionary_destroy(values);
    return done;
}

/* Joins a column of all parts. Returns CRD_ERROR_SCHEMA_DIFFERS if it is numeric in some parts and categorical in
 * others. */
static crd_status shared_cases_join_column(const cases_unification *unification, size_t number, crd_text name,
                                           crd_error *error) {
    crd_i_case_column *column = &unification->table->columns[number];
    char shown[CRD_I_QUOTED_ROOM];
    if (!crd_i_case_column_name(unification->table, number, name)) return crd_i_fail_memory(error);
    column->type = CRD_TYPE_NONE;
    for (size_t p = 0; p < unification->count; p++) {
        const part_column *source_column = shared_cases_find_column(&unification->parts[p], name);
        if (source_column == NULL) continue;
        if (column->type != CRD_TYPE_NONE && column->type != source_column->type)
            return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                              "column '%s' has numbers in some rows, and texts in others", crd_i_quote(name, shown));
        column->type = source_column->type;
        column->has_intervals = column->has_intervals || source_column->has_intervals;
    }
    if (column->type == CRD_TYPE_NUMERIC) return join_numbers(unification, column) ? CRD_OK : crd_i_fail_memory(error);
    column->type = CRD_TYPE_CATEGORICAL;
    return join_categories(unification, number) ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- The table ---- */

static bool join_weights(const cases_unification *unification) {
    bool has_weights = false;
    for (size_t p = 0; p < unification->count; p++) has_weights = has_weights || unification->parts[p].weights != NULL;
    if (!has_weights) return true;
    double *weights = crd_i_alloc(unification->context, unification->table->rows, sizeof *weights);
    unification->table->weights = weights;
    for (size_t p = 0, row = 0; weights != NULL && p < unification->count; row += unification->parts[p++].rows) {
        const part *source_part = &unification->parts[p];
        if (source_part->weights != NULL)
            memcpy(weights + row, source_part->weights, source_part->rows * sizeof *weights);
        for (size_t i = 0; source_part->weights == NULL && i < source_part->rows; i++) weights[row + i] = 1;
    }
    return weights != NULL;
}

/* Joins the parts of all processes and arranges the table. */
static crd_status shared_cases_join(cases_unification *unification, crd_error *error) {
    size_t columns = 0, rows = 0;
    unification->parts = crd_i_alloc_zeroed(unification->context, unification->count, sizeof *unification->parts);
    if (unification->parts == NULL) return crd_i_fail_memory(error);
    for (size_t p = 0; p < unification->count; p++) {
        const crd_i_cursor cursor = {.at = unification->gathered.bytes[p],
                                     .end = unification->gathered.bytes[p] + unification->gathered.lengths[p]};
        const crd_status status = open_part(unification, cursor, &unification->parts[p], error);
        if (status != CRD_OK) return status;
        columns += unification->parts[p].column_count;
        rows += unification->parts[p].rows;
    }
    crd_text *names = crd_i_alloc(unification->context, columns, sizeof *names);
    crd_status status = names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        columns = list_names(unification, names);
        unification->table = crd_i_case_table_create(unification->context, columns);
        if (unification->table == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) unification->table->rows = rows;
    for (size_t i = 0; status == CRD_OK && i < columns; i++)
        status = shared_cases_join_column(unification, i, names[i], error);
    if (status == CRD_OK && !join_weights(unification)) status = crd_i_fail_memory(error);
    crd_free(unification->context, names);
    return status == CRD_OK ? crd_i_case_table_arrange(unification->table, error) : status;
}

crd_status crd_i_case_table_unite(crd_context *context, crd_status status, crd_i_case_table **table, crd_error *error) {
    cases_unification unification = {.context = context, .count = crd_i_process_count(context)};
    crd_i_encoder bytes = {.buffer = {.context = context}};
    if (status == CRD_OK) status = shared_cases_encode(*table, &bytes, error);
    crd_i_case_table_destroy(*table);
    *table = NULL;
    status = crd_i_gather(context, status, bytes.buffer.bytes, bytes.buffer.length, &unification.gathered, error);
    crd_i_buffer_clear(&bytes.buffer);
    if (status == CRD_OK) status = shared_cases_join(&unification, error);
    for (size_t p = 0; unification.parts != NULL && p < unification.count; p++)
        crd_free(context, unification.parts[p].columns);
    crd_free(context, unification.parts);
    crd_i_gathered_clear(&unification.gathered);
    if (status == CRD_OK) {
        unification.table->is_shared = true;
        *table = unification.table;
    } else crd_i_case_table_destroy(unification.table);
    return status;
}
