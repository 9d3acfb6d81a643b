/* SPDX-License-Identifier: MIT */
/* call.c - see call.h. */
#include "base/call.h"

#include "base/context.h"
#include "base/error.h"
#include "base/os.h"
#include "base/struct_size.h"

#include <errno.h>
#include <time.h>

/* Times in nanoseconds. */
#define POLL_INTERVAL (20 * INT64_C(1000000))
#define REPORT_INTERVAL (50 * INT64_C(1000000))

struct crd_i_call {
    crd_i_call *outer;
    crd_context *context;
    crd_call_options options;
    int64_t deadline;   /* INT64_MAX: none */
    atomic_int stopped; /* CRD_OK, or the status with which calls end */
    bool is_timed;      /* the clock must be read */
    pthread_t owner;
    /* Only the owner reads and writes these. */
    int64_t next_poll, next_report;
    bool is_in_callback;
    /* The innermost stage; NULL: none. */
    crd_i_stage *stage;
    /* The latest values passed to crd_i_stage_report. */
    _Atomic(const char *) reported;
    _Atomic uint64_t reported_done, reported_total;
};

static _Thread_local crd_i_call *current;

crd_i_call *crd_i_call_current(void) {
    return current;
}

void crd_i_call_adopt(crd_i_call *call) {
    current = call;
}

crd_status crd_call_begin(crd_context *context, const crd_call_options *options) {
    crd_call_options given = CRD_CALL_OPTIONS_INIT;
    if (options != NULL && !crd_i_copy_in(options, &given, sizeof given)) return CRD_ERROR_ARGUMENT;
    if (!(given.deadline >= 0)) return CRD_ERROR_ARGUMENT;
    crd_i_call *call = context->resize(context->resize_user, NULL, sizeof *call);
    if (call == NULL) return CRD_ERROR_MEMORY;
    crd_i_context_hold(context);
    const crd_i_call fresh = {.outer = current, .context = context, .options = given};
    int64_t now = crd_i_os_coarse_clock();
    *call = fresh;
    call->owner = pthread_self();
    /* A deadline more than 2^33 seconds away is never reached. */
    call->deadline = given.deadline > 0 && given.deadline < 0x1p33 ? now + (int64_t)(1e9 * given.deadline) : INT64_MAX;
    call->is_timed = call->deadline < INT64_MAX || given.poll != NULL || given.progress != NULL;
    call->next_poll = now + POLL_INTERVAL;
    call->next_report = now + REPORT_INTERVAL;
    current = call;
    return CRD_OK;
}

void crd_call_end(crd_context *context) {
    for (crd_i_call **current_call = &current; *current_call != NULL; current_call = &(*current_call)->outer) {
        crd_i_call *call = *current_call;
        if (call->context != context) continue;
        *current_call = call->outer;
        crd_free(context, call);
        return;
    }
}

/* ---- Stopping ---- */

static void call_stop(crd_i_call *call, crd_status why) {
    int before = CRD_OK;
    atomic_compare_exchange_strong(&call->stopped, &before, (int)why);
}

static void call_report(crd_i_call *call, int64_t now) {
    const char *name = atomic_load(&call->reported);
    double done = (double)atomic_load(&call->reported_done), total = (double)atomic_load(&call->reported_total);
    const crd_i_stage *shown = NULL;
    for (const crd_i_stage *stage = call->stage; stage != NULL; stage = stage->outer)
        if (shown == NULL || stage->total > 0 || shown->total == 0) shown = stage;
    /* The number of rows read is more informative than a stage of unknown length. */
    if (shown != NULL && (shown->total > 0 || name == NULL)) {
        name = shown->name;
        done = (double)atomic_load(&shown->done);
        total = (double)shown->total;
    }
    if (call->options.progress == NULL || name == NULL || now < call->next_report) return;
    call->next_report = now + REPORT_INTERVAL;
    call->options.progress(call->options.user, name, done, total);
}

/* Runs the callbacks. A callback may use the library, so no other callback is called while one runs. */
static void call_back(crd_i_call *call, int64_t now) {
    if (!pthread_equal(call->owner, pthread_self()) || call->is_in_callback || now < call->next_poll) return;
    call->is_in_callback = true;
    call->next_poll = now + POLL_INTERVAL;
    call_report(call, now);
    if (call->options.poll != NULL && call->options.poll(call->options.user) != 0) call_stop(call, CRD_ERROR_CANCELLED);
    call->is_in_callback = false;
}

