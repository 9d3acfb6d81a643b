/* SPDX-License-Identifier: MIT */
/* mail_parts.h - a message being parsed, and what becomes of its parts. */
#ifndef CRD_MAIL_MAIL_PARTS_H
#define CRD_MAIL_MAIL_PARTS_H

#include "mail/header_fields.h"
#include "mail/mail_fields.h"

/* Bounds: of headers that are looked at in a message; of their bytes; of texts of all parts together. */
enum { CRD_I_MAIL_MOST_HEADERS = 1000, CRD_I_MAIL_MOST_VALUE = 1 << 14, CRD_I_MAIL_MOST_TEXT = 1 << 22 };
/* Of a message, unless options have another bound. */
enum { CRD_I_MAIL_MOST_BYTES = 1 << 24 };
/* How deep parts may be nested, and how many there may be, before the rest is not read. */
enum { CRD_I_MAIL_MOST_DEPTH = 32, CRD_I_MAIL_MOST_PARTS = 1000 };

/* Buffers are reused from message to message. */
typedef struct crd_i_mail_parser {
    crd_context *context;
    crd_i_mail_fields *fields;
    size_t begin[CRD_MAIL_FIELD_COUNT]; /* where the message begins in each field */
    size_t max_bytes, max_part;
    bool always_gmime;
    crd_i_buffer decoded, converted, value, scratch[2];
} crd_i_mail_parser;

/* The text of a part, its transfer encoding decoded, in a plain charset (mail_decode.h). */
void crd_i_mail_add_text(crd_i_mail_parser *parser, crd_text text, bool is_html);
/* Type and name of a part that is not text, or has a name. */
void crd_i_mail_add_attachment(crd_i_mail_parser *parser, crd_text type, crd_text subtype, crd_text name);
/* Whether a part is read as text. */
bool crd_i_mail_is_text(crd_text type, crd_text subtype, bool *is_html);

#endif
