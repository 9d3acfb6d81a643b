/* SPDX-License-Identifier: MIT */
/* term_sort.h - texts in the order of their bytes: by eight bytes at once, and by the rest where these are the same. */
#ifndef CRD_STATS_TERM_SORT_H
#define CRD_STATS_TERM_SORT_H

#include "base/context.h"

typedef struct crd_i_term_key {
    uint64_t first; /* its first eight bytes, the first highest, filled up with zeros */
    uint32_t code;
} crd_i_term_key;

/* The text of a code; `of` is the caller's. */
typedef crd_text (*crd_i_term_text)(const void *of, uint32_t code);

/* Sorts keys whose codes are set. false: out of memory. */
CRD_MUST_USE bool crd_i_term_sort(crd_context *context, crd_i_term_key *keys, size_t count, crd_i_term_text text,
                                  const void *of);

#endif
