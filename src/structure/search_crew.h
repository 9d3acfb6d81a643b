/* SPDX-License-Identifier: MIT */
/* search_crew.h - threads that live through a whole search, for its many short batches of tasks. */
#ifndef CRD_STRUCTURE_SEARCH_CREW_H
#define CRD_STRUCTURE_SEARCH_CREW_H

#include "base/context.h"

typedef struct crd_i_crew crd_i_crew;

/* Calls lead(state, crew) in the caller's thread, with up to `threads` - 1 other threads available while it runs.
 * Returns false without calling it if memory runs out. */
CRD_MUST_USE bool crd_i_crew_run(crd_context *context, unsigned threads, void (*lead)(void *state, crd_i_crew *crew),
                                 void *state);
/* Called by the leader: calls work(state, member, task) for each task below `count` in any of the threads, and
 * returns when all tasks are finished. Members are numbered below `threads`; the leader is member 0. */
void crd_i_crew_do(crd_i_crew *crew, size_t count, void (*work)(void *state, unsigned member, size_t task),
                   void *state);

#endif
