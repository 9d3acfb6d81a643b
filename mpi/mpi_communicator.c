/* SPDX-License-Identifier: MIT */
/* mpi_communicator.c - see mpi_communicator.h.
 *
 * Requests are tested rather than waited for, with pauses that grow: MPI's own waiting takes a whole core, which processes that share
 * one with others need for their work. A process that gets a signal to end, as mpirun sends it when another one has died, waits
 * no longer than it takes the others to end as well: files that are not complete have to go before it is killed. */
#include "mpi_communicator.h"

#include "core/invocation.h"

#include <mpi.h>
#include <time.h>

/* A count of MPI is an int. */
enum { MOST_BYTES = 1 << 30, TESTS_AT_ONCE = 2000, FIRST_PAUSE = 20000, LONGEST_PAUSE = 1000000 };

/* mpirun kills a process a second after the signal. */
static const double SECONDS_TO_END = 0.3;

/* Whether it is too late to wait for anybody. */
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

/* Until the request is done, or `seconds` have passed; 0: without a limit. Whether it is done. */
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

static int receive_bytes(void *user, unsigned first, void *bytes, size_t length) {
    char *next = bytes;
    (void)user;
    while (length > 0) {
        MPI_Request request;
        const int some = length < MOST_BYTES ? (int)length : MOST_BYTES;
        if (MPI_Irecv(next, some, MPI_BYTE, (int)first, 0, MPI_COMM_WORLD, &request) != MPI_SUCCESS) return -1;
        if (!await_request(&request, 0)) {
            /* Nothing is to come into memory that may be given to others. */
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
    group.receive = receive_bytes;
    return group;
}

bool mpi_communicator_meets(double seconds) {
    MPI_Request request;
    return MPI_Ibarrier(MPI_COMM_WORLD, &request) == MPI_SUCCESS && await_request(&request, seconds);
}
