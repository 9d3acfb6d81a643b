/* SPDX-License-Identifier: MIT */
/* math_random.h - random numbers for the tests of the math layer: seeded, so that a failure comes again. */
#ifndef CRD_TESTS_MATH_RANDOM_H
#define CRD_TESTS_MATH_RANDOM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint64_t random_state = 20240217;

static inline uint64_t random_bits(void) {
    random_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = random_state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline size_t random_below(size_t limit) {
    return (size_t)(random_bits() % limit);
}

static inline double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
