/* SPDX-License-Identifier: MIT */
/* sparse_rows.h - rows that omit most fields: only the present cells are stored.
 *
 * The memory for a row depends on its present cells, not on the number of fields. */
#ifndef CRD_TABLE_READ_SPARSE_ROWS_H
#define CRD_TABLE_READ_SPARSE_ROWS_H

#include "table/parse/slow_parse.h"

typedef struct crd_i_sparse_cell {
    uint32_t field, row;
    uint32_t before; /* 1 + index of the previous cell of the same field, or 0 */
    crd_i_cell cell;
} crd_i_sparse_cell;

/* Zero-initialize it. */
typedef struct crd_i_sparse_rows {
    crd_i_sparse_cell *cells; /* row by row; within a row in file order, or by field if is_sorted */
    size_t count, capacity;
    size_t *ends; /* of each row: index after its last cell */
    size_t rows, ends_capacity;
    size_t begun;     /* index of the next row's first cell */
    uint32_t *latest; /* of each field: 1 + index of its latest cell, or 0 */
    size_t width, latest_capacity;
    uint32_t *fields; /* fields that have cells, each once */
    size_t field_count, fields_capacity;
    bool is_sorted; /* the cells of a row are sorted by field, for fast lookup */
} crd_i_sparse_rows;

/* Removes all rows and sets the number of fields. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_begin(crd_i_sparse_rows *rows, crd_context *context, size_t width, bool is_sorted);
void crd_i_sparse_rows_clear(crd_i_sparse_rows *rows, crd_context *context);

/* Returns whether the row being built has a cell of the field. */
static inline bool crd_i_sparse_rows_has(const crd_i_sparse_rows *rows, size_t field) {
    return rows->latest[field] > rows->begun;
}
/* Adds a cell to the row being built, which must not have one of this field. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_put(crd_i_sparse_rows *rows, crd_context *context, size_t field, crd_i_cell cell);
/* Completes the row. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_end_row(crd_i_sparse_rows *rows, crd_context *context);
/* Discards the row being built, because it is invalid. */
void crd_i_sparse_rows_drop_row(crd_i_sparse_rows *rows);

/* Returns the index of a row's first cell. */
static inline size_t crd_i_sparse_rows_start(const crd_i_sparse_rows *rows, size_t row) {
    return row == 0 ? 0 : rows->ends[row - 1];
}
/* Returns the cell of a field in a row; NULL: the row omits it. */
const crd_i_cell *crd_i_sparse_rows_find(const crd_i_sparse_rows *rows, size_t row, size_t field);
/* Reverses the linked list of a field's cells, so `latest` refers to the first cell. */
void crd_i_sparse_rows_turn(crd_i_sparse_rows *rows, size_t field);

#endif
