/* SPDX-License-Identifier: MIT */
/* ordered_work.h - tasks that several threads work on in parallel, while the caller's thread consumes the results in
 * task order. */
#ifndef CRD_BASE_ORDERED_WORK_H
#define CRD_BASE_ORDERED_WORK_H

#include "base/context.h"

/* The result of a task waits in a slot until its turn comes. There are CRD_I_SLOTS_OF_THREAD slots per thread. */
enum { CRD_I_SLOTS_OF_THREAD = 3 };

typedef struct crd_i_ordered_work {
    void *user;
    size_t tasks;
    unsigned threads; /* at least 1; a single thread is the caller's */
    /* Works on a task. Thread `member` (0, 1, ...) calls this; each task is worked on once. */
    crd_status (*work)(void *user, unsigned member, size_t task, unsigned slot, crd_error *error);
    /* Consumes the result of a task. The caller's thread calls this, in task order. */
    crd_status (*take)(void *user, size_t task, unsigned slot, crd_error *error);
} crd_i_ordered_work;

/* Runs all tasks. The outcome does not depend on the threads: the error of the first task that fails is returned, and
 * the results of all tasks before it have been consumed. */
crd_status crd_i_ordered_work_run(crd_context *context, const crd_i_ordered_work *work, crd_error *error);

#endif
