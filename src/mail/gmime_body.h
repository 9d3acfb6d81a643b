/* SPDX-License-Identifier: MIT */
/* gmime_body.h - bodies of any structure and charset, parsed by GMime. A build without GMime has no such bodies. */
#ifndef CRD_MAIL_GMIME_BODY_H
#define CRD_MAIL_GMIME_BODY_H

#include "mail/mail_parts.h"

/* Hands the parts of a body over to the parser. CRD_ERROR_SYSTEM: there is no GMime. */
CRD_MUST_USE crd_status crd_i_gmime_body_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers,
                                              crd_text body, crd_error *error);

/* Appends to *out what a line with encoded words (RFC 2047) stands for, or the line itself where there is no GMime. A NUL is put
 * behind the line. */
CRD_MUST_USE bool crd_i_gmime_decode_words(crd_i_buffer *line, crd_i_buffer *out);

#endif
