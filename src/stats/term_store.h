/* SPDX-License-Identifier: MIT */
/* term_store.h - terms, sorted by bytes, with their counts by condition. A store is immutable, shared by threads,
 * and read from a file only as far as needed.
 *
 * Terms are stored in pages, each with its own checksum. The head of the store contains the first
 * term of each page, so a lookup needs one page, however many there are. A page is read when it is first needed and
 * stays in memory.
 *
 * A store is canonical: equal counts give identical bytes, in files too. */
#ifndef CRD_STATS_TERM_STORE_H
#define CRD_STATS_TERM_STORE_H

#include "base/byte_codec.h"
#include "base/context.h"
#include "io/page_source.h"
#include "math/exact/exact_sums.h"
#include "stats/tally.h"
#include "text/tokens.h"

/* ======== Term encoding ========
 *
 * Terms with their counts are front-coded and delta-coded, in pages.
 *
 * A page is a sequence of terms, ascending by bytes, followed by the u32 CRC-32C of the preceding bytes. A term is
 *   varint   number of leading bytes shared with the previous term in the page; 0 for the first
 *   varint   number of bytes that follow, and these bytes
 *   varint   number n of its counts, at least 1; each is
 *     varint   4 (c - c') + 2 [t > 0] + [d != 1]   c: condition, c': condition of the previous count, -1 for the first
 *     varint   t, if it is above 0                 times - 1; if the condition is unchanged, times - times' - 1
 *     amount   d, if it is not 1                   number of documents
 *   amount     varint 2 d for an integer below 2^63; otherwise varint 2 e + 1, varint number of bytes of m, and these,
 *              lowest first, the last not 0: d = m 2^-e, where m is odd, or e is 0 and m at least 2^63
 * The empty term, which no text contains, comes first; its times are document lengths: its t is times, from 0.
 *
 * The terms determine where pages begin, so equal stores are byte-identical. A change affects only the pages that
 * contain a changed term. A page begins at the first term, at each term whose own CRC-32C ends in CRD_I_PAGE_BITS
 * zeros, and where the previous page has CRD_I_LONG_PAGE bytes. */

enum { CRD_I_PAGE_BITS = 8, CRD_I_LONG_PAGE = 16384, CRD_I_PAGE_CHECKSUM = 4 };

/* ---- Exact counts of one term ---- */

/* The number of documents: `whole` plus a cell of the sums; positive or negative. */
typedef struct crd_i_term_entry {
    uint32_t condition, times;
    int64_t whole;
    size_t cell; /* entry of `sums`; SIZE_MAX: none */
} crd_i_term_entry;

typedef struct crd_i_term_entries {
    crd_context *context;
    crd_i_term_entry *entry;
    size_t count, capacity;
    crd_i_sums sums;
    size_t cells; /* number of entries of `sums` in use */
} crd_i_term_entries;

void crd_i_term_entries_init(crd_i_term_entries *entries, crd_context *context);
void crd_i_term_entries_clear(crd_i_term_entries *entries);
void crd_i_term_entries_empty(crd_i_term_entries *entries);
/* Appends a number of documents, which may be negative. false: out of memory, as in all functions below that return
 * bool. */
CRD_MUST_USE bool crd_i_term_entries_add(crd_i_term_entries *entries, uint32_t condition, uint32_t times,
                                         int64_t whole);
/* Appends the number of documents in a cell of sums, times the sign. */
CRD_MUST_USE bool crd_i_term_entries_add_sum(crd_i_term_entries *entries, uint32_t condition, uint32_t times,
                                             const crd_i_sums *sums, size_t cell, int sign);
/* Sorts the entries and merges them to one per condition and times, without zeros. */
CRD_MUST_USE bool crd_i_term_entries_sort(crd_i_term_entries *entries);
/* Return the rounded count; and its sign, -1, 0 or 1. */
double crd_i_term_entries_value(const crd_i_term_entries *entries, size_t i);
int crd_i_term_entries_sign(const crd_i_term_entries *entries, size_t i);

/* ---- Terms in a page ---- */

/* Returns whether a page begins at the term, wherever it occurs. */
bool crd_i_term_begins_page(crd_text term);

/* Writes a term with its sorted counts. `before` is the previous term; it has no bytes at the beginning of a page. */
void crd_i_term_encode(crd_i_encoder *encoder, crd_text before, crd_text term, const crd_i_term_entries *entries);

/* Reads the next term of a page. *term contains the previous term and is replaced. false: out of memory. The cursor
 * fails if the bytes are not a canonical encoding. */
CRD_MUST_USE bool crd_i_term_decode(crd_i_cursor *cursor, crd_i_buffer *term);
/* Append the counts of a term, below `conditions`, times the sign; condition c becomes map[c] (NULL: c; SIZE_MAX:
 * skipped). Or skip the counts. */
CRD_MUST_USE bool crd_i_term_decode_counts(crd_i_cursor *cursor, bool are_lengths, size_t conditions, const size_t *map,
                                           int sign, crd_i_term_entries *entries);
void crd_i_term_skip_counts(crd_i_cursor *cursor);
/* Returns whether no term of a page is in more documents of a condition than `most`. May also return false if the
 * bytes are not a canonical encoding, or if counts are not integers. */
bool crd_i_term_page_is_within(crd_i_cursor page, const double *most, size_t conditions);

/* ======== Text sorting ========
 *
 * Texts are sorted in byte order: by the first eight bytes as one integer, then by the remaining bytes. */

typedef struct crd_i_term_key {
    uint64_t first; /* the first eight bytes, the first one highest, padded with zeros */
    uint32_t code;
} crd_i_term_key;

/* Returns the text of a code. `object` is the argument passed to crd_i_term_sort. */
typedef crd_text (*crd_i_term_text)(const void *object, uint32_t code);

