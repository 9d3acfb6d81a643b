/* SPDX-License-Identifier: MIT */
/* call.h - options that apply to all calls of a thread: see crd_call_options in credence/base.h.
 *
 * Each thread has a chain of brackets, innermost first. A thread that the library starts inherits the chain of the
 * thread that waits for it, so it obeys the same deadline. Only the thread that opened a bracket runs its callbacks. */
#ifndef CRD_BASE_CALL_H
#define CRD_BASE_CALL_H

#include <credence/base.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct crd_i_call crd_i_call;

/* Returns the innermost bracket of the calling thread, or NULL. A thread that the library starts adopts the bracket of
 * the thread that started it. */
crd_i_call *crd_i_call_current(void);
void crd_i_call_adopt(crd_i_call *call);

/* Returns whether calls with this context must stop, because the context was canceled or a bracket requires it. Once
 * true, it stays true until the bracket ends. In the thread that opened the bracket, this function also polls and
 * reports progress from time to time. It is cheap: loops check it every few microseconds of work, and at least every
 * ten milliseconds. */
bool crd_i_context_cancelled(const crd_context *context);
/* Fills in the error of a call that stops because crd_i_context_cancelled returned true. Returns CRD_ERROR_DEADLINE if
 * the deadline of a bracket has passed, otherwise CRD_ERROR_CANCELLED. */
crd_status crd_i_fail_cancelled(crd_error *error);
/* Returns whether a status is CRD_ERROR_DEADLINE or CRD_ERROR_CANCELLED. */
bool crd_i_is_cancelled(crd_status status);
/* Returns the smallest thread limit in the chain of brackets, or `requested` if no bracket sets a limit. */
unsigned crd_i_call_threads(unsigned requested);

/* Waits for a condition like pthread_cond_wait, including spurious wake-ups. While it waits, it polls and reports
 * progress with the mutex unlocked. */
void crd_i_call_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

/* The current stage of a call, for progress reports. The thread that made the call begins and ends the stage; stages of
 * other threads are not reported. If stages are nested, the outermost stage with a known total is reported, or else the
 * outermost stage. */
typedef struct crd_i_stage {
    crd_i_call *call; /* NULL: not reported */
    struct crd_i_stage *outer;
    const char *name;
    _Atomic uint64_t done;
    uint64_t total;
} crd_i_stage;
/* Begins a stage. A `total` of 0 means that the amount of work is unknown. `name` is not copied. */
void crd_i_stage_begin(crd_i_stage *stage, const char *name, uint64_t total);
/* Adds to the finished work of a stage. Any thread may call this function. */
void crd_i_stage_add(crd_i_stage *stage, uint64_t done);
void crd_i_stage_end(crd_i_stage *stage);
/* Reports progress without a stage struct, for code that counts its finished work itself. Any thread that has adopted
 * the call may call this function. */
void crd_i_stage_report(const char *name, uint64_t done, uint64_t total);

#endif
