/* SPDX-License-Identifier: MIT */
/* source.h - where bytes come from: a file, standard input, memory, a caller's functions, or a decompressor over
 * another source. */
#ifndef CRD_TABLE_SOURCE_H
#define CRD_TABLE_SOURCE_H

#include "base/context.h"

#include <credence/data.h>

typedef struct crd_i_source crd_i_source;

/* Embedded first in each kind of source. */
struct crd_i_source {
    crd_context *context;
    /* Reads up to `room` > 0 bytes; *got = 0 at the end only. */
    crd_status (*read)(crd_i_source *source, unsigned char *bytes, size_t room, size_t *got, crd_error *error);
    /* Back to the first byte. NULL, or CRD_ERROR_KIND, where that cannot be done. */
    crd_status (*rewind)(crd_i_source *source, crd_error *error);
    /* To the byte `offset` from the first. NULL where that cannot be done but by reading. */
    crd_status (*seek)(crd_i_source *source, uint64_t offset, crd_error *error);
    /* At the end: what is wrong behind the last byte, which is to be told behind what is before. NULL: nothing ever is. */
    crd_status (*finish)(const crd_i_source *source, crd_error *error);
    void (*close)(crd_i_source *source); /* frees the source too */
    uint64_t taken;                      /* where in its bytes a file or memory has been read up to */
    bool is_decompressed;                /* so that there may be far more bytes than its file has */
};

/* Opens a path; "-" is standard input, which can be rewound where it is a file. A regular file that turns out shorter
 * than it was when opened is CRD_ERROR_SYSTEM ("... shrank while it was read"). Directories are refused. */
CRD_MUST_USE crd_status crd_i_source_open(crd_context *context, const char *path, crd_i_source **out, crd_error *error);
/* Borrowed bytes. */
CRD_MUST_USE crd_status crd_i_source_memory(crd_context *context, const void *bytes, size_t length, bool can_rewind,
                                            crd_i_source **out, crd_error *error);
/* Bytes that a caller's functions return. Calls callbacks->close also when it fails. */
CRD_MUST_USE crd_status crd_i_source_callbacks(crd_context *context, const crd_input_callbacks *callbacks,
                                               crd_i_source **out, crd_error *error);
void crd_i_source_close(crd_i_source *source); /* NULL is fine */

/* Takes over `inner`, also when it fails: a source over the same bytes, of which the first, up to `wanted`, are
 * shown at once. They are there until the source is closed. */
CRD_MUST_USE crd_status crd_i_source_peek(crd_context *context, crd_i_source *inner, size_t wanted, crd_text *first,
                                          crd_i_source **out, crd_error *error);

/* A compressed format, known by its first bytes. wrap takes over `inner`, also when it fails. */
typedef struct crd_i_decoder {
    const char *name;
    const char *magic;
    size_t magic_length;
    crd_status (*wrap)(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error);
} crd_i_decoder;

/* Takes over `inner`: a source over its decompressed bytes if its first bytes are a decoder's magic, else over its
 * bytes as they are. Rewinding works where inner's does. decoders ends with a name of NULL; it may be NULL. */
CRD_MUST_USE crd_status crd_i_source_decode(crd_context *context, crd_i_source *inner, const crd_i_decoder *decoders,
                                            crd_i_source **out, crd_error *error);

#endif
