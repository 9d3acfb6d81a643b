/* SPDX-License-Identifier: MIT */
/* parse_numbers_simd128.c - parses cells as numbers in WebAssembly with SIMD: up to 15 digits in one vector, two
 * cells at a time.
 *
 * As with AVX2 (parse_numbers_avx2.c), the characters of a cell are joined over the decimal point, then moved to the
 * end of a vector, with zeros before them. Two such vectors become two integers. Their halves, below 10^8, and the
 * whole integers, below 10^15, are doubles, and so is the power of ten. The quotient, rounded once, is the nearest
 * double. */
#include "table/parse/parse_numbers.h"

#ifdef CRD_I_NUMBER_PARSERS_SIMD128

#include <wasm_simd128.h>

/* Cells with more than LENGTHS - 1 characters are treated as if they had LENGTHS - 1. */
enum { MOST_DIGITS = 15, LENGTHS = 18, TOGETHER = 2 };

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

/* A cell: numbers 0 to 9, if they are digits, and the divisor of their integer, with the sign of the number. */
typedef struct cell_parts {
    v128_t digits;
    double power;
    bool is_left; /* it has no digits, or too many */
} cell_parts;

/* Returns a bit for each cell that begins with a zero before other digits. Few columns have such cells. */
static uint64_t parse_simd128_find_leading_zeros(const crd_i_number_parsers *cells) {
    const uint32_t *marks = cells->marks;
    uint64_t leading_zeros = 0;
    for (size_t i = 0; i < cells->count; i++, marks += cells->stride) {
        const char *cursor = cells->bytes + (uint32_t)(marks[0] + 1), *end = cells->bytes + (marks[1] - cells->end);
        cursor += cursor < end && *cursor == '-';
        leading_zeros |= (uint64_t)(end - cursor > 1 && cursor[0] == '0' && cursor[1] != cells->point) << i;
    }
    return leading_zeros;
}

/* Sets the first two bytes of *least to zero if a digit follows a leading zero. */
static inline cell_parts parse_simd128_take_apart(const crd_i_number_parsers *cells, size_t i, v128_t *least) {
    const v128_t places = wasm_i8x16_const(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const v128_t zero_and_digit = wasm_i8x16_const(0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    const uint32_t *marks = cells->marks + i * cells->stride;
    const uint32_t start = marks[0] + 1, negative = cells->bytes[start] == '-';
    uint32_t length = marks[1] - cells->end - start - negative;
    length = length < LENGTHS ? length : LENGTHS - 1;
    const v128_t characters = wasm_v128_load(cells->bytes + start + negative);
    const uint32_t points = wasm_i8x16_bitmask(wasm_i8x16_eq(characters, wasm_i8x16_splat(cells->point)));
    const uint32_t point = (uint32_t)__builtin_ctz(points | UINT32_C(1) << length);
    const uint32_t has_point = point < length, count = length - has_point;
    v128_t digits = wasm_i8x16_sub(characters, wasm_i8x16_splat('0'));
    *least = wasm_u16x8_min(*least, wasm_u8x16_sub_sat(digits, zero_and_digit));
    digits = wasm_i8x16_swizzle(digits, wasm_i8x16_add(places, wasm_v128_load(SKIP + 17 - point)));
    digits = wasm_i8x16_swizzle(digits, wasm_v128_load(MOVE + count));
    return (cell_parts){digits, POWERS[negative][length - point - has_point], count - 1 >= MOST_DIGITS};
}

/* Converts 16 digits to 4 numbers below 10^4. */
static inline v128_t parse_simd128_to_fours(v128_t digits) {
    const v128_t tens = wasm_i16x8_mul(wasm_v128_and(digits, wasm_i16x8_splat(0xff)), wasm_i16x8_splat(10));
    const v128_t pairs = wasm_i16x8_add(tens, wasm_u16x8_shr(digits, 8));
    return wasm_i32x4_dot_i16x8(pairs, wasm_i32x4_splat(100 + (1 << 16)));
}

static inline bool parse_simd128_has_others(v128_t digits) {
    return wasm_v128_any_true(wasm_u8x16_gt(digits, wasm_i8x16_splat(9)));
}

/* Parses cells i and i + 1. Returns a bit for each cell that was not parsed. */
static inline uint64_t parse_simd128_read_two(const crd_i_number_parsers *cells, size_t i, v128_t *least,
                                              double *numbers) {
    const cell_parts one = parse_simd128_take_apart(cells, i, least),
                     other = parse_simd128_take_apart(cells, i + 1, least);
    const v128_t fours =
        wasm_u16x8_narrow_i32x4(parse_simd128_to_fours(one.digits), parse_simd128_to_fours(other.digits));
    const v128_t eights = wasm_i32x4_dot_i16x8(fours, wasm_i32x4_splat(10000 + (1 << 16)));
    const v128_t high = wasm_f64x2_convert_low_i32x4(wasm_i32x4_shuffle(eights, eights, 0, 2, 0, 2));
    const v128_t low = wasm_f64x2_convert_low_i32x4(wasm_i32x4_shuffle(eights, eights, 1, 3, 1, 3));
    const v128_t integers = wasm_f64x2_add(wasm_f64x2_mul(high, wasm_f64x2_splat(1e8)), low);
    wasm_v128_store(numbers + i, wasm_f64x2_div(integers, wasm_f64x2_make(one.power, other.power)));
    return (uint64_t)(one.is_left | parse_simd128_has_others(one.digits)) |
           (uint64_t)(other.is_left | parse_simd128_has_others(other.digits)) << 1;
}

static uint64_t parse_simd128_read(const crd_i_number_parsers *given_cells, double *numbers) {
    /* Vector stores cannot change a local copy, so it stays in registers. */
    const crd_i_number_parsers here = *given_cells, *cells = &here;
    if (cells->count < TOGETHER) return (UINT64_C(1) << cells->count) - 1;
    v128_t least = wasm_i8x16_splat(-1);
    uint64_t left = 0;
    const size_t last = cells->count - TOGETHER;
    for (size_t i = 0; i < last; i += TOGETHER) left |= parse_simd128_read_two(cells, i, &least, numbers) << i;
    /* One of these cells may be parsed a second time. */
    left |= parse_simd128_read_two(cells, last, &least, numbers) << last;
    const bool has_leading = (wasm_i32x4_extract_lane(least, 0) & 0xffff) == 0;
    return has_leading ? left | parse_simd128_find_leading_zeros(cells) : left;
}

static bool parse_simd128_is_supported(void) {
    return true;
}

const crd_i_number_parser_way crd_i_number_parser_way_simd128 = {"simd128", parse_simd128_is_supported,
                                                                 parse_simd128_read};

#endif
