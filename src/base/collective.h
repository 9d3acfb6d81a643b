/* SPDX-License-Identifier: MIT */
/* collective.h - collective operations of the processes of a group (credence/communicator.h): agreement on a status, broadcast, reduction to
 * all, gathering to all.
 *
 * Every call takes the status of the caller's own work so far, and every process of the group makes the call, also one whose
 * work has failed: so there is no deadlock. All of them return the failure of the least rank that has one, with its error,
 * or CRD_OK. Without a group the calls do what they do for one process. They must not be made within a thread pool. */
#ifndef CRD_BASE_COLLECTIVE_H
#define CRD_BASE_COLLECTIVE_H

#include "base/buffer.h"

/* Whether there are other processes. */
bool crd_i_is_collective(const crd_context *context);
/* This process, and how many there are: 0 and 1 where it is alone. */
unsigned crd_i_process_rank(const crd_context *context);
unsigned crd_i_process_count(const crd_context *context);

/* Work that each process does for itself, on rows that all of them have: until it joins again, the context is that of a process alone. */
crd_communicator crd_i_leave_group(crd_context *context);
void crd_i_join_group(crd_context *context, const crd_communicator *group);

/* The status of all: an all-reduce of statuses, by the least rank. */
CRD_MUST_USE crd_status crd_i_agree(crd_context *context, crd_status status, crd_error *error);

/* Whether the status is a failure that the latest collective call gave to all: work that has several ends there. */
bool crd_i_has_failed_together(const crd_context *context, crd_status status);

/* The end of work that has several collective calls: a process may leave it wherever it fails, on its way to this call, and the others
 * fail with it at their next one. Such work is not nested. */
CRD_MUST_USE crd_status crd_i_conclude(crd_context *context, crd_status status, crd_error *error);

/* Broadcast: the bytes of process 0 everywhere. `bytes` is empty in the others, and replaced. */
CRD_MUST_USE crd_status crd_i_broadcast(crd_context *context, crd_status status, crd_i_buffer *bytes, crd_error *error);

/* A user-defined reduction: associative, of what each process has as `own`. */
typedef struct crd_i_reduction {
    /* Appends the bytes of own. */
    crd_status (*encode)(void *own, crd_i_buffer *bytes, crd_error *error);
    /* Adds to own what processes of higher rank have, by their bytes. */
    crd_status (*combine)(void *own, const unsigned char *bytes, size_t length, crd_error *error);
} crd_i_reduction;

/* All-reduce: along a binomial tree, in the order of ranks, and back. Process 0 has the result in its own; `bytes`, which
 * is empty, becomes that of the result in every process. Of a process alone it is encoded too. */
CRD_MUST_USE crd_status crd_i_reduce(crd_context *context, crd_status status, const crd_i_reduction *operation,
                                     void *own, crd_i_buffer *bytes, crd_error *error);

/* The bytes of every process, by rank. */
typedef struct crd_i_gathered {
    crd_i_buffer buffer;
    const unsigned char **bytes; /* within the buffer */
    size_t *lengths;
} crd_i_gathered;

/* All-gather. */
CRD_MUST_USE crd_status crd_i_gather(crd_context *context, crd_status status, const void *bytes, size_t length,
                                     crd_i_gathered *out, crd_error *error);
/* The same, in process 0 alone: the others get none. */
CRD_MUST_USE crd_status crd_i_gather_first(crd_context *context, crd_status status, const void *bytes, size_t length,
                                           crd_i_gathered *out, crd_error *error);
void crd_i_gathered_clear(crd_i_gathered *gathered);

/* Bytes that another process has sent, from front to back: nothing is taken beyond their end. */
typedef struct crd_i_received {
    const unsigned char *bytes;
    size_t length;
} crd_i_received;

/* Copies the next bytes. false: there are fewer. */
CRD_MUST_USE bool crd_i_received_take(crd_i_received *from, void *to, size_t size);
/* Returns the next bytes, which stay where they are; NULL: there are fewer. */
CRD_MUST_USE const unsigned char *crd_i_received_pass(crd_i_received *from, uint64_t length);
/* CRD_ERROR_SYSTEM: what a process has sent is not what the others expect. */
crd_status crd_i_fail_received(crd_error *error);

/* Work that falls apart into items, each of which is the work of one process. */
static inline bool crd_i_is_own_item(const crd_context *context, size_t item) {
    return item % context->communicator.count == context->communicator.rank;
}
/* Every process has computed its own items of the array, and gets those of the others. */
CRD_MUST_USE crd_status crd_i_share_items(crd_context *context, crd_status status, void *items, size_t item_bytes,
                                          size_t count, crd_error *error);

#endif
