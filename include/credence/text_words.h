/* SPDX-License-Identifier: MIT */
/* credence/text_words.h - what the terms of texts tell: those of one text in an answer, and those of all texts that
 * tell a class from the rest.
 *
 * The evidence of a text is the sum over its terms, and of what the text adds as a whole:
 *
 *   log P(text | class) = whole(class) + sum over terms of value(term, class)
 *
 * The difference of a term's values between two classes is its weight of evidence, in nats. */
#ifndef CREDENCE_TEXT_WORDS_H
#define CREDENCE_TEXT_WORDS_H

#include <credence/classifier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The terms of one text ---- */

/* Immutable, shared by threads. */
typedef struct crd_text_words crd_text_words;

typedef struct crd_text_word {
    size_t size;
    crd_text term; /* lives as long as the words */
    uint64_t times;
    int is_known; /* some text of training had it; a term that none had adds nothing */
    int counts;   /* it is known, and the settings leave it in */
    const double
        *values; /* of each class, what it adds to the log of the product, all occurrences, by the weight of the
                  * attribute; lives as long as the words */
} crd_text_word;

#define CRD_TEXT_WORD_INIT                                                                                             \
    { sizeof(crd_text_word), {NULL, 0}, 0, 0, 0, NULL }

/* Where a term stands in the text: its bytes from `from` to before `to`. */
typedef struct crd_text_place {
    size_t word; /* its number */
    size_t from, to;
} crd_text_place;

/* The distinct terms of a text in an attribute of texts, in the order of their first occurrence. CRD_ERROR_COLUMN: the
 * attribute is no text; CRD_ERROR_EMPTY: no text of it was ever present. The classifier is not needed afterwards. */
CRD_API CRD_MUST_USE crd_status crd_text_words_create(const crd_classifier *classifier, size_t attribute, crd_text text,
                                                      crd_text_words **out, crd_error *error);
CRD_API void crd_text_words_destroy(crd_text_words *words);

CRD_API size_t crd_text_words_count(const crd_text_words *words);
CRD_API void crd_text_words_at(const crd_text_words *words, size_t word, crd_text_word *out);
/* What the text adds to the log of the product under each class beside its terms: what all terms that it does not have
 * make, of families that count absence; else 0. */
CRD_API const double *crd_text_words_whole(const crd_text_words *words);
/* All occurrences of terms in the order of their ends; they live as long as the words. Returns how many. */
CRD_API size_t crd_text_words_places(const crd_text_words *words, const crd_text_place **places);
/* Whether the text as a whole is one term, in which all its other terms lie, and the number of it. */
CRD_API int crd_text_words_single(const crd_text_words *words, size_t *word);

/* Whether what the terms of a text add up to in an attribute is a score, and no log P(text | class): weights that are
 * fitted, complements, transformed counts, lengths that are normalised. 0 for an attribute that is no text. */
CRD_API int crd_classifier_text_is_score(const crd_classifier *classifier, size_t attribute);

/* ---- The terms of all texts ---- */

/* Of each class the terms that tell it from the rest. With p and q the relative frequencies, smoothed by half a text, of
 * texts that have the term in the class and in the rest, a term tells
 *
 *   D = p log(p / q) + (1 - p) log((1 - p) / (1 - q))
 *
 * nats: the divergence of its presence (Kullback and Leibler). Only terms that are more frequent in the class count for
 * it. It depends on counts, and on which terms the settings leave in, but not on the family. Immutable, shared by
 * threads. */
typedef struct crd_telling_words crd_telling_words;

typedef struct crd_telling_word {
    size_t size;
    crd_text term;      /* lives as long as the words */
    double documents;   /* texts of the class that have it */
    double others;      /* texts of other classes that have it */
    double occurrences; /* in texts of the class */
    double weight;      /* log(p / q), in nats */
    double divergence;  /* D */
} crd_telling_word;

#define CRD_TELLING_WORD_INIT                                                                                          \
    { sizeof(crd_telling_word), {NULL, 0}, 0, 0, 0, 0, 0 }

/* At most `most` of each class, by one pass over all terms. Errors as above. */
CRD_API CRD_MUST_USE crd_status crd_telling_words_create(const crd_classifier *classifier, size_t attribute,
                                                         size_t most, crd_telling_words **out, crd_error *error);
CRD_API void crd_telling_words_destroy(crd_telling_words *words);

/* Of a class, the most telling first; of equal ones the first by their bytes. */
CRD_API size_t crd_telling_words_count(const crd_telling_words *words, size_t class_index);
CRD_API void crd_telling_words_at(const crd_telling_words *words, size_t class_index, size_t index,
                                  crd_telling_word *out);

/* Distinct terms of all texts, and those that the settings leave in; texts of a class that are present, occurrences of
 * terms in them, and distinct terms. */
CRD_API uint64_t crd_telling_words_terms(const crd_telling_words *words);
CRD_API uint64_t crd_telling_words_counted(const crd_telling_words *words);
CRD_API double crd_telling_words_documents(const crd_telling_words *words, size_t class_index);
CRD_API double crd_telling_words_occurrences(const crd_telling_words *words, size_t class_index);
CRD_API uint64_t crd_telling_words_distinct(const crd_telling_words *words, size_t class_index);

/* ---- One term ---- */

/* What a classifier has of a term: of each class its value (see above) and P(term | class). The probability is that of
 * the next word of a text, of `bernoulli` that a text has the word; NaN of families that have none (complement), and of
 * terms that do not count. `values` and `probabilities` have room for all classes; either may be NULL. */
typedef struct crd_term_facts {
    size_t size;
    int is_known, counts;
} crd_term_facts;

#define CRD_TERM_FACTS_INIT                                                                                            \
    { sizeof(crd_term_facts), 0, 0 }

CRD_API CRD_MUST_USE crd_status crd_classifier_word(const crd_classifier *classifier, size_t attribute, crd_text term,
                                                    double *values, double *probabilities, crd_term_facts *facts,
                                                    crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
