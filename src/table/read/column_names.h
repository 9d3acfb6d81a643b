/* SPDX-License-Identifier: MIT */
/* column_names.h - makes duplicate and empty column names of a file unique.
 *
 * A duplicate name gets the suffix _2, _3, ...: the first that is not a name in the file. Column i without a name is
 * called ci, or ci_2, ... if that name exists. Names depend only on the header, so files with the same header have
 * the same columns. */
#ifndef CRD_TABLE_READ_COLUMN_NAMES_H
#define CRD_TABLE_READ_COLUMN_NAMES_H

#include "base/context.h"

#include <credence/data.h>

/* The names in the file, in order. Zero-initialize it, except the context. */
typedef struct crd_i_column_names {
    crd_context *context;
    crd_text *given; /* owned */
    size_t count, capacity;
} crd_i_column_names;

void crd_i_column_names_clear(crd_i_column_names *names);
/* Adds a copy of the name; false: out of memory. */
CRD_MUST_USE bool crd_i_column_names_add(crd_i_column_names *names, crd_text name);

/* Sets the column names of the reader's current file, whose header begins on `line`. Warns about duplicate names. */
CRD_MUST_USE crd_status crd_i_column_names_settle(const crd_i_column_names *names, crd_reader *reader, uint64_t line,
                                                  crd_error *error);

#endif
