/* SPDX-License-Identifier: MIT */
/* text_encoding.h - converts texts in other encodings to UTF-8 (POSIX iconv). */
#ifndef CRD_TABLE_TEXT_ENCODING_H
#define CRD_TABLE_TEXT_ENCODING_H

#include "table/source.h"

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

#endif
