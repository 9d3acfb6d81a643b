/* SPDX-License-Identifier: MIT */
/* gmime.h - parses message bodies of any structure and charset with GMime. Builds without GMime cannot read
 * them. */
#ifndef CRD_MAIL_GMIME_H
#define CRD_MAIL_GMIME_H

#include "mail/mail_parts.h"

/* Parses a body with GMime and adds its parts to the message. CRD_ERROR_SYSTEM: GMime is not available. */
CRD_MUST_USE crd_status crd_i_gmime_body_read(crd_i_mail_parser *parser, const crd_i_mime_headers *headers,
                                              crd_text body, crd_error *error);

/* Decodes a line with encoded words (RFC 2047) and appends it to *out as UTF-8. Without GMime, the line is appended
 * with its words still encoded. Modifies `line`: a NUL byte is added after its end, and NUL bytes inside become spaces.
 * Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_gmime_decode_words(crd_i_buffer *line, crd_i_buffer *out);

#endif
