/* SPDX-License-Identifier: MIT */
/* open_reader.h - bytes that any thread can read piece by piece, on demand: a range of a file, or memory.
 *
 * The file stays open, so its contents stay the same even if its path now leads to another file. If the file is
 * truncated meanwhile, reading returns an error and raises no signal. */
#ifndef CRD_IO_OPEN_READER_H
#define CRD_IO_OPEN_READER_H

#include "base/buffer.h"

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

#endif
