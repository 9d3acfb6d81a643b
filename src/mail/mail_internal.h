/* SPDX-License-Identifier: MIT */
/* mail_internal.h - the interfaces between the source files of the mail filter. Texts are extracted into one buffer per
 * field, to which one message after another is appended.
 *
 * Contents:
 *   1. Texts
 *   2. Header fields
 *   3. Host names
 *   4. The parser
 *   5. Transfer encodings and charsets
 *   6. HTML
 *   7. Header texts
 *   8. GMime */
#ifndef CRD_MAIL_MAIL_INTERNAL_H
#define CRD_MAIL_MAIL_INTERNAL_H

#include "base/buffer.h"
#include "base/context.h"

#include <credence/mail.h>

/* ======== 1. Texts ======== */

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

/* ======== 2. Header fields ========
 *
 * The header of a message is split into fields with names and values (RFC 5322, section 2.2). */

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

/* ======== 3. Host names ========
 *
 * Host names are extracted from headers, texts and links. */

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

/* ======== 4. The parser ========
 *
 * The functions below add the parts of a message to the fields. */

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

/* Adds the text of a part to the body. Its transfer encoding is decoded, and its charset is plain (see section 5). */
void crd_i_mail_add_text(crd_i_mail_parser *parser, crd_text text, bool is_html);
/* Adds the type and file name of a part that is not text, or that has a file name. */
void crd_i_mail_add_attachment(crd_i_mail_parser *parser, crd_text type, crd_text subtype, crd_text name);
/* Returns whether a part is read as text: text/plain or text/html. */
bool crd_i_mail_is_text(crd_text type, crd_text subtype, bool *is_html);

/* ======== 5. Transfer encodings and charsets ========
 *
 * The content transfer encodings (RFC 2045) and charsets of regular messages. Malformed input is reported as irregular
 * and left to GMime. For all other input, these functions and GMime give the same result. */

typedef enum crd_i_decoded { CRD_I_DECODED, CRD_I_DECODED_IRREGULAR, CRD_I_DECODED_NO_MEMORY } crd_i_decoded;

/* Decodes Base64 and appends the bytes to *out, at most about `most` of them. */
crd_i_decoded crd_i_base64_decode(crd_text text, size_t most, crd_i_buffer *out);
/* Decodes quoted-printable text and appends it to *out, at most about `most` bytes. `is_word`: the text is part of an
 * encoded word (RFC 2047), in which an underscore means a space. */
crd_i_decoded crd_i_quoted_printable_decode(crd_text text, size_t most, bool is_word, crd_i_buffer *out);

/* Returns whether crd_i_text_decode can read texts in a charset: UTF-8, ASCII, Latin-1, windows-1252, or an empty
 * name. */
bool crd_i_charset_is_plain(crd_text charset);
/* Appends a text to *out as UTF-8. Valid UTF-8 is copied, and all other bytes are read as windows-1252. Therefore text
 * is read correctly even if it is labeled with the wrong one of these charsets. NUL and undefined bytes become spaces.
 * Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_text_decode(crd_text text, crd_i_buffer *out);

/* Returns the value of a hexadecimal digit, or -1 if it is not a digit. */
int crd_i_hex_digit(unsigned char digit);
/* Writes a character as UTF-8 and returns its length; 0 if the character does not exist or is NUL. */
size_t crd_i_utf8_write(uint32_t character, char bytes[4]);

/* ======== 6. HTML ======== */

/* Appends the text of a UTF-8 document to the body, and the hosts of its links to the links. The current message begins
 * at begin[field] in each field. Tags are dropped, block tags become line breaks, and entities are decoded. Alternative
 * texts of images are included. Comments, scripts, style sheets and hidden elements (such as display:none) are not.
 * Takes linear time for any document. */
void crd_i_html_to_text(crd_text html, const size_t begin[CRD_MAIL_FIELD_COUNT], crd_i_mail_fields *fields);

/* ======== 7. Header texts ========
 *
 * From and Subject become texts, Received becomes host names, and all other headers become words. */

/* Adds a header to the fields of the current message. Headers that only delivery or filters add are ignored. */
void crd_i_header_texts_add(crd_i_mail_parser *parser, const crd_i_mail_header *header);

/* ======== 8. GMime ========
 *
 * GMime parses message bodies of any structure and charset. Builds without GMime cannot read them. */

/* Parses a body with GMime and adds its parts to the message. CRD_ERROR_SYSTEM: GMime is not available. */
CRD_MUST_USE crd_status crd_i_gmime_body_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers,
                                              crd_text body, crd_error *error);

/* Decodes a line with encoded words (RFC 2047) and appends it to *out as UTF-8. Without GMime, the line is appended
 * with its words still encoded. Modifies `line`: a NUL byte is added after its end, and NUL bytes inside become spaces.
 * Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_gmime_decode_words(crd_i_buffer *line, crd_i_buffer *out);

#endif
