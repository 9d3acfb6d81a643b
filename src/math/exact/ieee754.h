/* SPDX-License-Identifier: MIT */
/* ieee754.h - splits doubles into integers, and assembles doubles with a single rounding. */
#ifndef CRD_MATH_EXACT_IEEE754_H
#define CRD_MATH_EXACT_IEEE754_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The number (negative ? -1 : 1) * mantissa * 2^exponent, mantissa < 2^53. */
typedef struct crd_i_parts {
    uint64_t mantissa;
    int32_t exponent;
    bool negative;
} crd_i_parts;

static inline uint64_t crd_i_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double crd_i_double_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns whether a number is infinite or NaN. These are the doubles with the largest exponent: adding one to it
 * reaches the sign bit. The function distinguishes the two only if there are any. */
static inline bool crd_i_has_infinity(const double *numbers, size_t count) {
    const uint64_t magnitude = ~UINT64_C(0) >> 1, exponent_one = UINT64_C(1) << 52;
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++) found |= (crd_i_bits_of(numbers[i]) & magnitude) + exponent_one;
    bool is_infinite = false;
    for (size_t i = 0; found >> 63 != 0 && !is_infinite && i < count; i++)
        is_infinite = (crd_i_bits_of(numbers[i]) & magnitude) + exponent_one == ~magnitude;
    return is_infinite;
}

/* Splits a finite double. */
static inline crd_i_parts crd_i_parts_of(double x) {
    uint64_t bits = crd_i_bits_of(x);
    int32_t field = (int32_t)(bits >> 52 & 0x7ff);
    uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    crd_i_parts parts;
    parts.mantissa = field == 0 ? fraction : fraction | UINT64_C(1) << 52;
    parts.exponent = (field == 0 ? 1 : field) - 1075;
    parts.negative = bits >> 63 != 0;
    return parts;
}

/* Returns the double nearest to +-(top + f) * 2^exponent, ties to even, where f is 0, or in (0, 1) if `more`. The
 * highest bit of top is set. Denormal results are rounded only once too. Returns an infinity beyond the range. */
double crd_i_round(bool negative, uint64_t top, bool more, int64_t exponent);

#endif
