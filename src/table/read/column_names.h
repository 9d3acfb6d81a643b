/* SPDX-License-Identifier: MIT */
/* column_names.h - names of the columns of a file, each its own, of names that stand twice or not at all.
 *
 * A name that another column has before is followed by _2, _3, ..., the first of these that no column of the file is
 * called; column i without a name is ci, or ci_2, ... where one is called that. So names are a function of the header
 * alone, and files with the same header meet. */
#ifndef CRD_TABLE_READ_COLUMN_NAMES_H
#define CRD_TABLE_READ_COLUMN_NAMES_H

#include "base/dictionary.h"

#include <credence/data.h>

/* As the file has them, in order. Zero-initialise but for the context. */
typedef struct crd_i_column_names {
    crd_context *context;
    crd_text *given; /* owned */
    size_t count, capacity;
} crd_i_column_names;

void crd_i_column_names_clear(crd_i_column_names *names);
/* Copies; false: out of memory. */
CRD_MUST_USE bool crd_i_column_names_add(crd_i_column_names *names, crd_text name);

/* The names of the columns of the reader's current file, whose header begins on that line; with a warning where names
 * stand twice. */
CRD_MUST_USE crd_status crd_i_column_names_settle(const crd_i_column_names *names, crd_reader *reader, uint64_t line,
                                                  crd_error *error);

#endif
