/* SPDX-License-Identifier: MIT */
/* group.h - the processes that compute one result together, and what they exchange (credence/communicator.h).
 *
 * A group is `context->group`. It is NULL if there is only one process: functions then return as in a group of
 * one. An object that all processes have, and from which they compute together, stores the group too.
 *
 * Collective calls are marked "Collective": every process of the group makes the same ones in the same order, never
 * inside a thread pool. They succeed in all processes, or fail in all of them with the failure of the lowest failed
 * rank. A process whose own work fails makes none of the calls that follow. It calls crd_i_group_fail, or goes directly
 * to the crd_i_group_end of the whole work. The others then fail at their current collective call, whichever it is.
 *
 * Contents:
 *   1. Members
 *   2. Agreement
 *   3. Shared work
 *   4. Merged results */
#ifndef CRD_PROCESSES_GROUP_H
#define CRD_PROCESSES_GROUP_H

#include "base/byte_codec.h"
#include "base/thread_pool.h"

/* ======== 1. Members ======== */

/* Return the rank of this process and the number of processes: 0 and 1 if there is no group. */
unsigned crd_i_group_rank(const crd_i_group *group);
unsigned crd_i_group_count(const crd_i_group *group);

/* Removes the context from its group, for work that each process does separately on rows that all processes have. Until
 * crd_i_group_join, the context behaves as if this were the only process. */
crd_i_group *crd_i_group_leave(crd_context *context);
void crd_i_group_join(crd_context *context, crd_i_group *group);

/* ======== 2. Agreement ======== */

/* Collective. Returns the common status of all processes, with its error. */
CRD_MUST_USE crd_status crd_i_group_agree(crd_i_group *group, crd_status status, crd_error *error);
/* Reports a failure of this process, in place of the collective call that the others make. Returns the common failure. */
CRD_MUST_USE crd_status crd_i_group_fail(crd_i_group *group, crd_status failure, crd_error *error);

/* Ends work that consists of several collective calls, and returns its common status. Collective, unless the latest
 * collective call has failed. Such work cannot be nested, unless the processes agree before and after the inner one. */
CRD_MUST_USE crd_status crd_i_group_end(crd_i_group *group, crd_status status, crd_error *error);

/* ======== 3. Shared work ======== */

/* Returns whether this process computes item `item`. Items are distributed round-robin. */
bool crd_i_group_has_item(const crd_i_group *group, size_t item);
/* Collective. Runs a parallel loop of which each process runs its own items. Item i stores its result in element i of the
 * array `results`, which crd_i_group_share then completes; NULL: there is no array. */
CRD_MUST_USE crd_status crd_i_group_for(crd_context *context, crd_i_group *group, crd_i_parallel_loop *loop,
                                        void *results, size_t result_size, crd_error *error);
/* Collective. Completes an array of which each process has computed its own items. */
CRD_MUST_USE crd_status crd_i_group_share(crd_i_group *group, void *items, size_t item_size, size_t count,
                                          crd_error *error);
/* Collective. Replaces each number by its sum over all processes. */
CRD_MUST_USE crd_status crd_i_group_sum(crd_i_group *group, uint64_t *numbers, size_t count, crd_error *error);

/* ======== 4. Merged results ======== */

/* How to merge objects of which each process has one. */
typedef struct crd_i_merging {
    /* Appends this process's object. */
    crd_status (*encode)(void *object, crd_i_encoder *encoder, crd_error *error);
    /* Adds the object of process `rank`, or of several processes beginning with it, to this process's object. It must
     * consume the whole part. */
    crd_status (*add)(void *object, unsigned rank, crd_i_cursor *part, crd_error *error);
} crd_i_merging;

/* Collective. Adds the parts of all processes, including its own, in rank order: in every process, or in process 0 only.
 * Without a group, does nothing. */
CRD_MUST_USE crd_status crd_i_group_merge(crd_i_group *group, const crd_i_merging *merging, void *object,
                                          crd_error *error);
CRD_MUST_USE crd_status crd_i_group_merge_first(crd_i_group *group, const crd_i_merging *merging, void *object,
                                                crd_error *error);
/* Collective. Merges along a binomial tree, for associative merging: objects of consecutive ranks are added to that of the
 * lowest rank. `bytes`, which must be empty, receives the encoded result in every process. Without a group, encodes the
 * object of this process. */
CRD_MUST_USE crd_status crd_i_group_reduce(crd_i_group *group, const crd_i_merging *merging, void *object,
                                           crd_i_buffer *bytes, crd_error *error);

/* Collective. Replaces `bytes` by those of process 0. They must be empty in the other processes. */
CRD_MUST_USE crd_status crd_i_group_broadcast(crd_i_group *group, crd_i_buffer *bytes, crd_error *error);

/* The bytes of every process, in rank order. */
typedef struct crd_i_gathered {
    crd_i_buffer buffer;
    crd_i_cursor *parts; /* into the buffer */
} crd_i_gathered;

/* Collective. Gives every process the bytes of all processes, to merge them in another order than that of ranks. `group`
 * must not be NULL. On failure nothing is allocated. */
CRD_MUST_USE crd_status crd_i_group_gather(crd_i_group *group, const void *bytes, size_t length, crd_i_gathered *out,
                                           crd_error *error);
void crd_i_gathered_clear(crd_i_gathered *gathered);

/* Returns CRD_ERROR_SYSTEM and fills in the error: a process has sent bytes that the others did not expect. */
crd_status crd_i_fail_received(crd_error *error);
/* Returns CRD_OK if all bytes of a part were read, and none past its end. */
CRD_MUST_USE crd_status crd_i_part_end(const crd_i_cursor *part, crd_error *error);

#endif
