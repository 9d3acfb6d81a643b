/* SPDX-License-Identifier: MIT */
/* term_sort.h - sorts texts in byte order: by the first eight bytes as one integer, then by the remaining bytes. */
#ifndef CRD_STATS_TERM_SORT_H
#define CRD_STATS_TERM_SORT_H

#include "base/context.h"

typedef struct crd_i_term_key {
    uint64_t first; /* the first eight bytes, the first one highest, padded with zeros */
    uint32_t code;
} crd_i_term_key;

/* Returns the text of a code. `object` is the argument passed to crd_i_term_sort. */
typedef crd_text (*crd_i_term_text)(const void *object, uint32_t code);

/* Sorts keys whose codes are set. false: out of memory. */
CRD_MUST_USE bool crd_i_term_sort(crd_context *context, crd_i_term_key *keys, size_t count, crd_i_term_text text,
                                  const void *object);

#endif