static bool call_check(crd_i_call *call) {
    if (atomic_load_explicit(&call->stopped, memory_order_relaxed) != CRD_OK) return true;
    int64_t now = call->is_timed ? crd_i_os_coarse_clock() : 0;
    if (call->options.cancel != NULL && __atomic_load_n(call->options.cancel, __ATOMIC_RELAXED) != 0)
        call_stop(call, CRD_ERROR_CANCELLED);
    else if (now >= call->deadline) call_stop(call, CRD_ERROR_DEADLINE);
    else call_back(call, now);
    return atomic_load_explicit(&call->stopped, memory_order_relaxed) != CRD_OK;
}

bool crd_i_context_cancelled(const crd_context *context) {
    if (crd_i_context_is_cancelled(context)) return true;
    if (current == NULL) return false;
    for (crd_i_call *call = current; call != NULL; call = call->outer) {
        if (call->context == context && call_check(call)) return true;
    }
    return false;
}

crd_status crd_i_fail_cancelled(crd_error *error) {
    for (const crd_i_call *call = current; call != NULL; call = call->outer) {
        if (atomic_load(&call->stopped) == CRD_ERROR_DEADLINE)
            return crd_i_fail(error, CRD_ERROR_DEADLINE, "the deadline has passed");
    }
    return crd_i_fail(error, CRD_ERROR_CANCELLED, "cancelled");
}

bool crd_i_is_cancelled(crd_status status) {
    return status == CRD_ERROR_CANCELLED || status == CRD_ERROR_DEADLINE;
}

unsigned crd_i_call_threads(unsigned requested) {
    for (const crd_i_call *call = current; call != NULL; call = call->outer) {
        if (call->options.threads > 0 && call->options.threads < requested) requested = call->options.threads;
    }
    return requested;
}

/* ---- Waiting ---- */

static bool has_callbacks(void) {
    for (const crd_i_call *call = current; call != NULL; call = call->outer) {
        bool calls = call->options.poll != NULL || call->options.progress != NULL;
        if (calls && pthread_equal(call->owner, pthread_self())) return true;
    }
    return false;
}

void crd_i_call_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) {
    if (!has_callbacks()) {
        pthread_cond_wait(condition, mutex);
        return;
    }
    struct timespec until;
    (void)timespec_get(&until, TIME_UTC);
    until.tv_nsec += (long)POLL_INTERVAL;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    if (pthread_cond_timedwait(condition, mutex, &until) != ETIMEDOUT) return;
    pthread_mutex_unlock(mutex);
    for (crd_i_call *call = current; call != NULL; call = call->outer) call_check(call);
    pthread_mutex_lock(mutex);
}

/* ---- Progress ---- */

/* Returns the innermost bracket that reports progress. */
static crd_i_call *call_listener(void) {
    crd_i_call *call = current;
    while (call != NULL && call->options.progress == NULL) call = call->outer;
    return call;
}

void crd_i_stage_begin(crd_i_stage *stage, const char *name, uint64_t total) {
    crd_i_call *call = call_listener();
    stage->call = NULL;
    stage->name = name;
    stage->total = total;
    atomic_init(&stage->done, 0);
    if (call == NULL || !pthread_equal(call->owner, pthread_self())) return;
    stage->call = call;
    stage->outer = call->stage;
    call->stage = stage;
    atomic_store(&call->reported, NULL);
}

void crd_i_stage_add(crd_i_stage *stage, uint64_t done) {
    if (stage->call != NULL) atomic_fetch_add_explicit(&stage->done, done, memory_order_relaxed);
}

void crd_i_stage_end(crd_i_stage *stage) {
    if (stage->call == NULL) return;
    stage->call->stage = stage->outer;
    if (stage->outer == NULL) atomic_store(&stage->call->reported, NULL);
}

void crd_i_stage_report(const char *name, uint64_t done, uint64_t total) {
    crd_i_call *call = call_listener();
    if (call == NULL) return;
    atomic_store(&call->reported_done, done);
    atomic_store(&call->reported_total, total);
    atomic_store(&call->reported, name);
}
