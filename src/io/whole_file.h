/* SPDX-License-Identifier: MIT */
/* whole_file.h - reads and writes complete files. Writing is atomic: the path holds either the old content or the new.
 * Writers lock the file. */
#ifndef CRD_IO_WHOLE_FILE_H
#define CRD_IO_WHOLE_FILE_H

#include "base/context.h"

CRD_MUST_USE crd_status crd_i_file_read(crd_context *context, const char *path, unsigned char **bytes, size_t *length,
                                        crd_error *error);
/* Reads only as many of the first bytes as are needed. `needed` computes this number from the first `length` of `size`
 * bytes; reading continues while its result exceeds `length`. If all bytes are needed, or the size is unknown, *file is
 * -1. Otherwise *file is open, the caller closes it, and *size is its size. */
typedef uint64_t (*crd_i_bytes_needed)(const unsigned char *bytes, size_t length, uint64_t size);
CRD_MUST_USE crd_status crd_i_file_read_needed(crd_context *context, const char *path, crd_i_bytes_needed needed,
                                               unsigned char **bytes, size_t *length, int *file, uint64_t *size,
                                               crd_error *error);
/* Reads the first bytes, at most `capacity`. Reads none from a pipe or a device, which could not return them a second
 * time. */
CRD_MUST_USE crd_status crd_i_file_peek(crd_context *context, const char *path, unsigned char *bytes, size_t capacity,
                                        size_t *length, crd_error *error);
/* Returns whether a write to `path` replaces a file. */
bool crd_i_file_is_regular(const char *path);
CRD_MUST_USE crd_status crd_i_file_write(crd_context *context, const char *path, const unsigned char *bytes,
                                         size_t length, crd_error *error);
/* Returns how many bytes of a path to keep if its last name plus a suffix would be too long. The kept part ends with a
 * complete character. */
size_t crd_i_file_short_name(const char *path);
/* Finds the path that a write to `path` replaces. Follows links, even a link to a file that does not exist yet. Free
 * the result with crd_free. */
CRD_MUST_USE crd_status crd_i_file_real(crd_context *context, const char *path, char **out, crd_error *error);

#endif
