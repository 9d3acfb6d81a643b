/* SPDX-License-Identifier: MIT */
/* sparse_rows.h - rows of which most fields are left out: only the cells that stand there are kept.
 *
 * So rows of very many fields cost what they hold, not how many fields there are. */
#ifndef CRD_TABLE_READ_SPARSE_ROWS_H
#define CRD_TABLE_READ_SPARSE_ROWS_H

#include "table/parse/slow_parse.h"

typedef struct crd_i_sparse_cell {
    uint32_t field, row;
    uint32_t before; /* 1 + the cell of the same field before it, or 0 */
    crd_i_cell cell;
} crd_i_sparse_cell;

/* Zero-initialised. */
typedef struct crd_i_sparse_rows {
    crd_i_sparse_cell *cells; /* row by row, each as it stands, or by field */
    size_t count, capacity;
    size_t *ends; /* of each row, in the cells */
    size_t rows, ends_capacity;
    size_t begun;     /* where the next row begins, in the cells */
    uint32_t *latest; /* of each field: 1 + its latest cell, or 0 */
    size_t width, latest_capacity;
    uint32_t *fields; /* that have cells, each once */
    size_t field_count, fields_capacity;
    bool is_sorted; /* the cells of a row stand by field, so that they are found soon */
} crd_i_sparse_rows;

/* No rows yet, of so many fields. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_begin(crd_i_sparse_rows *rows, crd_context *context, size_t width, bool is_sorted);
void crd_i_sparse_rows_clear(crd_i_sparse_rows *rows, crd_context *context);

/* Whether the row that is being put together has a cell of the field. */
static inline bool crd_i_sparse_rows_has(const crd_i_sparse_rows *rows, size_t field) {
    return rows->latest[field] > rows->begun;
}
/* A cell of that row, which has none of the field. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_put(crd_i_sparse_rows *rows, crd_context *context, size_t field, crd_i_cell cell);
/* The row is whole. false: out of memory. */
CRD_MUST_USE bool crd_i_sparse_rows_end_row(crd_i_sparse_rows *rows, crd_context *context);
/* The row is at fault, and none. */
void crd_i_sparse_rows_drop_row(crd_i_sparse_rows *rows);

/* The first cell of a row. */
static inline size_t crd_i_sparse_rows_start(const crd_i_sparse_rows *rows, size_t row) {
    return row == 0 ? 0 : rows->ends[row - 1];
}
/* The cell of a field in a row; NULL: it is left out. */
const crd_i_cell *crd_i_sparse_rows_find(const crd_i_sparse_rows *rows, size_t row, size_t field);
/* Turns round which way the cells of a field lead to each other: the first is the latest then. */
void crd_i_sparse_rows_turn(crd_i_sparse_rows *rows, size_t field);

#endif
