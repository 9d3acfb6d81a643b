/* SPDX-License-Identifier: MIT */
/* row_format.h - the ways in which files hold rows: each is one file, and one line in crd_i_formats.
 *
 * A format finds the columns of a file and takes its records apart into cells. All else (blocks of bytes, kinds,
 * missing cells, meeting by name, reading again) is the same for all of them, and none of their business. */
#ifndef CRD_TABLE_READ_ROW_FORMAT_H
#define CRD_TABLE_READ_ROW_FORMAT_H

#include "table/read/sparse_rows.h"

#include <credence/data.h>

typedef struct crd_i_format {
    crd_format code;

    /* Known by its content: the first byte that is no blank and no line end is one of `opens`, and recognise says yes
     * to the `reach` bytes from there, or fewer where the file is shorter. The last format of the table is any file's:
     * its opens is NULL. */
    const char *opens;
    size_t reach;
    bool (*recognise)(crd_text beginning);

    /* At the first byte: fills in the heading of the reader's entry, and leaves the records before the first row. */
    crd_status (*begin)(crd_reader *reader, crd_error *error);
    /* A schema has come, and no row has been taken: finds anew whether there is a header. NULL: that does not depend on
     * the schema. A failure changes nothing. */
    crd_status (*reconsider)(crd_reader *reader, crd_error *error);
    /* The record that the worker found last into one cell for each field of the heading; NULL: only the other way. */
    crd_status (*split)(crd_worker *lane, crd_i_cell *cells, crd_error *error);
    /* The same into those cells that stand there. NULL: records of the format leave nothing out. */
    crd_status (*split_sparse)(crd_worker *lane, crd_i_sparse_rows *rows, crd_error *error);
    /* Whether the records of the chunk at hand are better split that way. Not NULL where there are both. */
    bool (*is_sparse)(const crd_worker *lane);
} crd_i_format;

extern const crd_i_format crd_i_format_delimited, crd_i_format_arff, crd_i_format_json_lines;

/* Ends with the format of files that no other one knows. */
extern const crd_i_format *const crd_i_formats[];

/* The format that is asked for; with CRD_FORMAT_AUTO, the one that the first bytes show. */
CRD_MUST_USE crd_status crd_i_format_find(crd_i_slow_parse *records, crd_format wanted, const crd_i_format **out,
                                          crd_error *error);

#endif
