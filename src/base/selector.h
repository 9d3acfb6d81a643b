/* SPDX-License-Identifier: MIT */
/* selector.h - selects named items by name, number from 1, range, glob, "first" or "last". */
#ifndef CRD_BASE_SELECTOR_H
#define CRD_BASE_SELECTOR_H

#include <credence/base.h>
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

#endif
