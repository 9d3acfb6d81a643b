/* SPDX-License-Identifier: MIT */
/* term_selection.h - feature selection for text columns: which terms count under the settings.
 *
 * Whether a term is selected depends on its own counts and on a few numbers from one pass over all terms. So each term
 * of a document is decided when it occurs, whatever the size of the vocabulary. The settings are:
 *
 *   min-documents, max-documents   bounds on the number of texts of all classes that have the term; a value below 1 is
 *                                  a fraction of all texts
 *   stop-words                     excludes the terms of the given words. auto: excludes terms that occur in at least a
 *                                  tenth of the texts and whose presence T has I(T; C) < H(T) / 100, which is almost no
 *                                  information about the class C
 *   vocabulary                     keeps the N remaining terms with the largest I(T; C); ties go to the first in byte
 *                                  order
 *
 * The mutual information (Yang and Pedersen 1997) is
 *
 *   I(T; C) = sum over c, t of P(t, c) log(P(t, c) / (P(t) P(c))),
 *
 * with P estimated by relative frequencies of texts. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_SELECTION_H
#define CRD_DENSITY_UNIVARIATE_TERM_SELECTION_H

#include "base/dictionary.h"
#include "density/univariate/family.h"
#include "settings/settings_internal.h"
#include "stats/terms.h"

/* The counts of a term under a condition: texts that contain it, and the sum of tf(x) over these texts. */
typedef struct crd_i_term_class {
    int32_t condition;
    double documents, weight;
} crd_i_term_class;

/* Summarizes the counts of a term by condition and returns the number of conditions. `out` has space for counts->count
 * entries. */
size_t crd_i_term_classes(const crd_i_term_counts *counts, crd_i_tf tf, crd_i_term_class *out);

/* Returns tf(x) for x = `times` occurrences: x, 1 + log x, or 1. */
double crd_i_term_tf(crd_i_tf tf, uint32_t times);

typedef struct crd_i_term_selection {
    crd_context *context;
    size_t conditions;
    double *documents; /* number of texts of each condition */
    double total;      /* number of all texts */
    double least, most;
    bool is_auto;                 /* stop words are detected from their counts */
    crd_i_dictionary *stop_terms; /* the terms of the given stop words; NULL: none */
    size_t vocabulary;            /* maximum number of terms; 0: unlimited */
    bool has_threshold;           /* the vocabulary is limited by the threshold; false: all other terms count */
    double threshold;
    crd_i_buffer last; /* the last term in byte order that is exactly at the threshold and still selected */
} crd_i_term_selection;

/* Creates a selection from the store and the settings, without a threshold. Call _clear in any case, even after
 * failure. */
CRD_MUST_USE crd_status crd_i_term_selection_open(crd_context *context, const crd_i_term_store *store,
                                                  const crd_i_token_rules *rules, const crd_settings *settings,
                                                  crd_i_term_selection *out, crd_error *error);
void crd_i_term_selection_clear(crd_i_term_selection *selection);
/* Returns whether some terms may be excluded. */
bool crd_i_term_selection_is_active(const crd_i_term_selection *selection);
/* Returns whether a term with these counts is selected. */
bool crd_i_term_selection_has(const crd_i_term_selection *selection, crd_text term, const crd_i_term_class *classes,
                              size_t count);

/* Iterates over all selected terms in byte order. */
typedef struct crd_i_term_pass {
    const crd_i_term_selection *selection;
    crd_i_tf tf;
    crd_i_term_cursor cursor;
    crd_i_term_counts counts; /* counts of the current term */
    crd_i_term_class *classes;
    size_t class_count, capacity;
    crd_text term;
    uint64_t looked_at; /* number of terms visited, selected or not */
} crd_i_term_pass;
void crd_i_term_pass_begin(crd_i_term_pass *pass, const crd_i_term_store *store, const crd_i_term_selection *selection,
                           crd_i_tf tf);
CRD_MUST_USE crd_status crd_i_term_pass_next(crd_i_term_pass *pass, bool *more, crd_error *error);
void crd_i_term_pass_end(crd_i_term_pass *pass);

/* Finds the threshold of the vocabulary in two passes. */
CRD_MUST_USE crd_status crd_i_term_selection_fit(crd_i_term_selection *selection, const crd_i_term_store *store,
                                                 crd_error *error);

/* ---- fitted weights of terms, which replace the values that a text family computes from counts.
 *
 * Term t occurs x times in a text; i_t is its inverse document frequency (Salton and Buckley 1988) and f_t = tf(x) i_t.
 * The score of class c is
 *
 *   score_c(text) = sum over t of w_tc f_t / sqrt(sum over t of f_t^2)
 *
 * over the terms that have weights; other terms do not count. crd_i_term_density_set_weights evaluates texts with tf(x)
 * = 1 + log x. Note that fit/word_weights.c fits the weights with log(1 + x) instead. */

typedef struct crd_i_term_weights {
    crd_context *context;
    crd_i_dictionary *terms;
    double *rarities; /* the inverse document frequency i_t of each term */
    double *values;   /* [term][condition]: w_tc i_t */
} crd_i_term_weights;

void crd_i_term_weights_destroy(crd_i_term_weights *weights); /* NULL is fine */

#endif
