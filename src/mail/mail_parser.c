/* SPDX-License-Identifier: MIT */
/* mail_parser.c - converts messages to texts, one after another.
 *
 * Headers are split by mail_fields.c and converted by header_texts.c. If the structure and the charsets of the body are
 * plain, this file parses it, which is several times as fast and loads no library. Otherwise GMime parses it, in
 * gmime.c. Both add the parts with the functions of mail_internal.h.
 *
 * Contents:
 *   1. Plain bodies
 *   2. The parser
 *   3. The public object */
#include "base/error.h"
#include "base/memory.h"
#include "mail/mail_internal.h"

#include <string.h>

/* ======== 1. Plain bodies ========
 *
 * The texts are the same as GMime's. */

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

/* Parses a body and adds its parts to the message. Returns false if it is irregular anywhere; then the caller must
 * discard what was added. If memory runs out, returns true and sets fields->has_failed. */
static bool regular_mime_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body) {
    size_t parts = 0;
    return read_entity(parser, headers, body, 0, &parts);
}

/* ======== 2. The parser ======== */

enum { DEFAULT_MAX_PART = 1 << 20, FIRST_ROOM = 1 << 16 };

static void mail_parser_init(crd_i_mail_parser *parser, crd_context *context, const crd_mail_options *options) {
    *parser = (crd_i_mail_parser){.context = context, .max_bytes = options->max_bytes, .max_part = options->max_part};
    if (parser->max_bytes == 0) parser->max_bytes = CRD_I_MAIL_MOST_BYTES;
    if (parser->max_part == 0) parser->max_part = DEFAULT_MAX_PART;
    parser->always_gmime = options->always_gmime != 0;
    parser->decoded.context = parser->converted.context = parser->value.context = context;
    parser->scratch[0].context = parser->scratch[1].context = context;
}

static void mail_parser_clear(crd_i_mail_parser *parser) {
    crd_i_buffer_clear(&parser->decoded);
    crd_i_buffer_clear(&parser->converted);
    crd_i_buffer_clear(&parser->value);
    crd_i_buffer_clear(&parser->scratch[0]);
    crd_i_buffer_clear(&parser->scratch[1]);
}

/* ---- A message ---- */

/* Reads the headers of a message and leaves its body in *text. Lines "From " of an mbox before the headers, which may
 * be quoted, are skipped. */
static void read_headers(crd_i_mail_parser *parser, crd_text *text, crd_i_mime_headers *mime) {
    for (size_t count = 0;;) {
        crd_i_mail_header header;
        const size_t blank = crd_i_mail_blank_line(*text);
        size_t taken = blank > 0 ? blank : crd_i_mail_header_next(*text, &header);
        if (taken > 0 && blank == 0) {
            crd_i_mime_headers_take(mime, &header);
            if (count < CRD_I_MAIL_MOST_HEADERS) crd_i_header_texts_add(parser, &header);
            count++;
        } else if (taken == 0 && count == 0 && text->length > 5 &&
                   (memcmp(text->bytes, "From ", 5) == 0 || memcmp(text->bytes, ">From ", 6) == 0)) {
            taken = crd_i_mail_line(*text);
        }
        text->bytes += taken;
        text->length -= taken;
        if (taken == 0 || blank > 0) return;
    }
}

/* Truncates all fields to earlier lengths. */
static void mail_parser_go_back(crd_i_mail_fields *fields, const size_t lengths[CRD_MAIL_FIELD_COUNT]) {
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) fields->texts[i].length = lengths[i];
}

/* Appends the texts of a message to *fields. On failure, *fields is unchanged. */
static crd_status mail_parser_read(crd_i_mail_parser *parser, crd_text message, crd_i_mail_fields *fields,
                                   crd_error *error) {
    crd_i_mime_headers mime = {.type = {NULL, 0}};
    size_t lengths[CRD_MAIL_FIELD_COUNT];
    crd_status status = CRD_OK;
    if (message.length > parser->max_bytes) message.length = parser->max_bytes;
    parser->fields = fields;
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) parser->begin[i] = fields->texts[i].length;
    /* Most of a message is its body, so this is usually the only allocation. */
    if (crd_i_buffer_room(&fields->texts[CRD_MAIL_BODY],
                          message.length < FIRST_ROOM ? message.length + 1 : FIRST_ROOM) == NULL)
        fields->has_failed = true;
    read_headers(parser, &message, &mime);
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) lengths[i] = fields->texts[i].length;
    if (!fields->has_failed && (parser->always_gmime || !regular_mime_read(parser, &mime, message))) {
        mail_parser_go_back(fields, lengths);
        if (!fields->has_failed) status = crd_i_gmime_body_read(parser, &mime, message, error);
    }
    if (status == CRD_OK && fields->has_failed) status = crd_i_fail_memory(error);
    if (status != CRD_OK) mail_parser_go_back(fields, parser->begin);
    fields->has_failed = false;
    return status;
}

/* ======== 3. The public object ========
 *
 * See credence/mail.h. */

struct crd_mail {
    crd_context *context;
    crd_i_mail_fields fields;
};

const char *const crd_i_mail_field_names[CRD_MAIL_FIELD_COUNT] = {"from",  "subject",     "headers", "received",
                                                                  "links", "attachments", "body"};

const char *crd_mail_field_name(size_t field) {
    return field < CRD_MAIL_FIELD_COUNT ? crd_i_mail_field_names[field] : NULL;
}

crd_status crd_mail_parse(crd_context *context, const void *bytes, size_t length, const crd_mail_options *options,
                          crd_mail **out, crd_error *error) {
    crd_mail_options mail_options = CRD_MAIL_OPTIONS_INIT;
    *out = NULL;
    if (options != NULL && !crd_i_copy_in(options, &mail_options, sizeof mail_options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the message options are not initialized");
    crd_mail *mail = crd_i_alloc_zeroed(context, 1, sizeof *mail);
    if (mail == NULL) return crd_i_fail_memory(error);
    crd_i_mail_parser parser;
    mail->context = context;
    crd_i_mail_fields_init(&mail->fields, context);
    mail_parser_init(&parser, context, &mail_options);
    const crd_text message = {bytes != NULL ? bytes : "", bytes != NULL ? length : 0};
    const crd_status status = mail_parser_read(&parser, message, &mail->fields, error);
    mail_parser_clear(&parser);
    if (status != CRD_OK) {
        crd_mail_destroy(mail);
        return status;
    }
    *out = mail;
    return CRD_OK;
}

void crd_mail_destroy(crd_mail *mail) {
    if (mail == NULL) return;
    crd_i_mail_fields_clear(&mail->fields);
    crd_free(mail->context, mail);
}

crd_text crd_mail_text(const crd_mail *mail, crd_mail_field field) {
    const crd_i_buffer *text = &mail->fields.texts[field];
    return (crd_text){text->length > 0 ? (const char *)text->bytes : "", text->length};
}
