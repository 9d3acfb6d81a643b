/* SPDX-License-Identifier: MIT */
/* normal_form.h - parts of a text folded and composed: see tokens.h. */
#ifndef CRD_TEXT_NORMAL_FORM_H
#define CRD_TEXT_NORMAL_FORM_H

#include "text/tokens.h"

/* Bytes of a token, and of a character that is normalised: folding makes up to three characters of one. */
enum { CRD_I_TOKEN_ROOM = 4 * CRD_I_MOST_TOKEN, CRD_I_CHARACTER_ROOM = 12 };
/* A character and its marks: these many are normalised together where tokens are characters. */
enum { CRD_I_MOST_MARKED = 8 };

/* A character that was normalised before. */
typedef struct crd_i_known_character {
    uint32_t character; /* 0: none */
    uint8_t length;
    bool combines; /* it may combine with the one before it, so that it is not normalised by itself */
    char bytes[CRD_I_CHARACTER_ROOM];
} crd_i_known_character;
enum { CRD_I_KNOWN_CHARACTERS = 512 };

typedef struct crd_i_normal_forms {
    bool fold_case;
    crd_i_known_character known[CRD_I_KNOWN_CHARACTERS];
} crd_i_normal_forms;

/* Writes the normal form of a part of the text, of which up to `most` characters count, to `to`, which has room for four
 * bytes of each. */
CRD_MUST_USE crd_status crd_i_normal_form(crd_i_normal_forms *forms, crd_text part, size_t most, char *destination,
                                          size_t *length, crd_error *error);
/* Whether a character may combine with the one before it. */
CRD_MUST_USE crd_status crd_i_normal_combines(crd_i_normal_forms *forms, uint32_t character, bool *combines,
                                              crd_error *error);

#endif
