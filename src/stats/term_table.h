/* SPDX-License-Identifier: MIT */
/* term_table.h - terms being counted: a hash table of terms, and one of their counts.
 *
 * A document is counted term by term. Each term has a stamp, the number of the last document that contained it, so
 * its count in a document needs no search. At the end of the document, each of its terms has one more document with
 * that many occurrences under the condition. Only combinations that occurred have a count, so memory grows with
 * them, whatever the number of conditions. Terms are hashed with a key (as in dictionary.h), so an attacker cannot
 * cause collisions. */
#ifndef CRD_STATS_TERM_TABLE_H
#define CRD_STATS_TERM_TABLE_H

#include "stats/term_pages.h"
#include "text/tokens.h"

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

/* Return the number of terms, including the empty term (term_pages.h) if a document was counted; and the number of
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

#endif
