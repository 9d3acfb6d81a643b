/* SPDX-License-Identifier: MIT */
/* mail_fields.h - the texts that messages become: a run of bytes for each field, to which messages are appended one after
 * the other. */
#ifndef CRD_MAIL_MAIL_FIELDS_H
#define CRD_MAIL_MAIL_FIELDS_H

#include "base/buffer.h"

#include <credence/mail.h>

/* Names of fields as columns. */
extern const char *const crd_i_mail_field_names[CRD_MAIL_FIELD_COUNT];

/* A failed allocation is remembered, so that those who write need not look; nothing is appended from then on. */
typedef struct crd_i_mail_fields {
    crd_i_buffer texts[CRD_MAIL_FIELD_COUNT];
    bool has_failed;
} crd_i_mail_fields;

void crd_i_mail_fields_init(crd_i_mail_fields *fields, crd_context *context);
void crd_i_mail_fields_clear(crd_i_mail_fields *fields);

void crd_i_mail_put(crd_i_mail_fields *fields, crd_mail_field field, const void *bytes, size_t length);
/* An ASCII capital becomes a small letter. */
void crd_i_mail_put_lower(crd_i_mail_fields *fields, crd_mail_field field, const char *bytes, size_t length);
/* A blank, unless the field is at the beginning of a message, `begin`, or ends with one. */
void crd_i_mail_separate(crd_i_mail_fields *fields, crd_mail_field field, size_t begin);

#endif
