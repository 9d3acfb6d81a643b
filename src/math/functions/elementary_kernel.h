/* SPDX-License-Identifier: MIT */
/* elementary_kernel.h - the arithmetic of exp and log, written once for single numbers and for vectors of any length.
 * Both give the same bits, because they perform the same operations in the same order. Define before including this
 * file:
 *
 *
 *   REAL double, or a vector of doubles
 *   BITS uint64_t, or a vector of as many
 *   TARGET the function attribute that enables the CPU's instructions, or nothing
 *   BITS_OF(x), REAL_OF(b) the bits of a number, and the number with these bits
 *   SELECT(test, a, b) a if the comparison holds, else b
 *
 * Each result is an exact leading part plus a small inexact correction. The correction is at most about a hundredth of
 * the result, so its few roundings change the result by a small part of its last place, and the final addition by half
 * of one. Over 7.5 million random and hard arguments each, the maximum error compared with MPFR was 0.534 units in the
 * last place for exp and 0.535 for log. Tests keep both below 0.55; the guarantee is below 1.
 *
 * exp: x = k ln 2 + r with |r| <= ln(2) / 2, r in two parts, and
 *     e^r = 1 + r + r^2/2 + r^3 (1/3! + r/4! + ... + r^11/14!);
 * the truncation error is about r^15/15! < 2^-63.
 *
 * log: x = 2^k m with sqrt(1/2) <= m < sqrt(2); with s = (m - 1) / (m + 1), |s| < 0.1716,
 *     ln m = 2 atanh s = 2 s + s^3 (2/3 + 2/5 s^2 + ... + 2/21 s^18);
 * the truncation error is below 2^-60 of the first term. The quotient s is computed as 26 bits and a remainder, so 2 s
 * is practically exact.
 *
 * Both series are plain Taylor series. They need one or two terms more than a fitted polynomial, but a reader can check
 * every coefficient. */
#include <stdint.h>

/* ln 2 in two parts. The first has 40 bits, so its product with an integer below 2^13 is exact. */
#define LN2_HIGH 0x1.62e42fefa2000p-1
#define LN2_LOW 0x1.9ef35793c7673p-41
#define ONE_OVER_LN2 0x1.71547652b82fep0
#define ROOT_OF_2 0x1.6a09e667f3bcdp0

/* The coefficients of the series, written as exact doubles: if constants have more precision than doubles, vectors
 * accept only doubles. */
#define ONE_OVER_6 0x1.5555555555555p-3
#define ONE_OVER_24 0x1.5555555555555p-5
#define ONE_OVER_120 0x1.1111111111111p-7
#define ONE_OVER_720 0x1.6c16c16c16c17p-10
#define ONE_OVER_5040 0x1.a01a01a01a01ap-13
#define ONE_OVER_40320 0x1.a01a01a01a01ap-16
#define ONE_OVER_362880 0x1.71de3a556c734p-19
#define ONE_OVER_3628800 0x1.27e4fb7789f5cp-22
#define ONE_OVER_39916800 0x1.ae64567f544e4p-26
#define ONE_OVER_479001600 0x1.1eed8eff8d898p-29
#define ONE_OVER_6227020800 0x1.6124613a86d09p-33
#define ONE_OVER_87178291200 0x1.93974a8c07c9dp-37
#define TWO_OVER_3 0x1.5555555555555p-1
#define TWO_OVER_5 0x1.999999999999ap-2
#define TWO_OVER_7 0x1.2492492492492p-2
#define TWO_OVER_9 0x1.c71c71c71c71cp-3
#define TWO_OVER_11 0x1.745d1745d1746p-3
#define TWO_OVER_13 0x1.3b13b13b13b14p-3
#define TWO_OVER_15 0x1.1111111111111p-3
#define TWO_OVER_17 0x1.e1e1e1e1e1e1ep-4
#define TWO_OVER_19 0x1.af286bca1af28p-4
#define TWO_OVER_21 0x1.8618618618618p-4

/* Adding this number to a number below 2^51 leaves no room for bits below one. The sum is rounded to an integer, which
 * its lowest bits contain. */
#define ROUNDER 0x1.8p52

