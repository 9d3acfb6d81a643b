/* SPDX-License-Identifier: MIT */
/* column_binding.h - selects named items by name, number from 1, range, glob, "first" or "last". */
#ifndef CRD_TABLE_READ_COLUMN_BINDING_H
#define CRD_TABLE_READ_COLUMN_BINDING_H

#include "base/dictionary.h"

#include <credence/base.h>
#include <credence/data.h>
#include <stdbool.h>

typedef struct crd_i_names {
    const char *description; /* noun for an item: "column" */
    const void *owner;
    size_t count; /* at least 1 */
    crd_text (*name)(const void *owner, size_t i);
    /* Returns the item with exactly this name, or SIZE_MAX. */
    size_t (*find)(const void *owner, crd_text name);
} crd_i_names;

/* Selects items. `result` must have room for all items. Returns CRD_ERROR_COLUMN if the selector matches nothing; the
 * message lists the items. */
CRD_MUST_USE crd_status crd_i_select(const crd_i_names *names, crd_text selector, size_t *result, size_t *count,
                                     crd_error *error);

/* Returns whether a glob matches a name. * matches any text and ? any character. */
bool crd_i_selector_matches(crd_text pattern, crd_text name);

/* Returns the number in a selector such as c2; 0: another selector, or larger than `count`. */
size_t crd_i_selector_column_number(crd_text selector, size_t count);
/* Returns whether the selector is a position among `count` columns, such as 2, c2 or first, and not a name. */
bool crd_i_selector_is_place(crd_text selector, size_t count);

/* ======== Unique column names ========
 *
 * Duplicate and empty column names of a file are made unique.
 *
 * A duplicate name gets the suffix _2, _3, ...: the first that is not a name in the file. Column i without a name is
 * called ci, or ci_2, ... if that name exists. Names depend only on the header, so files with the same header have
 * the same columns. */

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
