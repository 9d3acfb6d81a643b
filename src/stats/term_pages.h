/* SPDX-License-Identifier: MIT */
/* term_pages.h - the encoding of terms with their counts: front-coded and delta-coded, in pages.
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
#ifndef CRD_STATS_TERM_PAGES_H
#define CRD_STATS_TERM_PAGES_H

#include "base/context.h"
#include "io/byte_codec.h"
#include "math/exact/exact_sums.h"

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

/* ---- sorts texts in byte order: by the first eight bytes as one integer, then by the remaining bytes. */

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
