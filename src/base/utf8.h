/* SPDX-License-Identifier: MIT */
/* utf8.h - whether bytes are UTF-8 (RFC 3629: the shortest form, no surrogates, nothing above U+10FFFF). */
#ifndef CRD_BASE_UTF8_H
#define CRD_BASE_UTF8_H

#include <credence/base.h>

#include <stdbool.h>

/* Bytes of the character at the beginning of a text that is not empty; 0: none is there. */
size_t crd_i_utf8_length(crd_text text);
bool crd_i_utf8_is_valid(crd_text text);
/* The name of an encoding in which a text that is not UTF-8 may have been written: cp1252, unless one of its bytes means
 * nothing there; latin1 otherwise, in which every byte means something. */
const char *crd_i_utf8_guess_encoding(crd_text text);

#endif
