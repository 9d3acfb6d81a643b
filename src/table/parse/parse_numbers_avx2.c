/* SPDX-License-Identifier: MIT */
/* parse_numbers_avx2.c - parses cells as numbers on x86 CPUs with AVX2: up to 15 digits in one vector.
 *
 * The characters of a cell are joined over the decimal point, then moved to the end of a vector, with zeros before
 * them. Five multiplications then convert the vectors of four cells to four integers. An integer below 10^15 and its
 * divisor, a power of ten, are doubles. Their quotient, rounded once, is the nearest double. */
#include "table/parse/parse_numbers.h"

#include "base/processor.h"

#ifdef CRD_I_NUMBER_PARSERS_AVX2

#include <immintrin.h>

#define TARGET __attribute__((target("avx2,bmi")))

/* Cells with more than LENGTHS - 1 characters are treated as if they had LENGTHS - 1. */
enum { MOST_DIGITS = 15, LENGTHS = 18, TOGETHER = 4 };

/* From element 17 - p on: 0 up to place p, then 1. */
static const char SKIP[33] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
/* From element n on: 16 - n places that become zero, then the first n places. */
static const char MOVE[33] = {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0,
                              1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 0};

static const double POWERS[2][LENGTHS] = {
    {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17},
    {-1e0, -1e1, -1e2, -1e3, -1e4, -1e5, -1e6, -1e7, -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14, -1e15, -1e16,
     -1e17}};

/* The characters of the cells, before digits are checked. */
typedef struct parts {
    char digits[CRD_I_NUMBER_PARSERS][16]; /* numbers 0 to 9, if they are digits */
    double powers[CRD_I_NUMBER_PARSERS];   /* divisors of the integers, with the sign of the number */
} parts;

TARGET static inline __m128i parse_avx2_load(const char *cursor) {
    return _mm_loadu_si128((const __m128i *)(const void *)cursor);
}

/* Returns a < b as a number, by arithmetic on numbers below 2^31. A compiler may implement a comparison by setting a
 * part of a register. The result then depends on the register's previous value, and so on the previous cell. */
static inline uint32_t is_below(uint32_t a, uint32_t b) {
    return (a - b) >> 31;
}

/* Returns a bit for each cell that begins with a zero before other digits. Few columns have such cells. */
static uint64_t parse_avx2_find_leading_zeros(const crd_i_number_parsers *cells) {
    const uint32_t *marks = cells->marks;
    uint64_t found = 0;
    for (size_t i = 0; i < cells->count; i++, marks += cells->stride) {
        const char *cursor = cells->bytes + (uint32_t)(marks[0] + 1), *end = cells->bytes + (marks[1] - cells->end);
        cursor += cursor < end && *cursor == '-';
        found |= (uint64_t)(end - cursor > 1 && cursor[0] == '0' && cursor[1] != cells->point) << i;
    }
    return found;
}

/* Returns a bit for each cell that has no digits, too many, or a zero before others. */
TARGET static inline uint64_t parse_avx2_take_apart(const crd_i_number_parsers *cells, parts *target_parts) {
    const __m128i zeros = _mm_set1_epi8('0'), points = _mm_set1_epi8(cells->point);
    const __m128i places = _mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const uint32_t *marks = cells->marks;
    uint64_t left = 0;
    /* For the first two characters of a cell, the saturated difference from 0 and 9 is zero if a digit follows a
     * zero. */
    const __m128i zero_and_digit = _mm_setr_epi8(0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    __m128i least = _mm_set1_epi8(-1);
    for (size_t i = 0; i < cells->count; i++, marks += cells->stride) {
        uint32_t start = marks[0] + 1;
        uint32_t negative = is_below((unsigned char)cells->bytes[start] ^ '-', 1);
        uint32_t length = marks[1] - cells->end - start - negative;
        length = length < LENGTHS ? length : LENGTHS - 1;
        __m128i characters = parse_avx2_load(cells->bytes + start + negative);
        uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(characters, points));
        uint32_t point = (uint32_t)_tzcnt_u32(found | UINT32_C(1) << length);
        uint32_t has_point = is_below(point, length);
        uint32_t count = length - has_point;
        __m128i digits = _mm_sub_epi8(characters, zeros);
        least = _mm_min_epu16(least, _mm_subs_epu8(digits, zero_and_digit));
        digits = _mm_shuffle_epi8(digits, _mm_add_epi8(places, parse_avx2_load(SKIP + 17 - point)));
        digits = _mm_shuffle_epi8(digits, parse_avx2_load(MOVE + count));
        _mm_storeu_si128((__m128i *)(void *)target_parts->digits[i], digits);
        target_parts->powers[i] = POWERS[negative][length - point - has_point];
        left |= (uint64_t)(is_below(MOST_DIGITS, count) | is_below(count, 1)) << i;
    }
    bool has_leading = (_mm_cvtsi128_si32(least) & 0xffff) == 0;
    return has_leading ? left | parse_avx2_find_leading_zeros(cells) : left;
}

