/* SPDX-License-Identifier: MIT */
/* lists.h - lists on the command line: CSV with its quoting, and names that meet values. */
#ifndef CREDENCE_CLI_LISTS_H
#define CREDENCE_CLI_LISTS_H

#include "core/string_buffer.h"

typedef struct list {
    crd_text *items; /* each ends in NUL as well */
    bool *is_quoted; /* of each item: it stood in quotes */
    size_t count;
    char *bytes; /* where the items are */
} list;

/* Splits at commas; "a,b" in double quotes is one item, a doubled quote inside it is a quote; blanks around an item
 * without quotes go. The empty text is one empty item. False where a quote is not closed, or text follows one. */
bool list_split(const char *text, list *out);
/* The same for items name=value, whose name, or value, or both may stand in quotes of their own; of a value in quotes,
 * is_quoted is set. */
bool list_split_findings(const char *text, list *out);
void list_free(list *items);
bool list_has(const list *items, crd_text text);

/* Splits the item name=value, the name being the longest of `count` names that it begins with; *name is its index.
 * Blanks around the sign go unless the item stood in quotes. False where no name fits. */
bool list_split_assignment(const list *items, size_t index, const crd_text *names, size_t count, size_t *name,
                           crd_text *value);

/* Adds a name as one would type it as an item of an option: quoted for the list, then for the shell, where needed. */
void list_add_typed(string *out, crd_text name);

/* How many insertions, deletions, changes and swaps of neighbours lead from one word to the other. */
size_t list_distance(crd_text a, crd_text b);
/* Whether a person who typed `a` may well have meant `b`. */
bool list_near(crd_text a, crd_text b);
/* Adds a name that is near what was typed, "or" between those that are; the first few only, which *count counts. */
void list_add_near(string *out, size_t *count, crd_text typed, crd_text name);

#endif
