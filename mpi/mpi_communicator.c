/* SPDX-License-Identifier: MIT */
/* mpi_communicator.c - see mpi_communicator.h.
 *
 * Requests are polled, with pauses that grow. MPI's blocking calls use a whole core, which other processes on the same
 * core need for their work. mpirun sends a termination signal when a process has died. After that signal a process
 * stops waiting within SECONDS_TO_END, so it can remove incomplete files before mpirun kills it. */
#include "mpi_communicator.h"

#include "core/invocation.h"

#include <mpi.h>
#include <time.h>

/* MPI counts are ints, so larger messages are split. Pauses are in nanoseconds. */
enum { MOST_BYTES = 1 << 30, TESTS_AT_ONCE = 2000, FIRST_PAUSE = 20000, LONGEST_PAUSE = 1000000 };

/* Shorter than the second after which mpirun kills a process that got the signal. */
static const double SECONDS_TO_END = 0.3;

/* Returns whether the time to wait after a termination signal is over. */
static bool has_to_end(void) {
    static double seen;
    if (!invocation_interrupted()) return false;
    if (seen == 0) seen = MPI_Wtime();
    return MPI_Wtime() - seen > SECONDS_TO_END;
}

static void pause_for(long nanoseconds) {
    const struct timespec time = {0, nanoseconds};
    nanosleep(&time, NULL);
}

/* Polls until the request completes or `seconds` have passed; 0: no time limit. Returns whether the request
 * completed. */
static bool await_request(MPI_Request *request, double seconds) {
    const double begun = MPI_Wtime();
    int is_done = 0;
    long pause = FIRST_PAUSE;
    for (unsigned tests = 0; MPI_Test(request, &is_done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !is_done; tests++) {
        if (tests < TESTS_AT_ONCE) continue;
        if ((seconds > 0 && MPI_Wtime() - begun > seconds) || has_to_end()) return false;
        pause_for(pause);
        pause = pause < LONGEST_PAUSE / 2 ? pause * 2 : LONGEST_PAUSE;
    }
    return is_done != 0;
}

static int send_bytes(void *user, unsigned limit, const void *bytes, size_t length) {
    const char *next = bytes;
    (void)user;
    while (length > 0) {
        MPI_Request request;
        const int some = length < MOST_BYTES ? (int)length : MOST_BYTES;
        if (MPI_Isend(next, some, MPI_BYTE, (int)limit, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return -1;
        if (!await_request(&request, 0)) return -1;
        next += some;
        length -= (size_t)some;
    }
    return 0;
}

static int mpi_communicator_receive_bytes(void *user, unsigned first, void *bytes, size_t length) {
    char *next = bytes;
    (void)user;
    while (length > 0) {
        MPI_Request request;
        const int some = length < MOST_BYTES ? (int)length : MOST_BYTES;
        if (MPI_Irecv(next, some, MPI_BYTE, (int)first, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return -1;
        if (!await_request(&request, 0)) {
            /* Later data must not arrive in memory that may have been freed and reused. */
            MPI_Cancel(&request);
            MPI_Request_free(&request);
            return -1;
        }
        next += some;
        length -= (size_t)some;
    }
    return 0;
}

crd_communicator mpi_communicator(void) {
    crd_communicator group = CRD_COMMUNICATOR_INIT;
    int rank = 0, count = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    group.rank = (unsigned)rank;
    group.count = (unsigned)count;
    group.send = send_bytes;
    group.receive = mpi_communicator_receive_bytes;
    return group;
}

bool mpi_communicator_meets(double seconds) {
    MPI_Request request;
    return MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS && await_request(&request, seconds);
}
