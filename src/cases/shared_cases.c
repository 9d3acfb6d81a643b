/* SPDX-License-Identifier: MIT */
/* shared_cases.c - one case table of the rows that the processes of a group have: see case_table.h.
 *
 * Every process gathers the rows of all, with their states as texts, and arranges them anew: states, codes and rows are those that one
 * process would have found. Rows without weights are sent as distinct ones with their counts, whose sums are exact; those
 * with weights as they are, since sums of weights are rounded, and are to be made in one order. */
#include "cases/case_table.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/byte_codec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A column of a part, in the bytes of its process. */
typedef struct part_column {
    crd_text name;
    crd_kind kind;
    bool has_intervals;
    size_t state_count;
    const unsigned char *states; /* texts, one behind the other */
    const unsigned char *cells;
    size_t width; /* of a cell */
} part_column;

typedef struct part {
    size_t rows, column_count;
    part_column *columns;         /* by name */
    const unsigned char *weights; /* NULL: all 1 */
} part;

typedef struct uniting {
    crd_context *context;
    crd_i_gathered gathered;
    size_t count;
    part *parts;
    crd_i_case_table *table;
} uniting;

/* ---- Bytes ---- */

static size_t width_of(const crd_i_case_column *column) {
    return column->numbers != NULL ? sizeof(double) : column->codes8 != NULL ? 1 : column->codes16 != NULL ? 2 : 4;
}

static const void *cells_of(const crd_i_case_column *column) {
    if (column->numbers != NULL) return column->numbers;
    if (column->codes8 != NULL) return column->codes8;
    return column->codes16 != NULL ? (const void *)column->codes16 : column->codes32;
}

static crd_status encode(const crd_i_case_table *table, crd_i_encoder *to, crd_error *error) {
    crd_i_encode_u64(to, table->rows);
    crd_i_encode_u8(to, table->weights != NULL);
    crd_i_encode_u64(to, table->column_count);
    for (size_t i = 0; i < table->column_count; i++) {
        const crd_i_case_column *column = &table->columns[i];
        crd_i_encode_text(to, column->name);
        crd_i_encode_u8(to, (uint8_t)column->kind);
        crd_i_encode_u8(to, column->has_intervals);
        crd_i_encode_u8(to, (uint8_t)width_of(column));
        crd_i_encode_u64(to, column->state_count);
        for (size_t k = 0; k < column->state_count; k++) crd_i_encode_text(to, column->states[k]);
        crd_i_encode_bytes(to, cells_of(column), table->rows * width_of(column));
    }
    if (table->weights != NULL) crd_i_encode_bytes(to, table->weights, table->rows * sizeof *table->weights);
    return to->failed ? crd_i_fail_memory(error) : CRD_OK;
}

static uint32_t code_at(const part_column *from, size_t row) {
    uint16_t code16;
    uint32_t code32;
    switch (from->width) {
    case 1: return from->cells[row] == CRD_I_CASE_MISSING8 ? CRD_I_CASE_MISSING32 : from->cells[row];
    case 2:
        memcpy(&code16, from->cells + row * sizeof code16, sizeof code16);
        return code16 == CRD_I_CASE_MISSING16 ? CRD_I_CASE_MISSING32 : code16;
    default: memcpy(&code32, from->cells + row * sizeof code32, sizeof code32); return code32;
    }
}

/* Whether the values of a column are codes of its states. */
static bool are_codes(const part_column *column, size_t rows) {
    bool are = true;
    for (size_t row = 0; are && row < rows; row++) {
        const uint32_t code = code_at(column, row);
        are = code == CRD_I_CASE_MISSING32 || code < column->state_count;
    }
    return are;
}

static crd_status open_part(uniting *own, crd_i_cursor from, part *to, crd_error *error) {
    to->rows = (size_t)crd_i_decode_u64(&from);
    const bool has_weights = crd_i_decode_u8(&from) != 0;
    to->column_count = (size_t)crd_i_decode_u64(&from);
    enum { LEAST_COLUMN = 4 };
    if (!crd_i_cursor_holds(&from, to->column_count, LEAST_COLUMN)) return crd_i_fail_received(error);
    to->columns = crd_i_alloc_zeroed(own->context, to->column_count, sizeof *to->columns);
    if (to->columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; !from.failed && i < to->column_count; i++) {
        part_column *column = &to->columns[i];
        column->name = crd_i_decode_text(&from);
        column->kind = (crd_kind)crd_i_decode_u8(&from);
        column->has_intervals = crd_i_decode_u8(&from) != 0;
        column->width = crd_i_decode_u8(&from);
        column->state_count = (size_t)crd_i_decode_u64(&from);
        column->states = from.at;
        for (size_t k = 0; !from.failed && k < column->state_count; k++) (void)crd_i_decode_text(&from);
        column->cells = from.at;
        const bool is_number = column->kind == CRD_KIND_NUMBER;
        const bool is_width = is_number ? column->width == sizeof(double)
                                        : column->width == 1 || column->width == 2 || column->width == 4;
        if (from.failed || !is_width || !crd_i_cursor_holds(&from, to->rows, column->width) ||
            (!is_number && !are_codes(column, to->rows)))
            return crd_i_fail_received(error);
        from.at += to->rows * column->width;
    }
    to->weights = has_weights ? from.at : NULL;
    if (from.failed || (has_weights && !crd_i_cursor_holds(&from, to->rows, sizeof(double))))
        return crd_i_fail_received(error);
    return CRD_OK;
}

