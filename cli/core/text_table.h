/* SPDX-License-Identifier: MIT */
/* text_table.h - cells in columns that line up, whatever script they are in; for people, or in Markdown. */
#ifndef CREDENCE_CLI_TEXT_TABLE_H
#define CREDENCE_CLI_TEXT_TABLE_H

#include "core/output.h"

typedef struct table table;

/* The first column is aligned to the left, the others to the right; the first row is the heading. */
table *table_create(size_t columns);
/* The same for an output: a table of Markdown where that is its format. */
table *table_create_for(const output *out, size_t columns);
void table_destroy(table *t);
/* The first row is no heading; Markdown, which needs one, gets an empty one. */
void table_omit_heading(table *t);
void table_align_left(table *t, size_t column);

/* Cells, row by row. */
void table_add(table *t, const char *cell);
void table_add_name(table *t, crd_text name);
void table_format(table *t, const char *format, ...) CLI_PRINTF(2, 3);

/* Forgets what was added, the heading too. */
void table_forget(table *t);
/* Writes the cells of all rows, each with a byte 0 behind it, for another table of the same kind, and forgets them. */
void table_write_cells(table *t, FILE *stream);
/* One of these; whether it is the last of its row. */
bool table_add_written(table *t, const char *cell);

/* Writes all rows, `indent` blanks in. A table wider than `width` (0: no limit) is written in several parts, each
 * opening with the first column. Markdown knows neither indent nor width. */
void table_print(const table *t, FILE *stream, size_t indent, size_t width);
/* How wide it would be in one part, without indent. */
size_t table_width(const table *t);
/* Forgets the rows, but no column gets narrower than it was: for tables written as their rows come. */
void table_flush(table *t, FILE *stream);

#endif
