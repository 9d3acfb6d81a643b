/* SPDX-License-Identifier: MIT */
/* header_fields.h - header fields of a message, split into names and values (RFC 5322, section 2.2). */
#ifndef CRD_MAIL_HEADER_FIELDS_H
#define CRD_MAIL_HEADER_FIELDS_H

#include "base/context.h"

/* The value is as it stands, folded, without the line end behind it. */
typedef struct crd_i_mail_header {
    crd_text name, value;
} crd_i_mail_header;

/* The header field that begins a text: a name without blanks, blanks as of old (section 4.5), a colon, and all lines that begin with
 * a blank or a tab behind the first. Returns how many bytes it takes, with its line end; 0: the text begins with something else. */
size_t crd_i_mail_header_next(crd_text text, crd_i_mail_header *header);
/* Bytes of an empty line at the beginning of a text; 0: none is there. */
size_t crd_i_mail_blank_line(crd_text text);
/* Bytes of the first line, with its end. */
size_t crd_i_mail_line(crd_text text);

/* Whether a name is another one, which is in small letters, in any case. */
bool crd_i_mail_is_named(crd_text name, const char *lower);

/* The headers that describe the content of a message or of a part (RFC 2045); bytes NULL where they are not there. */
typedef struct crd_i_mime_headers {
    crd_text type, encoding, disposition;
} crd_i_mime_headers;

/* Keeps a header that is one of them; the first of several. */
void crd_i_mime_headers_take(crd_i_mime_headers *headers, const crd_i_mail_header *header);

/* What these headers mean. */
typedef struct crd_i_mime_type {
    crd_text type, subtype, charset, boundary, name; /* empty where there is none */
    bool is_attachment;
} crd_i_mime_type;

/* False where a header is not as RFC 2045 has it, or has a parameter in parts, in a charset, or with escaped characters. Without a
 * type it is text/plain. */
bool crd_i_mime_type_parse(const crd_i_mime_headers *headers, crd_i_mime_type *type);

#endif
