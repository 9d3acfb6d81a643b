/* SPDX-License-Identifier: MIT */
/* big_integer.h - natural numbers of any length in memory that the caller gives.
 *
 * Made for numbers of a few limbs to about two hundred: schoolbook methods, no allocation. A number is `count` limbs of
 * 32 bits, least significant first, the last of them not zero; zero has none. Each function says how much room its
 * result needs; rooms do not overlap unless they are the same argument. */
#ifndef CRD_MATH_EXACT_BIG_INTEGER_H
#define CRD_MATH_EXACT_BIG_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crd_i_big {
    uint32_t *limbs;
    size_t count;
} crd_i_big;

/* Room: 2. */
void crd_i_big_set(crd_i_big *a, uint64_t value);
/* Room: as many as b has. */
void crd_i_big_copy(crd_i_big *a, const crd_i_big *b);
/* Drops limbs that are zero from the top. */
void crd_i_big_trim(crd_i_big *a);

/* Bits up to the highest one; 0 for zero. */
size_t crd_i_big_bits(const crd_i_big *a);
/* Negative, zero or positive. */
int crd_i_big_compare(const crd_i_big *a, const crd_i_big *b);

/* a += b. Room: one more than the longer of the two. */
void crd_i_big_add(crd_i_big *a, const crd_i_big *b);
/* a -= b, where a >= b. */
void crd_i_big_subtract(crd_i_big *a, const crd_i_big *b);
/* a *= 2^bits. Room: bits / 32 + 1 more. */
void crd_i_big_shift_left(crd_i_big *a, size_t bits);
/* a = a * factor + term. Room: one more. */
void crd_i_big_multiply_small(crd_i_big *a, uint32_t factor, uint32_t term);
/* a *= 5^power, or 10^power. Room: power * 7 / 96 + 1, or power * 10 / 96 + 2, more. */
void crd_i_big_multiply_power_of_5(crd_i_big *a, unsigned power);
void crd_i_big_multiply_power_of_10(crd_i_big *a, unsigned power);
/* product = a * b. Room: the limbs of both. */
void crd_i_big_multiply(crd_i_big *product, const crd_i_big *a, const crd_i_big *b);

/* The leading bits of a / b, neither of them zero: the quotient is (top + f) * 2^exponent, the highest bit of top is
 * set, and f is 0, or in (0, 2) if `more`. That f may pass 1 does no harm in rounding to 62 bits or fewer, for the
 * lowest bit of top is then 0. Scratch: twice the limbs of b and 3. */
typedef struct crd_i_ratio {
    uint64_t top;
    int64_t exponent;
    bool more;
} crd_i_ratio;
crd_i_ratio crd_i_big_divide(const crd_i_big *a, const crd_i_big *b, uint32_t *scratch);

#endif