/* Sorts keys whose codes are set. false: out of memory. */
CRD_MUST_USE bool crd_i_term_sort(crd_context *context, crd_i_term_key *keys, size_t count, crd_i_term_text text,
                                  const void *object);

/* ======== Term table ========
 *
 * Terms being counted: a hash table of terms, and one of their counts.
 *
 * A document is counted term by term. Each term has a stamp, the number of the last document that contained it, so
 * its count in a document needs no search. At the end of the document, each of its terms has one more document with
 * that many occurrences under the condition. Only combinations that occurred have a count, so memory grows with them,
 * whatever the number of conditions. Terms are hashed with a key (as in dictionary.h), so an attacker cannot cause
 * collisions. */

typedef struct crd_i_term_table crd_i_term_table;

crd_i_term_table *crd_i_term_table_create(crd_context *context); /* NULL: out of memory */
void crd_i_term_table_destroy(crd_i_term_table *table);          /* NULL is allowed */

/* Count a document: begin, count its terms, end. Functions that return bool return false if memory ran out. */
void crd_i_term_table_begin(crd_i_term_table *table);
CRD_MUST_USE bool crd_i_term_table_count(crd_i_term_table *table, crd_text term, uint64_t times);
/* Counts terms of a tokenizer, as many as it returns at a time, once each. */
CRD_MUST_USE bool crd_i_term_table_count_terms(crd_i_term_table *table, const crd_i_term *terms, size_t count);
/* Ends a document. CRD_ERROR_LIMIT: it has more terms than can be counted. */
CRD_MUST_USE crd_status crd_i_term_table_end(crd_i_term_table *table, uint32_t condition, double weight,
                                             crd_error *error);

/* Return the number of terms, including the empty term if a document was counted; and the number of
 * counts that are not stored in the record of their term (term_table.c). */
size_t crd_i_term_table_terms(const crd_i_term_table *table);
size_t crd_i_term_table_counts(const crd_i_term_table *table);

/* Returns a term, which is valid until the next one is counted. */
crd_text crd_i_term_table_text(const crd_i_term_table *table, uint32_t code);
/* Returns all terms sorted by bytes; NULL: out of memory. Free it with crd_free. */
crd_i_term_key *crd_i_term_table_sort(const crd_i_term_table *table);
/* Appends the counts of a term, times the sign; condition c becomes map[c] (SIZE_MAX: skipped). */
CRD_MUST_USE bool crd_i_term_table_read(const crd_i_term_table *table, uint32_t code, const size_t *map, int sign,
                                        crd_i_term_entries *entries);

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

/* ======== Structure of a term store ========
 *
 * It is for code that writes a store. */

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

/* ======== Term stores in files ========
 *
 * A file contains a head, and pages that are read when they are needed. */

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

/* ======== Merging ========
 *
 * Several term stores and tables are merged into one store, in one pass over all of them in term order.
 *
 * A page of a store is copied unchanged if no other input has a term in its range. So adding a document to a large
 * store costs little more than copying the store. For a subtraction every term is checked, because a document that
 * was never added may show at any term: as a term in more documents than are left. */

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

/* ======== Validation ========
 *
 * A term store is valid if some documents produce it, and its encoding is canonical. */

/* Returns CRD_ERROR_DAMAGED if the store is invalid. If is_ours, this library has just written it: then only checks
 * the checksums, and that no term is in more documents than exist. */
CRD_MUST_USE crd_status crd_i_term_store_check(const crd_i_term_store *store, bool is_ours, crd_error *error);

/* ======== Terms tally ========
 *
 * The tally of a text column: for each class and term, the number of documents by the number of occurrences.
 *
 * For a term t and a condition c, h_k(t, c) is the number (or weight) of documents under c that contain t exactly k
 * times, k = 1, 2, ... For each condition, the tally also counts documents by length. These counts determine
 *   occurrences         sum over k of k h_k       (multinomial)
 *   document frequency  sum over k of h_k         (Bernoulli, term selection)
 *   documents with at least k, and their lengths  (Dirichlet compound multinomial)
 * so the family and the transforms can be chosen at prediction time. The tokenization is fixed before the first
 * text.
 *
 * The tally consists of an immutable store of sorted terms and a hash table of later additions or, with negative
 * counts, removals. They are merged to a new store when the store is requested. */

/* Sets the tokenization rules. Call it before the first cell; tallies that are combined must have the same rules. */
void crd_i_terms_set_rules(crd_i_tally *tally, const crd_i_token_rules *rules);
const crd_i_token_rules *crd_i_terms_rules(const crd_i_tally *tally);

/* Adds the present texts (or bags) of the rows whose condition is not negative, like `add` of its type; returns
 * errors of the tokenizer. On failure some may have been added. */
CRD_MUST_USE crd_status crd_i_terms_add(crd_i_tally *tally, const crd_i_cells *cells, const int32_t *conditions,
                                        const double *weights, crd_error *error);

/* Returns the whole tally as a store, retained for the caller. Its conditions are the view's, in the view's order;
 * others are not counted. Any thread may call it. */
CRD_MUST_USE crd_status crd_i_terms_store(const crd_i_tally *tally, const crd_i_view *view, crd_i_term_store **out,
                                          crd_error *error);

/* Attaches the pages of a tally that was read from a file. They must begin at *begin, which is moved after them. */
CRD_MUST_USE crd_status crd_i_terms_attach(crd_i_tally *tally, crd_i_page_source *source, uint64_t *begin,
                                           crd_error *error);
/* Reads and checks all of these pages. */
CRD_MUST_USE crd_status crd_i_terms_check(const crd_i_tally *tally, bool is_ours, crd_error *error);

#endif
