/* SPDX-License-Identifier: MIT */
/* credence/text_terms.h - splits texts into terms. */
#ifndef CREDENCE_TEXT_TERMS_H
#define CREDENCE_TEXT_TERMS_H

#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A term of a text, made according to the settings tokens, letter-case, stem, ngrams, sparse-bigrams and hash. */
typedef struct crd_text_term {
    crd_text term;
    size_t from, to; /* the term was made from the text's bytes `from` to `to` - 1 */
} crd_text_term;

/* Calls `take` with each term of a text, in the order of their ends, until it returns nonzero. A text may contain any
 * bytes. Terms are valid only during the call of `take`. `settings` may be NULL (defaults). Returns CRD_ERROR_SETTING
 * if settings contradict each other, or need a library that this build does not include. */
CRD_API CRD_MUST_USE crd_status crd_text_terms(crd_context *context, const crd_settings *settings, crd_text text,
                                               int (*take)(void *user, const crd_text_term *term), void *user,
                                               crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
