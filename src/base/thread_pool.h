/* SPDX-License-Identifier: MIT */
/* thread_pool.h - work that several threads do side by side.
 *
 * The members of a thread pool take what there is to do from a common place until nothing is left, so that any number of them
 * gets all of it done: where the system refuses a thread, the others do its share. */
#ifndef CRD_BASE_THREAD_POOL_H
#define CRD_BASE_THREAD_POOL_H

#include "base/context.h"

enum { CRD_I_MOST_THREADS = 256 };

/* How many threads are meant: `asked`, or for 0 one for each processor; at least 1, at most CRD_I_MOST_THREADS and what
 * the options of the call allow. */
unsigned crd_i_thread_pool_size(unsigned asked);

/* Calls work(state, member) for members 0, 1, ... below `size`, each in a thread of its own but for 0, which is the
 * caller's, and returns when all have returned. Members that no thread could be made for are not called; 0 always is.
 * Signals stay with the caller's thread. */
void crd_i_thread_pool_run(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                           void *state);

/* The same with a thread for each member, 0 too, while the caller's thread is in lead(state, started), which is told
 * how many members there are: those below `started`. */
void crd_i_thread_pool_lead(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                            void *state, void (*lead)(void *state, unsigned started));

#endif
