/* SPDX-License-Identifier: MIT */
/* term_store.h - terms in the order of their bytes with their counts by condition: immutable, shared by threads, and read
 * from a file only as far as it is looked at.
 *
 * Terms lie in pages (term_pages.h): each has its own checksum, and the store's head has the first term of each page, so
 * that a term is found by one page, however many there are. A page is read when it is first needed and stays.
 *
 * A store is also canonical: equal counts are equal bytes, in files too. */
#ifndef CRD_STATS_TERM_STORE_H
#define CRD_STATS_TERM_STORE_H

#include "io/byte_codec.h"
#include "io/page_source.h"
#include "stats/term_pages.h"

/* Documents of a condition that have the term exactly so many times. */
typedef struct crd_i_term_count {
    int32_t condition;
    uint32_t times;
    double documents;
} crd_i_term_count;

/* Of one term, sorted by condition, then times. Begins as {.context = ...}; grows, and is used again. */
typedef struct crd_i_term_counts {
    crd_context *context;
    crd_i_term_count *entries;
    size_t count, capacity;
    crd_i_term_entries exact; /* room for what they are rounded from */
} crd_i_term_counts;
void crd_i_term_counts_clear(crd_i_term_counts *counts);

typedef struct crd_i_term_store crd_i_term_store;

void crd_i_term_store_retain(crd_i_term_store *store);
void crd_i_term_store_release(crd_i_term_store *store); /* NULL is fine */

/* Distinct terms; and of each condition documents, occurrences of all terms in them, and distinct terms. */
uint64_t crd_i_term_store_terms(const crd_i_term_store *store);
size_t crd_i_term_store_conditions(const crd_i_term_store *store);
double crd_i_term_store_documents(const crd_i_term_store *store, size_t condition);
double crd_i_term_store_occurrences(const crd_i_term_store *store, size_t condition);
uint64_t crd_i_term_store_distinct(const crd_i_term_store *store, size_t condition);

/* The calls below read pages: CRD_ERROR_IO or CRD_ERROR_DAMAGED name the file. Any thread may call them. */

/* The counts of a term; *found is false, and the counts are none, where the store does not have it. */
CRD_MUST_USE crd_status crd_i_term_store_find(const crd_i_term_store *store, crd_text term, crd_i_term_counts *out,
                                              bool *found, crd_error *error);
/* How many documents of each condition have so many terms in all: `times` is the length of a document, from 0. */
CRD_MUST_USE crd_status crd_i_term_store_lengths(const crd_i_term_store *store, crd_i_term_counts *out,
                                                 crd_error *error);

/* All terms in the order of their bytes. */
typedef struct crd_i_term_cursor {
    const crd_i_term_store *store;
    size_t page;       /* the next to be read */
    crd_i_cursor rest; /* of the one before it */
    crd_i_buffer term; /* the last one */
} crd_i_term_cursor;
void crd_i_term_cursor_begin(const crd_i_term_store *store, crd_i_term_cursor *cursor);
/* The next term, which lives until the next call; *more is false behind the last one. */
CRD_MUST_USE crd_status crd_i_term_cursor_next(crd_i_term_cursor *cursor, crd_text *term, crd_i_term_counts *out,
                                               bool *more, crd_error *error);
void crd_i_term_cursor_end(crd_i_term_cursor *cursor);

#endif
