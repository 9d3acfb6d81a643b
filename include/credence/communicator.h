/* SPDX-License-Identifier: MIT */
/* credence/communicator.h - computes one result in a group of processes that share the rows.
 *
 * Each process reads its part of the rows (crd_reader_options.shard), and its context has a communicator. Calls that
 * learn from all rows of a reader are then collective: every process makes the same calls in the same order. Each
 * process gets the result for all rows, which is bit-identical to the result of a single process. If the work of one
 * process fails, the call fails in all processes with the same error. */
#ifndef CREDENCE_COMMUNICATOR_H
#define CREDENCE_COMMUNICATOR_H

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that exchange messages between processes, for example over MPI. Initialize it with CRD_COMMUNICATOR_INIT.
 *
 * Messages between two processes arrive in the order in which they were sent. One call of `receive` takes the bytes of
 * one call of `send`, and has the same length. Only the thread that makes a collective call sends and receives. All
 * processes must run the same build on machines with the same number representation. A process with another version is
 * an error. */
struct crd_communicator {
    size_t size;
    unsigned rank, count; /* the rank of this process, from 0, and the number of processes */
    void *user;           /* passed to `send` and `receive` */
    /* Sends bytes to the process with rank `to`. Returns 0 as soon as the bytes may be overwritten. Any other value is
     * a failure, which becomes CRD_ERROR_SYSTEM. */
    int (*send)(void *user, unsigned to, const void *bytes, size_t length);
    /* Waits for a message of exactly `length` bytes from the process with rank `from`. Returns 0. Any other value is a
     * failure, which becomes CRD_ERROR_SYSTEM. */
    int (*receive)(void *user, unsigned from, void *bytes, size_t length);
};

#define CRD_COMMUNICATOR_INIT                                                                                          \
    { sizeof(crd_communicator), 0, 1, 0, 0, 0 }

/* Removes the context from its group for good. The process then computes on its own, like a context without a
 * communicator. Every process of the group must make this call, because collective calls are impossible afterwards. */
CRD_API void crd_context_leave_group(crd_context *context);

#ifdef __cplusplus
}
#endif
#endif
