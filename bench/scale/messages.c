/* SPDX-License-Identifier: MIT */
/* messages.c - latency and bandwidth of messages between two processes of MPI: seconds of a message of a byte, and bytes a second of
 * messages of 16 MiB, the least of several turns there and back. measure.py compiles it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LARGE = 16 * 1024 * 1024, TURNS = 20 };

/* Seconds of one way, the mean of `count` messages there and back. */
static double one_way(char *bytes, int length, int count, int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begun = MPI_Wtime();
    for (int i = 0; i < count; i++) {
        if (rank == 0) MPI_Send(bytes, length, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(bytes, length, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(bytes, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begun) / (2.0 * count);
}

int main(int count, char **arguments) {
    int rank;
    double latency = 1e9, large = 1e9;
    MPI_Init(&count, &arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *bytes = calloc(LARGE, 1);
    if (bytes == NULL) return 1;
    for (int turn = 0; turn < TURNS && rank < 2; turn++) {
        const double small = one_way(bytes, 1, 200, rank), time = one_way(bytes, LARGE, 4, rank);
        if (small < latency) latency = small;
        if (time < large) large = time;
    }
    if (rank == 0) printf("%.9f %.0f\n", latency, LARGE / large);
    free(bytes);
    MPI_Finalize();
    return 0;
}
