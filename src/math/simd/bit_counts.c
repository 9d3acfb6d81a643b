/* SPDX-License-Identifier: MIT */
/* bit_counts.c - see bit_counts.h. The loop is compiled once for each supported instruction set. */
#include "math/simd/bit_counts.h"

#include "base/processor.h"

#include <stdbool.h>

#define COUNT_BITS                                                                                                     \
    do {                                                                                                               \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const uint64_t *other = others + i * stride;                                                               \
            uint64_t found = 0;                                                                                        \
            for (size_t word = 0; word < words; word++)                                                                \
                found += (uint64_t)__builtin_popcountll(set[word] & other[word]);                                      \
            counts[i] += (uint32_t)found;                                                                              \
        }                                                                                                              \
    } while (0)

static void count_plain(const uint64_t *set, const uint64_t *others, size_t stride, size_t count, size_t words,
                        uint32_t *counts) {
    COUNT_BITS;
}

#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void count_popcnt(const uint64_t *set, const uint64_t *others, size_t stride,
                                                           size_t count, size_t words, uint32_t *counts) {
    COUNT_BITS;
}

__attribute__((target("popcnt,avx512f,avx512vl,avx512vpopcntdq"))) static void
count_avx512(const uint64_t *set, const uint64_t *others, size_t stride, size_t count, size_t words, uint32_t *counts) {
    COUNT_BITS;
}

crd_i_bit_counts *crd_i_bit_counts_way(unsigned *words) {
    if (crd_i_processor_has(CRD_I_PROCESSOR_AVX512F | CRD_I_PROCESSOR_AVX512VL | CRD_I_PROCESSOR_AVX512_VPOPCNTDQ)) {
        *words = 16;
        return count_avx512;
    }
    const bool has_popcnt = crd_i_processor_has(CRD_I_PROCESSOR_POPCNT);
    *words = has_popcnt ? 3 : 1;
    return has_popcnt ? count_popcnt : count_plain;
}
#else
crd_i_bit_counts *crd_i_bit_counts_way(unsigned *words) {
    *words = 1;
    return count_plain;
}
#endif
