/* SPDX-License-Identifier: MIT */
/* shared_cases.c - builds one case table from the rows of all processes of a group: see case_builder.h.
 *
 * Each process gathers the tables of all processes, and adds their rows to a builder as frames. States, codes and rows
 * are then identical to the result of a single process. Rows without weights are sent as distinct rows with their
 * counts, because sums of counts are exact. Rows with weights are sent unmerged, because sums of weights are rounded
 * and must be added in one order. */
#include "cases/case_builder.h"

#include "base/error.h"
#include "base/memory.h"
#include "processes/group.h"

#include <string.h>

/* Rows of a frame. Cells of frames are wider than received ones. */
enum { FRAME_ROWS = 4096 };

/* Name of the weight column of the frames. No column of a file has this name. */
static const crd_text WEIGHT = {"\001weight", 7};

/* ======== Sending ======== */

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

/* ======== Receiving ======== */

/* The rows of one process: the columns of a frame for some of them, and the received cells of all of them. The last
 * column has the weights. */
typedef struct case_part {
    crd_context *context;
    crd_frame *frame;
    size_t rows, column_count;
    bool has_weights; /* false: all are 1 */
    struct {
        const unsigned char *cells;
        size_t width; /* bytes per cell */
        bool has_intervals;
    } * columns;
} case_part;

static void case_part_clear(case_part *part) {
    crd_frame_destroy(part->frame);
    crd_free(part->context, part->columns);
}

/* Adds a column to the frame, with room for the cells of FRAME_ROWS rows. `states` is NULL for numbers, and becomes the
 * frame's in any case. */
static crd_status case_part_add_column(case_part *part, crd_text name, crd_i_dictionary *states, crd_error *error) {
    const bool is_number = states == NULL;
    crd_i_column column = {.type = is_number                           ? CRD_TYPE_NUMERIC
                                   : crd_i_dictionary_size(states) > 0 ? CRD_TYPE_CATEGORICAL
                                                                       : CRD_TYPE_NONE,
                           .dictionary = states,
                           .declared = states,
                           .owns_dictionary = true,
                           .owned =
                               crd_i_alloc(part->context, FRAME_ROWS, is_number ? sizeof(double) : sizeof(int32_t))};
    if (is_number) column.numbers = column.owned;
    else column.codes = column.owned;
    const crd_status status =
        column.owned == NULL ? crd_i_fail_memory(error) : crd_i_frame_add(part->frame, name, &column, error);
    if (status == CRD_OK) return CRD_OK;
    crd_free(part->context, column.owned);
    crd_i_dictionary_destroy(states);
    return status;
}

/* Decodes the states of a column. *out is NULL if they are invalid or memory runs out. */
static crd_status case_part_read_states(const case_part *part, crd_i_cursor *cursor, crd_i_dictionary **out,
                                        crd_error *error) {
    const uint64_t count = crd_i_decode_u64(cursor);
    *out = crd_i_dictionary_create(part->context);
    bool done = *out != NULL;
    for (uint64_t k = 0; done && !cursor->failed && k < count; k++)
        done = crd_i_dictionary_add(*out, crd_i_decode_text(cursor)) >= 0;
    if (done && !cursor->failed && crd_i_dictionary_size(*out) == count) return CRD_OK;
    crd_i_dictionary_destroy(*out);
    *out = NULL;
    return done ? crd_i_fail_received(error) : crd_i_fail_memory(error);
}

/* Decodes the header of column i and its states, and finds its cells. */
static crd_status case_part_read_column(case_part *part, crd_i_cursor *cursor, size_t i, crd_error *error) {
    crd_i_dictionary *states = NULL;
    const crd_text name = crd_i_decode_text(cursor);
    const bool is_number = crd_i_decode_u8(cursor) == CRD_TYPE_NUMERIC;
    part->columns[i].has_intervals = crd_i_decode_u8(cursor) != 0;
    const size_t width = crd_i_decode_u8(cursor);
    crd_status status = case_part_read_states(part, cursor, &states, error);
    if (status != CRD_OK) return status;
    part->columns[i].width = width;
    part->columns[i].cells = cursor->at;
    const bool is_width = is_number ? width == sizeof(double) : width == 1 || width == 2 || width == 4;
    if (!is_width || !crd_i_cursor_holds(cursor, part->rows, width)) {
        crd_i_dictionary_destroy(states);
        return crd_i_fail_received(error);
    }
    cursor->at += part->rows * width;
    if (is_number) {
        crd_i_dictionary_destroy(states);
        states = NULL;
    }
    return case_part_add_column(part, name, states, error);
}

