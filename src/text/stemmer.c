/* SPDX-License-Identifier: MIT */
/* stemmer.c - see stemmer.h. */
#include "text/stemmer.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

#if CRD_I_HAS_SNOWBALL

#include <libstemmer.h>

struct crd_i_stemmer {
    crd_context *context;
    struct sb_stemmer *snowball;
};

const char *crd_i_stemmer_language(size_t index) {
    return sb_stemmer_list()[index];
}

bool crd_i_stemmer_knows(const char *language) {
    for (const char **at = sb_stemmer_list(); *at != NULL; at++)
        if (strcmp(*at, language) == 0) return true;
    return false;
}

crd_status crd_i_stemmer_create(crd_context *context, const char *language, crd_i_stemmer **out, crd_error *error) {
    *out = NULL;
    if (!crd_i_stemmer_knows(language))
        return crd_i_fail(error, CRD_ERROR_SETTING, "Snowball has no stemmer for the language %s", language);
    crd_i_stemmer *stemmer = crd_i_alloc_zeroed(context, 1, sizeof *stemmer);
    if (stemmer == NULL) return crd_i_fail_memory(error);
    stemmer->context = context;
    stemmer->snowball = sb_stemmer_new(language, "UTF_8");
    if (stemmer->snowball == NULL) {
        crd_i_stemmer_destroy(stemmer);
        return crd_i_fail_memory(error);
    }
    *out = stemmer;
    return CRD_OK;
}

void crd_i_stemmer_destroy(crd_i_stemmer *stemmer) {
    if (stemmer == NULL) return;
    if (stemmer->snowball != NULL) sb_stemmer_delete(stemmer->snowball);
    crd_free(stemmer->context, stemmer);
}

crd_text crd_i_stemmer_stem(crd_i_stemmer *stemmer, crd_text word) {
    const sb_symbol *stem = sb_stemmer_stem(stemmer->snowball, (const sb_symbol *)word.bytes, (int)word.length);
    if (stem == NULL) return (crd_text){NULL, 0};
    int length = sb_stemmer_length(stemmer->snowball);
    /* A rule that leaves nothing of a word would make one term of many. */
    return length == 0 ? word : (crd_text){(const char *)stem, (size_t)length};
}

#else

const char *crd_i_stemmer_language(size_t index) {
    (void)index;
    return NULL;
}

bool crd_i_stemmer_knows(const char *language) {
    (void)language;
    return false;
}

crd_status crd_i_stemmer_create(crd_context *context, const char *language, crd_i_stemmer **out, crd_error *error) {
    (void)context;
    *out = NULL;
    crd_i_fail(error, CRD_ERROR_SETTING, "stem cannot be %s: this build is without Snowball's stemmers", language);
    crd_i_error_subject(error, crd_text_of("stem"));
    return CRD_ERROR_SETTING;
}

void crd_i_stemmer_destroy(crd_i_stemmer *stemmer) {
    (void)stemmer;
}

crd_text crd_i_stemmer_stem(crd_i_stemmer *stemmer, crd_text word) {
    (void)stemmer;
    return word;
}

#endif
