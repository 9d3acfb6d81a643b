/* SPDX-License-Identifier: MIT */
/* decimal.h - conversion between doubles and decimal numbers: the parts that parsing and formatting share.
 *
 * Contents:
 *   1. Eight digits at a time
 *   2. Powers of ten
 *   3. Shortest digits */
#ifndef CRD_MATH_DECIMAL_DECIMAL_H
#define CRD_MATH_DECIMAL_DECIMAL_H

#include "math/exact/ieee754.h"

#include <credence/number.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ======== 1. Eight digits at a time ========
 *
 * Eight decimal digits are the bytes of a 64-bit word. The first digit in reading order is the lowest byte, on every
 * machine. */

/* 10^0, 10^1, ...: the powers that fit in a signed 64-bit integer. */
enum { CRD_I_INTEGER_POWERS = 19 };
extern const uint64_t crd_i_integer_powers[CRD_I_INTEGER_POWERS];

/* Returns a word with this value in each byte. */
static inline uint64_t crd_i_word_of(unsigned char byte) {
    return byte * UINT64_C(0x0101010101010101);
}

/* A little-endian machine stores the word directly, because not every compiler merges eight byte stores into one. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline uint64_t crd_i_word_load(const char *cursor) {
    uint64_t word;
    memcpy(&word, cursor, sizeof word);
    return word;
}

static inline void crd_i_word_store(char *cursor, uint64_t word) {
    memcpy(cursor, &word, sizeof word);
}
#else
static inline uint64_t crd_i_word_load(const char *at) {
    uint64_t word = 0;
    for (unsigned i = 0; i < 8; i++) word |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return word;
}

static inline void crd_i_word_store(char *at, uint64_t word) {
    for (unsigned i = 0; i < 8; i++) at[i] = (char)(unsigned char)(word >> 8 * i);
}
#endif

/* Returns a nonzero value if a byte is greater than 9. Bytes from 128 on are detected directly. For the others, adding
 * 118 takes exactly the bytes from 10 on to 128 or more, without a carry into the next byte. */
static inline uint64_t crd_i_word_not_digits(uint64_t word) {
    return (word | (word + crd_i_word_of(118))) & crd_i_word_of(128);
}

/* Converts eight bytes 0 .. 9 to an integer: pairs to numbers below 100 in one multiplication, then four of those in
 * two. */
static inline uint64_t crd_i_word_to_integer(uint64_t digits) {
    const uint64_t alternate = UINT64_C(0x000000ff000000ff);
    uint64_t pairs = digits * 10 + (digits >> 8); /* in bytes 0, 2, 4 and 6 */
    uint64_t odd = (pairs & alternate) * (100 + (UINT64_C(1000000) << 32));
    uint64_t even = (pairs >> 16 & alternate) * (1 + (UINT64_C(10000) << 32));
    return (odd + even) >> 32 & UINT32_MAX;
}

/* Converts an integer below 10^8 to eight bytes 0 .. 9. One multiplication computes the quotients by 100 or by 10 of
 * several lanes: 10486 / 2^20 is right for all numbers below 10^4, and 103 / 2^10 for numbers below 100. */
