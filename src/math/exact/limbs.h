/* SPDX-License-Identifier: MIT */
/* limbs.h - arithmetic on 64-bit limbs: full products, carries, leading zeros.
 *
 * The functions use the compiler's 128-bit integer and leading-zero count if available. The portable versions give the
 * same bits and are always compiled, so a test can compare the two. */
#ifndef CRD_MATH_EXACT_LIMBS_H
#define CRD_MATH_EXACT_LIMBS_H

#include <stdint.h>

/* The number high * 2^64 + low. */
typedef struct crd_i_limb {
    uint64_t low, high;
} crd_i_limb;

/* Multiplies using halves of 32 bits. No partial sum exceeds 64 bits, since (2^32 - 1)^2 + 2 (2^32 - 1) = 2^64 - 1. */
static inline crd_i_limb crd_i_limb_multiply_portable(uint64_t a, uint64_t b) {
    uint64_t a_low = a & UINT32_MAX, a_high = a >> 32;
    uint64_t b_low = b & UINT32_MAX, b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t middle = a_high * b_low + (low >> 32);
    uint64_t cross = a_low * b_high + (middle & UINT32_MAX);
    crd_i_limb product = {(cross << 32) | (low & UINT32_MAX), a_high * b_high + (middle >> 32) + (cross >> 32)};
    return product;
}

static inline crd_i_limb crd_i_limb_multiply(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 uint128;
    uint128 product = (uint128)a * b;
    crd_i_limb wide = {(uint64_t)product, (uint64_t)(product >> 64)};
    return wide;
#else
    return crd_i_limb_multiply_portable(a, b);
#endif
}

/* Returns a * b + c + d, which never exceeds 128 bits. */
static inline crd_i_limb crd_i_limb_multiply_add(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    crd_i_limb wide = crd_i_limb_multiply(a, b);
    wide.low += c;
    wide.high += wide.low < c;
    wide.low += d;
    wide.high += wide.low < d;
    return wide;
}

/* Returns a + b + *carry; *carry is 0 or 1 before and after. */
static inline uint64_t crd_i_limb_add(uint64_t a, uint64_t b, uint64_t *carry) {
    uint64_t partial = a + b;
    uint64_t sum = partial + *carry;
    *carry = (uint64_t)(partial < a) | (uint64_t)(sum < partial);
    return sum;
}

/* Returns a - b - *borrow; *borrow is 0 or 1 before and after. */
static inline uint64_t crd_i_limb_subtract(uint64_t a, uint64_t b, uint64_t *borrow) {
    uint64_t partial = a - b;
    uint64_t difference = partial - *borrow;
    *borrow = (uint64_t)(a < b) | (uint64_t)(partial < *borrow);
    return difference;
}

/* Returns the number of zero bits above the highest set bit; a is not 0. */
static inline unsigned crd_i_limb_leading_zeros_portable(uint64_t a) {
    unsigned zeros = 0;
    for (unsigned step = 32; step > 0; step /= 2) {
        if (a >> (64 - step) == 0) {
            zeros += step;
            a <<= step;
        }
    }
    return zeros;
}

static inline unsigned crd_i_limb_leading_zeros(uint64_t a) {
#ifdef __GNUC__
    return (unsigned)__builtin_clzll(a);
#else
    return crd_i_limb_leading_zeros_portable(a);
#endif
}

#endif
