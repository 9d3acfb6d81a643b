/* SPDX-License-Identifier: MIT */
/* text_source.h - sources that convert the bytes of another source: from other encodings to UTF-8, and from JSON
 * objects to lines. */
#ifndef CRD_TABLE_TEXT_SOURCE_H
#define CRD_TABLE_TEXT_SOURCE_H

#include "input/source.h"

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

#endif
