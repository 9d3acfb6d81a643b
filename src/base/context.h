/* context.h - the caller's allocator, log and cancel flag, carried through every call. */
#ifndef CRD_BASE_CONTEXT_H
#define CRD_BASE_CONTEXT_H

#include <credence/base.h>

#include <stdatomic.h>
#include <stdbool.h>

struct crd_context {
    void *(*resize)(void *user, void *block, size_t bytes);
    void *resize_user;
    void (*log)(void *user, crd_log_level level, const char *message);
    void *log_user;
    atomic_bool cancelled;
    _Atomic uint64_t next_serial;
};

/* Formats and hands to the log callback; messages are cut at 1,000 bytes. */
void crd_i_context_log(crd_context *context, crd_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

bool crd_i_context_cancelled(const crd_context *context);

/* A number no other call on this context was given: identifies layouts and dictionaries to caches. */
uint64_t crd_i_context_serial(crd_context *context);

#endif