/* Loads two vectors of digits side by side. */
TARGET static inline __m256i load_two(const parts *from, size_t one, size_t other) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(parse_avx2_load(from->digits[one])),
                                   parse_avx2_load(from->digits[other]), 1);
}

/* Converts each 16 digits to 4 numbers below 10^4. */
TARGET static inline __m256i parse_avx2_to_fours(__m256i digits) {
    __m256i pairs = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(10 + (1 << 8)));
    return _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 + (1 << 16)));
}

/* Parses cells i to i + 3. Returns a bit for each cell with characters other than digits. The first and the third cell
 * are in one vector, the second and the fourth in another, so packing by halves returns them in order. */
TARGET static inline uint64_t read_four(const parts *source_parts, size_t i, double *numbers) {
    __m256i even = load_two(source_parts, i, i + 2), odd = load_two(source_parts, i + 1, i + 3);

    const __m256i nines = _mm256_set1_epi8(9), zero = _mm256_setzero_si256();
    __m256i even_excess = _mm256_sad_epu8(_mm256_subs_epu8(even, nines), zero);
    __m256i odd_excess = _mm256_sad_epu8(_mm256_subs_epu8(odd, nines), zero);
    __m256i excess =
        _mm256_or_si256(_mm256_unpacklo_epi64(even_excess, odd_excess), _mm256_unpackhi_epi64(even_excess, odd_excess));
    int are_digits = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(excess, zero)));

    __m256i fours = _mm256_packus_epi32(parse_avx2_to_fours(even), parse_avx2_to_fours(odd));
    __m256i eights = _mm256_madd_epi16(fours, _mm256_set1_epi32(10000 + (1 << 16)));
    __m256i integers =
        _mm256_add_epi64(_mm256_mul_epu32(eights, _mm256_set1_epi64x(100000000)), _mm256_srli_epi64(eights, 32));
    /* An integer below 2^52, inserted as the fraction bits of 2^52, is added to it. */
    const __m256d shift = _mm256_set1_pd(4503599627370496.0);
    __m256d shifted = _mm256_castsi256_pd(_mm256_or_si256(integers, _mm256_castpd_si256(shift)));
    __m256d values = _mm256_div_pd(_mm256_sub_pd(shifted, shift), _mm256_loadu_pd(source_parts->powers + i));
    _mm256_storeu_pd(numbers + i, values);
    return (uint64_t)(unsigned)are_digits ^ 0xf;
}

TARGET static uint64_t parse_avx2_read(const crd_i_number_parsers *cells, double *numbers) {
    if (cells->count < TOGETHER) return (UINT64_C(1) << cells->count) - 1;
    parts apart;
    uint64_t left = parse_avx2_take_apart(cells, &apart);
    size_t last = cells->count - TOGETHER;
    for (size_t i = 0; i < last; i += TOGETHER) left |= read_four(&apart, i, numbers) << i;
    /* Some of these cells may be parsed a second time. */
    left |= read_four(&apart, last, numbers) << last;
    return left;
}

static bool parse_avx2_is_supported(void) {
    return crd_i_processor_has(CRD_I_PROCESSOR_AVX2 | CRD_I_PROCESSOR_BMI);
}

const crd_i_number_parser_way crd_i_number_parser_way_avx2 = {"avx2", parse_avx2_is_supported, parse_avx2_read};

#endif
