/* SPDX-License-Identifier: MIT */
/* credence/temporary_file.h - temporary files for data that does not fit into memory, such as the rows of long
 * sequences. */
#ifndef CREDENCE_TEMPORARY_FILE_H
#define CREDENCE_TEMPORARY_FILE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/temporary_file.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens an empty, unnamed file for reading and writing. It is in the folder that the environment variable TMPDIR names,
 * or in /tmp if TMPDIR is not set. Child processes do not inherit the file. It is deleted when you close it with
 * fclose, or when the process ends. Returns NULL and sets errno if the folder does not exist or the file cannot be
 * created. */
CRD_API CRD_MUST_USE FILE *crd_temporary_file(void);

#ifdef __cplusplus
}
#endif

#endif
