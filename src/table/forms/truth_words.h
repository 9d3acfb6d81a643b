/* SPDX-License-Identifier: MIT */
/* truth_words.h - the spelling of a column's truth values.
 *
 * Truth values of columns in memory have no spelling, and files spell them in several ways: true, True, TRUE. A
 * model or a network uses one spelling. Cells match it exactly. If the column has exactly the two words of a pair
 * such as true and false, or yes and no, cells also match in any letter case. */
#ifndef CRD_TABLE_FORMS_TRUTH_WORDS_H
#define CRD_TABLE_FORMS_TRUTH_WORDS_H

#include "base/dictionary.h"

/* Zero-initialize it: false and true. */
typedef struct crd_i_truth_words {
    char words[2][8]; /* for false and true; empty: "false", "true" */
    bool is_exact;    /* the column has these two values and no others */
} crd_i_truth_words;

/* Returns the words of a column that has these values. If they are not exactly a pair, the words are false and true in the spelling that
 * occurs among the values. NULL: it has no values. */
crd_i_truth_words crd_i_truth_words_of(const crd_i_dictionary *values);
/* Returns the word for a truth value, which lives as long as `words`. NULL: false and true. */
crd_text crd_i_truth_word(const crd_i_truth_words *words, bool value);
/* Returns the word of an exact pair that equals `text` except for letter case; otherwise returns `text`. NULL:
 * returns `text`. */
crd_text crd_i_truth_words_match(const crd_i_truth_words *words, crd_text text);
/* Returns the code of a cell's text among the values of a category: by exact spelling, otherwise as a truth value.
 * -1: not found. */
int32_t crd_i_find_value(const crd_i_dictionary *values, crd_text text);

#endif
