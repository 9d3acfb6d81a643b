/* SPDX-License-Identifier: MIT */
/* decimal_format.h - the digits of the shortest decimal that reads back to a double, using big integers. */
#ifndef CRD_MATH_DECIMAL_DECIMAL_FORMAT_H
#define CRD_MATH_DECIMAL_DECIMAL_FORMAT_H

#include "math/exact/ieee754.h"

/* The decimal digits * 10^exponent. */
typedef struct crd_i_shortest {
    uint64_t digits;
    int exponent;
} crd_i_shortest;

/* Returns the decimal with the fewest digits that reads back to the value, which must be finite and greater than 0. If
 * there are several, it returns the nearest to the value; a tie goes to the even last digit. crd_number_format falls
 * back to this function, and tests compare the two. */
crd_i_shortest crd_i_decimal_shortest(double value);

/* Returns whether the lower neighbor is nearer than the upper one: below a power of two, doubles are twice as dense,
 * except at the bottom of the range. */
static inline bool crd_i_is_uneven(crd_i_parts parts) {
    return parts.mantissa == UINT64_C(1) << 52 && parts.exponent > -1074;
}

#endif
