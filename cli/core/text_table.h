/* SPDX-License-Identifier: MIT */
/* text_table.h - cells in aligned columns, in any script; as text or Markdown. */
#ifndef CREDENCE_CLI_TEXT_TABLE_H
#define CREDENCE_CLI_TEXT_TABLE_H

#include "core/output.h"

typedef struct table table;

/* Creates a table. The first column is left-aligned, the others are right-aligned. The first row is the header. */
table *table_create(size_t columns);
/* Creates a table in the format of an output: text or Markdown. */
table *table_create_for(const output *out, size_t columns);
void table_destroy(table *t);
/* Declares that the first row is not a header. Markdown requires a header and gets an empty one. */
void table_omit_heading(table *t);
void table_align_left(table *t, size_t column);

/* Add cells, row by row. */
void table_add(table *t, const char *cell);
void table_add_name(table *t, crd_text name);
void table_format(table *t, const char *format, ...) CLI_PRINTF(2, 3);

/* Drops all cells, including the header. */
void table_forget(table *t);
/* Writes all cells, each terminated by a zero byte, for another table of the same kind. Then drops them. */
void table_write_cells(table *t, FILE *stream);
/* Adds a cell that table_write_cells wrote. Returns whether it is the last cell of its row. */
bool table_add_written(table *t, const char *cell);

/* Writes all rows, indented by `indent` spaces. A table wider than `width` (0: no limit) is split into several parts,
 * each of which begins with the first column. Markdown ignores indent and width. */
void table_print(const table *t, FILE *stream, size_t indent, size_t width);
/* Returns the width of the table in one part, without the indent. */
size_t table_width(const table *t);
/* Writes the rows and drops them. Column widths never shrink, so rows can be written as they are computed. */
void table_flush(table *t, FILE *stream);

#endif
