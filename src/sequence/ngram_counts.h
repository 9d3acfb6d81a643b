/* SPDX-License-Identifier: MIT */
/* ngram_counts.h - how often states of sequences follow each other: counts of n-grams, from which start, transition and end
 * probabilities of any order below n follow.
 *
 * Of a chain of order N the (N + 1)-grams are counted: a state, or the end, with the N symbols before it. Before the first
 * state these are the mark `begin`, behind a step without a state the mark `unknown`, so that no n-gram crosses such a
 * step. Counts of shorter n-grams are sums over the first symbols; an n-gram with `unknown` in it counts for those only that
 * lack it. Labelled sequences leave whole numbers, whose sums are exact; Baum and Welch's algorithm leaves expected
 * counts. */
#ifndef CRD_SEQUENCE_NGRAM_COUNTS_H
#define CRD_SEQUENCE_NGRAM_COUNTS_H

#include "base/dictionary.h"
#include "base/error.h"
#include "settings/settings_internal.h"

enum {
    CRD_I_MOST_GRAM = CRD_I_MOST_ORDER + 1,
    CRD_I_SYMBOL_END = 0xfffd,
    CRD_I_SYMBOL_UNKNOWN = 0xfffe,
    CRD_I_SYMBOL_BEGIN = 0xffff,
    CRD_I_MOST_STATES = 0xfff0 /* symbols below are states, by their numbers */
};

typedef struct crd_i_ngram {
    uint32_t symbols[CRD_I_MOST_GRAM]; /* order + 1 of them, the earliest first */
    double count;
} crd_i_ngram;

typedef struct crd_i_ngram_counts {
    crd_context *context;
    size_t order;
    crd_i_dictionary *states; /* what the states' numbers mean, in the order in which they came */
    /* A hash table with open addressing: symbols packed into a key, and their counts. */
    uint64_t *keys;
    double *counts;
    size_t used, capacity;
} crd_i_ngram_counts;

CRD_MUST_USE crd_status crd_i_ngram_counts_create(crd_context *context, size_t order, crd_i_ngram_counts **out,
                                                  crd_error *error);
void crd_i_ngram_counts_destroy(crd_i_ngram_counts *counts);
CRD_MUST_USE crd_status crd_i_ngram_counts_clone(crd_context *context, const crd_i_ngram_counts *counts,
                                                 crd_i_ngram_counts **out, crd_error *error);

/* The number of a state, which is new where it was not met. CRD_ERROR_LIMIT where there are too many. */
CRD_MUST_USE crd_status crd_i_ngram_counts_state(crd_i_ngram_counts *counts, crd_text name, uint32_t *state,
                                                 crd_error *error);

/* Adds to the count of order + 1 symbols, the earliest first. false: out of memory. */
CRD_MUST_USE bool crd_i_ngram_counts_add(crd_i_ngram_counts *counts, const uint32_t *symbols, double count);

/* A sequence, block by block: its states by their numbers, negative where there is none. */
typedef struct crd_i_ngram_context {
    uint32_t symbols[CRD_I_MOST_GRAM]; /* the latest `order` of them, the earliest first */
} crd_i_ngram_context;
void crd_i_ngram_counts_begin(const crd_i_ngram_counts *counts, crd_i_ngram_context *ngram);
CRD_MUST_USE bool crd_i_ngram_counts_add_steps(crd_i_ngram_counts *counts, crd_i_ngram_context *ngram,
                                               const int32_t *states, size_t steps);
/* Behind the last step; nothing for a sequence without steps. */
CRD_MUST_USE bool crd_i_ngram_counts_end(crd_i_ngram_counts *counts, const crd_i_ngram_context *ngram);

/* Adds, or takes out (sign -1), what another of the same order has counted; states meet by name. CRD_ERROR_NOT_LEARNED where
 * something would be left with less than nothing. On failure nothing has changed. */
CRD_MUST_USE crd_status crd_i_ngram_counts_combine(crd_i_ngram_counts *counts, const crd_i_ngram_counts *other,
                                                   int sign, crd_error *error);

/* All whose count is not 0, in ascending order of their symbols, which are ranks: state i has the rank ranks[i], by the
 * dictionary; marks stay what they are. Freed with crd_free. */
CRD_MUST_USE crd_status crd_i_ngram_counts_list(const crd_i_ngram_counts *counts, const uint32_t *ranks,
                                                crd_i_ngram **out, size_t *count, crd_error *error);
/* Of each state how often it was met. */
void crd_i_ngram_counts_visits(const crd_i_ngram_counts *counts, double *visits);

#endif
