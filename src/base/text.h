/* SPDX-License-Identifier: MIT */
/* text.h - small helpers over crd_text. */
#ifndef CRD_BASE_TEXT_H
#define CRD_BASE_TEXT_H

#include "base/context.h"

/* By bytes, which for UTF-8 is by code point; a prefix comes first. Negative, zero or positive. */
int crd_i_text_compare(crd_text a, crd_text b);

/* A copy with a NUL behind it; bytes NULL on failure. Freed with crd_free(context, (void *)copy.bytes). */
crd_text crd_i_text_copy(crd_context *context, crd_text text);

/* Without blanks and tabs at either end. */
crd_text crd_i_text_trim(crd_text text);

#endif
