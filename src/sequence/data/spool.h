/* SPDX-License-Identifier: MIT */
/* spool.h - a byte store that is written once, sequentially, and then read at random. It is in memory while it is
 * small, otherwise in an unnamed temporary file. The system removes the file when the last process that uses it ends,
 * even after a crash. */
#ifndef CRD_SEQUENCE_SPOOL_H
#define CRD_SEQUENCE_SPOOL_H

#include "base/buffer.h"

#include <stdio.h>

/* Initialize to zero with `context` and `memory_bytes` set. */
typedef struct crd_i_spool {
    crd_context *context;
    size_t memory_bytes; /* maximum number of bytes to keep in memory */
    crd_i_buffer tail;   /* bytes after the end of the file */
    uint64_t written;    /* number of bytes in the file */
    FILE *file;          /* NULL: all bytes are in `tail` */
} crd_i_spool;

void crd_i_spool_clear(crd_i_spool *spool);

/* Returns room for `length` bytes at the end of the spool, in memory, valid until the next call; NULL: out of memory.
 * After writing the bytes, call crd_i_spool_add to make them part of the spool. */
unsigned char *crd_i_spool_room(crd_i_spool *spool, size_t length);
CRD_MUST_USE crd_status crd_i_spool_add(crd_i_spool *spool, size_t length, crd_error *error);
CRD_MUST_USE crd_status crd_i_spool_append(crd_i_spool *spool, const void *bytes, size_t length, crd_error *error);

static inline uint64_t crd_i_spool_length(const crd_i_spool *spool) {
    return spool->written + spool->tail.length;
}

/* After this point nothing may be added, and any thread may read. */

/* Returns the bytes from `offset` on if they are in memory; NULL: use crd_i_spool_read to copy them. */
const unsigned char *crd_i_spool_at(const crd_i_spool *spool, uint64_t offset);
CRD_MUST_USE crd_status crd_i_spool_read(const crd_i_spool *spool, uint64_t offset, void *into, size_t length,
                                         crd_error *error);
/* Read buffer for sequential reading. Initialize to zero with `bytes.context` set. */
typedef struct crd_i_spool_window {
    crd_i_buffer bytes;
    uint64_t offset;
} crd_i_spool_window;

/* Gets `length` bytes at `offset`, valid until the window's next call. Sequential reads also read ahead. */
CRD_MUST_USE crd_status crd_i_spool_look(const crd_i_spool *spool, crd_i_spool_window *window, uint64_t offset,
                                         size_t length, const unsigned char **out, crd_error *error);

/* Maps all bytes for random reading: the memory itself, or the file by mmap. Release with crd_i_spool_unmap. */
CRD_MUST_USE crd_status crd_i_spool_map(crd_i_spool *spool, const unsigned char **out, crd_error *error);
void crd_i_spool_unmap(crd_i_spool *spool, const unsigned char *mapped);

#endif
