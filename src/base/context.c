/* context.c - see context.h and credence/base.h. */
#include "base/context.h"

#include "base/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *resize_by_libc(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

crd_status crd_context_create(const crd_context_options *options, crd_context **out) {
    if (out == NULL) return CRD_ERROR_ARGUMENT;
    *out = NULL;
    crd_context_options given = CRD_CONTEXT_OPTIONS_INIT;
    if (options != NULL) {
        if (options->size < sizeof(size_t)) return CRD_ERROR_ARGUMENT;
        size_t known = options->size < sizeof given ? options->size : sizeof given;
        memcpy(&given, options, known);
    }
    if (given.resize == NULL) given.resize = resize_by_libc;
    crd_context *context = given.resize(given.resize_user, NULL, sizeof *context);
    if (context == NULL) return CRD_ERROR_MEMORY;
    context->resize = given.resize;
    context->resize_user = given.resize_user;
    context->log = given.log;
    context->log_user = given.log_user;
    atomic_init(&context->cancelled, false);
    atomic_init(&context->next_serial, 1);
    *out = context;
    return CRD_OK;
}

void crd_context_destroy(crd_context *context) {
    if (context == NULL) return;
    context->resize(context->resize_user, context, 0);
}

void crd_context_cancel(crd_context *context) {
    if (context != NULL) atomic_store(&context->cancelled, true);
}

void crd_context_resume(crd_context *context) {
    if (context != NULL) atomic_store(&context->cancelled, false);
}

void crd_free(crd_context *context, void *block) {
    if (block != NULL) context->resize(context->resize_user, block, 0);
}

const char *crd_version(void) {
    return CRD_VERSION;
}

void crd_i_context_log(crd_context *context, crd_log_level level, const char *format, ...) {
    if (context->log == NULL) return;
    char message[1000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->log(context->log_user, level, message);
}

bool crd_i_context_cancelled(const crd_context *context) {
    return atomic_load_explicit(&context->cancelled, memory_order_relaxed);
}

uint64_t crd_i_context_serial(crd_context *context) {
    return atomic_fetch_add(&context->next_serial, 1);
}
