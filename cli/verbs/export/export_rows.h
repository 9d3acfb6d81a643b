/* SPDX-License-Identifier: MIT */
/* export_rows.h - writes a table in another format, row by row. */
#ifndef CREDENCE_CLI_EXPORT_ROWS_H
#define CREDENCE_CLI_EXPORT_ROWS_H

#include "core/output.h"

typedef struct row_format {
    /* Writes the text before the rows; `path` is the path of the table. */
    void (*open)(output *out, const char *path, const crd_schema *schema);
    /* Writes one value. */
    void (*put)(output *out, crd_value value);
} row_format;

extern const row_format row_format_csv, row_format_arff;

/* Writes the table at a path. --numeric, --categorical, --ignore and --schema determine its columns. */
int export_rows(const invocation *call, const char *path, const row_format *format);

#endif
