/* SPDX-License-Identifier: MIT */
/* buffer.h - a growing byte buffer. Zero-initialize it, set `context`, and use it. crd_i_buffer_clear frees it. Also
 * reads bytes as words, lowest byte first, on machines of any byte order. */
#ifndef CRD_BASE_BUFFER_H
#define CRD_BASE_BUFFER_H

#include "base/context.h"

typedef struct crd_i_buffer {
    crd_context *context;
    unsigned char *bytes;
    size_t length, capacity;
} crd_i_buffer;

/* Appends `length` bytes. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_buffer_append(crd_i_buffer *buffer, const void *bytes, size_t length);
/* Makes room for `length` more bytes after the end and returns a pointer to that room. The length of the buffer does
 * not change. Returns NULL if memory runs out. */
unsigned char *crd_i_buffer_room(crd_i_buffer *buffer, size_t length);
/* Frees the bytes. The buffer is then empty and can be used again. */
void crd_i_buffer_clear(crd_i_buffer *buffer);

/* ---- Words ---- */

/* Reads 8 bytes as a word. Compilers translate this expression to one load. */
static inline uint64_t crd_i_word_64(const char *cursor) {
    const unsigned char *b = (const unsigned char *)cursor;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

static inline uint32_t crd_i_word_32(const char *cursor) {
    const unsigned char *b = (const unsigned char *)cursor;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

#endif
