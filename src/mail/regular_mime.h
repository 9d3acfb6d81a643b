/* SPDX-License-Identifier: MIT */
/* regular_mime.h - bodies whose structure is plain, parsed without GMime, with the same texts. */
#ifndef CRD_MAIL_REGULAR_MIME_H
#define CRD_MAIL_REGULAR_MIME_H

#include "mail/mail_parts.h"

/* Hands the parts of a body over to the parser; false: it is irregular somewhere, and what was handed over is to be dropped. Out of memory
 * is true, and fields->has_failed. */
bool crd_i_regular_mime_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers, crd_text body);

#endif
