/* SPDX-License-Identifier: MIT */
/* tokenizer.h - finds and folds ASCII words, many per call. Most texts consist mostly of them. See tokenizer.c for
 * the rules. */
#ifndef CRD_TEXT_TOKENIZER_H
#define CRD_TEXT_TOKENIZER_H

#include "text/tokens.h"

/* The role of a byte in words: part of a word, not ASCII, or part of a word only between two letters or between two
 * digits. */
enum {
    CRD_I_ASCII_LETTER = 1,
    CRD_I_ASCII_DIGIT = 2,
    CRD_I_ASCII_JOINER = 4,
    CRD_I_ASCII_WORD = CRD_I_ASCII_LETTER | CRD_I_ASCII_DIGIT | CRD_I_ASCII_JOINER,
    CRD_I_ASCII_BEYOND = 8,
    CRD_I_ASCII_IN_LETTERS = 16,
    CRD_I_ASCII_IN_DIGITS = 32
};
extern const unsigned char crd_i_ascii_classes[256];

/* This many bytes after the last word in `destination` may be overwritten. */
enum { CRD_I_ASCII_SLACK = 16 };

/* Finds at most `capacity` words from *cursor on. Writes them consecutively to `destination`, case-folded if
 * `fold_case`, and sets *written to the number of bytes. Returns the number of words. Stops at the end of the text, at
 * a word longer than CRD_I_MOST_TOKEN, and where a non-ASCII character may belong to a word. *cursor is then a
 * boundary, from which word_end can continue. */
typedef size_t crd_i_ascii_words_function(crd_text text, bool fold_case, size_t *cursor, char *destination,
                                          size_t *written, crd_i_term *terms, size_t capacity);
crd_i_ascii_words_function crd_i_ascii_words_plain;
/* Returns a faster implementation for this machine; NULL if there is none. */
crd_i_ascii_words_function *crd_i_ascii_words_simd(void);

#endif
