/* SPDX-License-Identifier: MIT */
/* fit_cache.h - caches parameters that were fitted to the stored training rows of a model, so they are not refitted
 * for every query.
 *
 * They are a function of the model and the settings, so the cache never changes a result. An entry is found by the
 * settings it was fitted with. The cache is cleared when the model learns or forgets rows. */
#ifndef CRD_MODEL_FIT_CACHE_H
#define CRD_MODEL_FIT_CACHE_H

#include "io/byte_codec.h"
#include "settings/settings_internal.h"

typedef struct crd_i_fit {
    char *key; /* the kind of fit, and all settings that it depends on */
    double *numbers;
    size_t count;
} crd_i_fit;

/* Sorted by key. Zero-initialize it and set the context. */
typedef struct crd_i_fit_cache {
    crd_context *context;
    crd_i_fit *fits;
    size_t count, capacity;
} crd_i_fit_cache;

void crd_i_fit_cache_clear(crd_i_fit_cache *fitted);
/* Returns the fit called `description` with these settings; NULL: there is none. */
const crd_i_fit *crd_i_fit_cache_find(const crd_i_fit_cache *fitted, const char *description,
                                      const crd_settings *settings);
/* Stores a copy of the numbers. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_cache_put(crd_i_fit_cache *fitted, const char *description, const crd_settings *settings,
                                      const double *numbers, size_t count);
/* Find and store a fit by the caller's own key. The key must not begin with the `description` of another fit. */
const crd_i_fit *crd_i_fit_cache_find_key(const crd_i_fit_cache *fitted, const char *key);
CRD_MUST_USE bool crd_i_fit_cache_put_key(crd_i_fit_cache *fitted, const char *key, const double *numbers,
                                          size_t count);
/* Adds all fits of `cache`. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_cache_join(crd_i_fit_cache *fitted, const crd_i_fit_cache *cache);

/* Write and read the content of the file section. CRD_ERROR_DAMAGED: keys are not sorted, or a number is not finite. */
void crd_i_fit_cache_write(const crd_i_fit_cache *fitted, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_fit_cache_read(crd_i_fit_cache *fitted, crd_i_cursor *cursor, crd_error *error);

#endif
