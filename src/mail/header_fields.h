/* SPDX-License-Identifier: MIT */
/* header_fields.h - splits the header of a message into fields with names and values (RFC 5322, section 2.2). */
#ifndef CRD_MAIL_HEADER_FIELDS_H
#define CRD_MAIL_HEADER_FIELDS_H

#include "base/context.h"

/* A header field. The value is still folded and does not include the line break at its end. */
typedef struct crd_i_mail_header {
    crd_text name, value;
} crd_i_mail_header;

/* Reads the header field at the beginning of a text: a name without whitespace, whitespace as in the obsolete syntax
 * (section 4.5), a colon, and the rest of the line. Following lines that begin with a space or tab belong to the field.
 * Returns the number of bytes including the last line break, or 0 if the text does not begin with a field. */
size_t crd_i_mail_header_next(crd_text text, crd_i_mail_header *header);
/* Returns the length of an empty line at the beginning of a text, or 0 if the text does not begin with one. */
size_t crd_i_mail_blank_line(crd_text text);
/* Returns the length of the first line, including its line break. */
size_t crd_i_mail_line(crd_text text);

/* Returns whether `name` equals `lower`, which is in lower case, ignoring the case of ASCII letters. */
bool crd_i_mail_is_named(crd_text name, const char *lower);

/* The headers that describe the content of a message or of a part (RFC 2045); `bytes` is NULL if a header is absent. */
typedef struct crd_i_mime_headers {
    crd_text type, encoding, disposition;
} crd_i_mime_headers;

/* Stores the value of a header that belongs to *headers. If a header is repeated, its first value is kept. */
void crd_i_mime_headers_take(crd_i_mime_headers *headers, const crd_i_mail_header *header);

/* The parsed meaning of these headers. */
typedef struct crd_i_mime_type {
    crd_text type, subtype, charset, boundary, name; /* empty if absent */
    bool is_attachment;
} crd_i_mime_type;

/* Parses the headers. A missing type means text/plain. Returns false if a header violates RFC 2045, or has a parameter
 * that is split into parts, has a charset (RFC 2231), or contains escaped characters. */
bool crd_i_mime_type_parse(const crd_i_mime_headers *headers, crd_i_mime_type *type);

#endif
