/* SPDX-License-Identifier: MIT */
/* term_table.h - terms that are being counted: a hash table of them, and one of their counts.
 *
 * A document is counted term by term; each term has a stamp, the number of the last document that had it, so that its times
 * in a document are counted without looking at others. At the end of the document each of its terms has one more document
 * of so many times under the condition. Only what was met has a count: memory grows with it, however many conditions there
 * are. Terms are hashed with a key (as in dictionary.h), so that none can be made to collide. */
#ifndef CRD_STATS_TERM_TABLE_H
#define CRD_STATS_TERM_TABLE_H

#include "stats/term_pages.h"
#include "stats/term_sort.h"
#include "text/tokens.h"

typedef struct crd_i_term_table crd_i_term_table;

crd_i_term_table *crd_i_term_table_create(crd_context *context); /* NULL: out of memory */
void crd_i_term_table_destroy(crd_i_term_table *table);          /* NULL is fine */

/* A document: begin, count its terms, end. Those that return bool give false when memory ran out. */
void crd_i_term_table_begin(crd_i_term_table *table);
CRD_MUST_USE bool crd_i_term_table_count(crd_i_term_table *table, crd_text term, uint64_t times);
/* The same for terms of a tokenizer, as many as it returns at a time, once each. */
CRD_MUST_USE bool crd_i_term_table_count_terms(crd_i_term_table *table, const crd_i_term *terms, size_t count);
/* CRD_ERROR_LIMIT: the document has more terms than can be counted. */
CRD_MUST_USE crd_status crd_i_term_table_end(crd_i_term_table *table, uint32_t condition, double weight,
                                             crd_error *error);

/* Terms, the empty one (term_pages.h) among them where a document was counted; and counts. */
size_t crd_i_term_table_terms(const crd_i_term_table *table);
size_t crd_i_term_table_counts(const crd_i_term_table *table);

/* A term, which lives until the next is counted. */
crd_text crd_i_term_table_text(const crd_i_term_table *table, uint32_t code);
/* All of them in the order of their bytes; NULL: out of memory. Freed with crd_free. */
crd_i_term_key *crd_i_term_table_sort(const crd_i_term_table *table);
/* The counts of one of them, appended, of which condition c becomes map[c] (SIZE_MAX: it is left out), times the sign. */
CRD_MUST_USE bool crd_i_term_table_read(const crd_i_term_table *table, uint32_t code, const size_t *map, int sign,
                                        crd_i_term_entries *entries);

#endif
