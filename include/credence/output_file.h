/* SPDX-License-Identifier: MIT */
/* credence/output_file.h - files that appear only when they are complete. Experimental: it may change in any release.
 *
 *   crd_output_file *file;
 *   crd_status status = crd_output_file_open(context, "result.csv", &file, &error);
 *   if (status == CRD_OK) {
 *       ... write to crd_output_file_descriptor(file) ...
 *       status = crd_output_file_complete(file, &error);
 *       crd_output_file_destroy(file);
 *   }
 *
 * Until crd_output_file_complete, the path holds its old content, or nothing. The new content is in a temporary file
 * next to it. A device or a pipe is written directly.
 *
 * A process that is killed does not remove its temporary file. To limit their number, they are numbered,
 * PATH.writing-0 and so on, and each is locked by its writer. The next writer of the path removes an abandoned file and
 * uses the first number that is free. */
#ifndef CREDENCE_OUTPUT_FILE_H
#define CREDENCE_OUTPUT_FILE_H

#ifndef CRD_EXPERIMENTAL
#error "credence/output_file.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_output_file crd_output_file;

/* Opens a file for writing. A symbolic link stays a link, and its target is replaced. The temporary file gets the
 * owner, the group and the permissions of the replaced file, as far as the system allows. Fails with CRD_ERROR_SYSTEM
 * if the path is a folder, or a file that may not be written. */
CRD_API CRD_MUST_USE crd_status crd_output_file_open(crd_context *context, const char *path, crd_output_file **out,
                                                     crd_error *error);
/* Returns the descriptor to write to. The file closes it. The file is locked until the last copy of the descriptor is
 * closed, so close a copy (dup) before you complete the file. */
CRD_API int crd_output_file_descriptor(const crd_output_file *file);
/* Returns the path of the temporary file, for a program that removes it when it exits early; NULL: the path is written
 * directly. */
CRD_API const char *crd_output_file_temporary(const crd_output_file *file);
/* Flushes the content to the disk and renames the temporary file to the path. Afterwards the file can only be
 * destroyed. */
CRD_API CRD_MUST_USE crd_status crd_output_file_complete(crd_output_file *file, crd_error *error);
/* Closes a file, and removes the temporary file if it was not completed. NULL is allowed. */
CRD_API void crd_output_file_destroy(crd_output_file *file);

#ifdef __cplusplus
}
#endif

#endif
