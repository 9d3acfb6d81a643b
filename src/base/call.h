/* SPDX-License-Identifier: MIT */
/* call.h - the options that hold for the calls of a thread: see crd_call_options in credence/base.h.
 *
 * A thread has a chain of brackets, innermost first. Threads that the library starts take the chain of the thread that
 * waits for them, so that they obey its deadline; callbacks are called by that thread alone. */
#ifndef CRD_BASE_CALL_H
#define CRD_BASE_CALL_H

#include <credence/base.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct crd_i_call crd_i_call;

/* The calling thread's innermost bracket, or NULL; a thread that is started is given that of its maker. */
crd_i_call *crd_i_call_current(void);
void crd_i_call_adopt(crd_i_call *call);

/* Whether calls with the context are to stop: it was cancelled, or a bracket says so. Once true it stays so until the
 * bracket ends. In the thread that began the bracket this also polls and reports progress, now and then. Cheap: loops
 * check it for every few microseconds of work, and at least every ten milliseconds. */
bool crd_i_context_cancelled(const crd_context *context);
/* Fills in the error of a call that stops because of that: CRD_ERROR_DEADLINE where it was the deadline of a bracket,
 * else CRD_ERROR_CANCELLED. */
crd_status crd_i_fail_cancelled(crd_error *error);
/* Whether a status is one of the two. */
bool crd_i_is_cancelled(crd_status status);
/* The least bound on threads in the chain; `asked` where there is none. */
unsigned crd_i_call_threads(unsigned asked);

/* Waits for a condition as pthread_cond_wait does, spurious wake-ups included; meanwhile polls and reports progress,
 * with the mutex unlocked. */
void crd_i_call_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

/* What a call does at the moment, for its progress. Begun and ended by the thread that made the call; stages of others
 * are not reported. Of nested stages the outermost whose total is known is reported, else the outermost. */
typedef struct crd_i_stage {
    crd_i_call *call; /* NULL: it is not reported */
    struct crd_i_stage *outer;
    const char *name;
    _Atomic uint64_t done;
    uint64_t total;
} crd_i_stage;
void crd_i_stage_begin(crd_i_stage *stage, const char *name, uint64_t total);
/* By any thread. */
void crd_i_stage_add(crd_i_stage *stage, uint64_t done);
void crd_i_stage_end(crd_i_stage *stage);
/* The same without a struct, for what counts by itself how much is done: by any thread that has the call. */
void crd_i_stage_report(const char *name, uint64_t done, uint64_t total);

#endif
