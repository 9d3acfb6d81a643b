/* SPDX-License-Identifier: MIT */
/* decimal.h - fast parsing of decimal numbers in table values, with a configurable decimal separator. */
#ifndef CRD_MATH_DECIMAL_DECIMAL_H
#define CRD_MATH_DECIMAL_DECIMAL_H

#include <credence/number.h>

#include "math/decimal/decimal_swar.h"

/* Works like crd_number_parse, but `point` (a period or a comma) separates the integer part from the fraction. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out);

/* The number of readable bytes, with any values, that must follow a number. */
enum { CRD_I_DECIMAL_PADDING = 8 };

/* Works like crd_i_decimal_parse for the bytes from `begin` to `end`, if CRD_I_DECIMAL_PADDING bytes after `end` are
 * readable too. Writes nothing unless the bytes are a number. Numbers of up to eight characters, which most table
 * values are, are parsed inline. */
static inline crd_number_class crd_i_decimal_parse_padded(const char *begin, const char *end, char point, double *out) {
    size_t length = (size_t)(end - begin);
    if (length - 1 < 8 && crd_i_word_parse(crd_i_word_load(begin), length, point, out)) return CRD_NUMBER_FINITE;
    return crd_i_decimal_parse((crd_text){begin, length}, point, out);
}

#endif
