/* SPDX-License-Identifier: MIT */
/* given.h - values from the command line, as in --given 'Outlook=Sunny,Wind=Strong'. */
#ifndef CREDENCE_CLI_GIVEN_H
#define CREDENCE_CLI_GIVEN_H

#include "core/invocation.h"
#include "core/lists.h"

/* A value for each attribute of a model, or for each of its columns. */
typedef struct given {
    crd_summary *summary; /* the summary of the model */
    crd_text *names;
    crd_value *values; /* missing if not given */
    crd_text *texts;   /* as typed; bytes NULL if not given */
    size_t count;
    list *lists; /* the lists that own the texts */
    size_t list_count;
    string text; /* "Outlook=Sunny, Wind=Weak": the values that are not missing, for headings */
} given;

/* Reads values of attributes. Fails on an unknown name, a repeated name, or a text where a number is required. */
int given_read_attributes(const invocation *call, const crd_model *model, given *out);
/* Reads values of all columns, including the target. `query` is the model's query. */
int given_read_columns(const invocation *call, const crd_model *model, const crd_query *query, given *out);
void given_free(given *g);

/* Warns of a value that does not occur in the training data and is therefore ignored. It is usually a typing error, so
 * the warning names a similar value. */
void given_warn_of_unseen(const given *g);
/* Prints a hint after an error if an unknown class was given: names a similar class. */
void given_hint_at_class(const given *g, const crd_query *query);

#endif
