/* SPDX-License-Identifier: MIT */
/* bit_counts.h - counts the bits that two bit sets have in common. This gives the contingency tables of categorical
 * columns with few values, whose rows are stored as bit sets. */
#ifndef CRD_MATH_SIMD_BIT_COUNTS_H
#define CRD_MATH_SIMD_BIT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Adds the number of bits that `set` and others[i] have in common, over `words` words, to counts[i]. others[i] begins
 * `stride` words after others[i - 1]. */
typedef void crd_i_bit_counts(const uint64_t *set, const uint64_t *others, size_t stride, size_t count, size_t words,
                              uint32_t *counts);

/* Returns the fastest implementation that this machine supports. Sets *words to the number of words that it processes
 * in about the time of a table access. All implementations give the same counts. */
crd_i_bit_counts *crd_i_bit_counts_way(unsigned *words);

#endif
