/* SPDX-License-Identifier: MIT */
/* mail_message.c - the public object for one message: see credence/mail.h. */
#include "base/error.h"
#include "base/memory.h"
#include "mail/mail_parser.h"

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
    crd_i_mail_parser_init(&parser, context, &mail_options);
    const crd_text message = {bytes != NULL ? bytes : "", bytes != NULL ? length : 0};
    const crd_status status = crd_i_mail_parser_read(&parser, message, &mail->fields, error);
    crd_i_mail_parser_clear(&parser);
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
