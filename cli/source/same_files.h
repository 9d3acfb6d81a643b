/* SPDX-License-Identifier: MIT */
/* same_files.h - whether several processes, which may be on several machines, have the same files before them. */
#ifndef CREDENCE_CLI_SAME_FILES_H
#define CREDENCE_CLI_SAME_FILES_H

#include <credence/communicator.h>

/* Compares the sizes of these files in all processes, each of which makes the call; one that differs is a failure of all. A part of
 * a file is found by its size: where a machine has an old copy, rows would be lost, or counted twice. Of what is no file, such as a
 * folder, it is compared that it is there. */
int same_files_check(const crd_communicator *group, const char *const *paths, size_t count);

#endif
