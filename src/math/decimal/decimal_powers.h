/* SPDX-License-Identifier: MIT */
/* decimal_powers.h - powers of ten as integers of 128 bits, for numbers to and from decimal.
 *
 * 10^e = 5^e * 2^e, so that only 5^e needs a table. It keeps the leading bits t of
 *
 *     10^e = (t + d) * 2^(b - 127),   2^127 <= t < 2^128,   0 <= d < 1,   b = floor(log2(10^e)).
 *
 * d is 0 where 5^e is an integer of up to 128 bits, which is 0 <= e <= 55, and more than 0 for all others: a power of
 * five above has more bits, of which the last is 1, and one below has no end in binary.
 * The lower 64 bits of t are 0 for 0 <= e <= 27 alone. */
#ifndef CRD_MATH_DECIMAL_DECIMAL_POWERS_H
#define CRD_MATH_DECIMAL_DECIMAL_POWERS_H

#include <stdbool.h>
#include <stdint.h>

/* Below the least, any integer of 64 bits times the power is less than half of the least double; the greatest is what
 * the least double takes to have an integer part. */
enum { CRD_I_LEAST_POWER = -342, CRD_I_MOST_POWER = 324, CRD_I_MOST_EXACT_POWER = 55 };

typedef struct crd_i_power {
    uint64_t high, low;
} crd_i_power;

/* From the least on. Made by scripts/decimal-powers. */
extern const crd_i_power crd_i_powers_of_5[CRD_I_MOST_POWER - CRD_I_LEAST_POWER + 1];

/* The bits t of 10^exponent, from the least to the most. */
static inline crd_i_power crd_i_power_of_10(int exponent) {
    return crd_i_powers_of_5[exponent - CRD_I_LEAST_POWER];
}

static inline bool crd_i_power_is_exact(int exponent) {
    return exponent >= 0 && exponent <= CRD_I_MOST_EXACT_POWER;
}

/* floor((a * b + c) / 2^bits) of a product that may be negative, from -2^12 * 2^bits on. */
static inline int crd_i_floor_product(int a, int64_t b, int64_t c, unsigned bits) {
    int64_t bias = INT64_C(1) << 12;
    return (int)((uint64_t)(a * b + c + (bias << bits)) >> bits) - (int)bias;
}

/* floor(log2(10^exponent)). The constants of this and the next are logarithms in units of 2^-bits; the tests compare
 * them with exact powers over the whole range, here -400 .. 400. */
static inline int crd_i_floor_log2_of_10(int exponent) {
    return crd_i_floor_product(exponent, 1741647, 0, 19);
}

/* floor(log10(2^exponent)), and floor(log10(3/4 * 2^exponent)), for -1200 .. 1200. */
static inline int crd_i_floor_log10_of_2(int exponent) {
    return crd_i_floor_product(exponent, 1262611, 0, 22);
}
static inline int crd_i_floor_log10_of_3_4(int exponent) {
    return crd_i_floor_product(exponent, 1262611, -524031, 22);
}

#endif
