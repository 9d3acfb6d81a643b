/* SPDX-License-Identifier: MIT */
/* thread_pool.h - runs work in several threads in parallel.
 *
 * The members of a thread pool take work items from a shared place until none are left, so any number of members
 * completes all the work. If the system cannot start a thread, the other members do its share.
 *
 * Contents:
 *   1. Thread pool
 *   2. Parallel loops
 *   3. Ordered work */
#ifndef CRD_BASE_THREAD_POOL_H
#define CRD_BASE_THREAD_POOL_H

#include "base/context.h"

/* ======== 1. Thread pool ======== */

enum { CRD_I_MOST_THREADS = 256 };

/* Returns the number of threads to use: `requested`, or one per CPU core if `requested` is 0. The result is at least
 * 1, and at most CRD_I_MOST_THREADS and the limit in the call options. */
unsigned crd_i_thread_pool_size(unsigned requested);

/* Calls work(state, member) for members 0, 1, ... below `size`, each in its own thread, and returns when all have
 * returned. Member 0 runs in the caller's thread. Members whose thread could not be started are not called; member 0 is
 * always called. Only the caller's thread receives signals. */
void crd_i_thread_pool_run(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                           void *state);

/* Calls work(state, member) in a separate thread for each member, including member 0, while the caller's thread runs
 * lead(state, started). `started` is the number of members that run: members 0 to started - 1. */
void crd_i_thread_pool_lead(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                            void *state, void (*lead)(void *state, unsigned started));

/* ======== 2. Parallel loops ========
 *
 * Threads take the items of a loop in ascending order. The outcome does not depend on the threads: the error of the
 * first item that fails is returned. All items before it are done, and items after it are not begun once it is known. */

/* Returns the number of members for a loop over `items` items: crd_i_thread_pool_size, but at most one member per
 * item, and at least 1. */
unsigned crd_i_parallel_members(unsigned threads, size_t items);

typedef struct crd_i_parallel_loop {
    void *state;
    size_t items;
    unsigned threads; /* the maximum number; 0: one per CPU core */
    /* Works on one item. Each item is worked on once. */
    crd_status (*work)(void *state, void *workspace, size_t item, crd_error *error);
    /* Each member has a workspace of this size. They are in the caller's array, with one item for each of the
     * crd_i_parallel_members. If it is NULL, they are allocated, zeroed, and freed after a call of `clear`, which may
     * be NULL. */
    size_t workspace_size;
    void *workspaces;
    void (*clear)(void *state, void *workspace);
    size_t failed; /* result: the first item that failed, or `items` */
} crd_i_parallel_loop;

/* Runs the loop. Returns CRD_ERROR_CANCELLED if the context or the call is cancelled before an item begins. */
CRD_MUST_USE crd_status crd_i_parallel_for(crd_context *context, crd_i_parallel_loop *loop, crd_error *error);

/* ======== 3. Ordered work ========
 *
 * Several threads work on tasks in parallel, while the caller's thread consumes the results in task order. */

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
