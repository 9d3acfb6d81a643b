/* SPDX-License-Identifier: MIT */
/* header_fields.c - see header_fields.h. */
#include "mail/header_fields.h"

#include <string.h>
#include <strings.h>

size_t crd_i_mail_line(crd_text text) {
    const char *end = text.length > 0 ? memchr(text.bytes, '\n', text.length) : NULL;
    return end != NULL ? (size_t)(end - text.bytes) + 1 : text.length;
}

size_t crd_i_mail_blank_line(crd_text text) {
    if (text.length > 0 && text.bytes[0] == '\n') return 1;
    return text.length > 1 && text.bytes[0] == '\r' && text.bytes[1] == '\n' ? 2 : 0;
}

size_t crd_i_mail_header_next(crd_text text, crd_i_mail_header *header) {
    size_t colon = 0;
    while (colon < text.length && text.bytes[colon] > ' ' && text.bytes[colon] <= '~' && text.bytes[colon] != ':')
        colon++;
    const size_t name = colon;
    while (colon > 0 && colon < text.length && (text.bytes[colon] == ' ' || text.bytes[colon] == '\t')) colon++;
    if (colon == 0 || colon == text.length || text.bytes[colon] != ':') return 0;
    size_t end = colon;
    do {
        end += crd_i_mail_line((crd_text){text.bytes + end, text.length - end});
    } while (end < text.length && (text.bytes[end] == ' ' || text.bytes[end] == '\t'));
    size_t stop = end;
    if (stop > colon + 1 && text.bytes[stop - 1] == '\n') stop--;
    if (stop > colon + 1 && text.bytes[stop - 1] == '\r') stop--;
    header->name = (crd_text){text.bytes, name};
    header->value = (crd_text){text.bytes + colon + 1, stop - colon - 1};
    return end;
}

bool crd_i_mail_is_named(crd_text name, const char *lower) {
    return name.length == strlen(lower) && strncasecmp(name.bytes, lower, name.length) == 0;
}

void crd_i_mime_headers_take(crd_i_mime_headers *headers, const crd_i_mail_header *header) {
    crd_text *into = NULL;
    if (header->name.length < 9 || (header->name.bytes[0] | 0x20) != 'c') return;
    if (crd_i_mail_is_named(header->name, "content-type")) into = &headers->type;
    if (crd_i_mail_is_named(header->name, "content-transfer-encoding")) into = &headers->encoding;
    if (crd_i_mail_is_named(header->name, "content-disposition")) into = &headers->disposition;
    if (into != NULL && into->bytes == NULL) *into = header->value;
}

/* ---- Structured values ---- */

static bool is_token_byte(char byte) {
    return byte > ' ' && byte <= '~' && strchr("()<>@,;:\\\"/[]?=", byte) == NULL;
}

static void header_fields_skip_blanks(crd_text *text) {
    while (text->length > 0 && strchr(" \t\r\n", text->bytes[0]) != NULL && text->bytes[0] != '\0') {
        text->bytes++;
        text->length--;
    }
}

static crd_text take_token(crd_text *text) {
    crd_text token = {text->bytes, 0};
    while (token.length < text->length && is_token_byte(text->bytes[token.length])) token.length++;
    text->bytes += token.length;
    text->length -= token.length;
    return token;
}

static bool header_fields_take_byte(crd_text *text, char byte) {
    header_fields_skip_blanks(text);
    if (text->length == 0 || text->bytes[0] != byte) return false;
    text->bytes++;
    text->length--;
    return true;
}

/* Reads a token, or a quoted string without escapes, line breaks, bytes above ASCII and encoded words. Returns false if
 * there is none. */
static bool header_fields_take_value(crd_text *text, crd_text *value) {
    header_fields_skip_blanks(text);
    if (text->length == 0 || text->bytes[0] != '"') {
        *value = take_token(text);
        return value->length > 0;
    }
    const char *end = memchr(text->bytes + 1, '"', text->length - 1);
    if (end == NULL) return false;
    *value = (crd_text){text->bytes + 1, (size_t)(end - text->bytes) - 1};
    for (size_t i = 0; i < value->length; i++) {
        const char byte = value->bytes[i];
        if (byte < ' ' || byte > '~' || byte == '\\') return false;
        if (byte == '=' && i + 1 < value->length && value->bytes[i + 1] == '?') return false;
    }
    text->length -= (size_t)(end + 1 - text->bytes);
    text->bytes = end + 1;
    return true;
}

/* Reads parameters "; name=value" up to the end of the text. A trailing semicolon is allowed. Rejects duplicates. */
static bool header_fields_take_parameters(crd_text text, crd_i_mime_type *type, bool is_disposition) {
    for (;;) {
        header_fields_skip_blanks(&text);
        if (text.length == 0) return true;
        if (!header_fields_take_byte(&text, ';')) return false;
        header_fields_skip_blanks(&text);
        if (text.length == 0) return true;
        const crd_text name = take_token(&text);
        crd_text value;
        if (name.length == 0 || memchr(name.bytes, '*', name.length) != NULL) return false;
        if (!header_fields_take_byte(&text, '=') || !header_fields_take_value(&text, &value)) return false;
        crd_text *into = NULL;
        if (is_disposition) {
            if (crd_i_mail_is_named(name, "filename")) into = &type->name;
        } else {
            if (crd_i_mail_is_named(name, "charset")) into = &type->charset;
            if (crd_i_mail_is_named(name, "boundary")) into = &type->boundary;
            if (crd_i_mail_is_named(name, "name")) into = &type->name;
        }
        if (into != NULL && into->length > 0) return false;
        if (into != NULL) *into = value;
    }
}

bool crd_i_mime_type_parse(const crd_i_mime_headers *headers, crd_i_mime_type *type) {
    crd_text view = headers->type, name = {NULL, 0};
    *type = (crd_i_mime_type){{"text", 4}, {"plain", 5}, {NULL, 0}, {NULL, 0}, {NULL, 0}, false};
    if (view.bytes != NULL) {
        header_fields_skip_blanks(&view);
        type->type = take_token(&view);
        if (type->type.length == 0 || !header_fields_take_byte(&view, '/')) return false;
        type->subtype = take_token(&view);
        if (type->subtype.length == 0 || !header_fields_take_parameters(view, type, false)) return false;
    }
    view = headers->disposition;
    if (view.bytes == NULL) return true;
    header_fields_skip_blanks(&view);
    type->is_attachment = crd_i_mail_is_named(take_token(&view), "attachment");
    name = type->name;
    type->name = (crd_text){NULL, 0};
    if (!header_fields_take_parameters(view, type, true)) return false;
    if (type->name.length == 0) type->name = name;
    return true;
}
