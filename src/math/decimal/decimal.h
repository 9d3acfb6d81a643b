/* SPDX-License-Identifier: MIT */
/* decimal.h - numbers in decimal whose fraction does not begin with a point, and cells of tables, fast. */
#ifndef CRD_MATH_DECIMAL_DECIMAL_H
#define CRD_MATH_DECIMAL_DECIMAL_H

#include <credence/number.h>

#include "math/decimal/decimal_swar.h"

/* As crd_number_parse, where `point` (a point, a comma) stands between a number's whole part and its fraction. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out);

/* Bytes behind a number that can be read, whatever they are. */
enum { CRD_I_DECIMAL_PADDING = 8 };

/* As crd_i_decimal_parse for the bytes from begin to end, where CRD_I_DECIMAL_PADDING bytes behind `end` can be read
 * too. Nothing is written unless it is a number. Up to eight characters, as most cells of tables have, are read
 * here. */
static inline crd_number_class crd_i_decimal_parse_padded(const char *begin, const char *end, char point, double *out) {
    size_t length = (size_t)(end - begin);
    if (length - 1 < 8 && crd_i_word_parse(crd_i_word_load(begin), length, point, out)) return CRD_NUMBER_FINITE;
    return crd_i_decimal_parse((crd_text){begin, length}, point, out);
}

#endif