static inline uint64_t crd_i_word_of_integer(uint32_t integer) {
    uint32_t four = integer / 10000;
    uint64_t fours = four | (uint64_t)(integer - 10000 * four) << 32;
    uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t pairs = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = (pairs * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (pairs - 10 * tens) << 8;
}

/* Removes the point from eight characters; the characters before it move up. Characters are passed and returned minus
 * '0' (by exclusive or), so digits are 0 .. 9. Sets `before` to the number of characters before the point, 8 if there
 * is no point. A second point stays in place. */
static inline uint64_t crd_i_word_take_point(uint64_t word, char point, unsigned *before) {
    uint64_t difference = word ^ crd_i_word_of((unsigned char)(point ^ '0'));
    /* The highest bit marks the lowest byte that becomes 0. Borrows only reach bytes above it. */
    uint64_t marks = (difference - crd_i_word_of(1)) & ~difference & crd_i_word_of(128);
    uint64_t mark = marks & (0 - marks);
    uint64_t below = (mark >> 7) - 1; /* all bits if there is no mark */
    *before = (unsigned)((below & crd_i_word_of(1)) * crd_i_word_of(1) >> 56);
    return (word & below) << (mark != 0 ? 8 : 0) | (word & (0 - (mark << 1)));
}

/* Parses the first `length` bytes of a word, 1 .. 8: an optional minus, then digits with at most one point. An integer
 * below 10^8 divided by a power of ten is one operation on exact doubles, which rounds once. Returns false if the text
 * may still be a number. No branch depends on the length, the sign or the position of the point, because these are
 * unpredictable. */
static inline bool crd_i_word_parse(uint64_t word, size_t length, char point, double *value) {
    /* indexed by the number of characters before the point */
    static const double divisors[] = {1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1, 1};
    word ^= crd_i_word_of('0');
    uint64_t negative = (word & 255) == ('-' ^ '0');
    unsigned before;
    /* Replaces the minus, and the bytes below the number, by zeros. */
    word = (word ^ ((0 - negative) & ('-' ^ '0'))) << 8 * (8 - length);
    word = crd_i_word_take_point(word, point, &before);
    if (crd_i_word_not_digits(word) != 0 || length == negative + (before < 8)) return false;
    double magnitude = (double)(int64_t)crd_i_word_to_integer(word) / divisors[before];
    *value = crd_i_double_of(crd_i_bits_of(magnitude) | negative << 63);
    return true;
}

/* Works like crd_number_parse, but `point` (a period or a comma) separates the integer part from the fraction. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out);

/* The number of readable bytes, with any values, that must follow a number. */
enum { CRD_I_DECIMAL_PADDING = 8 };

/* Works like crd_i_decimal_parse for the bytes from `begin` to `end`, if CRD_I_DECIMAL_PADDING bytes after `end` are
 * readable too. Writes nothing unless the bytes are a number. Numbers of up to eight characters, which most table
 * values are, are parsed inline. */
static inline crd_number_class crd_i_decimal_parse_padded(const char *begin, const char *end, char point, double *out) {
    size_t length = (size_t)(end - begin);
    if (length - 1 < 8 && crd_i_word_parse(crd_i_word_load(begin), length, point, out)) return CRD_NUMBER_FINITE;
    return crd_i_decimal_parse((crd_text){begin, length}, point, out);
}

/* ======== 2. Powers of ten ========
 *
 * Powers of ten as 128-bit integers. 10^e = 5^e * 2^e, so only 5^e needs a table. The table stores the leading bits t
 * of
 *
 *     10^e = (t + d) * 2^(b - 127), 2^127 <= t < 2^128, 0 <= d < 1, b = floor(log2(10^e)).
 *
 * d is 0 if 5^e is an integer of up to 128 bits, that is for 0 <= e <= 55, and greater than 0 for all other e. A larger
 * power of five has more bits, the last of which is 1; a negative power has an infinite binary expansion. The lower 64
 * bits of t are 0 only for 0 <= e <= 27. */

/* Below the minimum, any 64-bit integer times the power is less than half of the smallest double. The maximum is the
 * power that gives the smallest double an integer part. */
enum { CRD_I_LEAST_POWER = -342, CRD_I_MOST_POWER = 324, CRD_I_MOST_EXACT_POWER = 55 };

typedef struct crd_i_power {
    uint64_t high, low;
} crd_i_power;

/* Starts at the minimum. Generated by scripts/decimal-powers. */
extern const crd_i_power crd_i_powers_of_5[CRD_I_MOST_POWER - CRD_I_LEAST_POWER + 1];

/* Returns the bits t of 10^exponent, for exponents from the minimum to the maximum. */
static inline crd_i_power crd_i_power_of_10(int exponent) {
    return crd_i_powers_of_5[exponent - CRD_I_LEAST_POWER];
}

static inline bool crd_i_power_is_exact(int exponent) {
    return exponent >= 0 && exponent <= CRD_I_MOST_EXACT_POWER;
}

/* Returns floor((a * b + c) / 2^bits). The product may be negative, down to -2^12 * 2^bits. */
static inline int crd_i_floor_product(int a, int64_t b, int64_t c, unsigned bits) {
    int64_t bias = INT64_C(1) << 12;
    return (int)((uint64_t)(a * b + c + (bias << bits)) >> bits) - (int)bias;
}

/* Returns floor(log2(10^exponent)). The constants here and below are logarithms in units of 2^-bits. The tests compare
 * the results with exact powers over the whole range, here -400 .. 400. */
static inline int crd_i_floor_log2_of_10(int exponent) {
    return crd_i_floor_product(exponent, 1741647, 0, 19);
}

/* Return floor(log10(2^exponent)) and floor(log10(3/4 * 2^exponent)), for exponents -1200 .. 1200. */
static inline int crd_i_floor_log10_of_2(int exponent) {
    return crd_i_floor_product(exponent, 1262611, 0, 22);
}
static inline int crd_i_floor_log10_of_3_4(int exponent) {
    return crd_i_floor_product(exponent, 1262611, -524031, 22);
}

/* ======== 3. Shortest digits ========
 *
 * The digits of the shortest decimal that reads back to a double, using big integers. */

/* The decimal digits * 10^exponent. */
typedef struct crd_i_shortest {
    uint64_t digits;
    int exponent;
} crd_i_shortest;

/* Returns the decimal with the fewest digits that reads back to the value, which must be finite and greater than 0. If
 * there are several, it returns the nearest to the value; a tie goes to the even last digit. crd_number_format falls
 * back to this function, and tests compare the two. */
crd_i_shortest crd_i_decimal_shortest(double value);

/* Returns whether the lower neighbor is nearer than the upper one: below a power of two, doubles are twice as dense,
 * except at the bottom of the range. */
static inline bool crd_i_is_uneven(crd_i_parts parts) {
    return parts.mantissa == UINT64_C(1) << 52 && parts.exponent > -1074;
}

#endif
