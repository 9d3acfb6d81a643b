/* SPDX-License-Identifier: MIT */
/* row_format.h - the file formats for rows. Each format is one file and one entry in crd_i_formats.
 *
 * A format finds the columns of a file and splits its records into cells. Everything else (blocks of bytes, kinds,
 * missing cells, matching by name, reading again) is shared by all formats. */
#ifndef CRD_TABLE_READ_ROW_FORMAT_H
#define CRD_TABLE_READ_ROW_FORMAT_H

#include "table/read/sparse_rows.h"

#include <credence/data.h>

typedef struct crd_i_format {
    crd_format code;

    /* Detection by content: the first byte that is neither a space nor a line end is in `opens`, and `recognise`
     * accepts the `reach` bytes from there, or fewer if the file is shorter. The last format of the table accepts
     * any file; its `opens` is NULL. */
    const char *opens;
    size_t reach;
    bool (*recognise)(crd_text beginning);

    /* Fills in the header of the reader's entry, starting at the first byte, and leaves the records before the first
     * row. */
    crd_status (*begin)(crd_reader *reader, crd_error *error);
    /* Detects again whether there is a header, after a schema was set and before a row was taken. NULL: the header
     * does not depend on the schema. A failure changes nothing. */
    crd_status (*reconsider)(crd_reader *reader, crd_error *error);
    /* Splits the worker's latest record into one cell per header field; NULL: only split_sparse is supported. */
    crd_status (*split)(crd_worker *worker, crd_i_cell *cells, crd_error *error);
    /* Splits the worker's latest record into the cells it contains. NULL: records of the format omit nothing. */
    crd_status (*split_sparse)(crd_worker *worker, crd_i_sparse_rows *rows, crd_error *error);
    /* Returns whether split_sparse is better for the current chunk. Not NULL if the format has both functions. */
    bool (*is_sparse)(const crd_worker *worker);
} crd_i_format;

extern const crd_i_format crd_i_format_delimited, crd_i_format_arff, crd_i_format_json_lines;

/* The table of formats. It ends with the format for files that no other format accepts. */
extern const crd_i_format *const crd_i_formats[];

/* Finds the requested format; for CRD_FORMAT_AUTO, detects it from the first bytes. */
CRD_MUST_USE crd_status crd_i_format_find(crd_i_slow_parse *records, crd_format wanted, const crd_i_format **out,
                                          crd_error *error);

#endif
