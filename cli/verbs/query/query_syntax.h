/* SPDX-License-Identifier: MIT */
/* query_syntax.h - parses lists of columns and events in the options of a query. */
#ifndef CREDENCE_CLI_QUERY_SYNTAX_H
#define CREDENCE_CLI_QUERY_SYNTAX_H

#include "core/invocation.h"
#include "core/lists.h"

/* The items of all values of an option, split at commas outside quotes and brackets. Items keep their quotes. They
 * point
 * into the arguments. */
typedef struct words {
    crd_text *items;
    size_t count;
} words;
void words_split(const invocation *call, const char *name, words *out);
void words_free(words *w);
/* Splits a text at the first semicolon outside quotes into the two sets `before` and `after`. Returns false if
 * there is no
 * semicolon. */
bool words_split_sets(crd_text text, crd_text *before, crd_text *after);
/* Returns an item without the quotes around it. `out` owns the text; free it with list_free. */
crd_text words_unquoted(crd_text item, list *out);
/* Sets *inside to the text between the brackets of P(...). Returns false if an item has another form. */
bool words_probability(crd_text item, crd_text *inside);

/* Returns whether an item contains = < or >. */
bool words_have_sign(crd_text item);
/* Returns whether an item is an event and not a name: it contains = < or >, "in {...}", "even" or "odd". */
bool words_compare(crd_text item);

/* Returns whether a text contains `sign`. */
bool words_hold(crd_text text, const char *sign);

/* Parses an event over some names, from a value of the option --name. `description` is "column" or "node", for
 * messages.
 * Returns an exit code. */
int words_parse_event(const invocation *call, const char *name, const char *description, crd_text text,
                      const crd_text *names, size_t count, crd_event **out);

/* Adds names as an enumeration, such as "Outlook, Play and Wind". */
void words_add_names(string *out, const crd_text *names, const size_t *columns, size_t count);

#endif
