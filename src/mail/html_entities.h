/* SPDX-License-Identifier: MIT */
/* html_entities.h - entities and character references of HTML. */
#ifndef CRD_MAIL_HTML_ENTITIES_H
#define CRD_MAIL_HTML_ENTITIES_H

#include <credence/base.h>

/* The entity that begins a text, which begins with '&': how many bytes it takes, with a semicolon behind it if there is one;
 * 0: none is there. *written bytes are what it stands for, in UTF-8: none for characters that are not seen, as the soft hyphen. */
size_t crd_i_html_entity(crd_text text, char bytes[4], size_t *written);

#endif
