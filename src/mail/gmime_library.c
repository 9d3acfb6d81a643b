/* SPDX-License-Identifier: MIT */
/* gmime_library.c - see gmime_library.h. */
#include "mail/gmime_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

static crd_i_gmime library;
static bool is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_message(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer user) {
    (void)domain, (void)level, (void)message, (void)user;
}

/* Looks up a function. dlsym returns an object pointer; C defines no conversion to a function pointer, but POSIX
 * guarantees the same representation, so the bytes are copied. */
static bool gmime_library_find(void *handle, const char *name, void *function) {
    void *result = dlsym(handle, name);
    memcpy(function, &result, sizeof result);
    return result != NULL;
}

static void gmime_library_load(void) {
    static const char *charsets[] = {"utf-8", "windows-1252", NULL};
    void *handle = dlopen("libgmime-3.0.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (handle == NULL) return;
    bool has_all = true;
#define FIND(result, name, arguments) has_all = gmime_library_find(handle, #name, &library.name) && has_all;
    CRD_I_GMIME_FUNCTIONS(FIND)
#undef FIND
    if (!has_all) return;
    library.g_log_set_handler("gmime", G_LOG_LEVEL_MASK | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, drop_message, NULL);
    library.g_mime_init();
    library.options = library.g_mime_parser_options_new();
    library.g_mime_parser_options_set_fallback_charsets(library.options, charsets);
    is_there = true;
}

const crd_i_gmime *crd_i_gmime_library(void) {
    return pthread_once(&once, gmime_library_load) == 0 && is_there ? &library : NULL;
}
