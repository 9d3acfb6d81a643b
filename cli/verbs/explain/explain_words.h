/* SPDX-License-Identifier: MIT */
/* explain_words.h - reports the words of a row's texts with their weights of evidence, and the texts with these words
 * marked. */
#ifndef CREDENCE_CLI_EXPLAIN_WORDS_H
#define CREDENCE_CLI_EXPLAIN_WORDS_H

#include "verbs/explain/explain_row.h"

/* Adds the member "texts" with an object for each text attribute that has a value. Adds nothing if no text is
 * present. */
int words_report(crd_result *out, const reasons *r);

/* Adds the line of a text to the worksheet of a class, and its element of "terms" to JSON. */
void words_report_term(crd_result_table *t, const reasons *r, size_t attribute, size_t class_index,
                       const crd_term *term);

#endif
