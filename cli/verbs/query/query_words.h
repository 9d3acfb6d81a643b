/* SPDX-License-Identifier: MIT */
/* query_words.h - queries about words of text columns: COLUMN:WORD in --of. */
#ifndef CREDENCE_CLI_QUERY_WORDS_H
#define CREDENCE_CLI_QUERY_WORDS_H

#include "core/report.h"

/* A word of a text column. */
typedef struct asked_word {
    size_t attribute;
    crd_text column;
    crd_text word; /* as typed */
} asked_word;

/* Returns whether an item of --of is COLUMN:WORD, where COLUMN is the name of a text column. Sets *out if it is. */
bool query_word_is(crd_text item, const crd_classifier *classifier, asked_word *out);

/* Reports a word as a member of the open JSON object. log_classes are the logarithms of P(class | given); `given`
 * is the
 * evidence as text. Returns an exit code. */
int query_word_report(crd_result *r, const crd_classifier *classifier, const asked_word *word,
                      const double *log_classes, const char *given);

#endif
