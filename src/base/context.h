/* SPDX-License-Identifier: MIT */
/* context.h - the caller's allocator, log and cancel flag, carried through every call. */
#ifndef CRD_BASE_CONTEXT_H
#define CRD_BASE_CONTEXT_H

#include <credence/base.h>
#include <credence/communicator.h>

#include <stdatomic.h>
#include <stdbool.h>

/* A context lives as long as its creator holds it, or memory that was allocated through it is not freed: whatever was
 * made with it, by whichever call, can be used and destroyed after it. Blocks are counted rather than objects, so that
 * there is nothing to remember where a new kind of object is made. A row that is classified allocates nothing, and so
 * counts nothing. */
struct crd_context {
    void *(*resize)(void *user, void *block, size_t bytes);
    void *resize_user;
    void (*log)(void *user, const crd_log_record *record);
    void *log_user;
    crd_communicator communicator; /* of one process where there is no other */
    crd_status agreed_failure;     /* of the latest collective step; CRD_OK: it has not failed */
    atomic_bool cancelled;
    _Atomic uint64_t next_serial;
    atomic_size_t references; /* by its creator, and by each block */
};

/* One more block; crd_free takes one away, and with the last one the context. */
void crd_i_context_hold(crd_context *context);

/* Calls the log callback with a formatted message, truncated to 1,000 bytes, and a subject, truncated to 128. */
void crd_i_context_log(crd_context *context, crd_log_level level, crd_log_code code, crd_text subject,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Whether crd_context_cancel was called. Calls look further: see crd_i_context_cancelled in call.h. */
bool crd_i_context_is_cancelled(const crd_context *context);

/* A number no other call on this context was given: identifies layouts and dictionaries to caches. */
uint64_t crd_i_context_serial(crd_context *context);

#endif
