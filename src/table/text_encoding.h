/* SPDX-License-Identifier: MIT */
/* text_encoding.h - texts in other encodings than UTF-8, which become UTF-8 on their way in (POSIX iconv). */
#ifndef CRD_TABLE_TEXT_ENCODING_H
#define CRD_TABLE_TEXT_ENCODING_H

#include "table/source.h"

enum {
    CRD_I_ENCODING_ROOM = 64,  /* for a name, with its NUL */
    CRD_I_ENCODING_LOOK = 512, /* first bytes that tell most; 4 are enough for a byte order mark */
};

/* The name by which iconv knows an encoding; "" for UTF-8, which needs no conversion. CRD_ERROR_ARGUMENT: there is no
 * such encoding. */
CRD_MUST_USE crd_status crd_i_encoding_find(const char *name, char known[CRD_I_ENCODING_ROOM], crd_error *error);

/* The encoding that the first bytes of a text show: by a byte order mark, whose length is *mark, or, UTF-16 without one,
 * by NULs in every other place only. "" for UTF-8 with a mark; NULL: nothing shows. */
const char *crd_i_encoding_detect(crd_text first, size_t *mark);

/* Takes over `inner`, also when it fails: the UTF-8 of what it has in the encoding, without its first `mark` bytes. A byte
 * that is not valid in that encoding becomes 0xFF, which is never valid UTF-8: so who reads the text finds it, with the
 * place at which it stands. */
CRD_MUST_USE crd_status crd_i_source_transcode(crd_context *context, crd_i_source *inner, const char *known,
                                               size_t mark, crd_i_source **out, crd_error *error);

/* The UTF-8 of a text in Windows-1252, whose five bytes that mean nothing are those of Latin-1: so any bytes are a text. `to` has
 * room for CRD_I_ENCODING_WESTERN_GROWTH bytes a byte; returns how many were written. */
enum { CRD_I_ENCODING_WESTERN_GROWTH = 3 };
size_t crd_i_encoding_read_western(crd_text text, char *to);

#endif
