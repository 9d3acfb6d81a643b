/* SPDX-License-Identifier: MIT */
/* unicode.h - what libunistring knows of characters, as far as tokens need it. ASCII is known here, in every build. */
#ifndef CRD_TEXT_UNICODE_H
#define CRD_TEXT_UNICODE_H

#include "base/context.h"

/* The values of the property Word_Break (UAX #29) that matter to words; spaces, emoji and regional indicators are OTHER. A
 * byte that is no UTF-8 breaks as a line end does. */
typedef enum crd_i_word_class {
    CRD_I_WORD_OTHER,
    CRD_I_WORD_LETTER,
    CRD_I_WORD_HEBREW,
    CRD_I_WORD_DIGIT,
    CRD_I_WORD_KATAKANA,
    CRD_I_WORD_JOINER, /* ExtendNumLet: the low line and its like */
    CRD_I_WORD_MID_LETTER,
    CRD_I_WORD_MID_DIGIT,
    CRD_I_WORD_MID_BOTH, /* MidNumLet */
    CRD_I_WORD_SINGLE_QUOTE,
    CRD_I_WORD_DOUBLE_QUOTE,
    CRD_I_WORD_EXTEND, /* also Format */
    CRD_I_WORD_ZWJ,
    CRD_I_WORD_NEWLINE
} crd_i_word_class;

/* Whether this build has the library. Without it the calls below know ASCII alone. */
bool crd_i_unicode_is_there(void);
crd_i_word_class crd_i_unicode_word_class(uint32_t character);
/* General category L or N. */
bool crd_i_unicode_is_letter(uint32_t character);
bool crd_i_unicode_is_white(uint32_t character);
bool crd_i_unicode_is_pictographic(uint32_t character);
/* Whether it may combine with the character before it: a mark, or a vowel or final of conjoining Hangul. */
bool crd_i_unicode_combines(uint32_t character);

/* The canonical composition of UTF-8, folded on demand. *length comes with the room in `to` and returns what was written; a
 * result that is longer is cut. CRD_ERROR_MEMORY alone. */
CRD_MUST_USE crd_status crd_i_unicode_normalise(crd_text text, bool fold_case, char *destination, size_t *length,
                                                crd_error *error);

/* The character at the beginning of bytes that are not empty, and its length; length 1 and UINT32_MAX: it is no UTF-8. */
uint32_t crd_i_unicode_decode(const unsigned char *bytes, size_t left, size_t *length);

#endif
