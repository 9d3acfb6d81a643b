/* SPDX-License-Identifier: MIT */
/* given.h - values from the command line: --given 'Outlook=Sunny,Wind=Strong'. */
#ifndef CREDENCE_CLI_GIVEN_H
#define CREDENCE_CLI_GIVEN_H

#include "core/invocation.h"
#include "core/lists.h"

/* A value for each attribute of a model, or for each of its columns. */
typedef struct given {
    crd_summary *summary; /* of the model */
    crd_text *names;
    crd_value *values; /* missing where nothing was given */
    crd_text *texts;   /* as typed; bytes NULL where nothing was given */
    size_t count;
    list *lists; /* where the texts are */
    size_t list_count;
    string text; /* "Outlook=Sunny, Wind=Weak": what is not missing, for headings */
} given;

/* An unknown name, one given twice, or no number where one is needed is an error. */
int given_read_attributes(const invocation *call, const crd_model *model, given *out);
/* The same with the target among them: `query` is the model's. */
int given_read_columns(const invocation *call, const crd_model *model, const crd_query *query, given *out);
void given_free(given *g);

/* A value of an attribute that training never saw is left out, and most often a slip: names one that is near. */
void given_warn_of_unseen(const given *g);
/* Where a class was given that there is not, names one that is near: said after the error. */
void given_hint_at_class(const given *g, const crd_query *query);

#endif
