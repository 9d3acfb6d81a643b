/* SPDX-License-Identifier: MIT */
/* mpi_communicator.h - wraps the processes of an MPI job as a communicator. */
#ifndef CREDENCE_MPI_COMMUNICATOR_H
#define CREDENCE_MPI_COMMUNICATOR_H

#include <credence/communicator.h>

#include <stdbool.h>

/* Returns a communicator of all processes of the job. MPI_Init_thread must have been called. */
crd_communicator mpi_communicator(void);

/* Waits at a barrier for all processes, at most `seconds`; 0: no time limit. Returns whether all processes arrived. */
bool mpi_communicator_meets(double seconds);

#endif
