/* SPDX-License-Identifier: MIT */
/* sparse_conversion.c - converts the cells of sparse rows to numbers and codes. See reader_internal.h and
 * sparse_rows.h.
 *
 * Only columns with a cell in the current rows get their own memory, which is first filled with the default of
 * omitted cells. All other columns share constant arrays. If the default is zero, or the first value, all bytes are
 * 0, both as numbers and as codes. If the default is missing, all bits are set: a NaN as a number, -1 as a code. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Returns the first column derived from a field, or SIZE_MAX. Columns of a field are adjacent: none, one, or one per
 * part. */
static size_t first_column(const crd_worker *worker, size_t field) {
    int32_t index = worker->entry->columns[field];
    return index < 0 ? SIZE_MAX : (size_t)index;
}

static bool is_of_field(const crd_worker *worker, size_t index, size_t field) {
    return index < worker->reader->column_count && worker->entry->fields[index] == field;
}

/* Returns whether omitted cells of the column are missing. */
static bool lacks_default(const crd_worker *worker, size_t index) {
    size_t field = worker->entry->fields[index];
    return field == SIZE_MAX || crd_i_file_header_left_out(&worker->entry->header, field).form == CRD_I_CELL_MISSING;
}

static void fill_with_left_out(const crd_worker *worker, size_t index) {
    bool is_missing = lacks_default(worker, index);
    crd_kind kind = worker->columns[index].kind;
    double *numbers = crd_i_worker_numbers(worker, index);
    int32_t *codes = crd_i_worker_codes(worker, index);
    for (size_t row = 0; kind == CRD_KIND_NUMBER && row < worker->rows; row++) numbers[row] = is_missing ? NAN : 0;
    for (size_t row = 0; kind == CRD_KIND_CATEGORY && row < worker->rows; row++) codes[row] = is_missing ? -1 : 0;
}

/* Opens the dictionary. Its first value is the first declared value, which omitted cells have. */
static bool open_dictionary(crd_worker *worker, size_t index) {
    if (!crd_i_worker_open_dictionary(worker, index)) return false;
    if (lacks_default(worker, index) || crd_i_dictionary_size(worker->columns[index].dictionary) > 0) return true;
    crd_text value = crd_i_file_header_default(&worker->entry->header, worker->entry->fields[index]);
    return crd_i_dictionary_add(worker->columns[index].dictionary, value) >= 0;
}

/* Fills an array for the current rows with one byte value. */
static bool make_alike(crd_worker *worker, unsigned char **bytes, size_t *capacity, int value) {
    size_t had = *capacity;
    if (!crd_i_reserve(worker->reader->context, bytes, capacity, worker->rows * sizeof(double), 1)) return false;
    if (*capacity > had) memset(*bytes + had, value, *capacity - had);
    return true;
}

static bool sparse_conversion_begin_columns(crd_worker *worker) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    crd_context *context = worker->reader->context;
    size_t slots = 0;
    for (size_t index = 0; index < worker->reader->column_count; index++) {
        crd_i_worker_column *column = &worker->columns[index];
        column->kind = column->known;
        column->infinite = SIZE_MAX;
        column->slot = SIZE_MAX;
        crd_i_worker_forget_ids(worker, index);
        if (column->kind == CRD_KIND_CATEGORY && !open_dictionary(worker, index)) return false;
        if (column->kind == CRD_KIND_TEXT && !crd_i_worker_open_texts(worker, index)) return false;
    }
    for (size_t i = 0; i < rows->field_count; i++) {
        size_t index = first_column(worker, rows->fields[i]);
        for (; is_of_field(worker, index, rows->fields[i]); index++) worker->columns[index].slot = slots++;
    }
    if ((slots > 0 && worker->rows > SIZE_MAX / slots) ||
        !crd_i_reserve(context, &worker->numbers, &worker->numbers_capacity, slots * worker->rows,
                       sizeof *worker->numbers) ||
        !make_alike(worker, &worker->zeros, &worker->zeros_capacity, 0) ||
        !make_alike(worker, &worker->ones, &worker->ones_capacity, 0xFF))
        return false;
    for (size_t i = 0; i < rows->field_count; i++) {
        size_t index = first_column(worker, rows->fields[i]);
        for (; is_of_field(worker, index, rows->fields[i]); index++) fill_with_left_out(worker, index);
    }
    return true;
}

/* The faults of a row. The fault of the first column is reported. */
typedef struct row_faults {
    crd_status status;
    size_t column;
    crd_error suspect, error;               /* of that column */
    crd_error latest_suspect, latest_error; /* of the current cell */
} row_faults;

