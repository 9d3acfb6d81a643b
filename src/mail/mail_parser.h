/* SPDX-License-Identifier: MIT */
/* mail_parser.h - converts messages to texts, one after another.
 *
 * Headers are split by header_fields.c and converted by header_texts.c. If the structure and the charsets of the body
 * are plain, regular_mime.c parses it, which is several times as fast and loads no library. Otherwise GMime parses it,
 * in gmime_body.c. Both add the parts with the functions of mail_parts.h. */
#ifndef CRD_MAIL_MAIL_PARSER_H
#define CRD_MAIL_MAIL_PARSER_H

#include "mail/mail_parts.h"

void crd_i_mail_parser_init(crd_i_mail_parser *parser, crd_context *context, const crd_mail_options *options);
void crd_i_mail_parser_clear(crd_i_mail_parser *parser);

/* Appends the texts of a message to *fields. On failure, *fields is unchanged. */
CRD_MUST_USE crd_status crd_i_mail_parser_read(crd_i_mail_parser *parser, crd_text message, crd_i_mail_fields *fields,
                                               crd_error *error);

#endif
