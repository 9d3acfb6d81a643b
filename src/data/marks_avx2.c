/* marks_avx2.c - finding marks on x86 processors that have AVX2: 64 bytes become a mask of 64 bits. */
#include "data/marks.h"

#ifdef CRD_I_MARKS_AVX2

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,popcnt")))

TARGET static inline uint64_t mask_of(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

/* Eight at a time, as their number is hard to foretell and more offsets than there are cost less than a branch. */
TARGET static inline uint32_t *store(uint64_t marks, uint32_t base, uint32_t *to) {
    uint32_t *end = to + _mm_popcnt_u64(marks);
    while (to < end) {
        for (unsigned i = 0; i < 8; i++) {
            to[i] = base + (uint32_t)_tzcnt_u64(marks);
            marks = _blsr_u64(marks);
        }
        to += 8;
    }
    return end;
}

/* Where 64 bytes are one of two. */
TARGET static inline uint64_t either(__m256i low, __m256i high, __m256i one, __m256i other) {
    return mask_of(_mm256_or_si256(_mm256_cmpeq_epi8(low, one), _mm256_cmpeq_epi8(low, other)),
                   _mm256_or_si256(_mm256_cmpeq_epi8(high, one), _mm256_cmpeq_epi8(high, other)));
}

TARGET static size_t find(const char *bytes, size_t length, char separator, uint32_t base, uint32_t *offsets,
                          crd_i_marked *marked) {
    const __m256i separators = _mm256_set1_epi8(separator), line_ends = _mm256_set1_epi8('\n');
    const __m256i quotes = _mm256_set1_epi8('"'), zero = _mm256_setzero_si256();
    __m256i odd = zero;
    uint64_t odd_at_end = 0;
    size_t ends = 0;
    uint32_t *to = offsets;
    for (size_t at = 0; at < length; at += CRD_I_MARKS_STEP) {
        __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + at));
        __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + at + 32));
        uint64_t marks = either(low, high, separators, line_ends);
        uint64_t end_marks = either(low, high, line_ends, line_ends);
        if (length - at < CRD_I_MARKS_STEP) {
            uint64_t valid = (UINT64_C(1) << (length - at)) - 1;
            marks &= valid;
            end_marks &= valid;
            odd_at_end = either(low, high, quotes, zero) & valid;
        } else {
            /* The lesser of two bytes is zero where either is. */
            __m256i quoted = _mm256_or_si256(_mm256_cmpeq_epi8(low, quotes), _mm256_cmpeq_epi8(high, quotes));
            odd = _mm256_or_si256(_mm256_or_si256(odd, quoted), _mm256_cmpeq_epi8(_mm256_min_epu8(low, high), zero));
        }
        ends += (size_t)_mm_popcnt_u64(end_marks);
        to = store(marks, base + (uint32_t)at, to);
    }
    marked->line_ends += ends;
    if (odd_at_end != 0 || !_mm256_testz_si256(odd, odd)) marked->has_odd = true;
    return (size_t)(to - offsets);
}

static bool is_supported(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

const crd_i_marker crd_i_marker_avx2 = {"avx2", is_supported, find};

#endif
