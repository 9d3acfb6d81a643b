/* SPDX-License-Identifier: MIT */
/* mail_parts.c - see mail_internal.h. */
#include "mail/mail_internal.h"

enum { LONGEST_FILE_NAME = 256, LONGEST_TOKEN = 64, LONGEST_EXTENSION = 8 };

bool crd_i_mail_is_text(crd_text type, crd_text subtype, bool *is_html) {
    *is_html = crd_i_mail_is_named(subtype, "html");
    return crd_i_mail_is_named(type, "text") && (*is_html || crd_i_mail_is_named(subtype, "plain"));
}

void crd_i_mail_add_text(crd_i_mail_parser *parser, crd_text text, bool is_html) {
    crd_i_mail_fields *fields = parser->fields;
    crd_i_buffer *body = &fields->texts[CRD_MAIL_BODY];
    if (text.length == 0 || body->length - parser->begin[CRD_MAIL_BODY] > CRD_I_MAIL_MOST_TEXT) return;
    crd_i_mail_separate(fields, CRD_MAIL_BODY, parser->begin[CRD_MAIL_BODY]);
    const size_t first = body->length;
    if (is_html) {
        parser->scratch[0].length = 0;
        if (!crd_i_text_decode(text, &parser->scratch[0])) {
            fields->has_failed = true;
            return;
        }
        const crd_text html = {(const char *)parser->scratch[0].bytes, parser->scratch[0].length};
        crd_i_html_to_text(html, parser->begin, fields);
    } else if (fields->has_failed || !crd_i_text_decode(text, body)) {
        fields->has_failed = true;
    }
    if (!fields->has_failed && body->length > first)
        crd_i_mail_scan_links(fields, parser->begin[CRD_MAIL_LINKS],
                              (crd_text){(const char *)body->bytes + first, body->length - first});
}

/* Appends a token in lower case. Characters other than graphic ASCII become underscores. */
static void mail_parts_put_token(crd_i_mail_fields *fields, crd_mail_field field, crd_text token) {
    char bytes[LONGEST_TOKEN];
    size_t length = token.length < LONGEST_TOKEN ? token.length : LONGEST_TOKEN;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)(token.bytes[i] > ' ' && token.bytes[i] <= '~' ? token.bytes[i] : '_');
    crd_i_mail_put_lower(fields, field, bytes, length);
}

void crd_i_mail_add_attachment(crd_i_mail_parser *parser, crd_text type, crd_text subtype, crd_text name) {
    crd_i_mail_fields *fields = parser->fields;
    crd_i_buffer *out = &fields->texts[CRD_MAIL_ATTACHMENTS];
    const crd_mail_field field = CRD_MAIL_ATTACHMENTS;
    if (out->length - parser->begin[field] > CRD_I_MAIL_MOST_VALUE) return;
    if (name.length > LONGEST_FILE_NAME) name.length = LONGEST_FILE_NAME;
    crd_i_mail_separate(fields, field, parser->begin[field]);
    mail_parts_put_token(fields, field, type);
    crd_i_mail_put(fields, field, "_", 1);
    mail_parts_put_token(fields, field, subtype);
    if (name.length == 0 || fields->has_failed) return;
    crd_i_mail_put(fields, field, " ", 1);
    if (fields->has_failed || !crd_i_text_decode(name, out)) {
        fields->has_failed = true;
        return;
    }
    size_t dot = name.length;
    while (dot > 0 && name.bytes[dot - 1] != '.') dot--;
    if (dot == 0 || name.length - dot > LONGEST_EXTENSION) return;
    for (size_t i = dot; i < name.length; i++)
        if ((unsigned char)name.bytes[i] >= 0x80 || name.bytes[i] <= ' ') return;
    crd_i_mail_put(fields, field, " extension_", 11);
    crd_i_mail_put_lower(fields, field, name.bytes + dot, name.length - dot);
}
