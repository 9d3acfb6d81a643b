/* SPDX-License-Identifier: MIT */
/* utf8.h - UTF-8 validation (RFC 3629: shortest form, no surrogates, nothing above U+10FFFF). */
#ifndef CRD_BASE_UTF8_H
#define CRD_BASE_UTF8_H

#include <credence/base.h>

#include <stdbool.h>

/* Returns the length in bytes of the first character of a nonempty text, or 0 if the text does not begin with a valid
 * character. */
size_t crd_i_utf8_length(crd_text text);
/* Returns whether the whole text is valid UTF-8. */
bool crd_i_utf8_is_valid(crd_text text);
/* Returns the name of a likely encoding of a text that is not UTF-8: cp1252 if all its bytes are defined there,
 * otherwise latin1, which defines every byte. */
const char *crd_i_utf8_guess_encoding(crd_text text);

#endif
