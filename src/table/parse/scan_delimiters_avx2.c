/* SPDX-License-Identifier: MIT */
/* scan_delimiters_avx2.c - finds marks on x86 CPUs with AVX2: 64 bytes are two vectors. */
#include "table/parse/scan_delimiters.h"

#include "base/processor.h"

#ifdef CRD_I_MARKS_AVX2

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi,popcnt")))

typedef struct step {
    __m256i low, high;
} step;

TARGET static inline step load(const char *cursor) {
    step loaded = {_mm256_loadu_si256((const __m256i *)(const void *)cursor),
                   _mm256_loadu_si256((const __m256i *)(const void *)(cursor + 32))};
    return loaded;
}

typedef __m256i pattern;

TARGET static inline pattern spread(char byte) {
    return _mm256_set1_epi8(byte);
}

TARGET static inline uint64_t find_byte(step here, pattern all) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(here.low, all)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(here.high, all)) << 32;
}

TARGET static inline bool has_odd(step here, pattern quotes) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i quoted = _mm256_or_si256(_mm256_cmpeq_epi8(here.low, quotes), _mm256_cmpeq_epi8(here.high, quotes));
    /* The minimum of two bytes is zero if either is zero. */
    __m256i odd = _mm256_or_si256(quoted, _mm256_cmpeq_epi8(_mm256_min_epu8(here.low, here.high), zero));
    return !_mm256_testz_si256(odd, odd);
}

TARGET static inline size_t count_bits(uint64_t bits) {
    return (size_t)_mm_popcnt_u64(bits);
}

/* Stores eight offsets at a time, because the number of marks is hard to predict. Extra offsets cost less than a
 * branch. */
TARGET static inline uint32_t *store(uint64_t marks, uint32_t base, uint32_t *destination) {
    uint32_t *end = destination + count_bits(marks);
    while (destination < end) {
        for (unsigned i = 0; i < CRD_I_MARKS_SPARE; i++) {
            destination[i] = base + (uint32_t)_tzcnt_u64(marks);
            marks = _blsr_u64(marks);
        }
        destination += CRD_I_MARKS_SPARE;
    }
    return end;
}

#include "table/parse/scan_delimiters_kernel.h"

static bool is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2 | CRD_I_PROCESSOR_BMI | CRD_I_PROCESSOR_POPCNT);
}

const crd_i_marker crd_i_marker_avx2 = {"avx2", is_supported, find};

#endif
