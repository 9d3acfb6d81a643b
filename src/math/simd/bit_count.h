/* SPDX-License-Identifier: MIT */
/* bit_count.h - how many bits two runs of words have in common. */
#ifndef CRD_MATH_SIMD_BIT_COUNT_H
#define CRD_MATH_SIMD_BIT_COUNT_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t (*crd_i_bit_count)(const uint64_t *a, const uint64_t *b, size_t words);

/* The fastest that this processor has. */
crd_i_bit_count crd_i_bit_count_best(void);

#endif
