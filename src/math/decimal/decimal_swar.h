/* SPDX-License-Identifier: MIT */
/* decimal_swar.h - processes eight decimal digits at a time, in the bytes of a 64-bit word.
 *
 * The first digit in reading order is the lowest byte, on every machine. */
#ifndef CRD_MATH_DECIMAL_DECIMAL_SWAR_H
#define CRD_MATH_DECIMAL_DECIMAL_SWAR_H

#include "math/exact/ieee754.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

#endif
