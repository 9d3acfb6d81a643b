/* SPDX-License-Identifier: MIT */
/* term_pages.h - terms with their counts as bytes: front-coded, delta-coded, in pages.
 *
 * A page is a run of terms, ascending by their bytes, and u32 CRC-32C of what is before it. A term is
 *   varint   how many first bytes it has in common with the term before it in the page; of the first, 0
 *   varint   how many bytes follow, and these
 *   varint   number n of its counts, at least 1; each is
 *     varint   4 (c - c') + 2 [t > 0] + [d != 1]     c its condition, c' that of the count before it, of the first -1
 *     varint   t, where it is above 0                times - 1, or of the same condition as before times - times' - 1
 *     amount   d, where it is not 1                  documents
 *   amount     varint 2 d of a whole number below 2^63; else varint 2 e + 1, varint number of bytes of m, and these, the
 *              lowest first, of which the last is not 0: d = m 2^-e, where m is odd, or e is 0 and m at least 2^63
 *
 * The empty term, which no text has, comes first, and has lengths of documents for times: its t is times, from 0.
 *
 * Where pages begin follows from the terms, so that equal stores are equal bytes, and a change leaves all pages as they are
 * that have none of the terms that it changes: at the first term, at each whose own CRC-32C ends in CRD_I_PAGE_BITS zeros,
 * and where the page before has CRD_I_LONG_PAGE bytes. */
#ifndef CRD_STATS_TERM_PAGES_H
#define CRD_STATS_TERM_PAGES_H

#include "io/byte_codec.h"
#include "math/exact/exact_sums.h"

enum { CRD_I_PAGE_BITS = 8, CRD_I_LONG_PAGE = 16384, CRD_I_PAGE_CHECKSUM = 4 };

/* ---- Counts of one term, exact ---- */

/* `whole` documents, and those of a cell of the sums beside; above or below zero. */
typedef struct crd_i_term_entry {
    uint32_t condition, times;
    int64_t whole;
    size_t cell; /* SIZE_MAX: none */
} crd_i_term_entry;

typedef struct crd_i_term_entries {
    crd_context *context;
    crd_i_term_entry *at;
    size_t count, capacity;
    crd_i_sums sums;
    size_t cells; /* of them that are in use */
} crd_i_term_entries;

void crd_i_term_entries_init(crd_i_term_entries *entries, crd_context *context);
void crd_i_term_entries_clear(crd_i_term_entries *entries);
void crd_i_term_entries_empty(crd_i_term_entries *entries);
/* Appends documents, or less than none. false: out of memory, as of all calls below that return bool. */
CRD_MUST_USE bool crd_i_term_entries_add(crd_i_term_entries *entries, uint32_t condition, uint32_t times,
                                         int64_t whole);
/* Appends documents of a cell of sums, times the sign. */
CRD_MUST_USE bool crd_i_term_entries_add_sum(crd_i_term_entries *entries, uint32_t condition, uint32_t times,
                                             const crd_i_sums *sums, size_t cell, int sign);
/* In their order, one for each condition and times, none of zero. */
CRD_MUST_USE bool crd_i_term_entries_sort(crd_i_term_entries *entries);
/* Rounded; and -1, 0 or 1. */
double crd_i_term_entries_value(const crd_i_term_entries *entries, size_t i);
int crd_i_term_entries_sign(const crd_i_term_entries *entries, size_t i);

/* ---- Terms in a page ---- */

/* Whether a page begins at the term, wherever it stands. */
bool crd_i_term_begins_page(crd_text term);

/* Writes a term with its sorted counts behind `before`, which has no bytes at the begin of a page. */
void crd_i_term_encode(crd_i_encoder *encoder, crd_text before, crd_text term, const crd_i_term_entries *entries);

/* Reads the next term of a page: *term has the one before, and gets it. false: out of memory. Where the bytes are none
 * that a writer writes, the cursor has failed. */
CRD_MUST_USE bool crd_i_term_decode(crd_i_cursor *cursor, crd_i_buffer *term);
/* Its counts, appended, below `conditions`, of which condition c becomes map[c] (NULL: c; SIZE_MAX: it is left out), times
 * the sign; or past them. */
CRD_MUST_USE bool crd_i_term_decode_counts(crd_i_cursor *cursor, bool are_lengths, size_t conditions, const size_t *map,
                                           int sign, crd_i_term_entries *entries);
void crd_i_term_skip_counts(crd_i_cursor *cursor);
/* Whether no term of a page is in more documents of a condition than `most` of it. Where the bytes are none that a writer
 * writes, or counts are no whole numbers, it may be false too. */
bool crd_i_term_page_is_within(crd_i_cursor page, const double *most, size_t conditions);

#endif
