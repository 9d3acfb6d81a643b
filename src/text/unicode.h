/* SPDX-License-Identifier: MIT */
/* unicode.h - the character properties and normalization that tokens need, from libunistring. ASCII is supported in
 * every build. */
#ifndef CRD_TEXT_UNICODE_H
#define CRD_TEXT_UNICODE_H

#include "base/context.h"

/* The values of the property Word_Break (UAX #29) that matter for words. Spaces, emoji and regional indicators are
 * OTHER. A byte that is not UTF-8 breaks words like a line end. */
typedef enum crd_i_word_class {
    CRD_I_WORD_OTHER,
    CRD_I_WORD_LETTER,
    CRD_I_WORD_HEBREW,
    CRD_I_WORD_DIGIT,
    CRD_I_WORD_KATAKANA,
    CRD_I_WORD_JOINER, /* ExtendNumLet: the low line and similar characters */
    CRD_I_WORD_MID_LETTER,
    CRD_I_WORD_MID_DIGIT,
    CRD_I_WORD_MID_BOTH, /* MidNumLet */
    CRD_I_WORD_SINGLE_QUOTE,
    CRD_I_WORD_DOUBLE_QUOTE,
    CRD_I_WORD_EXTEND, /* also Format */
    CRD_I_WORD_ZWJ,
    CRD_I_WORD_NEWLINE
} crd_i_word_class;

/* Returns whether this build has libunistring. Without it, the functions below support only ASCII. */
bool crd_i_unicode_is_there(void);
crd_i_word_class crd_i_unicode_word_class(uint32_t character);
/* Returns whether a character is a letter or a number: general category L or N. */
bool crd_i_unicode_is_letter(uint32_t character);
bool crd_i_unicode_is_white(uint32_t character);
bool crd_i_unicode_is_pictographic(uint32_t character);
/* Returns whether a character may combine with the character before it: a mark, or a vowel or final consonant of
 * conjoining Hangul. */
bool crd_i_unicode_combines(uint32_t character);

/* Writes the canonical composition (NFC) of a UTF-8 text to `destination`, case-folded if `fold_case`. On input,
 * *length is the capacity of `destination`; on output, the number of bytes written. A longer result is truncated at a
 * character. The only error is CRD_ERROR_MEMORY. */
CRD_MUST_USE crd_status crd_i_unicode_normalise(crd_text text, bool fold_case, char *destination, size_t *length,
                                                crd_error *error);

/* Returns the first character of `bytes`, which must not be empty, and its length. If the bytes are not UTF-8, returns
 * UINT32_MAX and length 1. */
uint32_t crd_i_unicode_decode(const unsigned char *bytes, size_t left, size_t *length);

#endif
