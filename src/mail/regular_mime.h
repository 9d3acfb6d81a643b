/* SPDX-License-Identifier: MIT */
/* regular_mime.h - parses bodies with a plain structure without GMime. The texts are the same as GMime's. */
#ifndef CRD_MAIL_REGULAR_MIME_H
#define CRD_MAIL_REGULAR_MIME_H

#include "mail/mail_parts.h"

/* Parses a body and adds its parts to the message. Returns false if it is irregular anywhere; then the caller must
 * discard what was added. If memory runs out, returns true and sets fields->has_failed. */
bool crd_i_regular_mime_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body);

#endif
