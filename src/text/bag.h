/* SPDX-License-Identifier: MIT */
/* bag.h - bags of terms: the terms of a text and how often each occurs, as canonical bytes. A model represents a text
 * by its bag.
 *
 *   number of distinct terms, then for each, in the order of their bytes: length, bytes, times
 *
 * Numbers are base 128 (LEB128), low digits first; the top bit is set in all bytes except the last. */
#ifndef CRD_TEXT_BAG_H
#define CRD_TEXT_BAG_H

#include "base/buffer.h"
#include "text/tokens.h"

/* Appends the bag of a text to `out`. On failure, `out` is unchanged. */
CRD_MUST_USE crd_status crd_i_bag_encode(crd_i_tokenizer *tokenizer, crd_text text, crd_i_buffer *out,
                                         crd_error *error);

typedef struct crd_i_bag_cursor {
    const unsigned char *cursor, *end;
    uint64_t left; /* terms that are not read yet */
} crd_i_bag_cursor;

/* Begins to read a bag, whose bytes may come from any source. Returns CRD_ERROR_DAMAGED if they are not a bag. Errors
 * further on in the bag are found while reading. */
CRD_MUST_USE crd_status crd_i_bag_begin(crd_text bag, crd_i_bag_cursor *cursor, crd_error *error);
/* Reads the next term, which points into the bag. Sets *more to false at the end. Returns CRD_ERROR_DAMAGED if the
 * bytes are not a bag. */
CRD_MUST_USE crd_status crd_i_bag_next(crd_i_bag_cursor *cursor, crd_text *term, uint32_t *times, bool *more,
                                       crd_error *error);

#endif
