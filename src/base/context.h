/* SPDX-License-Identifier: MIT */
/* context.h - the caller's allocator, log and cancel flag, carried through every call. */
#ifndef CRD_BASE_CONTEXT_H
#define CRD_BASE_CONTEXT_H

#include <credence/base.h>
#include <credence/communicator.h>

#include <stdatomic.h>
#include <stdbool.h>

/* The processes that compute together. Only processes/group.c reads the members. */
typedef struct crd_i_group {
    crd_context *context;
    crd_communicator communicator;
    crd_status agreed_failure; /* failure of the latest collective call; CRD_OK: it succeeded */
} crd_i_group;

/* A context lives until its creator has dropped it and all memory that was allocated through it is freed. Objects
 * created with a context can therefore be used and destroyed after the caller has dropped the context. The context
 * counts blocks rather than objects, so new object types need no extra code. Classifying a row allocates nothing, and
 * therefore counts nothing. */
struct crd_context {
    void *(*resize)(void *user, void *block, size_t bytes);
    void *resize_user;
    void (*log)(void *user, const crd_log_record *record);
    void *log_user;
    crd_i_group processes;
    crd_i_group *group; /* `processes`; NULL: there is no other process, or this one works separately */
    atomic_bool cancelled;
    _Atomic uint64_t next_serial;
    atomic_size_t references; /* one for the creator, and one per block */
};

/* Adds a reference for a new block. crd_free removes a reference; removing the last one frees the context. */
void crd_i_context_hold(crd_context *context);

/* Calls the log callback with a formatted message, truncated to 1,000 bytes, and a subject, truncated to 128. */
void crd_i_context_log(crd_context *context, crd_log_level level, crd_log_code code, crd_text subject,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Returns whether crd_context_cancel was called. Most code calls crd_i_context_cancelled (call.h), which checks the
 * brackets too. */
bool crd_i_context_is_cancelled(const crd_context *context);

/* Returns a number that no other call on this context has returned. Caches use it to identify layouts and
 * dictionaries. */
uint64_t crd_i_context_serial(crd_context *context);

#endif
