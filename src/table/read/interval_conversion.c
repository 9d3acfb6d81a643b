/* SPDX-License-Identifier: MIT */
/* interval_conversion.c - converts numbers of a frame to intervals between cut points. See reader_internal.h. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

static void find_codes(const crd_i_intervals *intervals, const crd_i_column *column, size_t rows, int32_t *codes) {
    for (size_t row = 0; row < rows; row++)
        codes[row] = crd_i_column_present(column, row) ? crd_i_intervals_find(intervals, column->numbers[row]) : -1;
}

static bool make_column(crd_worker *worker, size_t index, crd_i_column *into) {
    crd_context *context = worker->reader->context;
    const crd_i_intervals *intervals = &worker->reader->columns[index].intervals;
    crd_i_worker_column *column = &worker->columns[index];
    size_t rows = worker->frame->rows;
    if (column->dictionary == NULL) column->dictionary = crd_i_dictionary_create(context);
    if (column->dictionary == NULL) return false;
    /* The dictionary is emptied when rows are read again. */
    bool is_filled = crd_i_dictionary_size(column->dictionary) == intervals->cut_count + 1;
    if (!is_filled && !crd_i_intervals_add_labels(intervals, column->dictionary)) return false;
    if (!crd_i_reserve(context, &column->interval_codes, &column->interval_capacity, rows + 1,
                       sizeof *column->interval_codes))
        return false;
    find_codes(intervals, into, rows, column->interval_codes);
    into->kind = CRD_KIND_CATEGORY;
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = column->interval_codes;
    into->dictionary = column->dictionary;
    into->declared = worker->reader->columns[index].declared;
    return true;
}

crd_status crd_i_worker_make_intervals(crd_worker *worker, crd_error *error) {
    const crd_reader *reader = worker->reader;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_column *into = &worker->frame->columns[i];
        if (!crd_i_intervals_are(&reader->columns[i].intervals) || into->kind != CRD_KIND_NUMBER) continue;
        if (!make_column(worker, i, into)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}
