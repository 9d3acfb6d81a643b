/* SPDX-License-Identifier: MIT */
/* stemmer.c - see tokens.h.
 *
 * The library is loaded when the first stemmer is requested. The loader relocates the library's tables, which would
 * cost every command a third of a millisecond, with or without stemming. On platforms where programs cannot load
 * libraries, such as WebAssembly, it is linked. */
#include "text/tokens.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <string.h>

#if CRD_I_HAS_SNOWBALL

#include <libstemmer.h>
#include <pthread.h>

struct crd_i_stemmer {
    crd_context *context;
    struct sb_stemmer *snowball;
};

/* The functions of the library that are used. */
static struct {
    const char **(*list)(void);
    struct sb_stemmer *(*create)(const char *algorithm, const char *encoding);
    void (*destroy)(struct sb_stemmer *stemmer);
    const sb_symbol *(*stem)(struct sb_stemmer *stemmer, const sb_symbol *word, int size);
    int (*length)(struct sb_stemmer *stemmer);
    bool is_there;
} library;
static pthread_once_t once = PTHREAD_ONCE_INIT;

#if CRD_I_LINKS_SNOWBALL

static void stemmer_load(void) {
    library.list = sb_stemmer_list;
    library.create = sb_stemmer_new;
    library.destroy = sb_stemmer_delete;
    library.stem = sb_stemmer_stem;
    library.length = sb_stemmer_length;
    library.is_there = true;
}

#else

static void stemmer_load(void) {
    static const char *const versions[] = {"0d", "0", "", NULL};
    void *handle = crd_i_os_library_open("stemmer", versions);
    library.is_there = handle != NULL && crd_i_os_library_find(handle, "sb_stemmer_list", &library.list) &&
                       crd_i_os_library_find(handle, "sb_stemmer_new", &library.create) &&
                       crd_i_os_library_find(handle, "sb_stemmer_delete", &library.destroy) &&
                       crd_i_os_library_find(handle, "sb_stemmer_stem", &library.stem) &&
                       crd_i_os_library_find(handle, "sb_stemmer_length", &library.length);
}

#endif

static bool is_loaded(void) {
    return pthread_once(&once, stemmer_load) == 0 && library.is_there;
}

const char *crd_i_stemmer_language(size_t index) {
    return is_loaded() ? library.list()[index] : NULL;
}

bool crd_i_stemmer_knows(const char *language) {
    if (!is_loaded()) return false;
    for (const char **cursor = library.list(); *cursor != NULL; cursor++)
        if (strcmp(*cursor, language) == 0) return true;
    return false;
}

crd_status crd_i_stemmer_create(crd_context *context, const char *language, crd_i_stemmer **out, crd_error *error) {
    *out = NULL;
    if (!is_loaded())
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "stem cannot be %s: libstemmer, which contains Snowball's stemmers, is not installed",
                          language);
    if (!crd_i_stemmer_knows(language))
        return crd_i_fail(error, CRD_ERROR_SETTING, "Snowball has no stemmer for the language %s", language);
    crd_i_stemmer *stemmer = crd_i_alloc_zeroed(context, 1, sizeof *stemmer);
    if (stemmer == NULL) return crd_i_fail_memory(error);
    stemmer->context = context;
    stemmer->snowball = library.create(language, "UTF_8");
    if (stemmer->snowball == NULL) {
        crd_i_stemmer_destroy(stemmer);
        return crd_i_fail_memory(error);
    }
    *out = stemmer;
    return CRD_OK;
}

void crd_i_stemmer_destroy(crd_i_stemmer *stemmer) {
    if (stemmer == NULL) return;
    if (stemmer->snowball != NULL) library.destroy(stemmer->snowball);
    crd_free(stemmer->context, stemmer);
}

crd_text crd_i_stemmer_stem(crd_i_stemmer *stemmer, crd_text word) {
    const sb_symbol *stem = library.stem(stemmer->snowball, (const sb_symbol *)word.bytes, (int)word.length);
    if (stem == NULL) return (crd_text){NULL, 0};
    int length = library.length(stemmer->snowball);
    /* A rule that removes the whole word would map many words to one empty term. */
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
    crd_i_fail(error, CRD_ERROR_SETTING, "stem cannot be %s: this build has no Snowball stemmers", language);
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
