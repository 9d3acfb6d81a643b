/* SPDX-License-Identifier: MIT */
/* same_files.h - checks that several processes, possibly on several machines, see the same files. */
#ifndef CREDENCE_CLI_SAME_FILES_H
#define CREDENCE_CLI_SAME_FILES_H

#include <credence/communicator.h>

/* Compares the sizes of these files in all processes, which must all call it. If a size differs, all processes fail.
 * Parts of a file are computed from its size, so with an outdated copy on one machine rows would be lost or counted
 * twice. For other paths, such as folders, only their existence is compared. */
int same_files_check(const crd_communicator *group, const char *const *paths, size_t count);

#endif
