/* SPDX-License-Identifier: MIT */
/* html_text.h - extracts the visible text of an HTML document. */
#ifndef CRD_MAIL_HTML_TEXT_H
#define CRD_MAIL_HTML_TEXT_H

#include "mail/mail_fields.h"

/* Appends the text of a UTF-8 document to the body, and the hosts of its links to the links. The current message begins
 * at begin[field] in each field. Tags are dropped, block tags become line breaks, and entities are decoded. Alternative
 * texts of images are included. Comments, scripts, style sheets and hidden elements (such as display:none) are not.
 * Takes linear time for any document. */
void crd_i_html_to_text(crd_text html, const size_t begin[CRD_MAIL_FIELD_COUNT], crd_i_mail_fields *fields);

#endif
