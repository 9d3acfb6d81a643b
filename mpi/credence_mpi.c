/* SPDX-License-Identifier: MIT */
/* credence_mpi.c - the program credence-mpi: runs the command in all processes of an MPI job, each with a part of the
 * rows.
 *
 *   mpirun -n 4 credence-mpi train rows.csv --target y -o y.model
 *
 * All processes take part in the collective computations. Only rank 0 prints and writes files. */
#include "mpi_communicator.h"

#include "core/messages.h"
#include "core/progress.h"
#include "core/terminal.h"
#include "core/verb.h"

#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Seconds to wait for the other processes after this process fails. If all of them fail for the same reason, they reach
 * the barrier at once. */
static const double SECONDS_TO_AGREE = 2;

/* Redirects standard output and standard error to /dev/null, so only rank 0 prints, and holds back messages. Returns a
 * duplicate of the original standard error, or -1 on failure. */
static int credence_mpi_silence(void) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), standard_error = dup(STDERR_FILENO);
    const bool is_done =
        nowhere >= 0 && standard_error >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
    if (nowhere >= 0) close(nowhere);
    message_hold();
    return is_done ? standard_error : -1;
}

/* Keeps Open MPI from searching for network fabrics, which takes most of its startup time. If the machine has no fabric
 * device, messages use shared memory and TCP anyway (the component ob1). This function selects ob1 in advance unless
 * the user has set an MCA variable. */
static void skip_search_for_fabrics(void) {
    static const char *const devices[] = {"/dev/infiniband", "/dev/hfi1_0", "/dev/hfi1", "/dev/cxi0", "/dev/ipath"};
    bool has_fabric = getenv("OMPI_MCA_mtl") != NULL || getenv("OMPI_MCA_btl") != NULL;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        has_fabric = has_fabric || access(devices[i], F_OK) == 0;
    if (!has_fabric) (void)setenv("OMPI_MCA_pml", "ob1", 0);
}

static volatile sig_atomic_t status_of_job;

static void end_at_once(int signal) {
    (void)signal;
    _exit(status_of_job);
}

/* Finalizes MPI and survives its crashes. When Open MPI 4.1 ends, it unloads modules while one of its own threads may
 * still use them. In about one of several hundred jobs a process crashes here. By then all processes have synchronized
 * and written their files, so the signal handler exits with the job's usual status. */
static void credence_mpi_finalize(int ended) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT};
    struct sigaction action = {.sa_handler = end_at_once};
    sigemptyset(&action.sa_mask);
    status_of_job = ended;
    fflush(NULL);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
    MPI_Finalize();
}

int main(int argc, char **argv) {
    int provided = 0;
    skip_search_for_fabrics();
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        fputs("credence-mpi: MPI cannot be initialized\n", stderr);
        return ENDED_FAILED;
    }
    const crd_communicator group = mpi_communicator();
    const int standard_error = group.rank > 0 ? credence_mpi_silence() : STDERR_FILENO;
    if (standard_error < 0) MPI_Abort(MPI_COMM_WORLD, ENDED_FAILED);
    if (group.rank == 0 && group.count > 1) progress_by_lines(group.count);
    terminal_pass_on(); /* mpirun gives processes pseudo-terminals */
    const int ended = command_run(argc, argv, &group);
    /* A process that fails on its own would leave the others waiting forever. */
    if (ended != ENDED_WELL && !mpi_communicator_meets(SECONDS_TO_AGREE)) {
        if (group.rank > 0 && dup2(standard_error, STDERR_FILENO) >= 0) message_release();
        char host[MPI_MAX_PROCESSOR_NAME] = "";
        int length = 0;
        (void)MPI_Get_processor_name(host, &length);
        fprintf(stderr, "credence-mpi: rank %u of %u, on %s, has failed, and ends the job\n", group.rank, group.count,
                host);
        MPI_Abort(MPI_COMM_WORLD, ended);
    }
    if (ended == ENDED_WELL) (void)mpi_communicator_meets(0);
    credence_mpi_finalize(ended);
    return ended;
}
