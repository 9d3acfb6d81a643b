/* SPDX-License-Identifier: MIT */
/* mail_parser.h - messages one after the other become texts.
 *
 * Headers are split here (header_fields.h) and become texts in header_texts.c. The body is parsed by regular_mime.c
 * where its structure and charsets are plain, which is several times as fast, and needs no library to be loaded; or else by
 * GMime, in gmime_body.c. Both hand over what they find to the same calls (mail_parts.h). */
#ifndef CRD_MAIL_MAIL_PARSER_H
#define CRD_MAIL_MAIL_PARSER_H

#include "mail/mail_parts.h"

void crd_i_mail_parser_init(crd_i_mail_parser *parser, crd_context *context, const crd_mail_options *options);
void crd_i_mail_parser_clear(crd_i_mail_parser *parser);

/* Appends the texts of a message to *fields. On failure these are as they were. */
CRD_MUST_USE crd_status crd_i_mail_parser_read(crd_i_mail_parser *parser, crd_text message, crd_i_mail_fields *fields,
                                               crd_error *error);

#endif
