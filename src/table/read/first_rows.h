/* SPDX-License-Identifier: MIT */
/* first_rows.h - the first rows of a delimited file, looked at before any of them is read: whether a separator parses
 * them evenly, and whether the first of them is a header. */
#ifndef CRD_TABLE_READ_FIRST_ROWS_H
#define CRD_TABLE_READ_FIRST_ROWS_H

#include "table/missing_values.h"
#include "table/parse/slow_parse.h"

/* Zero-initialise but for the context of `copy`. */
typedef struct crd_i_first_rows {
    crd_i_slow_parse copy; /* of their bytes */
    crd_i_cell *cells;     /* `stride` a row */
    size_t cells_capacity;
    size_t *widths; /* fields of each row; no more than `stride` of them have cells */
    size_t widths_capacity;
    size_t rows, stride;
} crd_i_first_rows;

/* How many bytes of memory, from the record found last on, belong to it and to the `lines` lines that follow it and are there
 * whole. Reads on until these are there. */
CRD_MUST_USE crd_status crd_i_first_rows_find_lines(crd_i_slow_parse *records, size_t lines, size_t *length,
                                                    crd_error *error);

/* The record found last and the rows on the `lines` lines behind it, parsed as `records` has it: fewer where the input
 * ends, a record cannot be split, or the lines are very long. Where the next of them begins stays as it is. Each call
 * replaces the rows of the call before. */
CRD_MUST_USE crd_status crd_i_first_rows_read(crd_i_first_rows *rows, crd_i_slow_parse *records, size_t lines,
                                              crd_error *error);
void crd_i_first_rows_clear(crd_i_first_rows *rows);

static inline crd_text crd_i_first_rows_text(const crd_i_first_rows *rows, size_t row, size_t field) {
    return crd_i_slow_parse_text(&rows->copy, rows->cells[row * rows->stride + field]);
}

/* Whether there are rows behind the first, and each has `more` fields more than it. */
bool crd_i_first_rows_are_even(const crd_i_first_rows *rows, size_t more);

/* What the rows behind the first have in a field: numbers (and missing cells) in all of them, or anything else. */
bool crd_i_first_rows_are_numbers(const crd_i_first_rows *rows, size_t field, const crd_i_missing *missing,
                                  char decimal);

#endif
