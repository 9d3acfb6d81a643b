/* SPDX-License-Identifier: MIT */
/* terms.h - the tally of a text column: for each class and term, the number of documents by the number of
 * occurrences.
 *
 * For a term t and a condition c, h_k(t, c) is the number (or weight) of documents under c that contain t exactly k
 * times, k = 1, 2, ... For each condition, the tally also counts documents by length. These counts determine
 *   occurrences         sum over k of k h_k       (multinomial)
 *   document frequency  sum over k of h_k         (Bernoulli, term selection)
 *   documents with at least k, and their lengths  (Dirichlet compound multinomial)
 * so the family and the transforms can be chosen at prediction time. The tokenization is fixed before the first
 * text.
 *
 * The tally consists of an immutable store of sorted terms (term_store.h) and a hash table of later additions or,
 * with negative counts, removals (term_table.h). They are merged to a new store when the store is requested. */
#ifndef CRD_STATS_TERMS_H
#define CRD_STATS_TERMS_H

#include "stats/tally.h"
#include "stats/term_store.h"
#include "text/tokens.h"

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
/* Reads and checks all of these pages: see term_store.h. */
CRD_MUST_USE crd_status crd_i_terms_check(const crd_i_tally *tally, bool is_ours, crd_error *error);

#endif
