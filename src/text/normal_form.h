/* SPDX-License-Identifier: MIT */
/* normal_form.h - normalization of a part of a text: case folding and canonical composition, see tokens.h. */
#ifndef CRD_TEXT_NORMAL_FORM_H
#define CRD_TEXT_NORMAL_FORM_H

#include "text/tokens.h"

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
CRD_MUST_USE crd_status crd_i_normal_form(crd_i_normal_forms *forms, crd_text part, size_t most, char *destination,
                                          size_t *length, crd_error *error);
/* Sets *combines to whether a character may combine with the character before it. Errors as for crd_i_normal_form. */
CRD_MUST_USE crd_status crd_i_normal_combines(crd_i_normal_forms *forms, uint32_t character, bool *combines,
                                              crd_error *error);

#endif
