/* SPDX-License-Identifier: MIT */
/* whole_file.h - whole files: read at once, written so that the path holds the old content or the new, locked. */
#ifndef CRD_IO_WHOLE_FILE_H
#define CRD_IO_WHOLE_FILE_H

#include "base/context.h"

CRD_MUST_USE crd_status crd_i_file_read(crd_context *context, const char *path, unsigned char **bytes, size_t *length,
                                        crd_error *error);
/* The same of as many of the first bytes as are needed: a function of the first `length` of `size`, which goes on as long as
 * its result is above `length`. Where that is all of them, or the size is not known, *file is -1; else it is open, to be
 * closed by the caller, and *size is its size. */
typedef uint64_t (*crd_i_bytes_needed)(const unsigned char *bytes, size_t length, uint64_t size);
CRD_MUST_USE crd_status crd_i_file_read_needed(crd_context *context, const char *path, crd_i_bytes_needed needed,
                                               unsigned char **bytes, size_t *length, int *file, uint64_t *size,
                                               crd_error *error);
/* The first bytes, at most `room`; none of a pipe or a device, which would not show them a second time. */
CRD_MUST_USE crd_status crd_i_file_peek(crd_context *context, const char *path, unsigned char *bytes, size_t room,
                                        size_t *length, crd_error *error);
/* Whether a write to `path` replaces a file. */
bool crd_i_file_is_regular(const char *path);
CRD_MUST_USE crd_status crd_i_file_write(crd_context *context, const char *path, const unsigned char *bytes,
                                         size_t length, crd_error *error);
/* How much of a path to take where its last name with an ending would be too long: a beginning that ends with a whole
 * character. */
size_t crd_i_file_short_name(const char *path);
/* The path that a write to `path` replaces: links are followed, also one whose file is still to come. Freed with
 * crd_free. */
CRD_MUST_USE crd_status crd_i_file_real(crd_context *context, const char *path, char **out, crd_error *error);

#endif
