/* SPDX-License-Identifier: MIT */
/* export_rows.h - a table written in another format, row by row. */
#ifndef CREDENCE_CLI_EXPORT_ROWS_H
#define CREDENCE_CLI_EXPORT_ROWS_H

#include "core/output.h"

typedef struct row_format {
    /* What comes before the rows; `path` is where they come from. */
    void (*open)(output *out, const char *path, const crd_schema *schema);
    /* One cell. */
    void (*put)(output *out, crd_value value);
} row_format;

extern const row_format row_format_csv, row_format_arff;

/* Writes the table at a path as --number, --category, --ignore or --schema say. */
int export_rows(const invocation *call, const char *path, const row_format *format);

#endif
