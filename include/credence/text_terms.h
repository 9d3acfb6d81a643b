/* SPDX-License-Identifier: MIT */
/* credence/text_terms.h - what of a text is counted. */
#ifndef CREDENCE_TEXT_TERMS_H
#define CREDENCE_TEXT_TERMS_H

#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A term of a text as the settings tokens, letter-case, stem, ngrams, sparse-bigrams and hash make it. */
typedef struct crd_text_term {
    crd_text term;
    size_t from, to; /* the bytes of the text that it was made of */
} crd_text_term;

/* Calls `take` with each term of a text, in the order of their ends, until it returns nonzero. Any bytes are a text. Terms live
 * during the call of `take`. NULL for the settings: the defaults. CRD_ERROR_SETTING: settings that do not fit together, or
 * need a library that the build is without. */
CRD_API CRD_MUST_USE crd_status crd_text_terms(crd_context *context, const crd_settings *settings, crd_text text,
                                               int (*take)(void *user, const crd_text_term *term), void *user,
                                               crd_error *error);

/* The languages that the setting stem takes; NULL behind the last. */
CRD_API const char *crd_stemmer_language(size_t index);

#ifdef __cplusplus
}
#endif
#endif
