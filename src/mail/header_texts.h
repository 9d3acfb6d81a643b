/* SPDX-License-Identifier: MIT */
/* header_texts.h - what headers become: texts of From and Subject, hosts of Received, and words of all others. */
#ifndef CRD_MAIL_HEADER_TEXTS_H
#define CRD_MAIL_HEADER_TEXTS_H

#include "mail/mail_parts.h"

void crd_i_header_texts_add(crd_i_mail_parser *parser, const crd_i_mail_header *header);

#endif
