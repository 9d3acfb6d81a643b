/* SPDX-License-Identifier: MIT */
/* mail_parser.c - see mail_parser.h. */
#include "mail/mail_parser.h"

#include "base/error.h"
#include "mail/gmime_body.h"
#include "mail/header_texts.h"
#include "mail/regular_mime.h"

#include <string.h>

enum { DEFAULT_MAX_PART = 1 << 20, FIRST_ROOM = 1 << 16 };

void crd_i_mail_parser_init(crd_i_mail_parser *parser, crd_context *context, const crd_mail_options *options) {
    *parser = (crd_i_mail_parser){.context = context, .max_bytes = options->max_bytes, .max_part = options->max_part};
    if (parser->max_bytes == 0) parser->max_bytes = CRD_I_MAIL_MOST_BYTES;
    if (parser->max_part == 0) parser->max_part = DEFAULT_MAX_PART;
    parser->always_gmime = options->always_gmime != 0;
    parser->decoded.context = parser->converted.context = parser->value.context = context;
    parser->scratch[0].context = parser->scratch[1].context = context;
}

void crd_i_mail_parser_clear(crd_i_mail_parser *parser) {
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

crd_status crd_i_mail_parser_read(crd_i_mail_parser *parser, crd_text message, crd_i_mail_fields *fields,
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
    if (!fields->has_failed && (parser->always_gmime || !crd_i_regular_mime_read(parser, &mime, message))) {
        mail_parser_go_back(fields, lengths);
        if (!fields->has_failed) status = crd_i_gmime_body_read(parser, &mime, message, error);
    }
    if (status == CRD_OK && fields->has_failed) status = crd_i_fail_memory(error);
    if (status != CRD_OK) mail_parser_go_back(fields, parser->begin);
    fields->has_failed = false;
    return status;
}
