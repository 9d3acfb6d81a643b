/* SPDX-License-Identifier: MIT */
/* token_scan.h - the tokens of a text one after the other, folded and normalised into a buffer. See tokens.h. */
#ifndef CRD_TEXT_TOKEN_SCAN_H
#define CRD_TEXT_TOKEN_SCAN_H

#include "text/normal_form.h"
#include "text/stemmer.h"
#include "text/tokens.h"

typedef struct crd_i_token {
    uint32_t begin, end; /* in the buffer */
    size_t first, limit; /* in the text */
} crd_i_token;

typedef struct crd_i_token_scan {
    crd_i_token_unit unit;
    crd_i_normal_forms normal;
    crd_i_stemmer *stemmer; /* NULL: none */
    crd_text text;
    size_t index; /* the first byte that was not read */
    char *buffer;
    uint32_t used;
} crd_i_token_scan;

/* Appends tokens to `tokens`, as many as there is room for, or fewer, and none at the end of the text; and their bytes to the
 * buffer, which has room for CRD_I_TOKEN_ROOM bytes and a blank for each. The room is at least CRD_I_MOST_MARKED * 3. */
CRD_MUST_USE crd_status crd_i_token_scan_next(crd_i_token_scan *scan, crd_i_token *tokens, size_t capacity,
                                              size_t *count, crd_error *error);

#endif
