/* SPDX-License-Identifier: MIT */
/* mail_fields.h - the texts extracted from messages: one buffer per field, to which one message after another is
 * appended. */
#ifndef CRD_MAIL_MAIL_FIELDS_H
#define CRD_MAIL_MAIL_FIELDS_H

#include "base/buffer.h"

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

#endif
