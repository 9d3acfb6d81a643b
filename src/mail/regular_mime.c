/* SPDX-License-Identifier: MIT */
/* regular_mime.c - see regular_mime.h. */
#include "mail/regular_mime.h"

#include "mail/mail_decode.h"

#include <string.h>

enum { MOST_DEPTH = 8 };

/* ---- Parts without parts ---- */

static bool regular_mime_is_identity(crd_text encoding) {
    return encoding.length == 0 || crd_i_mail_is_named(encoding, "7bit") || crd_i_mail_is_named(encoding, "8bit") ||
           crd_i_mail_is_named(encoding, "binary");
}

/* Reads a part without parts. Returns false if it is irregular. */
static bool regular_mime_read_leaf(crd_i_mail_parser *parser, const crd_i_mime_type *type, crd_text encoding,
                                   crd_text content) {
    bool is_html;
    const bool is_text = crd_i_mail_is_text(type->type, type->subtype, &is_html);
    if (!is_text || type->is_attachment || type->name.length > 0)
        crd_i_mail_add_attachment(parser, type->type, type->subtype, type->name);
    if (!is_text) return true;
    if (!crd_i_charset_is_plain(type->charset)) return false;
    if (regular_mime_is_identity(encoding)) {
        if (content.length > parser->max_part) content.length = parser->max_part;
        crd_i_mail_add_text(parser, content, is_html);
        return true;
    }
    const bool is_base64 = crd_i_mail_is_named(encoding, "base64");
    if (!is_base64 && !crd_i_mail_is_named(encoding, "quoted-printable")) return false;
    parser->decoded.length = 0;
    const crd_i_decoded decoded_part =
        is_base64 ? crd_i_base64_decode(content, parser->max_part, &parser->decoded)
                  : crd_i_quoted_printable_decode(content, parser->max_part, false, &parser->decoded);
    if (decoded_part == CRD_I_DECODED_IRREGULAR) return false;
    if (decoded_part == CRD_I_DECODED_NO_MEMORY) parser->fields->has_failed = true;
    if (decoded_part != CRD_I_DECODED) return true;
    crd_text decoded = {(const char *)parser->decoded.bytes, parser->decoded.length};
    if (decoded.length > parser->max_part) decoded.length = parser->max_part;
    crd_i_mail_add_text(parser, decoded, is_html);
    return true;
}

/* ---- Multiparts ---- */

/* BOUNDARY_DOUBTFUL: the line continues after the boundary, so GMime must decide. */
typedef enum boundary_kind { BOUNDARY_NONE, BOUNDARY_BETWEEN, BOUNDARY_LAST, BOUNDARY_DOUBTFUL } boundary_kind;

/* Classifies the first line of a text, and sets *length to the length of the line. */
static boundary_kind boundary_at(crd_text text, crd_text boundary, size_t *length) {
    *length = crd_i_mail_line(text);
    if (*length < boundary.length + 2 || text.bytes[0] != '-' || text.bytes[1] != '-') return BOUNDARY_NONE;
    if (memcmp(text.bytes + 2, boundary.bytes, boundary.length) != 0) return BOUNDARY_NONE;
    const char *cursor = text.bytes + 2 + boundary.length, *end = text.bytes + *length;
    const bool is_last = end - cursor >= 2 && cursor[0] == '-' && cursor[1] == '-';
    if (is_last) cursor += 2;
    if (cursor < end && end[-1] == '\n') end--;
    if (cursor < end && end[-1] == '\r') end--;
    if (cursor < end) return BOUNDARY_DOUBTFUL;
    return is_last ? BOUNDARY_LAST : BOUNDARY_BETWEEN;
}

/* Finds the next boundary line. Sets *cursor to its beginning and *after to the index after it. */
static boundary_kind regular_mime_find_boundary(crd_text text, crd_text boundary, size_t *cursor, size_t *after) {
    for (size_t i = 0; i < text.length;) {
        size_t length;
        if (text.bytes[i] == '-') {
            const boundary_kind kind = boundary_at((crd_text){text.bytes + i, text.length - i}, boundary, &length);
            *cursor = i;
            *after = i + length;
            if (kind != BOUNDARY_NONE) return kind;
        } else {
            length = crd_i_mail_line((crd_text){text.bytes + i, text.length - i});
        }
        i += length;
    }
    return BOUNDARY_NONE;
}

static bool read_entity(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body, unsigned depth,
                        size_t *parts);

/* Reads a part: its headers, an empty line, and its content. Returns false if it is irregular. */
static bool regular_mime_read_part(crd_i_mail_parser *parser, crd_text text, unsigned depth, size_t *parts) {
    crd_i_mime_headers headers = {.type = {NULL, 0}};
    for (;;) {
        crd_i_mail_header header;
        const size_t blank = crd_i_mail_blank_line(text);
        const size_t taken = blank > 0 ? blank : crd_i_mail_header_next(text, &header);
        if (taken == 0) return false;
        text.bytes += taken;
        text.length -= taken;
        if (blank > 0) break;
        crd_i_mime_headers_take(&headers, &header);
    }
    return read_entity(parser, &headers, text, depth, parts);
}

/* Reads the parts of a multipart body. Returns false if it is irregular, for example if the last boundary is
 * missing. */
static bool read_multipart(crd_i_mail_parser *parser, crd_text boundary, crd_text text, unsigned depth, size_t *parts) {
    size_t index, after;
    boundary_kind kind = regular_mime_find_boundary(text, boundary, &index, &after);
    while (kind == BOUNDARY_BETWEEN && !parser->fields->has_failed) {
        text.bytes += after;
        text.length -= after;
        kind = regular_mime_find_boundary(text, boundary, &index, &after);
        if (kind != BOUNDARY_BETWEEN && kind != BOUNDARY_LAST) return false;
        crd_text part = {text.bytes, index};
        if (part.length > 0 && part.bytes[part.length - 1] == '\n') part.length--;
        if (part.length > 0 && part.bytes[part.length - 1] == '\r') part.length--;
        if (!regular_mime_read_part(parser, part, depth + 1, parts)) return false;
    }
    return kind == BOUNDARY_LAST || parser->fields->has_failed;
}

/* Reads a message or a part. Returns false if it is irregular, nested too deeply, has too many parts, or contains a
 * message. */
static bool read_entity(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body, unsigned depth,
                        size_t *parts) {
    crd_i_mime_type type;
    if (depth > MOST_DEPTH || ++*parts > CRD_I_MAIL_MOST_PARTS / 4 || !crd_i_mime_type_parse(headers, &type))
        return false;
    crd_text encoding = headers->encoding;
    while (encoding.length > 0 && (encoding.bytes[0] == ' ' || encoding.bytes[0] == '\t')) {
        encoding.bytes++;
        encoding.length--;
    }
    while (encoding.length > 0 &&
           (encoding.bytes[encoding.length - 1] == ' ' || encoding.bytes[encoding.length - 1] == '\t'))
        encoding.length--;
    if (crd_i_mail_is_named(type.type, "message")) return false;
    if (!crd_i_mail_is_named(type.type, "multipart")) return regular_mime_read_leaf(parser, &type, encoding, body);
    if (type.boundary.length == 0 || !regular_mime_is_identity(encoding) || crd_i_mail_is_named(type.subtype, "digest"))
        return false;
    return read_multipart(parser, type.boundary, body, depth, parts);
}

bool crd_i_regular_mime_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body) {
    size_t parts = 0;
    return read_entity(parser, headers, body, 0, &parts);
}