/* Decodes a table without copying its cells. Returns an error if the bytes are invalid. */
static crd_status case_part_open(case_part *part, crd_i_cursor *cursor, crd_error *error) {
    enum { LEAST_COLUMN = 4 };
    part->rows = (size_t)crd_i_decode_u64(cursor);
    part->has_weights = crd_i_decode_u8(cursor) != 0;
    part->column_count = (size_t)crd_i_decode_u64(cursor);
    if (!crd_i_cursor_holds(cursor, part->column_count, LEAST_COLUMN)) return crd_i_fail_received(error);
    part->columns = crd_i_alloc(part->context, part->column_count + 1, sizeof *part->columns);
    crd_status status =
        part->columns == NULL ? crd_i_fail_memory(error) : crd_frame_create(part->context, 0, &part->frame, error);
    for (size_t i = 0; status == CRD_OK && i < part->column_count; i++)
        status = case_part_read_column(part, cursor, i, error);
    if (status != CRD_OK) return status;
    part->columns[part->column_count].cells = cursor->at;
    if (part->has_weights) {
        if (!crd_i_cursor_holds(cursor, part->rows, sizeof(double))) return crd_i_fail_received(error);
        cursor->at += part->rows * sizeof(double);
    }
    return case_part_add_column(part, WEIGHT, NULL, error);
}

/* Copies received codes to a frame. Returns false if one is not the code of a state. */
static bool case_part_copy_codes(const unsigned char *cells, size_t width, size_t states, size_t rows, int32_t *codes) {
    bool are_codes = true;
    for (size_t row = 0; row < rows; row++, cells += width) {
        uint32_t code = 0;
        uint16_t code16;
        if (width == 1) code = cells[0] == CRD_I_CASE_MISSING8 ? CRD_I_CASE_MISSING32 : cells[0];
        else if (width == sizeof code) memcpy(&code, cells, sizeof code);
        else {
            memcpy(&code16, cells, sizeof code16);
            code = code16 == CRD_I_CASE_MISSING16 ? CRD_I_CASE_MISSING32 : code16;
        }
        are_codes = are_codes && (code == CRD_I_CASE_MISSING32 || code < states);
        codes[row] = code == CRD_I_CASE_MISSING32 ? -1 : (int32_t)code;
    }
    return are_codes;
}

/* Copies the cells of the frame's rows, which begin at row `first` of the part. */
static crd_status case_part_fill(const case_part *part, size_t first, crd_error *error) {
    const size_t rows = part->frame->rows;
    for (size_t i = 0; i < part->column_count; i++) {
        const crd_i_column *column = &part->frame->columns[i];
        const size_t width = part->columns[i].width;
        const unsigned char *cells = part->columns[i].cells + first * width;
        if (column->type == CRD_TYPE_NUMERIC) memcpy(column->owned, cells, rows * width);
        else if (!case_part_copy_codes(cells, width, crd_i_dictionary_size(column->dictionary), rows, column->owned))
            return crd_i_fail_received(error);
    }
    double *weights = part->frame->columns[part->column_count].owned;
    if (part->has_weights)
        memcpy(weights, part->columns[part->column_count].cells + first * sizeof *weights, rows * sizeof *weights);
    for (size_t row = 0; !part->has_weights && row < rows; row++) weights[row] = 1;
    return CRD_OK;
}

/* Adds the rows of a part to the builder. */
static crd_status case_part_add(case_part *part, crd_i_case_builder *builder, crd_error *error) {
    crd_status status;
    size_t first = 0;
    do {
        part->frame->rows = part->rows - first < FRAME_ROWS ? part->rows - first : FRAME_ROWS;
        status = case_part_fill(part, first, error);
        if (status == CRD_OK) status = crd_i_case_builder_add(builder, part->frame, error);
        first += part->frame->rows;
    } while (status == CRD_OK && first < part->rows);
    for (size_t i = 0; status == CRD_OK && i < part->column_count; i++)
        if (part->columns[i].has_intervals) crd_i_case_builder_mark_intervals(builder, part->frame->columns[i].name);
    return status;
}

/* ======== Union ======== */

typedef struct united_cases {
    crd_context *context;
    crd_i_case_table **table; /* the rows of this process; freed as soon as they are encoded */
    crd_i_case_builder *builder;
} united_cases;

static crd_status united_cases_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const united_cases *united = object;
    const crd_status status = shared_cases_encode(*united->table, encoder, error);
    crd_i_case_table_destroy(*united->table);
    *united->table = NULL;
    return status;
}

static crd_status united_cases_add(void *object, unsigned rank, crd_i_cursor *bytes, crd_error *error) {
    const united_cases *united = object;
    case_part part = {.context = united->context};
    (void)rank;
    crd_status status = case_part_open(&part, bytes, error);
    if (status == CRD_OK) status = case_part_add(&part, united->builder, error);
    case_part_clear(&part);
    return status;
}

crd_status crd_i_case_table_unite(crd_i_group *group, crd_i_case_table **table, crd_error *error) {
    static const crd_i_merging uniting = {united_cases_encode, united_cases_add};
    const crd_text none = {NULL, 0};
    united_cases united = {.context = (*table)->context, .table = table};
    crd_status status = crd_i_case_builder_create(united.context, NULL, 0, none, WEIGHT, &united.builder, error);
    status =
        status == CRD_OK ? crd_i_group_merge(group, &uniting, &united, error) : crd_i_group_fail(group, status, error);
    crd_i_case_table_destroy(*table);
    *table = NULL;
    if (status == CRD_OK) status = crd_i_case_builder_finish(united.builder, NULL, table, error);
    crd_i_case_builder_destroy(united.builder);
    if (status == CRD_OK) (*table)->group = group;
    return status;
}
