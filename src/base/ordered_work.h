/* SPDX-License-Identifier: MIT */
/* ordered_work.h - tasks that several threads work on side by side, while the caller's thread takes what came of them in their order. */
#ifndef CRD_BASE_ORDERED_WORK_H
#define CRD_BASE_ORDERED_WORK_H

#include "base/context.h"

/* What comes of a task waits in a slot, of which each thread has CRD_I_SLOTS_OF_THREAD, until its turn has come. */
enum { CRD_I_SLOTS_OF_THREAD = 3 };

typedef struct crd_i_ordered_work {
    void *user;
    size_t tasks;
    unsigned threads; /* that work; at least 1. One alone is the caller's. */
    /* By member 0, 1, ... of the threads, each task once. */
    crd_status (*work)(void *user, unsigned member, size_t task, unsigned slot, crd_error *error);
    /* By the caller's thread. */
    crd_status (*take)(void *user, size_t task, unsigned slot, crd_error *error);
} crd_i_ordered_work;

/* How it ends does not depend on the threads: the first task that fails is the one whose error is returned, and those before it have been
 * taken. */
crd_status crd_i_ordered_work_run(crd_context *context, const crd_i_ordered_work *work, crd_error *error);

#endif
