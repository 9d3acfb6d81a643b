/* SPDX-License-Identifier: MIT */
/* first_rows.h - reads the first rows of a delimited file ahead, to check whether a separator splits them evenly and
 * whether the first row is a header. */
#ifndef CRD_TABLE_READ_FIRST_ROWS_H
#define CRD_TABLE_READ_FIRST_ROWS_H

#include "table/missing_values.h"
#include "table/parse/slow_parse.h"

/* Zero-initialize it, except the context of `copy`. */
typedef struct crd_i_first_rows {
    crd_i_slow_parse copy; /* copy of their bytes */
    crd_i_cell *cells;     /* `stride` per row */
    size_t cells_capacity;
    size_t *widths; /* number of fields of each row; at most `stride` of them have cells */
    size_t widths_capacity;
    size_t rows, stride;
} crd_i_first_rows;

/* Sets *length to the number of bytes of the latest record and the next `lines` complete lines. Reads until they are
 * in memory. */
CRD_MUST_USE crd_status crd_i_first_rows_find_lines(crd_i_slow_parse *records, size_t lines, size_t *length,
                                                    crd_error *error);

/* Reads the latest record and the rows on the next `lines` lines, parsed with the settings of `records`. Stops early
 * if the input ends, a record cannot be split, or the lines are very long. The position of `records` does not
 * change. Each call replaces the rows of the previous call. */
CRD_MUST_USE crd_status crd_i_first_rows_read(crd_i_first_rows *rows, crd_i_slow_parse *records, size_t lines,
                                              crd_error *error);
void crd_i_first_rows_clear(crd_i_first_rows *rows);

static inline crd_text crd_i_first_rows_text(const crd_i_first_rows *rows, size_t row, size_t field) {
    return crd_i_slow_parse_text(&rows->copy, rows->cells[row * rows->stride + field]);
}

/* Returns whether there are rows after the first, each with `more` fields more than the first. */
bool crd_i_first_rows_are_even(const crd_i_first_rows *rows, size_t more);

/* Returns whether all rows after the first have a number or a missing cell in a field. */
bool crd_i_first_rows_are_numbers(const crd_i_first_rows *rows, size_t field, const crd_i_missing *missing,
                                  char decimal);

#endif
