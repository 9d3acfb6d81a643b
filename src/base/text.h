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

#endif
