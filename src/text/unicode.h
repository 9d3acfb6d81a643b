/* SPDX-License-Identifier: MIT */
/* unicode.h - the character properties and normalization that tokens need, from libunistring. ASCII is supported in
 * every build. */
#ifndef CRD_TEXT_UNICODE_H
#define CRD_TEXT_UNICODE_H

#include "base/context.h"
#include "text/tokens.h"

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

crd_i_word_class crd_i_unicode_word_class(uint32_t character);
/* Returns whether a character is a letter or a number: general category L or N. */
bool crd_i_unicode_is_letter(uint32_t character);
bool crd_i_unicode_is_white(uint32_t character);
bool crd_i_unicode_is_pictographic(uint32_t character);

/* Writes the canonical composition (NFC) of a UTF-8 text to `destination`, case-folded if `fold_case`. On input,
 * *length is the capacity of `destination`; on output, the number of bytes written. A longer result is truncated at a
 * character. The only error is CRD_ERROR_MEMORY. */
CRD_MUST_USE crd_status crd_i_unicode_normalise(crd_text text, bool fold_case, char *destination, size_t *length,
                                                crd_error *error);

/* Returns the first character of `bytes`, which must not be empty, and its length. If the bytes are not UTF-8, returns
 * UINT32_MAX and length 1. */
uint32_t crd_i_unicode_decode(const unsigned char *bytes, size_t left, size_t *length);

/* ---- normalization of a part of a text: case folding and canonical composition, see tokens.h. */

/* Maximum number of bytes of a token, and of a normalized character: case folding replaces one character by up to
 * three. */
enum { CRD_I_TOKEN_ROOM = 4 * CRD_I_MOST_TOKEN, CRD_I_CHARACTER_ROOM = 12 };
/* If tokens are characters, a character and its combining marks are normalized together, up to this many. */
enum { CRD_I_MOST_MARKED = 8 };

/* A cached character with its normal form. */
typedef struct crd_i_known_character {
    uint32_t character; /* 0: none */
    uint8_t length;
    bool combines; /* it may combine with the character before it, so it cannot be normalized on its own */
    char bytes[CRD_I_CHARACTER_ROOM];
} crd_i_known_character;
enum { CRD_I_KNOWN_CHARACTERS = 512 };

typedef struct crd_i_normal_forms {
    bool fold_case;
    crd_i_known_character known[CRD_I_KNOWN_CHARACTERS];
} crd_i_normal_forms;

/* Writes the normal form of a part of the text to `destination`, at most `most` characters. `destination` has room for
 * four bytes per character. Returns CRD_ERROR_SYNTAX for a non-ASCII character if this build has no libunistring. */
CRD_MUST_USE crd_status crd_i_normal_form_write(crd_i_normal_forms *forms, crd_text part, size_t most,
                                                char *destination, size_t *length, crd_error *error);
/* Sets *combines to whether a character may combine with the character before it. Errors as for crd_i_normal_form_write. */
CRD_MUST_USE crd_status crd_i_normal_combines(crd_i_normal_forms *forms, uint32_t character, bool *combines,
                                              crd_error *error);

#endif
