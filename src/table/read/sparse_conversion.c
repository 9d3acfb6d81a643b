/* SPDX-License-Identifier: MIT */
/* sparse_conversion.c - the cells of sparse rows into numbers and codes. See reader_internal.h and sparse_rows.h.
 *
 * Only columns that some row at hand has a cell of get room of their own, which is filled with what rows leave out first.
 * The others share what they are. Where what is left out is zero, or the first value, all bytes are 0: as a number and as
 * a code. Where it is missing, all bits are set: as a number that is none, and as the code -1. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* The columns that a field feeds follow each other: none, one, or one for each part. */
static size_t first_column(const crd_worker *lane, size_t field) {
    int32_t index = lane->entry->columns[field];
    return index < 0 ? SIZE_MAX : (size_t)index;
}

static bool is_of_field(const crd_worker *lane, size_t index, size_t field) {
    return index < lane->reader->column_count && lane->entry->fields[index] == field;
}

/* Whether cells of the column that rows leave out are missing. */
static bool lacks_default(const crd_worker *lane, size_t index) {
    size_t field = lane->entry->fields[index];
    return field == SIZE_MAX || crd_i_file_header_left_out(&lane->entry->heading, field).form == CRD_I_CELL_MISSING;
}

static void fill_with_left_out(const crd_worker *lane, size_t index) {
    bool is_missing = lacks_default(lane, index);
    crd_kind kind = lane->columns[index].kind;
    double *numbers = crd_i_worker_numbers(lane, index);
    int32_t *codes = crd_i_worker_codes(lane, index);
    for (size_t row = 0; kind == CRD_KIND_NUMBER && row < lane->rows; row++) numbers[row] = is_missing ? NAN : 0;
    for (size_t row = 0; kind == CRD_KIND_CATEGORY && row < lane->rows; row++) codes[row] = is_missing ? -1 : 0;
}

/* The first value declared, which cells that are left out have, is the first of the dictionary. */
static bool open_dictionary(crd_worker *lane, size_t index) {
    if (!crd_i_worker_open_dictionary(lane, index)) return false;
    if (lacks_default(lane, index) || crd_i_dictionary_size(lane->columns[index].dictionary) > 0) return true;
    crd_text value = crd_i_file_header_default(&lane->entry->heading, lane->entry->fields[index]);
    return crd_i_dictionary_add(lane->columns[index].dictionary, value) >= 0;
}

/* So many rows of bytes that are all alike. */
static bool make_alike(crd_worker *lane, unsigned char **bytes, size_t *capacity, int value) {
    size_t had = *capacity;
    if (!crd_i_reserve(lane->reader->context, bytes, capacity, lane->rows * sizeof(double), 1)) return false;
    if (*capacity > had) memset(*bytes + had, value, *capacity - had);
    return true;
}

static bool begin_columns(crd_worker *lane) {
    const crd_i_sparse_rows *rows = &lane->sparse;
    crd_context *context = lane->reader->context;
    size_t slots = 0;
    for (size_t index = 0; index < lane->reader->column_count; index++) {
        crd_i_worker_column *column = &lane->columns[index];
        column->kind = column->known;
        column->infinite = SIZE_MAX;
        column->slot = SIZE_MAX;
        crd_i_worker_forget_ids(lane, index);
        if (column->kind == CRD_KIND_CATEGORY && !open_dictionary(lane, index)) return false;
        if (column->kind == CRD_KIND_TEXT && !crd_i_worker_open_texts(lane, index)) return false;
    }
    for (size_t i = 0; i < rows->field_count; i++) {
        size_t index = first_column(lane, rows->fields[i]);
        for (; is_of_field(lane, index, rows->fields[i]); index++) lane->columns[index].slot = slots++;
    }
    if ((slots > 0 && lane->rows > SIZE_MAX / slots) ||
        !crd_i_reserve(context, &lane->numbers, &lane->numbers_capacity, slots * lane->rows, sizeof *lane->numbers) ||
        !make_alike(lane, &lane->zeros, &lane->zeros_capacity, 0) ||
        !make_alike(lane, &lane->ones, &lane->ones_capacity, 0xFF))
        return false;
    for (size_t i = 0; i < rows->field_count; i++) {
        size_t index = first_column(lane, rows->fields[i]);
        for (; is_of_field(lane, index, rows->fields[i]); index++) fill_with_left_out(lane, index);
    }
    return true;
}

/* Of several faults in a row, that of the first column is the one that is reported. */
typedef struct row_faults {
    crd_status status;
    size_t column;
    crd_error suspect, error;               /* of that column */
    crd_error latest_suspect, latest_error; /* of the cell at hand */
} row_faults;

