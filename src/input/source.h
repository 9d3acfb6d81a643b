/* SPDX-License-Identifier: MIT */
/* source.h - byte sources: a file, standard input, memory, a caller's functions, or a decompressor over another
 * source. */
#ifndef CRD_INPUT_SOURCE_H
#define CRD_INPUT_SOURCE_H

#include "base/context.h"

#include <credence/base.h>
#include <credence/data.h>

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
/* Creates a source over bytes that a caller's functions return. Calls callbacks->close even if it fails. */
CRD_MUST_USE crd_status crd_i_source_callbacks(crd_context *context, const crd_input_callbacks *callbacks,
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

#endif
