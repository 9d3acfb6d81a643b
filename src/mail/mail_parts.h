/* SPDX-License-Identifier: MIT */
/* mail_parts.h - the parser of a message, and the functions that add its parts to the fields. */
#ifndef CRD_MAIL_MAIL_PARTS_H
#define CRD_MAIL_MAIL_PARTS_H

#include "mail/mail_fields.h"

/* Limits: headers per message, bytes per header value, bytes of text over all parts. */
enum { CRD_I_MAIL_MOST_HEADERS = 1000, CRD_I_MAIL_MOST_VALUE = 1 << 14, CRD_I_MAIL_MOST_TEXT = 1 << 22 };
/* Default limit on the bytes of a message. */
enum { CRD_I_MAIL_MOST_BYTES = 1 << 24 };
/* Limits on the nesting depth and on the number of parts. Parts beyond them are ignored. */
enum { CRD_I_MAIL_MOST_DEPTH = 32, CRD_I_MAIL_MOST_PARTS = 1000 };

/* The state of a parser. Its buffers are reused from message to message. */
typedef struct crd_i_mail_parser {
    crd_context *context;
    /* texts of the current message, and of the messages before it */
    crd_i_mail_fields *fields;
    size_t begin[CRD_MAIL_FIELD_COUNT]; /* where the current message begins in each field */
    /* limits in bytes: of a message, and of the decoded text of one part */
    size_t max_bytes, max_part;
    /* parse every body with GMime, even if its structure is plain */
    bool always_gmime;
    /* work space */
    crd_i_buffer decoded, converted, value, scratch[2];
} crd_i_mail_parser;

/* Adds the text of a part to the body. Its transfer encoding is decoded, and its charset is plain (mail_decode.h). */
void crd_i_mail_add_text(crd_i_mail_parser *parser, crd_text text, bool is_html);
/* Adds the type and file name of a part that is not text, or that has a file name. */
void crd_i_mail_add_attachment(crd_i_mail_parser *parser, crd_text type, crd_text subtype, crd_text name);
/* Returns whether a part is read as text: text/plain or text/html. */
bool crd_i_mail_is_text(crd_text type, crd_text subtype, bool *is_html);

#endif
