/* SPDX-License-Identifier: MIT */
/* mail_fields.c - see mail_fields.h. */
#include "mail/mail_fields.h"

#include <string.h>

void crd_i_mail_fields_init(crd_i_mail_fields *fields, crd_context *context) {
    *fields = (crd_i_mail_fields){.has_failed = false};
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) fields->texts[i].context = context;
}

void crd_i_mail_fields_clear(crd_i_mail_fields *fields) {
    for (size_t i = 0; i < CRD_MAIL_FIELD_COUNT; i++) crd_i_buffer_clear(&fields->texts[i]);
    fields->has_failed = false;
}

void crd_i_mail_put(crd_i_mail_fields *fields, crd_mail_field field, const void *bytes, size_t length) {
    crd_i_buffer *text = &fields->texts[field];
    if (text->capacity - text->length > length) {
        memcpy(text->bytes + text->length, bytes, length);
        text->length += length;
        return;
    }
    if (fields->has_failed || crd_i_buffer_append(text, bytes, length)) return;
    fields->has_failed = true;
}

void crd_i_mail_put_lower(crd_i_mail_fields *fields, crd_mail_field field, const char *bytes, size_t length) {
    crd_i_buffer *text = &fields->texts[field];
    if (length == 0) return;
    unsigned char *buffer = fields->has_failed ? NULL : crd_i_buffer_room(text, length);
    if (buffer == NULL) {
        fields->has_failed = true;
        return;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)bytes[i];
        buffer[i] = byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte | 0x20) : byte;
    }
    text->length += length;
}

void crd_i_mail_separate(crd_i_mail_fields *fields, crd_mail_field field, size_t begin) {
    const crd_i_buffer *text = &fields->texts[field];
    if (text->length > begin && text->bytes[text->length - 1] != ' ') crd_i_mail_put(fields, field, " ", 1);
}
