/* SPDX-License-Identifier: MIT */
/* term_selection.h - which terms of a text column count, under the settings of a question.
 *
 * A term counts or does not by its own counts, and by few numbers that a pass over all terms gives once: so a term of a
 * document is decided on when it is met, whatever the size of the vocabulary.
 *
 *   min-documents, max-documents   texts that have the term, of all classes; below 1 the fraction of all texts
 *   stop-words   the terms of the given words; auto: terms that at least a tenth of the texts have, and whose presence
 *                T has I(T; C) < H(T) / 100: next to no information about the class C
 *   vocabulary   the N terms, of those that are left, of the greatest I(T; C); of equal ones the first by their bytes
 *
 *   I(T; C) = sum over c, t of P(t, c) log(P(t, c) / (P(t) P(c))),   P by relative frequencies of texts */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_SELECTION_H
#define CRD_DENSITY_UNIVARIATE_TERM_SELECTION_H

#include "base/dictionary.h"
#include "settings/settings_internal.h"
#include "stats/terms.h"

/* A term under a condition that has it: texts with the term, and the sum of tf(x) over their x occurrences. */
typedef struct crd_i_term_class {
    int32_t condition;
    double documents, weight;
} crd_i_term_class;

/* One for each condition among the counts; `out` has room for as many as there are counts. */
size_t crd_i_term_classes(const crd_i_term_counts *counts, crd_i_tf tf, crd_i_term_class *out);

/* What x occurrences count for: x, 1 + log x, or 1. */
double crd_i_term_tf(crd_i_tf tf, uint32_t times);

typedef struct crd_i_term_selection {
    crd_context *context;
    size_t conditions;
    double *documents; /* of each condition */
    double total;      /* of all */
    double least, most;
    bool is_auto;                 /* stop words are found by their counts */
    crd_i_dictionary *stop_terms; /* NULL: none are given */
    size_t vocabulary;            /* terms at most; 0: all */
    bool has_threshold;           /* of the vocabulary; else all others count */
    double threshold;
    crd_i_buffer last; /* the last term, by its bytes, of those that are at the threshold and count */
} crd_i_term_selection;

/* From the store's texts and the settings; without a threshold yet. Cleared with _clear, also where it fails. */
CRD_MUST_USE crd_status crd_i_term_selection_open(crd_context *context, const crd_i_term_store *store,
                                                  const crd_i_token_rules *rules, const crd_settings *settings,
                                                  crd_i_term_selection *out, crd_error *error);
void crd_i_term_selection_clear(crd_i_term_selection *selection);
/* Whether some terms may be left out. */
bool crd_i_term_selection_is_active(const crd_i_term_selection *selection);
/* Whether a term with these counts counts. */
bool crd_i_term_selection_has(const crd_i_term_selection *selection, crd_text term, const crd_i_term_class *classes,
                              size_t count);

/* All terms that count, in the order of their bytes. */
typedef struct crd_i_term_pass {
    const crd_i_term_selection *selection;
    crd_i_tf tf;
    crd_i_term_cursor cursor;
    crd_i_term_counts counts; /* of the term at hand */
    crd_i_term_class *classes;
    size_t class_count, capacity;
    crd_text term;
    uint64_t looked_at; /* terms, counting or not */
} crd_i_term_pass;
void crd_i_term_pass_begin(crd_i_term_pass *pass, const crd_i_term_store *store, const crd_i_term_selection *selection,
                           crd_i_tf tf);
CRD_MUST_USE crd_status crd_i_term_pass_next(crd_i_term_pass *pass, bool *more, crd_error *error);
void crd_i_term_pass_end(crd_i_term_pass *pass);

/* Finds the threshold of the vocabulary, by two passes. */
CRD_MUST_USE crd_status crd_i_term_selection_fit(crd_i_term_selection *selection, const crd_i_term_store *store,
                                                 crd_error *error);

#endif
