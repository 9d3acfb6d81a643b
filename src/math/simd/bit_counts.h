/* SPDX-License-Identifier: MIT */
/* bit_counts.h - how many bits two sets have in common: contingency tables of categories with few states, whose rows are sets
 * of bits. */
#ifndef CRD_MATH_SIMD_BIT_COUNTS_H
#define CRD_MATH_SIMD_BIT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Adds to counts[i] how many bits `set` and others[i] have in common, over so many words; others[i] begins `stride` words
 * behind others[i - 1]. */
typedef void crd_i_bit_counts(const uint64_t *set, const uint64_t *others, size_t stride, size_t count, size_t words,
                              uint32_t *counts);

/* The fastest way that this machine supports, and how many words it takes in the time of a table access or so. All give the
 * same counts. */
crd_i_bit_counts *crd_i_bit_counts_way(unsigned *words);

#endif
