/* SPDX-License-Identifier: MIT */
/* credence_mpi.c - the program credence-mpi: the command in all processes of an MPI job, each with a part of the rows.
 *
 *   mpirun -n 4 credence-mpi train rows.csv --target y -o y.model
 *
 * All processes compute what is computed together; the first one prints and writes. */
#include "mpi_communicator.h"

#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/verb.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How long the others may take to fail as this process did: what they all agree on is there at once. */
static const double SECONDS_TO_AGREE = 2;

/* What the first process prints, the others do not: their standard output and error lead nowhere. Returns what was standard
 * error, or -1. */
static int silence(void) {
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC), standard_error = dup(STDERR_FILENO);
    const bool is_done =
        nowhere >= 0 && standard_error >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
    if (nowhere >= 0) close(nowhere);
    message_hold();
    return is_done ? standard_error : -1;
}

/* Open MPI looks for fabrics when it begins, which takes longer than all else of its start. Where the machine has no device of one,
 * messages go through shared memory and TCP (its component ob1) in any case: that is stated beforehand, unless the user has stated
 * something. */
static void skip_search_for_fabrics(void) {
    static const char *const devices[] = {"/dev/infiniband", "/dev/hfi1_0", "/dev/hfi1", "/dev/cxi0", "/dev/ipath"};
    bool has_fabric = getenv("OMPI_MCA_mtl") != NULL || getenv("OMPI_MCA_btl") != NULL;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        has_fabric = has_fabric || access(devices[i], F_OK) == 0;
    if (!has_fabric) (void)setenv("OMPI_MCA_pml", "ob1", 0);
}

/* When Open MPI 4.1 ends, it unloads modules while a thread of its own may still run their code: in one of some hundred jobs that ends
 * a process, whose work is done, by a fault. So modules stay loaded. */
static void keep_modules_loaded(void) {
    void *program = dlopen(NULL, RTLD_LAZY);
    struct link_map *module = NULL;
    if (program == NULL || dlinfo(program, RTLD_DI_LINKMAP, &module) != 0) return;
    for (; module != NULL; module = module->l_next)
        if (module->l_name[0] != '\0') (void)dlopen(module->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

int main(int argc, char **argv) {
    int provided = 0;
    skip_search_for_fabrics();
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
        fputs("credence-mpi: MPI cannot be initialised\n", stderr);
        return ENDED_FAILED;
    }
    const crd_communicator group = mpi_communicator();
    const int standard_error = group.rank > 0 ? silence() : STDERR_FILENO;
    if (standard_error < 0) MPI_Abort(MPI_COMM_WORLD, ENDED_FAILED);
    if (group.rank == 0 && group.count > 1) progress_by_lines(group.count);
    output_pass_on(); /* mpirun gives processes terminals of its own */
    const int ended = command_run(argc, argv, &group);
    /* A process that fails for itself alone would leave the others waiting. */
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
    keep_modules_loaded();
    MPI_Finalize();
    return ended;
}
