/* SPDX-License-Identifier: MIT */
/* source.h - byte sources: a file, standard input, memory, a caller's functions, or a decompressor over another
 * source. */
#ifndef CRD_INPUT_SOURCE_H
#define CRD_INPUT_SOURCE_H

#include "base/buffer.h"
#include "base/context.h"

#include <credence/base.h>
#include <credence/data.h>
#include <stdio.h>

typedef struct crd_i_source crd_i_source;

/* The base of each type of source, its first member. */
struct crd_i_source {
    crd_context *context;
    /* Reads up to `room` > 0 bytes; *got is 0 only at the end. */
    crd_status (*read)(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got, crd_error *error);
    /* Rewinds to the first byte. NULL, or CRD_ERROR_TYPE: not possible. */
    crd_status (*rewind)(crd_i_source *source, crd_error *error);
    /* Moves to byte `offset`. NULL: possible only by reading. */
    crd_status (*seek)(crd_i_source *source, uint64_t offset, crd_error *error);
    /* Checks at the end for errors after the last byte, which must be reported after all earlier errors. NULL: there
     * are none. */
    crd_status (*finish)(const crd_i_source *source, crd_error *error);
    void (*close)(crd_i_source *source); /* frees the source too */
    uint64_t taken;                      /* for a file or memory: offset of the next byte to read */
    bool is_decompressed;                /* there may be far more bytes than in the file */
};

/* Opens a path. "-" is standard input, which can be rewound if it is a file. If a regular file becomes shorter after
 * it was opened, reading fails with CRD_ERROR_SYSTEM ("... shrank while it was read"). Rejects directories. */
CRD_MUST_USE crd_status crd_i_source_open(crd_context *context, const char *path, crd_i_source **out, crd_error *error);
/* Creates a source over borrowed bytes. */
CRD_MUST_USE crd_status crd_i_source_memory(crd_context *context, const void *bytes, size_t length, bool can_rewind,
                                            crd_i_source **out, crd_error *error);
void crd_i_source_close(crd_i_source *source); /* NULL is allowed */

/* Creates a source over the same bytes and returns the first ones, up to `wanted`. They are valid until the source
 * is closed. Takes over `inner`, even if it fails. */
CRD_MUST_USE crd_status crd_i_source_peek(crd_context *context, crd_i_source *inner, size_t wanted, crd_text *first,
                                          crd_i_source **out, crd_error *error);

/* A compressed format, recognized by its first bytes. `wrap` takes over `inner`, even if it fails. */
typedef struct crd_i_decoder {
    const char *name;
    const char *magic;
    size_t magic_length;
    crd_status (*wrap)(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);
} crd_i_decoder;

/* Creates a source over the decompressed bytes if the first bytes match a decoder's magic, otherwise over the
 * original bytes. Takes over `inner`. Rewinding works if it works for `inner`. `decoders` ends with a NULL name; it
 * may be NULL. */
CRD_MUST_USE crd_status crd_i_source_decode(crd_context *context, crd_i_source *inner, const crd_i_decoder *decoders,
                                            crd_i_source **out, crd_error *error);

/* The compressed formats of this build. Terminated by an entry whose name is NULL. */
extern const crd_i_decoder crd_i_decoders[];

crd_status crd_i_gzip_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);
crd_status crd_i_zstd_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);

/* An opened input. The reader or network that uses it takes over `source`, which is NULL from then on. */
struct crd_input {
    crd_context *context;
    const char *place;
    crd_i_source *source, *file; /* decompressed bytes; the innermost source that `source` wraps, owned by it */
    crd_text first;              /* the first bytes; valid while there is a source */
    uint64_t bytes;              /* size if it is in memory; 0: unknown */
};

/* ======== Spool ========
 *
 * A spool is a byte store that is written once, sequentially, and then read at random. It is in memory while it is
 * small, otherwise in an unnamed temporary file. The system removes the file when the last process that uses it ends,
 * even after a crash. */

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

/* ======== Kept bytes ======== */

/* Creates a source over the bytes of a pipe that keeps them in a spool, so that it can be rewound. Rewinding fails with
 * CRD_ERROR_TYPE if keeping was stopped, if there are too many bytes, or if there is no room for them. Takes over `inner`,
 * even if it fails. */
CRD_MUST_USE crd_status crd_i_source_keep(crd_context *context, crd_i_source *inner, crd_i_source **out,
                                          crd_error *error);
/* Frees the kept bytes, and keeps no more. */
void crd_i_source_stop_keeping(crd_i_source *source);

#endif
