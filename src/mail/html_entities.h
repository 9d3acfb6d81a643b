/* SPDX-License-Identifier: MIT */
/* html_entities.h - decodes HTML entities and character references. */
#ifndef CRD_MAIL_HTML_ENTITIES_H
#define CRD_MAIL_HTML_ENTITIES_H

#include <credence/base.h>

/* Decodes the entity at the beginning of a text, which begins with '&'. Returns its length, including a semicolon if
 * there is one, or 0 if it is not an entity. Sets *written to the number of UTF-8 bytes in `bytes`: 0 for invisible
 * characters such as the soft hyphen. */
size_t crd_i_html_entity(crd_text text, char bytes[4], size_t *written);

#endif
