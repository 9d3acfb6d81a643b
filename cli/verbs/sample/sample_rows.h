/* SPDX-License-Identifier: MIT */
/* sample_rows.h - writes rows that are drawn one after the other, as CSV, JSON or a table. */
#ifndef CREDENCE_CLI_SAMPLE_ROWS_H
#define CREDENCE_CLI_SAMPLE_ROWS_H

#include "core/row_stream.h"

enum { USUAL_ROWS = 10, USUAL_SEED = 1 };

typedef struct row_drawer {
    size_t count;    /* number of columns */
    crd_text *names; /* names of the columns */
    bool *is_category;
    void *source;
    /* Draws row number `row`, with a value for each column. Prints an error and returns an exit code if it cannot be
     * drawn. */
    int (*draw)(void *source, uint64_t row, crd_value *values);
    /* Writes a number of a column as a value that the model can read, and returns its length. NULL: numbers are
     * written plainly. */
    size_t (*format)(void *source, size_t column, double number, char buffer[CRD_CELL_ROOM]);
} row_drawer;

/* Writes the first `rows` rows to the output of --output, in the format of --format. */
int sample_rows(const invocation *call, const row_drawer *drawer, uint64_t rows);
/* Writes one row. */
void sample_write_row(row_stream *s, const crd_value *values, size_t count);

#endif
