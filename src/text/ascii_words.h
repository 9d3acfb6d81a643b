/* SPDX-License-Identifier: MIT */
/* ascii_words.h - words of ASCII, folded, many at a time: what texts mostly are. See word_breaks.h for the rules. */
#ifndef CRD_TEXT_ASCII_WORDS_H
#define CRD_TEXT_ASCII_WORDS_H

#include "text/tokens.h"

/* What a byte is to words: part of one, beyond ASCII, or a part of one between two letters or two digits. */
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

/* The end of the word of ASCII at `from`, and the classes that it has; SIZE_MAX: characters beyond ASCII matter. */
size_t crd_i_ascii_word_end(const unsigned char *bytes, size_t first, size_t length, unsigned *seen);

/* So many bytes behind the last word in `to` may be written too. */
enum { CRD_I_ASCII_SLACK = 16 };

/* Words from *at on, as many as `room`, folded on demand one behind the other into `to`, and the bytes written. Stops at the
 * end of the text, or where a word is longer than CRD_I_MOST_TOKEN or a character beyond ASCII matters; *at is a boundary
 * then, from which crd_i_word_end can go on. */
typedef size_t crd_i_ascii_words_function(crd_text text, bool fold_case, size_t *cursor, char *destination,
                                          size_t *written, crd_i_term *terms, size_t capacity);
crd_i_ascii_words_function crd_i_ascii_words_plain;
/* NULL where the machine has none that is faster. */
crd_i_ascii_words_function *crd_i_ascii_words_simd(void);

#endif
