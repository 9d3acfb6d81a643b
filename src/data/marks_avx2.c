/* marks_avx2.c - finding marks on x86 processors that have AVX2: 64 bytes become a mask of 64 bits. */
#include "data/marks.h"

#ifdef CRD_I_MARKS_AVX2

#include <immintrin.h>
#include <string.h>

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

/* 64 bytes. */
typedef struct step {
    __m256i low, high;
} step;

TARGET static inline step load(const char *at) {
    step loaded = {_mm256_loadu_si256((const __m256i *)(const void *)at),
                   _mm256_loadu_si256((const __m256i *)(const void *)(at + 32))};
    return loaded;
}

/* Which of them are a byte. */
TARGET static inline uint64_t find_byte(step in, char byte) {
    __m256i all = _mm256_set1_epi8(byte);
    return mask_of(_mm256_cmpeq_epi8(in.low, all), _mm256_cmpeq_epi8(in.high, all));
}

/* Each bit whether an odd number of bits is set up to it: from quotes to what they enclose, the first of them with it.
 */
static inline uint64_t enclosed(uint64_t quotes) {
    for (unsigned shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
    return quotes;
}

/* What was found in 64 bytes, or fewer at the end. */
typedef struct found {
    uint64_t marks, line_ends, quotes, returns, valid;
} found;

/* Where quotes are about: takes the marks between them out, and sees whether all is where it should be. */
static void take_quotes(found *in, crd_i_marked *marked) {
    uint64_t inside = enclosed(in->quotes) ^ (marked->is_inside ? UINT64_MAX : 0);
    uint64_t opening = in->quotes & inside, closing = in->quotes & ~inside;
    uint64_t odd = in->line_ends & inside;
    in->marks &= ~inside;
    in->line_ends &= ~inside;
    odd |= opening & ~(in->marks << 1 | marked->behind_mark);
    uint64_t behind_quotes = closing << 1 | marked->behind_quote;
    uint64_t their_returns = behind_quotes & in->returns;
    odd |= behind_quotes & in->valid & ~(in->marks | in->returns);
    odd |= (their_returns << 1 | marked->behind_return) & ~in->line_ends;
    marked->is_inside = inside >> 63 != 0;
    marked->behind_quote = closing >> 63 != 0;
    marked->behind_return = their_returns >> 63 != 0;
    marked->has_odd |= odd != 0;
    marked->has_quotes |= in->quotes != 0;
}

static inline bool is_among_quotes(const crd_i_marked *marked) {
    return marked->is_inside | marked->behind_quote | marked->behind_return;
}

TARGET static size_t find(const char *bytes, size_t length, char separator, uint32_t base, uint32_t *offsets,
                          crd_i_marked *marked) {
    crd_i_marked so_far = *marked;
    const __m256i zero = _mm256_setzero_si256();
    __m256i nul = zero;
    uint32_t *to = offsets;
    char last_step[CRD_I_MARKS_STEP];
    for (size_t at = 0; at < length; at += CRD_I_MARKS_STEP) {
        const char *from = bytes + at;
        found in = {.valid = UINT64_MAX};
        if (length - at < CRD_I_MARKS_STEP) {
            memset(last_step, ' ', sizeof last_step);
            memcpy(last_step, from, length - at);
            from = last_step;
            in.valid = (UINT64_C(1) << (length - at)) - 1;
        }
        step here = load(from);
        in.line_ends = find_byte(here, '\n');
        in.marks = find_byte(here, separator) | in.line_ends;
        in.quotes = find_byte(here, '"');
        /* The lesser of two bytes is zero where either is. */
        nul = _mm256_or_si256(nul, _mm256_cmpeq_epi8(_mm256_min_epu8(here.low, here.high), zero));
        if (in.quotes != 0 || is_among_quotes(&so_far)) {
            in.returns = find_byte(here, '\r');
            take_quotes(&in, &so_far);
        }
        so_far.behind_mark = in.marks >> 63 != 0;
        so_far.line_ends += (size_t)_mm_popcnt_u64(in.line_ends);
        to = store(in.marks, base + (uint32_t)at, to);
    }
    so_far.has_odd |= !_mm256_testz_si256(nul, nul);
    *marked = so_far;
    return (size_t)(to - offsets);
}

static bool is_supported(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
}

const crd_i_marker crd_i_marker_avx2 = {"avx2", is_supported, find};

#endif
