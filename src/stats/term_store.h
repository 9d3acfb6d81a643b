/* SPDX-License-Identifier: MIT */
/* term_store.h - terms, sorted by bytes, with their counts by condition. A store is immutable, shared by threads,
 * and read from a file only as far as needed.
 *
 * Terms are stored in pages (term_pages.h), each with its own checksum. The head of the store contains the first
 * term of each page, so a lookup needs one page, however many there are. A page is read when it is first needed and
 * stays in memory.
 *
 * A store is canonical: equal counts give identical bytes, in files too. */
#ifndef CRD_STATS_TERM_STORE_H
#define CRD_STATS_TERM_STORE_H

#include "io/byte_codec.h"
#include "io/page_source.h"
#include "stats/term_pages.h"

/* The number of documents of a condition that contain the term exactly `times` times. */
typedef struct crd_i_term_count {
    int32_t condition;
    uint32_t times;
    double documents;
} crd_i_term_count;

/* The counts of one term, sorted by condition, then times. Initialize it with {.context = ...}; it grows and can be
 * reused. */
typedef struct crd_i_term_counts {
    crd_context *context;
    crd_i_term_count *entries;
    size_t count, capacity;
    crd_i_term_entries exact; /* memory for the exact counts */
} crd_i_term_counts;
void crd_i_term_counts_clear(crd_i_term_counts *counts);

typedef struct crd_i_term_store crd_i_term_store;

void crd_i_term_store_retain(crd_i_term_store *store);
void crd_i_term_store_release(crd_i_term_store *store); /* NULL is allowed */

/* Return the number of distinct terms; and for each condition the number of documents, of occurrences of all terms
 * in them, and of distinct terms. */
uint64_t crd_i_term_store_terms(const crd_i_term_store *store);
size_t crd_i_term_store_conditions(const crd_i_term_store *store);
double crd_i_term_store_documents(const crd_i_term_store *store, size_t condition);
double crd_i_term_store_occurrences(const crd_i_term_store *store, size_t condition);
uint64_t crd_i_term_store_distinct(const crd_i_term_store *store, size_t condition);

/* The functions below read pages: CRD_ERROR_IO and CRD_ERROR_DAMAGED name the file. Any thread may call them. */

/* Finds the counts of a term. If the store does not contain it, *is_found is false and there are no counts. */
CRD_MUST_USE crd_status crd_i_term_store_find(const crd_i_term_store *store, crd_text term, crd_i_term_counts *out,
                                              bool *is_found, crd_error *error);
/* Returns the number of documents of each condition by length: `times` is the number of terms in a document, 0 or
 * more. */
CRD_MUST_USE crd_status crd_i_term_store_lengths(const crd_i_term_store *store, crd_i_term_counts *out,
                                                 crd_error *error);

/* Iterates over all terms, sorted by bytes. */
typedef struct crd_i_term_cursor {
    const crd_i_term_store *store;
    size_t page;         /* the next page to read */
    crd_i_cursor cursor; /* the remainder of the page before it */
    crd_i_buffer term;   /* the latest term */
} crd_i_term_cursor;
void crd_i_term_cursor_begin(const crd_i_term_store *store, crd_i_term_cursor *cursor);
/* Returns the next term, valid until the next call; *more is false after the last one. */
CRD_MUST_USE crd_status crd_i_term_cursor_next(crd_i_term_cursor *cursor, crd_text *term, crd_i_term_counts *out,
                                               bool *more, crd_error *error);
void crd_i_term_cursor_end(crd_i_term_cursor *cursor);

#endif
