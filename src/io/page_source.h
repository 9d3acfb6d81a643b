/* SPDX-License-Identifier: MIT */
/* page_source.h - page sources and whole files.
 *
 * A page source provides bytes that any thread can read piece by piece, on demand: a range of a file, or memory. The
 * file stays open, so its contents stay the same even if its path now leads to another file. If the file is truncated
 * meanwhile, reading returns an error and raises no signal. */
#ifndef CRD_IO_PAGE_SOURCE_H
#define CRD_IO_PAGE_SOURCE_H

#include "base/buffer.h"
#include "base/context.h"

typedef struct crd_i_page_source crd_i_page_source;

/* Opens a range of `length` bytes of an open file, starting at `begin`. The source takes ownership of the file, even if
 * this call fails. `path` is used in messages. */
CRD_MUST_USE crd_status crd_i_page_source_open(crd_context *context, int file, const char *path, uint64_t begin,
                                               uint64_t length, crd_i_page_source **out, crd_error *error);
/* Creates a source from a copy of bytes, or from a buffer, which is moved and empty afterwards. Returns NULL if memory
 * runs out; the buffer is then unchanged. */
crd_i_page_source *crd_i_page_source_copy(crd_context *context, const unsigned char *bytes, size_t length);
crd_i_page_source *crd_i_page_source_take(crd_i_buffer *buffer);
void crd_i_page_source_retain(crd_i_page_source *source);
void crd_i_page_source_release(crd_i_page_source *source); /* NULL is allowed */

uint64_t crd_i_page_source_length(const crd_i_page_source *source);
/* Returns all bytes if they are in memory; NULL if they are in a file, or if the length is 0. */
const unsigned char *crd_i_page_source_bytes(const crd_i_page_source *source);
/* Reads bytes inside the range. Returns CRD_ERROR_SYSTEM, or CRD_ERROR_DAMAGED if the file has become shorter. */
CRD_MUST_USE crd_status crd_i_page_source_read(const crd_i_page_source *source, uint64_t index, size_t length,
                                               unsigned char *destination, crd_error *error);
/* Returns CRD_ERROR_DAMAGED and fills in the error with the path of the file. */
crd_status crd_i_page_source_damaged(const crd_i_page_source *source, const char *description, crd_error *error);

/* ======== Whole files ========
 *
 * Writing is atomic: the path holds either the old content or the new (credence/output_file.h). */

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
size_t crd_i_output_file_short_name(const char *path);
/* Finds the path that a write to `path` replaces. Follows links, even a link to a file that does not exist yet. Free
 * the result with crd_free. */
CRD_MUST_USE crd_status crd_i_output_file_real(crd_context *context, const char *path, char **out, crd_error *error);

#endif
