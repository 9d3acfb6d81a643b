/* SPDX-License-Identifier: MIT */
/* source.h - byte sources: a file, standard input, memory, a caller's functions, or a decompressor over another
 * source. */
#ifndef CRD_TABLE_SOURCE_H
#define CRD_TABLE_SOURCE_H

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

/* ======== Text encodings ========
 *
 * POSIX iconv converts texts in other encodings to UTF-8. */

enum {
    CRD_I_ENCODING_ROOM = 64,  /* for a name and its NUL */
    CRD_I_ENCODING_LOOK = 512, /* number of first bytes to inspect; 4 are enough for a byte order mark */
};

/* Finds the iconv name of an encoding; "" for UTF-8, which needs no conversion. CRD_ERROR_ARGUMENT: unknown
 * encoding. */
CRD_MUST_USE crd_status crd_i_encoding_find(const char *name, char known[CRD_I_ENCODING_ROOM], crd_error *error);

/* Detects the encoding from the first bytes of a text: by a byte order mark, whose length is *mark, or, for UTF-16
 * without one, by NULs in every second byte only. "" for UTF-8 with a mark; NULL: unknown. */
const char *crd_i_encoding_detect(crd_text first, size_t *mark);

/* Creates a source that converts `inner` to UTF-8 and skips its first `mark` bytes. Takes over `inner`, even if it
 * fails. A byte that is invalid in the encoding becomes 0xFF, which is never valid UTF-8, so the parser reports it
 * with its location. */
CRD_MUST_USE crd_status crd_i_source_transcode(crd_context *context, crd_i_source *inner, const char *known,
                                               size_t mark, crd_i_source **out, crd_error *error);

/* Converts a text from Windows-1252 to UTF-8. The five undefined bytes are read as Latin-1, so any bytes are valid.
 * `to` has room for CRD_I_ENCODING_WESTERN_GROWTH bytes per input byte. Returns the number of bytes written. */
enum { CRD_I_ENCODING_WESTERN_GROWTH = 3 };
size_t crd_i_encoding_read_western(crd_text text, char *destination);

/* ======== JSON objects ========
 *
 * Converts JSON objects that span lines, in an array or one after the other, to JSON Lines.
 *
 * An object becomes one line, followed by the line ends it contained, so an object that begins a line keeps its line
 * number. Objects that share a line get one line each and are numbered accordingly. The source keeps nothing in
 * memory. */

/* Returns whether a text begins with an array of objects, or with an object over several lines. */
bool crd_i_json_objects_recognize(crd_text first);

/* Creates the source. It takes over `inner`, even if it fails. It checks the bytes between objects:
 * CRD_ERROR_SYNTAX, with the line, after everything before was read. */
CRD_MUST_USE crd_status crd_i_source_json_objects(crd_context *context, crd_i_source *inner, crd_i_source **out,
                                                  crd_error *error);

/* ======== Unsupported text columns ========
 *
 * The error for operations that do not support text columns. */

/* Fails with CRD_ERROR_COLUMN because a column contains texts. The message is `description`, such as "a table counts",
 * followed by "numbers and categories only". */
crd_status crd_i_fail_text(crd_error *error, crd_text column, const char *description);

#endif
