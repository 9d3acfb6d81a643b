/* SPDX-License-Identifier: MIT */
/* explain_words.h - the words of a row's texts that decided, with their weights of evidence, and the texts with these
 * words marked. */
#ifndef CREDENCE_CLI_EXPLAIN_WORDS_H
#define CREDENCE_CLI_EXPLAIN_WORDS_H

#include "verbs/explain/explain_row.h"

/* The member "texts", an object for each attribute of texts that is present; nothing where there is none. */
int words_report(report *out, const reasons *r);

/* The line of a text in the working of a class, as an element of "terms" and for people. */
void words_report_term(report_table *t, const reasons *r, size_t attribute, size_t class_index, const crd_term *term);

#endif
