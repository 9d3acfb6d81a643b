/* SPDX-License-Identifier: MIT */
/* term_math.h - densities of texts: what the families of text columns have in common, and what differs.
 *
 * A text is a bag of terms. With x the occurrences of a term t in it, of the terms that count,
 *
 *   log P(text | c) = s ( whole_c(text) + sum over t of value_tc(x) )
 *
 * where s, by the setting length, scales all of it: 1, sqrt(n) / n, 1 / sqrt(sum of tf(x)^2) or min(1, N / n), with n the
 * sum of tf(x): the words of a text are far from independent, and a long one is no more evidence than some independent words.
 * tf(x) is by the setting tf, or x where !counts_tf, or 1 where is_presence.
 * The value of a term is a baseline, that it has under every condition that never had the term, and a correction under
 * those that had it: what a term costs grows with the conditions that had it, not with all, and
 *
 *   sum over t of value_tc(x) = baseline_c(tf, constants, repetitions) + sum over t of correction_tc(x).
 *
 * A term's corrections are computed from the store when the term is first met, and kept by the reader that met it. Readers
 * are the density's, and taken by one thread at a time. Nothing is computed for terms that are not met, except sums over
 * the whole vocabulary, which are fitted once and cached in the model: see crd_i_term_fit. Terms of the text that no text
 * of training had are left out, and counted. */
#ifndef CRD_DENSITY_UNIVARIATE_TERM_MATH_H
#define CRD_DENSITY_UNIVARIATE_TERM_MATH_H

#include "density/univariate/family.h"
#include "density/univariate/term_selection.h"
#include "density/univariate/term_weights.h"

typedef struct crd_i_term_density crd_i_term_density;
typedef struct crd_i_term_readers crd_i_term_readers;

/* The correction of a term under a condition that has it. */
typedef struct crd_i_term_value {
    int32_t condition;
    double value;
} crd_i_term_value;

/* The terms of a document that count. */
typedef struct crd_i_document_terms {
    uint64_t length;         /* occurrences */
    uint64_t distinct;       /* terms */
    double weight, squares;  /* sums of tf(x) and of its square */
    double constant;         /* the sum of tf(x) times the constant of each term */
    const uint64_t *repeats; /* how many terms occur at least 1, 2, ... times */
    size_t repeat_count;
} crd_i_document_terms;

/* A term of a text that is taken out: the classes that had it and have it, none where it did or does not count. */
typedef struct crd_i_term_change {
    const crd_i_term_class *before;
    size_t before_count;
    const crd_i_term_class *after;
    size_t after_count;
    size_t own; /* the condition of the text */
    bool did_count, counts;
} crd_i_term_change;

/* What differs between families. */
typedef struct crd_i_term_math {
    const crd_i_family *family;
    bool is_score;  /* its values are no logarithms of probabilities of the text */
    bool counts_tf; /* its sums are of tf(x), not of x */
    bool has_no_prior;
    bool is_spread;   /* what the whole document adds is shown with its terms, by their occurrences */
    bool is_presence; /* a text has a term or not: values are log odds of having it, beside a text that has none */

    /* Numbers that are sums over all terms: how many there are (NULL: none), of which the first are one of each condition
     * where there are any; and these. `totals` and `terms` are there already. */
    size_t (*sum_count)(const crd_i_term_density *density);
    crd_status (*sum)(const crd_i_term_density *density, double *out, crd_error *error);
    bool sums_texts;       /* the sum of a condition depends on the number of its texts */
    double auto_smoothing; /* 0: the family estimates it */

    /* Without one text, of which density->totals, terms and numbers of texts are those that are left: changes
     * density->sums by one of its terms. NULL: a text cannot be left out. Around it, NULL: nothing; totals and terms are
     * those of all texts before, and what is left after. */
    void (*take_out)(crd_i_term_density *density, const crd_i_term_change *change);
    void (*begin_taking)(crd_i_term_density *density);
    void (*end_taking)(crd_i_term_density *density);

    /* What follows of sums and totals: density->own, which crd_i_term_density_room makes. */
    crd_status (*prepare)(crd_i_term_density *density, crd_error *error);
    /* The corrections of a term, and its constant. `values` has room for all of its classes. */
    void (*weigh)(const crd_i_term_density *density, const crd_i_term_counts *counts, const crd_i_term_class *classes,
                  size_t count, crd_i_term_value *values, double *constant);
    /* Adds the corrections of a term that occurs so many times. */
    void (*correct)(const crd_i_term_density *density, const crd_i_term_value *values, size_t count, uint32_t times,
                    double tf, double *logs);
    /* Adds the baselines of the document's terms under each condition; and what the document adds as a whole (NULL:
     * nothing). */
    void (*baseline)(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);
    void (*whole)(const crd_i_term_density *density, const crd_i_document_terms *document, double *logs);
    /* P(term | condition) of the next term of a text or, of a Bernoulli density, of a text that has it; `value` is NULL
     * under a condition that never had it. NULL: there is no such probability. */
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
    double smoothing; /* 0: estimated */
    bool is_plain;    /* complement: not normalised */
    double terms;     /* that count */
    double *totals;   /* of each condition, sum of tf(x) over terms that count and documents */
    double *texts;    /* of each condition, sum over these terms of the texts that have it; NULL: not counted */
    double *sums;     /* by math->sum */
    size_t sum_count;
    double *values; /* the family's, from prepare */
    crd_i_term_readers *readers;
    crd_i_term_weights *weights; /* NULL: values are those of the family */
};

#endif
