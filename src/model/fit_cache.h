/* SPDX-License-Identifier: MIT */
/* fit_cache.h - numbers that were fitted to the rows a model has kept, so that this is done once and not at every question.
 *
 * They are a function of the model and the settings, so what is kept of them can never change an answer: it is found
 * again by the settings that it was fitted under, and is dropped when the model learns or forgets. */
#ifndef CRD_MODEL_FIT_CACHE_H
#define CRD_MODEL_FIT_CACHE_H

#include "io/byte_codec.h"
#include "settings/settings_internal.h"

typedef struct crd_i_fit {
    char *key; /* what was fitted, and all settings that it depends on */
    double *numbers;
    size_t count;
} crd_i_fit;

/* In the order of their keys. Zero-initialised with its context set. */
typedef struct crd_i_fit_cache {
    crd_context *context;
    crd_i_fit *fits;
    size_t count, capacity;
} crd_i_fit_cache;

void crd_i_fit_cache_clear(crd_i_fit_cache *fitted);
/* The fit of `what` under these settings; NULL: there is none. */
const crd_i_fit *crd_i_fit_cache_find(const crd_i_fit_cache *fitted, const char *what, const crd_settings *settings);
/* Puts a copy of the numbers there. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_cache_put(crd_i_fit_cache *fitted, const char *what, const crd_settings *settings,
                                      const double *numbers, size_t count);
/* The same by keys of the caller's own, which begin with no other fit's `what`. */
const crd_i_fit *crd_i_fit_cache_find_key(const crd_i_fit_cache *fitted, const char *key);
CRD_MUST_USE bool crd_i_fit_cache_put_key(crd_i_fit_cache *fitted, const char *key, const double *numbers,
                                          size_t count);
/* All of `from` as well. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_cache_join(crd_i_fit_cache *fitted, const crd_i_fit_cache *from);

/* The content of a section, and back: CRD_ERROR_DAMAGED where keys are not in order, or a number is not finite. */
void crd_i_fit_cache_write(const crd_i_fit_cache *fitted, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_fit_cache_read(crd_i_fit_cache *fitted, crd_i_cursor *cursor, crd_error *error);

#endif