static void note_fault(row_faults *faults, crd_status status, size_t column) {
    if (faults->status != CRD_OK && faults->column < column) return;
    faults->status = status;
    faults->column = column;
    faults->suspect = faults->latest_suspect;
    faults->error = faults->latest_error;
}

static crd_status sparse_conversion_convert_row(crd_worker *worker, size_t row, row_faults *faults) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    size_t weight = worker->reader->weight;
    bool has_weight = weight == SIZE_MAX || !lacks_default(worker, weight);
    crd_status status = CRD_OK;
    for (size_t i = crd_i_sparse_rows_start(rows, row); i < rows->ends[row]; i++) {
        size_t field = rows->cells[i].field, index = first_column(worker, field);
        for (; is_of_field(worker, index, field); index++) {
            has_weight = has_weight || index == weight;
            status = crd_i_worker_convert_cell(worker, row, index, rows->cells[i].cell, &faults->latest_suspect,
                                               &faults->latest_error);
            if (status != CRD_OK) note_fault(faults, status, index);
            if (status == CRD_ERROR_MEMORY) return status;
        }
    }
    if (!has_weight) {
        const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING};
        status =
            crd_i_worker_convert_cell(worker, row, weight, missing, &faults->latest_suspect, &faults->latest_error);
        note_fault(faults, status, weight);
    }
    return faults->status;
}

crd_status crd_i_sparse_convert(crd_worker *worker, crd_error *suspect, size_t *suspect_column, crd_error *error) {
    row_faults faults = {.status = CRD_OK};
    if (!sparse_conversion_begin_columns(worker)) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (size_t row = 0; row < worker->rows && status == CRD_OK; row++)
        status = sparse_conversion_convert_row(worker, row, &faults);
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (status != CRD_OK) {
        *error = faults.error;
        *suspect = faults.suspect;
        *suspect_column = faults.column;
    }
    if (status == CRD_RESTART) return status;
    /* An infinite cell takes precedence over errors in later cells. */
    crd_status infinite = crd_i_worker_find_infinite(worker, suspect, suspect_column);
    return infinite == CRD_OK ? status : infinite;
}

crd_status crd_i_sparse_check_row(const crd_worker *worker, crd_error *error) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    const crd_i_cell missing = {0, 0, CRD_I_CELL_MISSING};
    size_t weight = worker->reader->weight;
    bool has_weight = weight == SIZE_MAX || !lacks_default(worker, weight);
    crd_status status = CRD_OK;
    for (size_t i = rows->begun; i < rows->count && status == CRD_OK; i++) {
        int32_t index = worker->entry->columns[rows->cells[i].field];
        if (index < 0) continue;
        has_weight = has_weight || (size_t)index == weight;
        status = crd_i_worker_check_cell(worker, (size_t)index, rows->cells[i].cell, error);
    }
    if (status != CRD_OK || has_weight) return status;
    return crd_i_worker_check_cell(worker, weight, missing, error);
}

void crd_i_sparse_check_kinds(crd_worker *worker) {
    const crd_i_sparse_rows *rows = &worker->sparse;
    for (size_t index = 0; index < worker->reader->column_count; index++)
        worker->columns[index].kind = worker->columns[index].known;
    for (size_t i = 0; i < rows->count; i++) {
        int32_t index = worker->entry->columns[rows->cells[i].field];
        if (index < 0 || worker->reader->columns[index].is_fixed) continue;
        crd_i_worker_column *column = &worker->columns[index];
        if (column->kind != CRD_KIND_CATEGORY && !crd_i_worker_is_missing(worker, rows->cells[i].cell))
            column->kind = crd_i_worker_kind_with(worker, column->kind, rows->cells[i].cell);
    }
}

void crd_i_sparse_fill_column(const crd_worker *worker, size_t index, crd_i_column *into) {
    const crd_i_worker_column *column = &worker->columns[index];
    const void *cells = lacks_default(worker, index) ? worker->ones : worker->zeros;
    bool is_category = column->kind == CRD_KIND_CATEGORY;
    into->kind = column->kind;
    into->is_constant = true;
    into->numbers = column->kind == CRD_KIND_NUMBER ? cells : NULL;
    into->codes = is_category ? cells : NULL;
    into->texts = column->kind == CRD_KIND_TEXT ? column->texts : NULL;
    into->dictionary = is_category ? column->dictionary : NULL;
    into->declared = !is_category                      ? NULL
                     : worker->entry->declared != NULL ? worker->entry->declared[index]
                                                       : worker->reader->columns[index].declared;
}
