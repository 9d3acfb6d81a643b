/* given.h - a row from the command line: --given 'Outlook=Sunny,Wind=Strong'. */
#ifndef CREDENCE_CLI_GIVEN_H
#define CREDENCE_CLI_GIVEN_H

#include "lists.h"
#include "session.h"

typedef struct given {
    crd_value *values; /* one an attribute of the classifier; missing where nothing was given */
    crd_text *texts;   /* as typed; empty where nothing was given */
    list *lists;       /* where the texts are */
    size_t list_count;
} given;

/* An unknown column, one given twice, or no number where one is needed is an error. */
int given_read(const session *s, const crd_classifier *classifier, given *out);
void given_free(given *g);
/* Says why a text is no number for a column: it is none, or it is infinite. Returns ENDED_FAILED. */
int given_refuse_number(crd_text name, crd_text text, crd_number_class class);

/* A value that training never saw is left out, and most often a slip: names one that is near. */
int given_warn_of_unseen(const crd_model *model, const given *g);

#endif
