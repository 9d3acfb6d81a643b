/* SPDX-License-Identifier: MIT */
/* temporary_file.h - files for what does not fit into memory, such as the rows of long sequences. */
#ifndef CREDENCE_TEMPORARY_FILE_H
#define CREDENCE_TEMPORARY_FILE_H

#include <credence/base.h>

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Opens an empty file for reading and writing in the folder that the environment variable TMPDIR names, or in /tmp if it is not set. The
 * file has no name, is not inherited by other programs, and is deleted when it is closed with fclose or the process ends. Returns NULL
 * and sets errno if there is no such folder or no file can be created there. */
CRD_API CRD_MUST_USE FILE *crd_temporary_file(void);

#ifdef __cplusplus
}
#endif

#endif