/* ---- Columns ---- */

static int compare_names(const void *a, const void *b) {
    return crd_i_text_compare(*(const crd_text *)a, *(const crd_text *)b);
}

/* The names that any part has, in their order; room for all is the caller's. */
static size_t list_names(const uniting *own, crd_text *names) {
    size_t count = 0, kept = 0;
    for (size_t p = 0; p < own->count; p++)
        for (size_t i = 0; i < own->parts[p].column_count; i++) names[count++] = own->parts[p].columns[i].name;
    if (count > 0) qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || !crd_text_equal(names[kept - 1], names[i])) names[kept++] = names[i];
    return kept;
}

/* The column of a part, unless it lacks it, or has no cells in it. */
static const part_column *find_column(const part *of, crd_text name) {
    size_t low = 0, high = of->column_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = crd_i_text_compare(of->columns[middle].name, name);
        if (order == 0) {
            const part_column *found = &of->columns[middle];
            return found->kind == CRD_KIND_CATEGORY && found->state_count == 0 ? NULL : found;
        }
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}

static bool join_numbers(const uniting *own, crd_i_case_column *to) {
    to->numbers = crd_i_alloc(own->context, own->table->rows, sizeof *to->numbers);
    if (to->numbers == NULL) return false;
    for (size_t p = 0, row = 0; p < own->count; row += own->parts[p++].rows) {
        const part_column *from = find_column(&own->parts[p], to->name);
        if (from != NULL) {
            if (own->parts[p].rows > 0)
                memcpy(to->numbers + row, from->cells, own->parts[p].rows * sizeof *to->numbers);
            continue;
        }
        for (size_t i = 0; i < own->parts[p].rows; i++) to->numbers[row + i] = (double)NAN;
    }
    return true;
}

/* The states of all parts, in the order that they have in models, and the place of each by its code. */
static bool join_states(const uniting *own, size_t number, crd_i_dictionary *values, uint32_t **places) {
    const crd_i_case_column *to = &own->table->columns[number];
    for (size_t p = 0; p < own->count; p++) {
        const part_column *from = find_column(&own->parts[p], to->name);
        crd_i_cursor texts = {.at = from == NULL ? NULL : from->states, .end = from == NULL ? NULL : from->cells};
        for (size_t k = 0; from != NULL && k < from->state_count; k++)
            if (crd_i_dictionary_add(values, crd_i_decode_text(&texts)) < 0) return false;
    }
    const size_t count = crd_i_dictionary_size(values);
    int32_t *ordered = crd_i_alloc(own->context, count, sizeof *ordered);
    *places = crd_i_alloc(own->context, count, sizeof **places);
    bool done = ordered != NULL && *places != NULL;
    if (done && count > 0) {
        const crd_i_value_order by = to->has_intervals ? crd_i_interval_begin : crd_i_schema_view_number;
        done = crd_i_dictionary_order(values, NULL, by, ordered) != SIZE_MAX;
        for (size_t i = 0; done && i < count; i++) (*places)[ordered[i]] = (uint32_t)i;
        done = done && crd_i_case_column_states(own->table, number, values, ordered, count);
    }
    crd_free(own->context, ordered);
    return done;
}

/* Codes of a part become places among the states of all. */
static bool join_codes(const uniting *own, size_t number, const crd_i_dictionary *values, const uint32_t *places) {
    crd_i_case_column *to = &own->table->columns[number];
    const size_t states = crd_i_dictionary_size(values);
    uint32_t *own_places = crd_i_alloc(own->context, states, sizeof *own_places);
    bool done = own_places != NULL && crd_i_case_column_codes(own->table, number, own->table->rows);
    for (size_t p = 0, row = 0; done && p < own->count; row += own->parts[p++].rows) {
        const part_column *from = find_column(&own->parts[p], to->name);
        crd_i_cursor texts = {.at = from == NULL ? NULL : from->states, .end = from == NULL ? NULL : from->cells};
        for (size_t k = 0; from != NULL && k < from->state_count; k++)
            own_places[k] = places[crd_i_dictionary_find(values, crd_i_decode_text(&texts))];
        for (size_t i = 0; i < own->parts[p].rows; i++) {
            const uint32_t code = from == NULL ? CRD_I_CASE_MISSING32 : code_at(from, i);
            crd_i_case_put(to, row + i, code == CRD_I_CASE_MISSING32 ? code : own_places[code]);
        }
    }
    crd_free(own->context, own_places);
    return done;
}

