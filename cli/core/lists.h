/* SPDX-License-Identifier: MIT */
/* lists.h - lists on the command line: comma-separated with CSV quoting, and items of the form name=value. */
#ifndef CREDENCE_CLI_LISTS_H
#define CREDENCE_CLI_LISTS_H

#include "core/string_buffer.h"

typedef struct list {
    crd_text *items; /* each is also terminated by NUL */
    bool *is_quoted; /* for each item: it was quoted */
    size_t count;
    char *bytes; /* the buffer that contains the items */
} list;

/* Splits a text at commas. "a,b" in double quotes is one item, and a doubled quote inside it is a quote. Spaces around
 * an unquoted item are removed. The empty text is one empty item. Returns false if a quote is not closed, or if text
 * follows a closing quote. */
bool list_split(const char *text, list *out);
/* Splits items of the form name=value, as list_split does. The name, the value or both may have quotes of their own. If
 * the value is quoted, is_quoted is set. */
bool list_split_findings(const char *text, list *out);
void list_free(list *items);
bool list_has(const list *items, crd_text text);
/* Returns whether `names`, separated by |, contain a name. `names` may be NULL. */
bool names_contain(const char *names, const char *name);

/* Splits the item name=value. *name is the index of the longest of `count` names that the item begins with. Spaces
 * around the sign are removed unless the item was quoted. Returns false if no name fits. */
bool list_split_assignment(const list *items, size_t index, const crd_text *names, size_t count, size_t *name,
                           crd_text *value);

/* Adds a name as a user would type it as an item of an option: quoted for the list, then for the shell, if needed. */
void list_add_typed(string *out, crd_text name);

/* Returns the number of insertions, deletions, substitutions and swaps of adjacent bytes that turn one word into the
 * other: the restricted Damerau-Levenshtein distance (optimal string alignment). Returns the sum of the lengths if a
 * word has more than 64 bytes. */
size_t list_distance(crd_text a, crd_text b);
/* Returns whether a person who typed `a` may have meant `b`. */
bool list_near(crd_text a, crd_text b);
/* Adds `name` if it is similar to what was typed, with "or" between names. Adds at most the first few; *count counts
 * them. */
void list_add_near(string *out, size_t *count, crd_text typed, crd_text name);

#endif
