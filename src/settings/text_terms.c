/* SPDX-License-Identifier: MIT */
/* text_terms.c - returns the terms of a text under given settings. See credence/text_terms.h. */
#include <credence/text_terms.h>

#include "base/call.h"
#include "base/error.h"
#include "settings/settings_internal.h"
#include "text/stemmer.h"

const char *crd_stemmer_language(size_t index) {
    return crd_i_stemmer_language(index);
}

/* Tokenizes the text, and passes each term to `take` until it returns nonzero. */
static crd_status take_terms(crd_context *context, const crd_settings *settings, crd_text text,
                             int (*take)(void *user, const crd_text_term *term), void *user, crd_error *error) {
    const crd_i_token_rules rules = crd_i_settings_token_rules(settings);
    const crd_i_term *terms = NULL;
    crd_i_tokenizer *tokenizer;
    size_t count = 1;
    crd_status status = crd_i_tokenizer_create(context, &rules, &tokenizer, error);
    if (status == CRD_OK) status = crd_i_tokenizer_begin(tokenizer, text, error);
    while (status == CRD_OK && count > 0) {
        status = crd_i_tokenizer_next(tokenizer, &terms, &count, error);
        if (status == CRD_OK && crd_i_context_cancelled(context)) status = crd_i_fail_cancelled(error);
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            const crd_text_term term = {{terms[i].bytes, terms[i].length}, terms[i].from, terms[i].to};
            if (take(user, &term) != 0) count = 0;
        }
    }
    crd_i_tokenizer_destroy(tokenizer);
    return status;
}

crd_status crd_text_terms(crd_context *context, const crd_settings *settings, crd_text text,
                          int (*take)(void *user, const crd_text_term *term), void *user, crd_error *error) {
    crd_settings *defaults = NULL;
    crd_status status = settings != NULL ? CRD_OK : crd_settings_create(context, &defaults, error);
    if (status == CRD_OK) status = take_terms(context, settings != NULL ? settings : defaults, text, take, user, error);
    crd_settings_destroy(defaults);
    return status;
}
