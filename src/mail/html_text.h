/* SPDX-License-Identifier: MIT */
/* html_text.h - what of an HTML document is shown, as text. */
#ifndef CRD_MAIL_HTML_TEXT_H
#define CRD_MAIL_HTML_TEXT_H

#include "mail/mail_fields.h"

/* Appends the text of a document, which is UTF-8, to the body, and the hosts of its links to the links, in a message that
 * begins at begin[field] in each. Tags are dropped, those of blocks become line ends; entities are decoded. Comments,
 * scripts, style sheets and elements that are hidden (display:none and the like) are not text; the alternative texts of images
 * are. In time linear in the document, whatever it is. */
void crd_i_html_to_text(crd_text html, const size_t begin[CRD_MAIL_FIELD_COUNT], crd_i_mail_fields *fields);

#endif
