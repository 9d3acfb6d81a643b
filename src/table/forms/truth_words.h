/* SPDX-License-Identifier: MIT */
/* truth_words.h - the words in which a column writes truth values.
 *
 * Truth values of columns in memory have no spelling, and files spell them in several ways: true, True, TRUE. A model or a network
 * knows one spelling. Cells match it as they are spelled, or else, if the column has exactly the two words of a pair such as true and false, or
 * yes and no, in any case of letters. */
#ifndef CRD_TABLE_FORMS_TRUTH_WORDS_H
#define CRD_TABLE_FORMS_TRUTH_WORDS_H

#include "base/dictionary.h"

/* Zero-initialized: false and true. */
typedef struct crd_i_truth_words {
    char words[2][8]; /* of false and of true; empty: false, true */
    bool is_exact;    /* the column has these two values, and no others */
} crd_i_truth_words;

/* Returns the words of a column that has these values. If they are not exactly a pair, the words are false and true in the spelling that
 * occurs among the values. NULL: it has no values. */
crd_i_truth_words crd_i_truth_words_of(const crd_i_dictionary *values);
/* Returns the word for a truth value, which lives as long as `words`. NULL: false and true. */
crd_text crd_i_truth_word(const crd_i_truth_words *words, bool value);
/* Returns the word of an exact pair that `text` is in another case of letters; else `text`. NULL: `text`. */
crd_text crd_i_truth_words_match(const crd_i_truth_words *words, crd_text text);
/* Returns the code of a cell's text among the values of a category: as it is spelled, else as a truth value. -1: it is none of them. */
int32_t crd_i_find_value(const crd_i_dictionary *values, crd_text text);

#endif
