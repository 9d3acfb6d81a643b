/* SPDX-License-Identifier: MIT */
/* term_store_internal.h - the structure of a term store, for code that writes one. */
#ifndef CRD_STATS_TERM_STORE_INTERNAL_H
#define CRD_STATS_TERM_STORE_INTERNAL_H

#include "stats/term_store.h"

typedef const unsigned char *crd_i_page;

struct crd_i_term_store {
    crd_context *context;
    atomic_size_t references;
    size_t conditions;
    crd_i_sums documents, occurrences; /* one entry per condition */
    double *most;                      /* documents of each condition, with a margin for the rounding of sums */
    uint64_t *distinct;                /* one per condition: number of distinct terms */
    uint64_t terms;
    size_t page_count;
    uint64_t *page_ends;        /* end offset of each page; the first begins at 0 */
    uint64_t *first_ends;       /* end offset of the first term of each page in `firsts` */
    unsigned char *firsts;      /* these terms, concatenated */
    crd_i_page_source *source;  /* NULL until one is attached */
    uint64_t source_begin;      /* offset of its pages in the source */
    _Atomic(crd_i_page) *pages; /* pages that were read and checked; otherwise NULL */
};

/* Creates a store without pages, all counts zero. NULL: out of memory. */
crd_i_term_store *crd_i_term_store_create(crd_context *context, size_t conditions);
/* Computes the rounded counts. Call it once the documents are known. */
void crd_i_term_store_round(crd_i_term_store *store);
/* Returns the bytes of a page, including its checksum, which is verified. */
CRD_MUST_USE crd_status crd_i_term_store_page(const crd_i_term_store *store, size_t page, crd_i_cursor *out,
                                              crd_error *error);
crd_text crd_i_term_store_first(const crd_i_term_store *store, size_t page);
crd_status crd_i_term_store_damaged(const crd_i_term_store *store, const char *description, crd_error *error);

#endif
