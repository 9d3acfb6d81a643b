/* SPDX-License-Identifier: MIT */
/* credence/text_words.h - how terms contribute to predictions: the terms of one text, and the most informative terms of
 * each class.
 *
 * The evidence of a text is a sum over its terms, plus a part for the text as a whole:
 *
 *   log P(text | class) = whole(class) + sum over terms of value(term, class)
 *
 * The difference between a term's values under two classes is its weight of evidence, in nats. */
#ifndef CREDENCE_TEXT_WORDS_H
#define CREDENCE_TEXT_WORDS_H

#ifndef CRD_EXPERIMENTAL
#error "credence/text_words.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/classifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The terms of one text ---- */

/* A distinct term of a text. */
typedef struct crd_text_word {
    crd_text term;  /* valid as long as the crd_text_words */
    uint64_t times; /* number of occurrences in the text */
    int is_known;   /* nonzero: the term occurred in training; other terms add nothing */
    int counts;     /* nonzero: the term is known, and the settings do not exclude it */
    /* For each class, the term's contribution to the log of the product: the sum over all occurrences, multiplied by
     * the attribute weight. Valid as long as the crd_text_words. */
    const double *values;
} crd_text_word;

/* An occurrence of a term: bytes `from` to `to` - 1 of the text. */
typedef struct crd_text_place {
    size_t word; /* index of the term */
    size_t from, to;
} crd_text_place;

/* The terms of one text. Read-only; threads may share it. */
typedef struct crd_text_words {
    void *arena; /* for the library */
    size_t count;
    crd_text_word *words; /* the distinct terms, in the order of their first occurrence */
    size_t single; /* the term that spans the text, so all other terms are parts of it; CRD_NONE: there is none */
    /* For each class, the contribution of the text as a whole, in addition to its terms. For families that model
     * absence, this is the contribution of all terms that the text does not contain; for other families it is 0. */
    double *whole;
    size_t place_count;
    crd_text_place *places; /* all occurrences of terms, in the order of their ends */
} crd_text_words;

/* Computes the distinct terms of a text in a text attribute, in the order of their first occurrence, in *out. The
 * classifier may be destroyed afterwards. Destroy the result with crd_text_words_destroy. Returns CRD_ERROR_COLUMN if
 * the attribute is not a text attribute, and CRD_ERROR_EMPTY if it had no text in training. */
CRD_API CRD_MUST_USE crd_status crd_text_words_create(const crd_classifier *classifier, size_t attribute, crd_text text,
                                                      crd_text_words **out, crd_error *error);
/* Frees the object. `words` may be NULL. */
CRD_API void crd_text_words_destroy(crd_text_words *words);

/* Returns 1 if the sum over the terms of a text is only a score in an attribute, not log P(text | class). Examples are
 * fitted weights, complement classes, transformed counts and normalized lengths. Returns 0 for an attribute that is not
 * a text attribute. */
CRD_API int crd_classifier_text_is_score(const crd_classifier *classifier, size_t attribute);

/* ---- The terms of all texts ---- */

/* An informative term of a class. */
typedef struct crd_informative_word {
    crd_text term;      /* valid as long as the crd_informative_words */
    double documents;   /* number of texts of the class that contain it */
    double others;      /* number of texts of other classes that contain it */
    double occurrences; /* number of occurrences in texts of the class */
    double weight;      /* log(p / q), in nats */
    double divergence;  /* D */
} crd_informative_word;

/* The texts of a class, and its most informative terms. */
typedef struct crd_informative_class {
    double documents;   /* number of texts */
    double occurrences; /* number of occurrences of terms in these texts */
    uint64_t distinct;  /* number of distinct terms in these texts */
    size_t count;
    crd_informative_word *words; /* sorted by descending divergence; ties are in byte order */
} crd_informative_class;

/* The most informative terms of each class. Let p be the relative frequency of texts in the class that contain the
 * term, and q in all other classes, both smoothed by half a text. A term is ranked by its divergence in nats (Kullback
 * and Leibler 1951):
 *
 *   D = p log(p / q) + (1 - p) log((1 - p) / (1 - q))
 *
 * Only terms that are more frequent in the class than in the other classes are listed for it. The ranking depends on
 * the counts and on the terms that the settings keep, but not on the family. Read-only; threads may share it. */
typedef struct crd_informative_words {
    void *arena;      /* for the library */
    uint64_t terms;   /* number of distinct terms of all texts */
    uint64_t counted; /* number of distinct terms that the settings keep */
    size_t class_count;
    crd_informative_class *classes;
} crd_informative_words;

/* Finds the `most` most informative terms of each class in *out, in one pass over all terms. Destroy the result with
 * crd_informative_words_destroy. Returns CRD_ERROR_COLUMN if the attribute is not a text attribute, and CRD_ERROR_EMPTY if
 * it had no text in training. */
CRD_API CRD_MUST_USE crd_status crd_informative_words_create(const crd_classifier *classifier, size_t attribute,
                                                             size_t most, crd_informative_words **out,
                                                             crd_error *error);
/* Frees the object. `words` may be NULL. */
CRD_API void crd_informative_words_destroy(crd_informative_words *words);

/* ---- One term ---- */

/* Facts about one term in a classifier: see crd_classifier_word. Initialize it with CRD_TERM_FACTS_INIT. */
typedef struct crd_term_facts {
    size_t size;
    int is_known, counts;
} crd_term_facts;

#define CRD_TERM_FACTS_INIT                                                                                            \
    { sizeof(crd_term_facts), 0, 0 }

/* Computes the value of a term under each class (see above), and its probability P(term | class). The probability is
 * the probability that the next word of a text is this term. For the family `bernoulli`, it is the probability that a
 * text contains the term. It is NaN for the family complement, and for terms that the settings exclude. `values` and
 * `probabilities` must have space for all classes; either may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_classifier_word(const crd_classifier *classifier, size_t attribute, crd_text term,
                                                    double *values, double *probabilities, crd_term_facts *facts,
                                                    crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
