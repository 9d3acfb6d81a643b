/* SPDX-License-Identifier: MIT */
/* credence/communicator.h - a group of processes that compute one result of the rows of all of them.
 *
 * Every process has a part of the rows (crd_reader_options.shard), and a context that was given a communicator. Calls that
 * learn from all rows of a reader are then collective: every process makes the same calls in the same order, each gets the
 * result of the rows of all, and its bits are those that one process would have computed. Where the work of one process
 * fails, the call fails in each of them, with the same error. */
#ifndef CREDENCE_COMMUNICATOR_H
#define CREDENCE_COMMUNICATOR_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Messages between two processes arrive in the order in which they were sent, each as a whole: what one call of `send` has sent, one call of
 * `receive` takes, with the same length. Only the thread that makes a collective call sends and receives. All processes are of the same
 * build, on machines that represent numbers alike; a process of another version is refused. */
struct crd_communicator {
    size_t size;
    unsigned rank, count; /* this process, from 0 on, and how many there are */
    void *user;           /* given to each call */
    /* Sends bytes to another process, and returns once they may be overwritten: 0; anything else is a failure, which becomes
     * CRD_ERROR_SYSTEM. */
    int (*send)(void *user, unsigned to, const void *bytes, size_t length);
    /* Waits for a message of exactly so many bytes from another process; returns as above. */
    int (*receive)(void *user, unsigned from, void *bytes, size_t length);
};

#define CRD_COMMUNICATOR_INIT                                                                                          \
    { sizeof(crd_communicator), 0, 1, 0, 0, 0 }

/* From now on this process computes alone, as after a context without a communicator. Every process of the group makes the call, as nothing
 * collective can follow. */
CRD_API void crd_context_leave_group(crd_context *context);

#ifdef __cplusplus
}
#endif
#endif
