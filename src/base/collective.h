/* SPDX-License-Identifier: MIT */
/* collective.h - collective operations for the processes of a group (credence/communicator.h): agreement on a status,
 * broadcast, all-reduce, all-gather.
 *
 * Each call receives the status of the caller's work so far. Every process of the group makes the call, even after its
 * own work has failed, so no deadlock can occur. If any process has failed, all processes return the failure of the
 * lowest failed rank, with its error; otherwise they return CRD_OK. Without a group, the calls behave as in a group of
 * one process. Do not make them inside a thread pool. */
#ifndef CRD_BASE_COLLECTIVE_H
#define CRD_BASE_COLLECTIVE_H

#include "base/buffer.h"

/* Returns whether the group contains other processes. */
bool crd_i_is_collective(const crd_context *context);
/* Return the rank of this process and the number of processes: 0 and 1 if there is no group. */
unsigned crd_i_process_rank(const crd_context *context);
unsigned crd_i_process_count(const crd_context *context);

/* Removes the context from its group, for work that each process does separately on rows that all processes have. Until
 * crd_i_join_group is called, the context behaves as if this were the only process. */
crd_communicator crd_i_leave_group(crd_context *context);
void crd_i_join_group(crd_context *context, const crd_communicator *group);

/* Returns the common status of all processes: an all-reduce of statuses in which the lowest failed rank wins. */
CRD_MUST_USE crd_status crd_i_agree(crd_context *context, crd_status status, crd_error *error);

/* Returns whether `status` is a failure that the latest collective call returned in all processes. Work with several
 * collective calls ends at such a failure. */
bool crd_i_has_failed_together(const crd_context *context, crd_status status);

/* Ends work that makes several collective calls. A process that fails anywhere in this work proceeds directly to this
 * call, and the other processes fail with it at their next collective call. Such work cannot be nested. */
CRD_MUST_USE crd_status crd_i_conclude(crd_context *context, crd_status status, crd_error *error);

/* Broadcasts the bytes of process 0 to all processes. `bytes` must be empty in the other processes and is replaced
 * there. */
CRD_MUST_USE crd_status crd_i_broadcast(crd_context *context, crd_status status, crd_i_buffer *bytes, crd_error *error);

/* A user-defined associative reduction of the values that each process passes as `own`. */
typedef struct crd_i_reduction {
    /* Appends the encoded value of `own` to `bytes`. */
    crd_status (*encode)(void *object, crd_i_buffer *bytes, crd_error *error);
    /* Adds the encoded value of processes with higher ranks to `own`. */
    crd_status (*combine)(void *object, const unsigned char *bytes, size_t length, crd_error *error);
} crd_i_reduction;

/* All-reduce: combines the values along a binomial tree, in rank order, and sends the result back. In process 0, `own`
 * becomes the result. In every process, `bytes`, which must be empty, receives the encoded result. A single process
 * encodes its value too. */
CRD_MUST_USE crd_status crd_i_reduce(crd_context *context, crd_status status, const crd_i_reduction *operation,
                                     void *object, crd_i_buffer *bytes, crd_error *error);

/* The bytes of every process, in rank order. */
typedef struct crd_i_gathered {
    crd_i_buffer buffer;
    const unsigned char **bytes; /* pointers into the buffer */
    size_t *lengths;
} crd_i_gathered;

/* All-gather: gives every process the bytes of all processes. */
CRD_MUST_USE crd_status crd_i_gather(crd_context *context, crd_status status, const void *bytes, size_t length,
                                     crd_i_gathered *out, crd_error *error);
/* Gathers the bytes of all processes in process 0. The other processes receive nothing. */
CRD_MUST_USE crd_status crd_i_gather_first(crd_context *context, crd_status status, const void *bytes, size_t length,
                                           crd_i_gathered *out, crd_error *error);
void crd_i_gathered_clear(crd_i_gathered *gathered);

/* A cursor over bytes that another process has sent. It never reads beyond their end. */
typedef struct crd_i_received {
    const unsigned char *bytes;
    size_t length;
} crd_i_received;

/* Copies the next `size` bytes. Returns false if fewer bytes remain. */
CRD_MUST_USE bool crd_i_received_take(crd_i_received *message, void *destination, size_t size);
/* Returns a pointer to the next `length` bytes without copying them, or NULL if fewer bytes remain. */
CRD_MUST_USE const unsigned char *crd_i_received_pass(crd_i_received *message, uint64_t length);
/* Returns CRD_ERROR_SYSTEM and fills in the error: a process has sent bytes that the others did not expect. */
crd_status crd_i_fail_received(crd_error *error);

/* Returns whether this process computes item `item`. The items of an array are distributed over the processes
 * round-robin. */
static inline bool crd_i_is_own_item(const crd_context *context, size_t item) {
    return item % context->communicator.count == context->communicator.rank;
}
/* Completes the array: each process has computed its own items and receives the items of all other processes. */
CRD_MUST_USE crd_status crd_i_share_items(crd_context *context, crd_status status, void *items, size_t item_bytes,
                                          size_t count, crd_error *error);

#endif
