/* SPDX-License-Identifier: MIT */
/* bag.h - the terms of a text and how often it has each, as canonical bytes: what a text is to a model.
 *
 *   number of distinct terms, then for each, in the order of their bytes: length, bytes, times
 *
 * Numbers are base 128, low digits first, the top bit set in all bytes but the last. */
#ifndef CRD_TEXT_BAG_H
#define CRD_TEXT_BAG_H

#include "base/buffer.h"
#include "text/tokens.h"

/* Appends the bag of a text. */
CRD_MUST_USE crd_status crd_i_bag_encode(crd_i_tokenizer *tokenizer, crd_text text, crd_i_buffer *out,
                                         crd_error *error);

/* The same piece by piece: the number of distinct terms, then each of them, in the order of their bytes. */
CRD_MUST_USE bool crd_i_bag_put_count(crd_i_buffer *out, size_t terms);
CRD_MUST_USE bool crd_i_bag_put_term(crd_i_buffer *out, crd_text term, uint32_t times);

typedef struct crd_i_bag_cursor {
    const unsigned char *cursor, *end;
    uint64_t left; /* terms */
} crd_i_bag_cursor;

/* Bytes of any origin; CRD_ERROR_DAMAGED: they are no bag. Whether they are canonical shows at the end of reading. */
CRD_MUST_USE crd_status crd_i_bag_begin(crd_text bag, crd_i_bag_cursor *cursor, crd_error *error);
/* The next term, which points into the bag; *more false: there is none. */
CRD_MUST_USE crd_status crd_i_bag_next(crd_i_bag_cursor *cursor, crd_text *term, uint32_t *times, bool *more,
                                       crd_error *error);

#endif
