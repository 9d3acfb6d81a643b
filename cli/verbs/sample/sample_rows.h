/* SPDX-License-Identifier: MIT */
/* sample_rows.h - rows that are drawn one after the other, written as CSV, JSON or a table. */
#ifndef CREDENCE_CLI_SAMPLE_ROWS_H
#define CREDENCE_CLI_SAMPLE_ROWS_H

#include "core/row_stream.h"

enum { USUAL_ROWS = 10, USUAL_SEED = 1 };

typedef struct row_drawer {
    size_t count;    /* of columns */
    crd_text *names; /* theirs */
    bool *is_category;
    void *source;
    /* Row number `row`, a value for each column; says why where it cannot be drawn. */
    int (*draw)(void *source, uint64_t row, crd_value *values);
    /* Writes a number of a column as a cell that the model reads; returns its length. NULL: numbers are written plainly. */
    size_t (*format)(void *source, size_t column, double number, char buffer[CRD_CELL_ROOM]);
} row_drawer;

/* Writes the first `rows` rows, to where --output and as --format says. */
int sample_rows(const invocation *call, const row_drawer *drawer, uint64_t rows);
/* One row. */
void sample_write_row(row_stream *s, const crd_value *values, size_t count);

#endif
