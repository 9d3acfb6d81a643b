/* SPDX-License-Identifier: MIT */
/* query_syntax.h - the syntax of questions: lists of columns and events in options. */
#ifndef CREDENCE_CLI_QUERY_SYNTAX_H
#define CREDENCE_CLI_QUERY_SYNTAX_H

#include "core/invocation.h"
#include "core/lists.h"

/* The items of every value of an option: split at commas outside quotes and brackets, quotes kept. Items live as long
 * as the arguments. */
typedef struct words {
    crd_text *items;
    size_t count;
} words;
void words_split(const invocation *call, const char *name, words *out);
void words_free(words *w);
/* What stands before and behind the semicolon between two sets: the first outside of quotes. False where there is none. */
bool words_split_sets(crd_text text, crd_text *before, crd_text *after);
/* An item without the quotes around it; `out` keeps it. */
crd_text words_unquoted(crd_text item, list *out);
/* What is between the brackets of P(...), the notation of books; false where that is not what an item is. */
bool words_probability(crd_text item, crd_text *inside);

/* Whether an item contains = < or >. */
bool words_have_sign(crd_text item);
/* Whether an item is an event rather than a name: it contains = < or >, "in {...}", "even" or "odd". */
bool words_compare(crd_text item);

/* Whether a sign stands in a text. */
bool words_hold(crd_text text, const char *sign);

/* The event that a text of the option --name is, of some names, which are "column"s or "node"s. */
int words_parse_event(const invocation *call, const char *name, const char *description, crd_text text,
                      const crd_text *names, size_t count, crd_event **out);

/* "Outlook, Wind" */
void words_add_names(string *out, const crd_text *names, const size_t *columns, size_t count);

#endif
