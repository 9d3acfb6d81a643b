/* SPDX-License-Identifier: MIT */
/* token_scan.h - reads the tokens of a text one after the other, and writes them to a buffer, folded and normalized.
 * See tokens.h. */
#ifndef CRD_TEXT_TOKEN_SCAN_H
#define CRD_TEXT_TOKEN_SCAN_H

#include "text/normal_form.h"
#include "text/stemmer.h"
#include "text/tokens.h"

typedef struct crd_i_token {
    uint32_t begin, end; /* position in the buffer */
    size_t first, limit; /* position in the text */
} crd_i_token;

typedef struct crd_i_token_scan {
    crd_i_token_unit unit;
    crd_i_normal_forms normal;
    crd_i_stemmer *stemmer; /* NULL: none */
    crd_text text;
    size_t index; /* position of the next byte to read */
    char *buffer;
    uint32_t used;
} crd_i_token_scan;

/* Appends at most `capacity` tokens to `tokens`, and their bytes to the buffer; *count is 0 only at the end of the
 * text. The buffer must have room for CRD_I_TOKEN_ROOM bytes and a space for each token. If tokens are characters,
 * `capacity` is at least CRD_I_MOST_MARKED * 3. */
CRD_MUST_USE crd_status crd_i_token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t capacity,
                                              size_t *count, crd_error *error);

#endif
