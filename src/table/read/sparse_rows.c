/* SPDX-License-Identifier: MIT */
/* sparse_rows.c - see row_batches.h. */
#include "table/read/row_batches.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

bool crd_i_sparse_rows_begin(crd_i_sparse_rows *rows, crd_context *context, size_t width, bool is_sorted) {
    for (size_t i = 0; i < rows->field_count; i++) rows->latest[rows->fields[i]] = 0;
    rows->count = rows->rows = rows->begun = rows->field_count = 0;
    rows->is_sorted = is_sorted;
    if (!crd_i_reserve(context, &rows->latest, &rows->latest_capacity, width, sizeof *rows->latest)) return false;
    if (width > rows->width) memset(rows->latest + rows->width, 0, (width - rows->width) * sizeof *rows->latest);
    if (width > rows->width) rows->width = width;
    return true;
}

void crd_i_sparse_rows_clear(crd_i_sparse_rows *rows, crd_context *context) {
    crd_free(context, rows->cells);
    crd_free(context, rows->ends);
    crd_free(context, rows->latest);
    crd_free(context, rows->fields);
    memset(rows, 0, sizeof *rows);
}

bool crd_i_sparse_rows_put(crd_i_sparse_rows *rows, crd_context *context, size_t field, crd_i_cell cell) {
    bool is_new = rows->latest[field] == 0;
    if (!crd_i_reserve(context, &rows->cells, &rows->capacity, rows->count + 1, sizeof *rows->cells) ||
        (is_new &&
         !crd_i_reserve(context, &rows->fields, &rows->fields_capacity, rows->field_count + 1, sizeof *rows->fields)))
        return false;
    if (is_new) rows->fields[rows->field_count++] = (uint32_t)field;
    const crd_i_sparse_cell put = {(uint32_t)field, (uint32_t)rows->rows, rows->latest[field], cell};
    rows->cells[rows->count++] = put;
    rows->latest[field] = (uint32_t)rows->count;
    return true;
}

static int sparse_rows_by_field(const void *a, const void *b) {
    uint32_t left = ((const crd_i_sparse_cell *)a)->field, right = ((const crd_i_sparse_cell *)b)->field;
    return (left > right) - (left < right);
}

bool crd_i_sparse_rows_end_row(crd_i_sparse_rows *rows, crd_context *context) {
    if (!crd_i_reserve(context, &rows->ends, &rows->ends_capacity, rows->rows + 1, sizeof *rows->ends)) return false;
    size_t count = rows->count - rows->begun;
    if (rows->is_sorted && count > 1) {
        qsort(rows->cells + rows->begun, count, sizeof *rows->cells, sparse_rows_by_field);
        for (size_t i = rows->begun; i < rows->count; i++) rows->latest[rows->cells[i].field] = (uint32_t)(i + 1);
    }
    rows->ends[rows->rows++] = rows->count;
    rows->begun = rows->count;
    return true;
}

void crd_i_sparse_rows_drop_row(crd_i_sparse_rows *rows) {
    while (rows->count > rows->begun) {
        const crd_i_sparse_cell *last = &rows->cells[--rows->count];
        rows->latest[last->field] = last->before;
        rows->field_count -= last->before == 0; /* this cell made the field new */
    }
}

const crd_i_cell *crd_i_sparse_rows_find(const crd_i_sparse_rows *rows, size_t row, size_t field) {
    size_t low = crd_i_sparse_rows_start(rows, row), high = rows->ends[row];
    while (rows->is_sorted && low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->cells[middle].field == field) return &rows->cells[middle].cell;
        if (rows->cells[middle].field < field) low = middle + 1;
        else high = middle;
    }
    for (; low < high; low++)
        if (rows->cells[low].field == field) return &rows->cells[low].cell;
    return NULL;
}

void crd_i_sparse_rows_turn(crd_i_sparse_rows *rows, size_t field) {
    uint32_t turned = 0, index = rows->latest[field];
    while (index != 0) {
        uint32_t next = rows->cells[index - 1].before;
        rows->cells[index - 1].before = turned;
        turned = index;
        index = next;
    }
    rows->latest[field] = turned;
}
