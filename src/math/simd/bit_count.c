/* SPDX-License-Identifier: MIT */
/* bit_count.c - see bit_count.h. */
#include "math/simd/bit_count.h"

/* Written once for each processor: four sums, so that one addition need not wait for the other. */
#define COUNT_BITS(a, b, words, sum)                                                                                   \
    uint64_t sums[4] = {0, 0, 0, 0};                                                                                   \
    size_t at = 0;                                                                                                     \
    for (; at + 4 <= (words); at += 4)                                                                                 \
        for (size_t lane = 0; lane < 4; lane++)                                                                        \
            sums[lane] += (uint64_t)__builtin_popcountll((a)[at + lane] & (b)[at + lane]);                             \
    for (; at < (words); at++) sums[0] += (uint64_t)__builtin_popcountll((a)[at] & (b)[at]);                           \
    (sum) = sums[0] + sums[1] + sums[2] + sums[3]

static uint64_t count_plain(const uint64_t *a, const uint64_t *b, size_t words) {
    uint64_t sum;
    COUNT_BITS(a, b, words, sum);
    return sum;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static uint64_t count_popcnt(const uint64_t *a, const uint64_t *b, size_t words) {
    uint64_t sum;
    COUNT_BITS(a, b, words, sum);
    return sum;
}
#endif

crd_i_bit_count crd_i_bit_count_best(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("popcnt")) return count_popcnt;
#endif
    return count_plain;
}
