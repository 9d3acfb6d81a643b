/* SPDX-License-Identifier: MIT */
/* column_selector.h - things that have names, picked as people say it: by name, number from 1, range, glob, first,
 * last. */
#ifndef CRD_TABLE_READ_COLUMN_SELECTOR_H
#define CRD_TABLE_READ_COLUMN_SELECTOR_H

#include <credence/base.h>

#include <stdbool.h>

typedef struct crd_i_names {
    const char *what; /* what one of them is called: "column" */
    const void *owner;
    size_t count; /* at least 1 */
    crd_text (*name)(const void *owner, size_t i);
    /* The one of exactly that name, or SIZE_MAX. */
    size_t (*find)(const void *owner, crd_text name);
} crd_i_names;

/* `found` has room for all of them. A selector that matches nothing is CRD_ERROR_COLUMN, and its message lists them. */
CRD_MUST_USE crd_status crd_i_select(const crd_i_names *names, crd_text selector, size_t *found, size_t *count,
                                     crd_error *error);

/* Whether a pattern, in which * is any text and ? any character, matches a name. */
bool crd_i_selector_matches(crd_text pattern, crd_text name);

/* The number of a selector such as c2; 0: it is another, or beyond `count`. */
size_t crd_i_selector_column_number(crd_text selector, size_t count);
/* Whether the selector is a place, such as 2, c2 or first, among `count` columns, and not a name. */
bool crd_i_selector_is_place(crd_text selector, size_t count);

#endif
