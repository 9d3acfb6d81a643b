/* SPDX-License-Identifier: MIT */
/* terms.h - the tally of a text column: in how many documents of each class each term occurs how many times.
 *
 * For a term t and a condition c, h_k(t, c) is the number (or weight) of documents under c that have t exactly k times,
 * k = 1, 2, ...; for each condition, also how many documents have so many terms in all. From these follow
 *   occurrences         sum over k of k h_k       (multinomial)
 *   document frequency  sum over k of h_k         (Bernoulli, selection of terms)
 *   documents with at least k, and their lengths  (Dirichlet compound multinomial)
 * so that families and transforms are chosen when a question is asked; how texts become terms is fixed before the first.
 *
 * The tally is an immutable store of sorted terms (term_store.h) and a hash table of what was added since or, below zero,
 * taken out (term_table.h). They become one new store when the tally's store is asked for. */
#ifndef CRD_STATS_TERMS_H
#define CRD_STATS_TERMS_H

#include "stats/tally.h"
#include "stats/term_store.h"
#include "text/tokens.h"

/* How texts become terms. To be set before the first cell, and the same of tallies that are combined. */
void crd_i_terms_set_rules(crd_i_tally *tally, const crd_i_token_rules *rules);
const crd_i_token_rules *crd_i_terms_rules(const crd_i_tally *tally);

/* Adds the present texts (or bags) of the rows with a condition that is not negative, as add of its type, with the error
 * of the tokenizer. On failure a part may have been added. */
CRD_MUST_USE crd_status crd_i_terms_add(crd_i_tally *tally, const crd_i_cells *cells, const int32_t *conditions,
                                        const double *weights, crd_error *error);

/* All of it as a store, whose conditions are those of the view in its order; retained for the caller. What is not in the
 * view counts nothing. Any thread may call it. */
CRD_MUST_USE crd_status crd_i_terms_store(const crd_i_tally *tally, const crd_i_view *view, crd_i_term_store **out,
                                          crd_error *error);

/* Of a tally that was read from a file: its pages, which have to begin at *begin, and *begin is moved behind them. */
CRD_MUST_USE crd_status crd_i_terms_attach(crd_i_tally *tally, crd_i_page_source *source, uint64_t *begin,
                                           crd_error *error);
/* Reads all of these pages: see term_check.h. */
CRD_MUST_USE crd_status crd_i_terms_check(const crd_i_tally *tally, bool is_ours, crd_error *error);

#endif
