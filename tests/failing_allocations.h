/* SPDX-License-Identifier: MIT */
/* failing_allocations.h - contexts whose allocations are counted, and calls of which each allocation fails in turn.
 *
 *     for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
 *         crd_error error;
 *         crd_model *model = NULL;
 *         assert_allocation_fails(&trial, train(trial.context, &model, &error), CRD_OK, error);
 *         crd_model_destroy(model);
 *     }
 *
 * In the first trial the first allocation of the call fails, in the second trial the second one, until a trial needs
 * fewer. The call must return CRD_ERROR_MEMORY whenever an allocation failed, and nothing may leak. */
#ifndef FAILING_ALLOCATIONS_H
#define FAILING_ALLOCATIONS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <credence/base.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By any thread. */
typedef struct allocations {
    atomic_size_t calls;   /* asked for so far */
    atomic_size_t fail_at; /* the one to fail, from 1; 0: none */
    atomic_long live;      /* blocks not yet freed */
    char log[4096];        /* messages of a logged context, one line each */
} allocations;

static inline void *counted_resize(void *user, void *block, size_t bytes) {
    allocations *counted = user;
    if (bytes == 0) {
        if (block != NULL) counted->live--;
        free(block);
        return NULL;
    }
    if (++counted->calls == counted->fail_at) return NULL;
    void *result = realloc(block, bytes);
    if (block == NULL && result != NULL) counted->live++;
    return result;
}

static inline void counted_log(void *user, const crd_log_record *record) {
    allocations *counted = user;
    size_t used = strlen(counted->log);
    snprintf(counted->log + used, sizeof counted->log - used, "%s\n", record->message);
}

static inline crd_context *counted_context_with_log(allocations *counted,
                                                    void (*log)(void *user, const crd_log_record *record)) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = counted_resize;
    options.resize_user = counted;
    options.log = log;
    options.log_user = counted;
    crd_context *context = NULL;
    return crd_context_create(&options, &context) == CRD_OK ? context : NULL;
}

static inline crd_context *counted_context(allocations *counted) {
    return counted_context_with_log(counted, NULL);
}

static inline crd_context *logged_context(allocations *counted) {
    return counted_context_with_log(counted, counted_log);
}

typedef struct allocation_trial {
    /* Set by the test. */
    allocations *counted; /* of the context of all trials; NULL: each trial has its own context */
    size_t dense;         /* below this number, all allocations fail in turn */
    size_t divisor;       /* n: further on, the step grows by an n-th of the number; 0: it is 1 */
    bool can_do_without;  /* the call may also succeed if an allocation fails */
    /* Set by each trial. */
    crd_context *context; /* of this trial, if it has its own */
    size_t fail_at;       /* the number of the allocation that fails, from 1 */
    bool has_failed;      /* the allocation was requested, and failed */
    crd_status status;    /* of the call */
    size_t failures;      /* calls that failed so far */
    allocations own_counted;
    long live;
} allocation_trial;

/* Begins the next trial: checks that the one before has leaked nothing. Returns false if no allocation failed in it. */
static inline bool allocation_trial_next(allocation_trial *trial) {
    if (trial->context != NULL) {
        crd_context_destroy(trial->context);
        trial->context = NULL;
        assert_int_equal(trial->own_counted.live, 0);
    } else if (trial->has_failed) {
        assert_int_equal(trial->counted->live, trial->live);
    }
    if (trial->fail_at > 0 && !trial->has_failed) return false;
    trial->fail_at += 1 + (trial->divisor == 0 || trial->fail_at < trial->dense ? 0 : trial->fail_at / trial->divisor);
    trial->has_failed = false;
    if (trial->counted != NULL) {
        trial->live = trial->counted->live;
        return true;
    }
    trial->context = counted_context(&trial->own_counted);
    assert_non_null(trial->context);
    return true;
}

static inline allocations *allocation_trial_counted(allocation_trial *trial) {
    return trial->counted != NULL ? trial->counted : &trial->own_counted;
}

static inline void allocation_trial_arm(allocation_trial *trial) {
    allocations *counted = allocation_trial_counted(trial);
    counted->calls = 0;
    counted->fail_at = trial->fail_at;
}

/* Returns whether a call has ended as it must. */
static inline bool allocation_trial_check(allocation_trial *trial, crd_status status, crd_status expected) {
    allocations *counted = allocation_trial_counted(trial);
    trial->has_failed = counted->calls >= trial->fail_at;
    counted->fail_at = 0;
    trial->status = status;
    trial->failures += status == CRD_ERROR_MEMORY;
    return trial->has_failed ? status == CRD_ERROR_MEMORY || (trial->can_do_without && status == expected)
                             : status == expected;
}

/* Makes a call in which an allocation fails, and checks its status: `expected` if it requests fewer. */
#define assert_allocation_fails(trial, call, expected, error)                                                          \
    do {                                                                                                               \
        allocation_trial_arm(trial);                                                                                   \
        crd_status trial_status = (call);                                                                              \
        if (!allocation_trial_check(trial, trial_status, expected))                                                    \
            fail_msg("%s: allocation %zu %s: %s: %s", #call, (trial)->fail_at,                                         \
                     (trial)->has_failed ? "failed" : "did not fail", crd_status_name(trial_status),                   \
                     trial_status == CRD_OK ? "" : (error).message);                                                   \
    } while (0)

#endif
