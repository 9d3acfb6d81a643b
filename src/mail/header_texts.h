/* SPDX-License-Identifier: MIT */
/* header_texts.h - converts headers to text: From and Subject to texts, Received to host names, and all others to
 * words. */
#ifndef CRD_MAIL_HEADER_TEXTS_H
#define CRD_MAIL_HEADER_TEXTS_H

#include "mail/mail_parts.h"

/* Adds a header to the fields of the current message. Headers that only delivery or filters add are ignored. */
void crd_i_header_texts_add(crd_i_mail_parser *parser, const crd_i_mail_header *header);

#endif
