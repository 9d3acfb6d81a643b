/* SPDX-License-Identifier: MIT */
/* spool.h - bytes that are written once, from the first to the last, and read anywhere: in memory while they are few, else in
 * a file without a name, which the system removes with the last process that has it, however that ends. */
#ifndef CRD_SEQUENCE_SPOOL_H
#define CRD_SEQUENCE_SPOOL_H

#include "base/buffer.h"

#include <stdio.h>

/* Zero-initialise but for the context and memory_bytes. */
typedef struct crd_i_spool {
    crd_context *context;
    size_t memory_bytes; /* that stay in memory */
    crd_i_buffer tail;   /* what is behind the bytes of the file */
    uint64_t written;    /* to the file */
    FILE *file;          /* NULL: everything is in `tail` */
} crd_i_spool;

void crd_i_spool_clear(crd_i_spool *spool);

/* Room for `length` bytes behind the last, in memory, until the next call; NULL: out of memory. crd_i_spool_add makes them part
 * of the spool, once they are written. */
unsigned char *crd_i_spool_room(crd_i_spool *spool, size_t length);
CRD_MUST_USE crd_status crd_i_spool_add(crd_i_spool *spool, size_t length, crd_error *error);
CRD_MUST_USE crd_status crd_i_spool_append(crd_i_spool *spool, const void *bytes, size_t length, crd_error *error);

static inline uint64_t crd_i_spool_length(const crd_i_spool *spool) {
    return spool->written + spool->tail.length;
}

/* From here on nothing is added, and any thread may read. */

/* The bytes from `offset` on, where they are in memory; NULL: crd_i_spool_read copies them. */
const unsigned char *crd_i_spool_at(const crd_i_spool *spool, uint64_t offset);
CRD_MUST_USE crd_status crd_i_spool_read(const crd_i_spool *spool, uint64_t offset, void *into, size_t length,
                                         crd_error *error);
/* What one who reads from here to there has read of a spool. Zero-initialise but for the context. */
typedef struct crd_i_spool_window {
    crd_i_buffer bytes;
    uint64_t offset;
} crd_i_spool_window;

/* The bytes at `offset`, until the window's next call; what follows them is read at once. */
CRD_MUST_USE crd_status crd_i_spool_look(const crd_i_spool *spool, crd_i_spool_window *window, uint64_t offset,
                                         size_t length, const unsigned char **out, crd_error *error);

/* All bytes as they lie in memory, or the file as the system maps it, for reading here and there: to be given back. */
CRD_MUST_USE crd_status crd_i_spool_map(crd_i_spool *spool, const unsigned char **out, crd_error *error);
void crd_i_spool_unmap(crd_i_spool *spool, const unsigned char *mapped);

#endif