static bool join_categories(const uniting *own, size_t number) {
    crd_i_dictionary *values = crd_i_dictionary_create(own->context);
    uint32_t *places = NULL;
    const bool done =
        values != NULL && join_states(own, number, values, &places) && join_codes(own, number, values, places);
    crd_free(own->context, places);
    crd_i_dictionary_destroy(values);
    return done;
}

static crd_status join_column(const uniting *own, size_t number, crd_text name, crd_error *error) {
    crd_i_case_column *to = &own->table->columns[number];
    char shown[CRD_I_QUOTED_ROOM];
    if (!crd_i_case_column_name(own->table, number, name)) return crd_i_fail_memory(error);
    to->kind = CRD_KIND_NONE;
    for (size_t p = 0; p < own->count; p++) {
        const part_column *from = find_column(&own->parts[p], name);
        if (from == NULL) continue;
        if (to->kind != CRD_KIND_NONE && to->kind != from->kind)
            return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS,
                              "column '%s' has numbers in some rows, and texts in others", crd_i_quote(name, shown));
        to->kind = from->kind;
        to->has_intervals = to->has_intervals || from->has_intervals;
    }
    if (to->kind == CRD_KIND_NUMBER) return join_numbers(own, to) ? CRD_OK : crd_i_fail_memory(error);
    to->kind = CRD_KIND_CATEGORY;
    return join_categories(own, number) ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- The table ---- */

static bool join_weights(const uniting *own) {
    bool has_weights = false;
    for (size_t p = 0; p < own->count; p++) has_weights = has_weights || own->parts[p].weights != NULL;
    if (!has_weights) return true;
    double *weights = crd_i_alloc(own->context, own->table->rows, sizeof *weights);
    own->table->weights = weights;
    for (size_t p = 0, row = 0; weights != NULL && p < own->count; row += own->parts[p++].rows) {
        const part *from = &own->parts[p];
        if (from->weights != NULL) memcpy(weights + row, from->weights, from->rows * sizeof *weights);
        for (size_t i = 0; from->weights == NULL && i < from->rows; i++) weights[row + i] = 1;
    }
    return weights != NULL;
}

static crd_status join(uniting *own, crd_error *error) {
    size_t columns = 0, rows = 0;
    own->parts = crd_i_alloc_zeroed(own->context, own->count, sizeof *own->parts);
    if (own->parts == NULL) return crd_i_fail_memory(error);
    for (size_t p = 0; p < own->count; p++) {
        const crd_i_cursor from = {.at = own->gathered.bytes[p],
                                   .end = own->gathered.bytes[p] + own->gathered.lengths[p]};
        const crd_status status = open_part(own, from, &own->parts[p], error);
        if (status != CRD_OK) return status;
        columns += own->parts[p].column_count;
        rows += own->parts[p].rows;
    }
    crd_text *names = crd_i_alloc(own->context, columns, sizeof *names);
    crd_status status = names == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) {
        columns = list_names(own, names);
        own->table = crd_i_case_table_create(own->context, columns);
        if (own->table == NULL) status = crd_i_fail_memory(error);
    }
    if (status == CRD_OK) own->table->rows = rows;
    for (size_t i = 0; status == CRD_OK && i < columns; i++) status = join_column(own, i, names[i], error);
    if (status == CRD_OK && !join_weights(own)) status = crd_i_fail_memory(error);
    crd_free(own->context, names);
    return status == CRD_OK ? crd_i_case_table_arrange(own->table, error) : status;
}

crd_status crd_i_case_table_unite(crd_context *context, crd_status status, crd_i_case_table **table, crd_error *error) {
    uniting own = {.context = context, .count = crd_i_process_count(context)};
    crd_i_encoder bytes = {.buffer = {.context = context}};
    if (status == CRD_OK) status = encode(*table, &bytes, error);
    crd_i_case_table_destroy(*table);
    *table = NULL;
    status = crd_i_gather(context, status, bytes.buffer.bytes, bytes.buffer.length, &own.gathered, error);
    crd_i_buffer_clear(&bytes.buffer);
    if (status == CRD_OK) status = join(&own, error);
    for (size_t p = 0; own.parts != NULL && p < own.count; p++) crd_free(context, own.parts[p].columns);
    crd_free(context, own.parts);
    crd_i_gathered_clear(&own.gathered);
    if (status == CRD_OK) {
        own.table->is_shared = true;
        *table = own.table;
    } else crd_i_case_table_destroy(own.table);
    return status;
}
