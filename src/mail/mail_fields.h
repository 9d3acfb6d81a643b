/* SPDX-License-Identifier: MIT */
/* mail_fields.h - the texts extracted from messages: one buffer per field, to which one message after another is
 * appended. */
#ifndef CRD_MAIL_MAIL_FIELDS_H
#define CRD_MAIL_MAIL_FIELDS_H

#include "base/buffer.h"
#include "base/context.h"

#include <credence/mail.h>

/* Column names of the fields. */
extern const char *const crd_i_mail_field_names[CRD_MAIL_FIELD_COUNT];

/* The buffers. A failed allocation is stored in has_failed, so writers need not check each call. After a failure,
 * nothing more is appended. */
typedef struct crd_i_mail_fields {
    crd_i_buffer texts[CRD_MAIL_FIELD_COUNT];
    bool has_failed;
} crd_i_mail_fields;

void crd_i_mail_fields_init(crd_i_mail_fields *fields, crd_context *context);
void crd_i_mail_fields_clear(crd_i_mail_fields *fields);

void crd_i_mail_put(crd_i_mail_fields *fields, crd_mail_field field, const void *bytes, size_t length);
/* Appends bytes, with ASCII letters in lower case. */
void crd_i_mail_put_lower(crd_i_mail_fields *fields, crd_mail_field field, const char *bytes, size_t length);
/* Appends a space, unless the field is empty (it begins at `begin`) or already ends with a space. */
void crd_i_mail_separate(crd_i_mail_fields *fields, crd_mail_field field, size_t begin);

/* ---- splits the header of a message into fields with names and values (RFC 5322, section 2.2). */

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

/* ---- extracts host names from headers, texts and links. */

/* A host is appended in lower case and as a single word: "mail_1.example.org". `begin` is where the current message
 * begins in the field. A host that the message already has in this field is not repeated, and a field gets at most 16
 * KiB of hosts per message. */

/* Appends the hosts of all URLs in a text to the links, without "www.". */
void crd_i_mail_scan_links(crd_i_mail_fields *fields, size_t begin, crd_text text);
/* Appends the host of a URL in an HTML attribute to the links, if the URL has a host. */
void crd_i_mail_put_link(crd_i_mail_fields *fields, size_t begin, crd_text url);

/* Appends the hosts in a Received header, which may be folded. Its date is ignored. Each host is followed by the
 * domains that contain it, of at least two labels ("mail.example.org", "example.org"). IP addresses are skipped: few
 * messages share one, and the networks that they belong to are less informative than they seem. */
void crd_i_mail_put_received(crd_i_mail_fields *fields, size_t begin, crd_text value);

#endif
