/* SPDX-License-Identifier: MIT */
/* context.c - see context.h and credence/base.h. */
#include "base/context.h"

#include "base/struct_size.h"

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
        if (!crd_i_copy_in(options, &given, sizeof given)) return CRD_ERROR_ARGUMENT;
    }
    crd_communicator communicator = CRD_COMMUNICATOR_INIT;
    if (given.communicator != NULL && (!crd_i_copy_in(given.communicator, &communicator, sizeof communicator) ||
                                       communicator.rank >= communicator.count))
        return CRD_ERROR_ARGUMENT;
    if (given.resize == NULL) given.resize = resize_by_libc;
    crd_context *context = given.resize(given.resize_user, NULL, sizeof *context);
    if (context == NULL) return CRD_ERROR_MEMORY;
    context->resize = given.resize;
    context->resize_user = given.resize_user;
    context->log = given.log;
    context->log_user = given.log_user;
    context->processes = (crd_i_group){context, communicator, CRD_OK};
    context->group = communicator.count > 1 ? &context->processes : NULL;
    atomic_init(&context->cancelled, false);
    atomic_init(&context->next_serial, 1);
    atomic_init(&context->references, 1);
    *out = context;
    return CRD_OK;
}

void crd_i_context_hold(crd_context *context) {
    atomic_fetch_add_explicit(&context->references, 1, memory_order_relaxed);
}

static void context_drop(crd_context *context) {
    /* acq_rel: everything that other threads did with the context happens before it is freed. */
    if (atomic_fetch_sub_explicit(&context->references, 1, memory_order_acq_rel) > 1) return;
    context->resize(context->resize_user, context, 0);
}

void crd_context_destroy(crd_context *context) {
    if (context == NULL) return;
    context_drop(context);
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
    context_drop(context);
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

bool crd_i_context_is_cancelled(const crd_context *context) {
    return atomic_load_explicit(&context->cancelled, memory_order_relaxed);
}

uint64_t crd_i_context_serial(crd_context *context) {
    return atomic_fetch_add(&context->next_serial, 1);
}
