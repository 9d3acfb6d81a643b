/* SPDX-License-Identifier: MIT */
/* big_integer.h - natural numbers of any length, in memory that the caller provides.
 *
 * It is designed for numbers of a few to about two hundred limbs: schoolbook methods, no allocation. A number is
 * `count` limbs of 32 bits, least significant first, with a nonzero last limb; zero has no limbs. Each comment states
 * the room that the result needs, in limbs. Arguments must not overlap unless they are the same argument. */
#ifndef CRD_MATH_EXACT_BIG_INTEGER_H
#define CRD_MATH_EXACT_BIG_INTEGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crd_i_big {
    uint32_t *limbs;
    size_t count;
} crd_i_big;

/* Sets a to a value. Room: 2. */
void crd_i_big_set(crd_i_big *a, uint64_t value);
/* Copies b to a. Room: as many limbs as b has. */
void crd_i_big_copy(crd_i_big *a, const crd_i_big *b);
/* Drops zero limbs from the top. */
void crd_i_big_trim(crd_i_big *a);

/* Returns the number of bits up to the highest set bit; 0 for zero. */
size_t crd_i_big_bits(const crd_i_big *a);
/* Returns a negative number, zero or a positive number. */
int crd_i_big_compare(const crd_i_big *a, const crd_i_big *b);

/* Computes a += b. Room: one more than the longer of the two. */
void crd_i_big_add(crd_i_big *a, const crd_i_big *b);
/* Computes a -= b, where a >= b. */
void crd_i_big_subtract(crd_i_big *a, const crd_i_big *b);
/* Computes a *= 2^bits. Room: bits / 32 + 1 more. */
void crd_i_big_shift_left(crd_i_big *a, size_t bits);
/* Computes a = a * factor + term. Room: one more. */
void crd_i_big_multiply_small(crd_i_big *a, uint32_t factor, uint32_t term);
/* Compute a *= 5^power, or a *= 10^power. Room: power * 7 / 96 + 1 more, or power * 10 / 96 + 2 more. */
void crd_i_big_multiply_power_of_5(crd_i_big *a, unsigned power);
void crd_i_big_multiply_power_of_10(crd_i_big *a, unsigned power);
/* Computes product = a * b. Room: the limbs of both. */
void crd_i_big_multiply(crd_i_big *product, const crd_i_big *a, const crd_i_big *b);

/* The leading bits of a / b, both nonzero. The quotient is (top + f) * 2^exponent; the highest bit of top is set, and f
 * is 0, or in (0, 2) if `more`. An f above 1 is harmless in rounding to 62 bits or fewer, because the lowest bit of top
 * is then 0. Scratch: twice the limbs of b, plus 3. */
typedef struct crd_i_ratio {
    uint64_t top;
    int64_t exponent;
    bool more;
} crd_i_ratio;
crd_i_ratio crd_i_big_divide(const crd_i_big *a, const crd_i_big *b, uint32_t *scratch);

#endif
