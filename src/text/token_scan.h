/* SPDX-License-Identifier: MIT */
/* token_scan.h - the tokens of a text one after the other, folded and normalised into a buffer. See tokens.h. */
#ifndef CRD_TEXT_TOKEN_SCAN_H
#define CRD_TEXT_TOKEN_SCAN_H

#include "text/stemmer.h"
#include "text/tokens.h"

/* Bytes of a token, and of a character that is normalised: folding makes up to three characters of one. */
enum { CRD_I_TOKEN_ROOM = 4 * CRD_I_MOST_TOKEN, CRD_I_CHARACTER_ROOM = 12 };
/* A character and its marks: these many are normalised together where tokens are characters. */
enum { CRD_I_MOST_MARKED = 8, CRD_I_MARKED_ROOM = CRD_I_MOST_MARKED * CRD_I_CHARACTER_ROOM };

typedef struct crd_i_token {
    uint32_t begin, end; /* in the buffer */
    size_t from, to;     /* in the text */
} crd_i_token;

/* A character that was normalised before. */
typedef struct crd_i_known_character {
    uint32_t character; /* 0: none */
    uint8_t length;
    bool combines; /* it may combine with the one before it, so that it is not normalised by itself */
    char bytes[CRD_I_CHARACTER_ROOM];
} crd_i_known_character;
enum { CRD_I_KNOWN_CHARACTERS = 512 };

typedef struct crd_i_token_scan {
    crd_i_token_unit unit;
    bool fold_case;
    crd_i_stemmer *stemmer; /* NULL: none */
    crd_text text;
    size_t at; /* the first byte that was not read */
    char *buffer;
    uint32_t used;
    crd_i_known_character known[CRD_I_KNOWN_CHARACTERS];
} crd_i_token_scan;

/* Appends tokens to `tokens`, as many as there is room for, or fewer, and none at the end of the text; and their bytes to the
 * buffer, which has room for CRD_I_TOKEN_ROOM bytes and a blank for each. The room is at least CRD_I_MOST_MARKED * 3. */
CRD_MUST_USE crd_status crd_i_token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t room, size_t *count,
                                              crd_error *error);

#endif