static void note_fault(row_faults *faults, crd_status status, size_t column) {
    if (faults->status != CRD_OK && faults->column < column) return;
    faults->status = status;
    faults->column = column;
    faults->suspect = faults->latest_suspect;
    faults->error = faults->latest_error;
}

static crd_status convert_row(crd_worker *lane, size_t row, row_faults *faults) {
    const crd_i_sparse_rows *rows = &lane->sparse;
    size_t weight = lane->reader->weight;
    bool has_weight = weight == SIZE_MAX || !lacks_default(lane, weight);
    crd_status status = CRD_OK;
    for (size_t i = crd_i_sparse_rows_start(rows, row); i < rows->ends[row]; i++) {
        size_t field = rows->cells[i].field, index = first_column(lane, field);
        for (; is_of_field(lane, index, field); index++) {
            has_weight = has_weight || index == weight;
            status = crd_i_worker_convert_cell(lane, row, index, rows->cells[i].cell, &faults->latest_suspect,
                                               &faults->latest_error);
            if (status != CRD_OK) note_fault(faults, status, index);
            if (status == CRD_ERROR_MEMORY) return status;
        }
    }
    if (!has_weight) {
        const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING};
        status = crd_i_worker_convert_cell(lane, row, weight, missing, &faults->latest_suspect, &faults->latest_error);
        note_fault(faults, status, weight);
    }
    return faults->status;
}

crd_status crd_i_sparse_convert(crd_worker *lane, crd_error *suspect, size_t *suspect_column, crd_error *error) {
    row_faults faults = {.status = CRD_OK};
    if (!begin_columns(lane)) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t row = 0; row < lane->rows && status == CRD_OK; row++) status = convert_row(lane, row, &faults);
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (status != CRD_OK) {
        *error = faults.error;
        *suspect = faults.suspect;
        *suspect_column = faults.column;
    }
    if (status == CRD_RESTART) return status;
    /* An infinite cell comes before what is wrong behind it. */
    crd_status infinite = crd_i_worker_find_infinite(lane, suspect, suspect_column);
    return infinite == CRD_OK ? status : infinite;
}

crd_status crd_i_sparse_check_row(const crd_worker *lane, crd_error *error) {
    const crd_i_sparse_rows *rows = &lane->sparse;
    const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING};
    size_t weight = lane->reader->weight;
    bool has_weight = weight == SIZE_MAX || !lacks_default(lane, weight);
    crd_status status = CRD_OK;
    for (size_t i = rows->begun; i < rows->count && status == CRD_OK; i++) {
        int32_t index = lane->entry->columns[rows->cells[i].field];
        if (index < 0) continue;
        has_weight = has_weight || (size_t)index == weight;
        status = crd_i_worker_check_cell(lane, (size_t)index, rows->cells[i].cell, error);
    }
    if (status != CRD_OK || has_weight) return status;
    return crd_i_worker_check_cell(lane, weight, missing, error);
}

void crd_i_sparse_check_kinds(crd_worker *lane) {
    const crd_i_sparse_rows *rows = &lane->sparse;
    for (size_t index = 0; index < lane->reader->column_count; index++)
        lane->columns[index].kind = lane->columns[index].known;
    for (size_t i = 0; i < rows->count; i++) {
        int32_t index = lane->entry->columns[rows->cells[i].field];
        if (index < 0 || lane->reader->columns[index].is_fixed) continue;
        crd_i_worker_column *column = &lane->columns[index];
        if (column->kind != CRD_KIND_CATEGORY && !crd_i_worker_is_missing(lane, rows->cells[i].cell))
            column->kind = crd_i_worker_kind_with(lane, column->kind, rows->cells[i].cell);
    }
}

void crd_i_sparse_fill_column(const crd_worker *lane, size_t index, crd_i_column *into) {
    const crd_i_worker_column *column = &lane->columns[index];
    const void *cells = lacks_default(lane, index) ? lane->ones : lane->zeros;
    bool is_category = column->kind == CRD_KIND_CATEGORY;
    into->kind = column->kind;
    into->is_constant = true;
    into->numbers = column->kind == CRD_KIND_NUMBER ? cells : NULL;
    into->codes = is_category ? cells : NULL;
    into->texts = column->kind == CRD_KIND_TEXT ? column->texts : NULL;
    into->dictionary = is_category ? column->dictionary : NULL;
    into->declared = !is_category                    ? NULL
                     : lane->entry->declared != NULL ? lane->entry->declared[index]
                                                     : lane->reader->columns[index].declared;
}
