/* context.c - see context.h and credence/base.h. */
#include "base/context.h"

#include "base/struct_size.h"

#include "base/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
        if (!crd_i_copy_in(options, &given, sizeof given)) return CRD_ERROR_ARGUMENT;
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
    context->parent = NULL;
    atomic_init(&context->deadline, 0);
    atomic_init(&context->references, 1);
    *out = context;
    return CRD_OK;
}

static crd_context *root_of(crd_context *context) {
    return (crd_context *)crd_i_context_root(context);
}

void crd_i_context_hold(crd_context *context) {
    atomic_fetch_add_explicit(&root_of(context)->references, 1, memory_order_relaxed);
}

void crd_i_context_drop(crd_context *context) {
    crd_context *root = root_of(context);
    /* What others did with the context before they dropped it comes before its end. */
    if (atomic_fetch_sub_explicit(&root->references, 1, memory_order_acq_rel) > 1) return;
    root->resize(root->resize_user, root, 0);
}

crd_context *crd_i_context_derive(crd_context *parent) {
    crd_context *context = parent->resize(parent->resize_user, NULL, sizeof *context);
    if (context == NULL) return NULL;
    context->resize = parent->resize;
    context->resize_user = parent->resize_user;
    context->log = parent->log;
    context->log_user = parent->log_user;
    atomic_init(&context->cancelled, false);
    atomic_init(&context->next_serial, 0);
    context->parent = parent;
    atomic_init(&context->deadline, 0);
    atomic_init(&context->references, 0);
    crd_i_context_hold(parent);
    return context;
}

void crd_context_destroy(crd_context *context) {
    if (context == NULL) return;
    crd_context *root = root_of(context);
    if (context != root) context->resize(context->resize_user, context, 0);
    crd_i_context_drop(root);
}

void crd_context_cancel(crd_context *context) {
    if (context != NULL) atomic_store(&context->cancelled, true);
}

void crd_context_resume(crd_context *context) {
    if (context != NULL) atomic_store(&context->cancelled, false);
}

void crd_free(crd_context *context, void *block) {
    if (block == NULL) return;
    context->resize(context->resize_user, block, 0);
    crd_i_context_drop(context);
}

const char *crd_version(void) {
    return CRD_VERSION;
}

void crd_i_context_log(crd_context *context, crd_log_level level, crd_log_code code, crd_text subject,
                       const char *format, ...) {
    if (context->log == NULL) return;
    char message[1000], name[128] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (subject.length > 0)
        snprintf(name, sizeof name, "%.*s", subject.length < 127 ? (int)subject.length : 127, subject.bytes);
    const crd_log_record record = {sizeof record, level, code, name, message};
    context->log(context->log_user, &record);
}

static uint64_t read_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

double crd_i_clock(void) {
    return 1e-9 * (double)read_clock();
}

void crd_i_context_allow(crd_context *context, double seconds) {
    uint64_t deadline = 0;
    /* A deadline beyond 2^33 seconds, which the clock does not reach, is none. */
    if (seconds < 0x1p33) deadline = read_clock() + (seconds > 0 ? (uint64_t)(1e9 * seconds) : 0);
    atomic_store(&context->deadline, deadline);
}

const crd_context *crd_i_context_root(const crd_context *context) {
    while (context->parent != NULL) context = context->parent;
    return context;
}

bool crd_i_context_is_cancelled(const crd_context *context) {
    for (; context != NULL; context = context->parent) {
        if (atomic_load_explicit(&context->cancelled, memory_order_relaxed)) return true;
        uint64_t deadline = atomic_load_explicit(&context->deadline, memory_order_relaxed);
        if (deadline != 0 && read_clock() >= deadline) return true;
    }
    return false;
}

bool crd_i_context_are_related(const crd_context *a, const crd_context *b) {
    return crd_i_context_root(a) == crd_i_context_root(b);
}

uint64_t crd_i_context_serial(crd_context *context) {
    return atomic_fetch_add(&root_of(context)->next_serial, 1);
}
