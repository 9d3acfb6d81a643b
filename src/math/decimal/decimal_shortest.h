/* SPDX-License-Identifier: MIT */
/* decimal_shortest.h - the digits of the shortest decimal that reads back to a double, by big integers. */
#ifndef CRD_MATH_DECIMAL_DECIMAL_SHORTEST_H
#define CRD_MATH_DECIMAL_DECIMAL_SHORTEST_H

#include "math/exact/ieee754.h"

/* digits * 10^exponent */
typedef struct crd_i_shortest {
    uint64_t digits;
    int exponent;
} crd_i_shortest;

/* Of the decimals with fewest digits that read back to the value, which is finite and more than 0, the nearest to it;
 * of two as near, the one whose last digit is even. What crd_number_format falls back to, and is held against. */
crd_i_shortest crd_i_decimal_shortest(double value);

/* Below a power of two doubles lie twice as close, but not at the bottom of the range. */
static inline bool crd_i_is_uneven(crd_i_parts parts) {
    return parts.mantissa == UINT64_C(1) << 52 && parts.exponent > -1074;
}

#endif
