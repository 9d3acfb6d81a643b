/* SPDX-License-Identifier: MIT */
/* interval_conversion.c - numbers of a frame into the intervals that cut points make of them. See reader_internal.h. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

static void find_codes(const crd_i_intervals *intervals, const crd_i_column *column, size_t rows, int32_t *codes) {
    for (size_t row = 0; row < rows; row++)
        codes[row] = crd_i_column_present(column, row) ? crd_i_intervals_find(intervals, column->numbers[row]) : -1;
}

static bool make_column(crd_worker *lane, size_t index, crd_i_column *into) {
    crd_context *context = lane->reader->context;
    const crd_i_intervals *intervals = &lane->reader->columns[index].intervals;
    crd_i_worker_column *own = &lane->columns[index];
    size_t rows = lane->frame->rows;
    if (own->dictionary == NULL) own->dictionary = crd_i_dictionary_create(context);
    if (own->dictionary == NULL) return false;
    /* It is emptied where rows come again. */
    bool is_filled = crd_i_dictionary_size(own->dictionary) == intervals->cut_count + 1;
    if (!is_filled && !crd_i_intervals_add_labels(intervals, own->dictionary)) return false;
    if (!crd_i_reserve(context, &own->interval_codes, &own->interval_capacity, rows + 1, sizeof *own->interval_codes))
        return false;
    find_codes(intervals, into, rows, own->interval_codes);
    into->kind = CRD_KIND_CATEGORY;
    into->validity = NULL;
    into->numbers = NULL;
    into->codes = own->interval_codes;
    into->dictionary = own->dictionary;
    into->declared = lane->reader->columns[index].declared;
    return true;
}

crd_status crd_i_worker_make_intervals(crd_worker *lane, crd_error *error) {
    const crd_reader *reader = lane->reader;
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_column *into = &lane->frame->columns[i];
        if (!crd_i_intervals_are(&reader->columns[i].intervals) || into->kind != CRD_KIND_NUMBER) continue;
        if (!make_column(lane, i, into)) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}
