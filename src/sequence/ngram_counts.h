/* SPDX-License-Identifier: MIT */
/* ngram_counts.h - n-gram counts of the states of sequences. They are the sufficient statistics for the start,
 * transition and end probabilities of a Markov chain of any order below n.
 *
 * For a chain of order N, (N + 1)-grams are counted: a state or the end, together with the N symbols before it. Before
 * the first state these symbols are the mark `begin`. After a step without a state they are the mark `unknown`, so no
 * n-gram spans such a step. Counts of shorter n-grams are sums over the first symbols. An n-gram that contains
 * `unknown` counts only for the shorter n-grams without it. Labeled sequences produce integer counts, whose sums are
 * exact. Baum-Welch produces expected counts. */
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
    CRD_I_MOST_STATES = 0xfff0 /* symbols below this value are states */
};

typedef struct crd_i_ngram {
    uint32_t symbols[CRD_I_MOST_GRAM]; /* order + 1 symbols, oldest first */
    double count;
} crd_i_ngram;

typedef struct crd_i_ngram_counts {
    crd_context *context;
    size_t order;
    crd_i_dictionary *states; /* names of the states, in the order of their first occurrence */
    /* Hash table with open addressing: packed symbols as keys, and their counts. */
    uint64_t *keys;
    double *counts;
    size_t used, capacity;
} crd_i_ngram_counts;

CRD_MUST_USE crd_status crd_i_ngram_counts_create(crd_context *context, size_t order, crd_i_ngram_counts **out,
                                                  crd_error *error);
void crd_i_ngram_counts_destroy(crd_i_ngram_counts *counts);
CRD_MUST_USE crd_status crd_i_ngram_counts_clone(crd_context *context, const crd_i_ngram_counts *counts,
                                                 crd_i_ngram_counts **out, crd_error *error);

/* Gets the number of a state, adding it if it is new. Returns CRD_ERROR_LIMIT if there are too many states. */
CRD_MUST_USE crd_status crd_i_ngram_counts_state(crd_i_ngram_counts *counts, crd_text name, uint32_t *state,
                                                 crd_error *error);

/* Adds to the count of order + 1 symbols, oldest first. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_ngram_counts_add(crd_i_ngram_counts *counts, const uint32_t *symbols, double count);

/* State of counting a sequence block by block, where each step is a state number, negative if it has no state. */
typedef struct crd_i_ngram_context {
    uint32_t symbols[CRD_I_MOST_GRAM]; /* the latest `order` symbols, oldest first */
} crd_i_ngram_context;
void crd_i_ngram_counts_begin(const crd_i_ngram_counts *counts, crd_i_ngram_context *ngram);
CRD_MUST_USE bool crd_i_ngram_counts_add_steps(crd_i_ngram_counts *counts, crd_i_ngram_context *ngram,
                                               const int32_t *states, size_t steps);
/* Counts the end after the last step. Does nothing for a sequence without steps. Returns false if out of memory. */
CRD_MUST_USE bool crd_i_ngram_counts_end(crd_i_ngram_counts *counts, const crd_i_ngram_context *ngram);

/* Adds (sign 1) or subtracts (sign -1) other counts of the same order. States are matched by name. Returns
 * CRD_ERROR_NOT_LEARNED if a count would become negative. On failure no count has changed. */
CRD_MUST_USE crd_status crd_i_ngram_counts_combine(crd_i_ngram_counts *counts, const crd_i_ngram_counts *other,
                                                   int sign, crd_error *error);

/* Lists all n-grams with nonzero counts, in ascending order of their symbols. States are replaced by their ranks,
 * ranks[i] for state i; marks stay unchanged. The caller frees the list with crd_free. */
CRD_MUST_USE crd_status crd_i_ngram_counts_list(const crd_i_ngram_counts *counts, const uint32_t *ranks,
                                                crd_i_ngram **out, size_t *count, crd_error *error);
/* Computes how often each state occurred. */
void crd_i_ngram_counts_visits(const crd_i_ngram_counts *counts, double *visits);

#endif
