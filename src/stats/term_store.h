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
#include "io/open_reader.h"
#include "stats/term_pages.h"
#include "stats/term_table.h"

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

/* ---- the structure of a term store, for code that writes one. */

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

/* ---- term stores in files: a head, and pages that are read when they are needed. */

/* Returns the total size of its pages in bytes. */
uint64_t crd_i_term_store_page_bytes(const crd_i_term_store *store);

/* Write the head of a store whose pages begin at offset `begin`, and the pages. */
void crd_i_term_store_write_head(const crd_i_term_store *store, uint64_t begin, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_term_store_write_pages(const crd_i_term_store *store, crd_i_encoder *encoder,
                                                     crd_error *error);

/* Read the head of a store, which has no pages yet; and attach the source of its pages, which must begin at `begin`. */
CRD_MUST_USE crd_status crd_i_term_store_read_head(crd_context *context, size_t conditions, crd_i_cursor *cursor,
                                                   crd_i_term_store **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_term_store_attach(crd_i_term_store *store, crd_i_page_source *source, uint64_t begin,
                                                crd_error *error);

/* ---- merges several term stores and tables into one store, in one pass over all of them in term order.
 *
 * A page of a store is copied unchanged if no other input has a term in its range. So adding a document to a large
 * store costs little more than copying the store. For a subtraction every term is checked, because a document that was
 * never added may show at any term: as a term in more documents than are left. */

/* A store or a table, multiplied by the sign. Its condition c becomes conditions[c]; SIZE_MAX: not counted. */
typedef struct crd_i_term_input {
    const crd_i_term_store *store; /* NULL: use `table` */
    const crd_i_term_table *table;
    const size_t *conditions;
    int sign;
    bool is_read; /* decode and rewrite all of its terms */
} crd_i_term_input;

/* The first impossible count: below zero, or above the number of documents. */
typedef struct crd_i_term_fault {
    bool is_found;
    bool is_length; /* the count is the number of documents with `times` terms in total */
    uint32_t times; /* otherwise, the count is the number of documents that contain the term `times` times */
    /* the count is the number of documents that contain the term, and exceeds the number of documents */
    bool is_excess;
    size_t condition; /* condition of the result */
    double left;
    char term[260]; /* quoted */
} crd_i_term_fault;

/* Merges the inputs. *out is NULL if a fault was found. */
CRD_MUST_USE crd_status crd_i_term_merge(crd_context *context, const crd_i_term_input *inputs, size_t count,
                                         size_t conditions, crd_i_term_store **out, crd_i_term_fault *fault,
                                         crd_error *error);

/* ---- checks whether a term store is valid: some documents produce it, and its encoding is canonical. */

/* Returns CRD_ERROR_DAMAGED if the store is invalid. If is_ours, this library has just written it: then only checks
 * the checksums, and that no term is in more documents than exist. */
CRD_MUST_USE crd_status crd_i_term_store_check(const crd_i_term_store *store, bool is_ours, crd_error *error);

#endif
