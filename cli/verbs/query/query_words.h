/* SPDX-License-Identifier: MIT */
/* query_words.h - questions about words of texts: COLUMN:WORD in --of. */
#ifndef CREDENCE_CLI_QUERY_WORDS_H
#define CREDENCE_CLI_QUERY_WORDS_H

#include "core/report.h"

/* A word of a column of texts. */
typedef struct asked_word {
    size_t attribute;
    crd_text column;
    crd_text word; /* as it was typed */
} asked_word;

/* Whether an item of --of is one: the column before its first colon is one of texts. */
bool query_word_is(crd_text item, const crd_classifier *classifier, asked_word *out);

/* A member of the object that is open. log_classes are those of P(class | given), whose text is `given`. */
int query_word_report(report *r, const crd_classifier *classifier, const asked_word *word, const double *log_classes,
                      const char *given);

#endif
