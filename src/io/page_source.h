/* SPDX-License-Identifier: MIT */
/* page_source.h - bytes that are read piece by piece, by any thread, when they are needed: a range of a file, or memory.
 *
 * The file stays open, so that it is the same one also where its path has been given to another; one that is truncated
 * meanwhile is an error, and no signal. */
#ifndef CRD_IO_PAGE_SOURCE_H
#define CRD_IO_PAGE_SOURCE_H

#include "base/buffer.h"

typedef struct crd_i_page_source crd_i_page_source;

/* `length` bytes of an open file from `begin` on. The file is the source's from then on, also where this fails; path is
 * for messages. */
CRD_MUST_USE crd_status crd_i_page_source_open(crd_context *context, int file, const char *path, uint64_t begin,
                                               uint64_t length, crd_i_page_source **out, crd_error *error);
/* A copy of bytes, or a buffer, which is taken over and empty afterwards. NULL: out of memory; the buffer is as before. */
crd_i_page_source *crd_i_page_source_copy(crd_context *context, const unsigned char *bytes, size_t length);
crd_i_page_source *crd_i_page_source_take(crd_i_buffer *buffer);
void crd_i_page_source_retain(crd_i_page_source *source);
void crd_i_page_source_release(crd_i_page_source *source); /* NULL is fine */

uint64_t crd_i_page_source_length(const crd_i_page_source *source);
/* All of it where it is in memory; NULL where it is in a file, or of no length. */
const unsigned char *crd_i_page_source_bytes(const crd_i_page_source *source);
/* Bytes that are in it. CRD_ERROR_SYSTEM, or CRD_ERROR_DAMAGED where the file has become shorter. */
CRD_MUST_USE crd_status crd_i_page_source_read(const crd_i_page_source *source, uint64_t at, size_t length,
                                               unsigned char *to, crd_error *error);
/* CRD_ERROR_DAMAGED, at the place of its file. */
crd_status crd_i_page_source_damaged(const crd_i_page_source *source, const char *what, crd_error *error);

#endif
