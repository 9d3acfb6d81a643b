/* SPDX-License-Identifier: MIT */
/* term_math.h - the interface of the text families: the parts that they share, and the functions that differ.
 *
 * A text is a bag of terms. If term t occurs x times in it, then over the selected terms
 *
 *   log P(text | c) = s ( whole_c(text) + sum over t of value_tc(x) )
 *
 * The factor s is chosen by the setting `length`. With n the sum of tf(x), it is 1, sqrt(n) / n, 1 / sqrt(sum of
 * tf(x)^2) or min(1, N / n). It is needed because the words of a text are far from independent: a long text has no more
 * evidence than a few independent words. tf(x) is chosen by the setting `tf`; it is x if !counts_tf, and 1 if
 * is_presence.
 *
 * The value of a term consists of a baseline, which applies under every condition, and a correction under the
 * conditions that have the term. So the cost of a term grows with the number of conditions that have it, not with all
 * conditions:
 *
 *   sum over t of value_tc(x) = baseline_c(tf, constants, repeats) + sum over t of correction_tc(x).
 *
 * The corrections of a term are computed from the term store when a reader first meets the term, and the reader caches
 * them. Readers belong to the density; each is used by one thread at a time. Terms that never occur cost nothing,
 * except in sums over the whole vocabulary, which are computed once and cached in the model (crd_i_term_density_fit).
 * Terms that occur in no training text are ignored, and counted. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_MATH_H
#define CRD_DENSITY_UNIVARIATE_TERM_MATH_H

#include "density/univariate/family.h"
#include "density/univariate/term_selection.h"
#include "density/univariate/term_weights.h"

typedef struct crd_i_term_density crd_i_term_density;
typedef struct crd_i_term_readers crd_i_term_readers;

/* The correction of a term under a condition that has the term. */
typedef struct crd_i_term_value {
    int32_t condition;
    double value;
} crd_i_term_value;

/* Summary of the selected terms of a document. */
typedef struct crd_i_document_terms {
    uint64_t length;         /* number of occurrences */
    uint64_t distinct;       /* number of distinct terms */
    double weight, squares;  /* sum of tf(x), and sum of tf(x)^2 */
    double constant;         /* sum of tf(x) times the constant of each term */
    const uint64_t *repeats; /* number of terms that occur at least 1, 2, ... times */
    size_t repeat_count;
} crd_i_document_terms;

/* The change of a term when one text is removed: the classes that had the term before, and that have it after. A count
 * is 0 if the term was not, or is not, selected. */
typedef struct crd_i_term_change {
    const crd_i_term_class *before;
    size_t before_count;
    const crd_i_term_class *after;
    size_t after_count;
    size_t own; /* the condition of the removed text */
    bool did_count, counts;
} crd_i_term_change;

/* The functions and constants of one text family. */
typedef struct crd_i_term_math {
    const crd_i_family *family;
    bool is_score;  /* its values are scores, not log probabilities of the text */
    bool counts_tf; /* its counts are sums of tf(x), not of x */
    bool has_no_prior;
    bool is_spread;   /* explanations distribute whole_c over the terms, in proportion to their occurrences */
    bool is_presence; /* only the presence of a term counts: values are log odds of its presence */

    /* Sums over all terms. sum_count returns how many there are (NULL: none). If there are any, the first ones are one
     * per condition. `sum` computes them; `totals` and `terms` of the density are already set. */
    size_t (*sum_count)(const crd_i_term_density *density);
    crd_status (*sum)(const crd_i_term_density *density, double *out, crd_error *error);
    bool sums_texts;       /* the sum of a condition depends on its number of texts */
    double auto_smoothing; /* smoothing for the setting `auto`; 0: the family estimates it */

    /* Leave-one-out support. take_out updates density->sums for one term of the removed text. At this time
     * density->totals, terms and text counts already exclude the text for this term. NULL: a text cannot be removed.
     * begin_taking and end_taking (NULL: not needed) are called before and after; totals and terms are with and without
     * the text. */
    void (*take_out)(crd_i_term_density *density, const crd_i_term_change *change);
    void (*begin_taking)(crd_i_term_density *density);
    void (*end_taking)(crd_i_term_density *density);

    /* Computes density->values from the sums and totals. It allocates them by crd_i_term_density_room. */
    crd_status (*prepare)(crd_i_term_density *density, crd_error *error);
    /* Computes the corrections of a term and its constant. `values` has space for all of its classes. */
    void (*weigh)(const crd_i_term_density *density, const crd_i_term_counts *counts, const crd_i_term_class *classes,
                  size_t count, crd_i_term_value *values, double *constant);
    /* Adds the corrections of a term that occurs `times` times. */
    void (*correct)(const crd_i_term_density *density, const crd_i_term_value *values, size_t count, uint32_t times,
                    double tf, double *logs);
    /* `baseline` adds the baselines of the document's terms under each condition. `whole` adds the part for the
     * document as a whole (NULL: none). */
    void (*baseline)(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);
    void (*whole)(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);
    /* Returns P(term | condition): the probability of the next term of a text or, for a Bernoulli density, of its
     * presence. `value` is NULL under a condition that never had the term. NULL: the family has no such probability. */
    double (*probability)(const crd_i_term_density *density, const crd_i_term_value *value, double constant,
                          size_t condition);
} crd_i_term_math;

struct crd_i_term_density {
    crd_i_density base;
    const crd_i_term_math *math;
    crd_i_term_store *store;
    crd_i_token_rules rules;
    crd_i_term_selection selection;
    crd_i_tf tf;
    crd_i_length_rule length;
    double length_given;
    double smoothing; /* A, the setting term-smoothing; 0: estimated */
    bool is_plain;    /* complement: weights are not normalized */
    double terms;     /* number of selected terms */
    double *totals;   /* for each condition: sum of tf(x) over selected terms and documents */
    /* for each condition: sum over selected terms of the texts that have the term; NULL: not counted */
    double *texts;
    double *sums; /* computed by math->sum */
    size_t sum_count;
    double *values; /* computed by math->prepare */
    crd_i_term_readers *readers;
    crd_i_term_weights *weights; /* fitted weights; NULL: the family's own values are used */
};

#endif
