/* SPDX-License-Identifier: MIT */
/* mpi_communicator.h - the processes of an MPI job as a communicator. */
#ifndef CREDENCE_MPI_COMMUNICATOR_H
#define CREDENCE_MPI_COMMUNICATOR_H

#include <credence/communicator.h>

#include <stdbool.h>

/* All processes of the job, which MPI_Init_thread has begun. */
crd_communicator mpi_communicator(void);

/* Waits until every process has come here, or so many seconds have passed; whether all have. */
bool mpi_communicator_meets(double seconds);

#endif
