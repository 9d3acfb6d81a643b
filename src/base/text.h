/* SPDX-License-Identifier: MIT */
/* text.h - small helper functions for crd_text. */
#ifndef CRD_BASE_TEXT_H
#define CRD_BASE_TEXT_H

#include "base/context.h"

/* Compares two texts by bytes, which for UTF-8 is code point order. A prefix comes first. Returns a negative number,
 * zero or a positive number. */
int crd_i_text_compare(crd_text a, crd_text b);

/* Copies a text and adds a NUL after its end. The bytes are NULL if memory runs out. Free the copy with
 * crd_free(context, (void *)copy.bytes). */
crd_text crd_i_text_copy(crd_context *context, crd_text text);

/* Returns the text without spaces and tabs at either end. */
crd_text crd_i_text_trim(crd_text text);

/* ======== UTF-8 ========
 *
 * RFC 3629: the shortest form, no surrogates, nothing above U+10FFFF. */

/* Returns the length in bytes of the first character of a nonempty text, or 0 if the text does not begin with a valid
 * character. */
size_t crd_i_utf8_length(crd_text text);
/* Returns whether the whole text is valid UTF-8. */
bool crd_i_utf8_is_valid(crd_text text);
/* Returns the name of a likely encoding of a text that is not UTF-8: cp1252 if all its bytes are defined there,
 * otherwise latin1, which defines every byte. */
const char *crd_i_utf8_guess_encoding(crd_text text);

#endif