/* Returns x without the lower 27 bits of its mantissa. The product of two such numbers is exact. */
TARGET static inline REAL upper_half(REAL x) {
    return REAL_OF(BITS_OF(x) & ~((UINT64_C(1) << 27) - 1));
}

/* Computes (e^r - 1 - r - r^2/2) / r^3, in pairs of terms so the CPU can work on several at a time. */
TARGET static inline REAL exp_series(REAL r) {
    REAL r2 = r * r, r4 = r2 * r2;
    REAL t0 = ONE_OVER_6 + r * ONE_OVER_24;
    REAL t2 = ONE_OVER_120 + r * ONE_OVER_720;
    REAL t4 = ONE_OVER_5040 + r * ONE_OVER_40320;
    REAL t6 = ONE_OVER_362880 + r * ONE_OVER_3628800;
    REAL t8 = ONE_OVER_39916800 + r * ONE_OVER_479001600;
    REAL t10 = ONE_OVER_6227020800 + r * ONE_OVER_87178291200;
    return (t0 + r2 * t2) + r4 * ((t4 + r2 * t6) + r4 * (t8 + r2 * t10));
}

/* The parts of e^x = (leading + correction) * 2^k. */
typedef struct exp_parts {
    REAL leading, correction, k;
    BITS power; /* the bits of 2^k, if it is a normal double */
} exp_parts;

/* Splits e^x for |x| < 800. */
TARGET static inline exp_parts exp_split(REAL x) {
    exp_parts parts;
    REAL shifted = x * ONE_OVER_LN2 + ROUNDER;
    REAL k = shifted - ROUNDER;
    REAL near = x - k * LN2_HIGH; /* exact */
    REAL low = k * LN2_LOW;
    REAL r = near - low;
    REAL r_rest = (near - r) - low;
    parts.k = k;
    parts.power = (BITS_OF(shifted) + 1023) << 52;

    /* 1 + r + r^2/2 and its rounding error. The square is the square of the upper half plus the small remainder. */
    REAL r_high = upper_half(r);
    REAL half_square = 0.5 * r_high * r_high;
    REAL first = 1 + r;
    parts.leading = first + half_square;
    REAL lost = (r - (first - 1)) + (half_square - (parts.leading - first));
    parts.correction = lost + (r_rest * first + 0.5 * (r - r_high) * (r + r_high) + r * r * r * exp_series(r));
    return parts;
}

/* Computes (2 atanh(s) - 2 s) / s^3 as a function of t = s^2. */
TARGET static inline REAL atanh_series(REAL t) {
    REAL t2 = t * t, t4 = t2 * t2;
    REAL u0 = TWO_OVER_3 + t * TWO_OVER_5;
    REAL u2 = TWO_OVER_7 + t * TWO_OVER_9;
    REAL u4 = TWO_OVER_11 + t * TWO_OVER_13;
    REAL u6 = TWO_OVER_15 + t * TWO_OVER_17;
    REAL u8 = TWO_OVER_19 + t * TWO_OVER_21;
    return (u0 + t2 * u2) + t4 * ((u4 + t2 * u6) + t4 * u8);
}

/* Returns ln(2^k m). `bits` are the bits of a normal double with the mantissa of m, 1 <= m < 2. */
TARGET static inline REAL log_of_parts(REAL k, BITS bits) {
    REAL m = REAL_OF((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    REAL halved = m * 0.5, more = k + 1;
    k = SELECT(m >= ROOT_OF_2, more, k);
    m = SELECT(m >= ROOT_OF_2, halved, m);

    REAL above = m - 1; /* exact */
    REAL below = m + 1;
    REAL below_high = upper_half(below);
    REAL below_low = (below - below_high) + (m - (below - 1));
    REAL s_high = upper_half(above / below);
    REAL s_low = ((above - s_high * below_high) - s_high * below_low) / below;
    REAL s = s_high + s_low;
    REAL t = s * s;

    REAL leading = k * LN2_HIGH;
    REAL sum = leading + 2 * s_high;
    REAL lost = 2 * s_high - (sum - leading);
    return sum + (lost + (k * LN2_LOW + (2 * s_low + s * t * atanh_series(t))));
}
