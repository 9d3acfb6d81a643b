/* SPDX-License-Identifier: MIT */
/* decimal_format.c - formats a double as the shortest decimal that reads back to the same double; see
 * credence/number.h.
 *
 * Every real number between the midpoints to the neighboring doubles reads back to the same double. The midpoints do
 * too if the mantissa is even, because ties round to even. The task is to find the multiple of the largest power of ten
 * between the midpoints (Steele and White, How to print floating-point numbers accurately, 1990). The value is m * 2^q.
 * Let 10^k be the largest power that does not exceed the distance between the midpoints. This distance is 2^q, or 3/4
 * of it if the value is a power of two, whose lower neighbor is nearer. Then
 *
 * - At most one multiple of 10^(k+1) lies between the midpoints. If there is one, it is the result, because shorter
 *   decimals are multiples of 10^(k+1) too.
 * - Otherwise the result is the multiple of 10^k below the value or the one above it; the nearer one if both lie
 *   between the midpoints.
 *
 * This needs the value and both midpoints in units of 10^k / 4. Only their integer parts matter, and whether they are
 * integers (Giulietti, The Schubfach way to render doubles, 2021). They are computed from the leading bits of 10^-k,
 * and the product shows when those bits do not suffice. In that case big integers decide. This happens for one number
 * in 2^64 by chance, and for numbers from about 10^17 on that are themselves multiples of 10^k.
 *
 * Layout: numbers from 1e-4 to below 1e16 are plain ("0.0001", "1234567", "2.5"). Others have an exponent with a sign
 * and at least two digits ("1e-05", "1.5e+20"). Digits are always written as three words, and surplus characters remain
 * after the end: a sign, up to five characters and 24 digits are less than CRD_NUMBER_ROOM.
 *
 * Contents:
 *   1. Digits from big integers
 *   2. Digits from leading bits
 *   3. Text */
#include "math/decimal/decimal.h"

#include "math/exact/big_integer.h"
#include "math/exact/limbs.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Digits from big integers ========
 *
 * The algorithm finds the digits of the shortest decimal that reads back to a double. It produces digits of the exact
 * value until the remainder is within the distance to a midpoint (Burger and Dybvig, Printing floating-point numbers
 * quickly and accurately, 1996). It uses big integers, so it is exact for every double, and takes about a microsecond. */

/* Enough limbs for 2^1077, or 2^54 * 10^324, times 10. */
enum { ROOM = 40 };

/* The value is rest / unit. The distances to the midpoints below and above are low / unit and high / unit. */
typedef struct shortest_generator {
    uint32_t rooms[5][ROOM];
    crd_i_big big, unit, low, high, sum;
    bool inclusive; /* the midpoints themselves read back to the value */
} shortest_generator;

static void decimal_shortest_prepare(shortest_generator *g, crd_i_parts parts) {
    g->big.limbs = g->rooms[0];
    g->unit.limbs = g->rooms[1];
    g->low.limbs = g->rooms[2];
    g->high.limbs = g->rooms[3];
    g->sum.limbs = g->rooms[4];
    g->inclusive = (parts.mantissa & 1) == 0;
    /* In units of 1/4 or 1/2 of the last place, the distances are integers. */
    bool uneven = crd_i_is_uneven(parts);
    unsigned scale = uneven ? 2 : 1;
    crd_i_big_set(&g->big, parts.mantissa << scale);
    crd_i_big_set(&g->unit, 1);
    crd_i_big_set(&g->low, 1);
    crd_i_big_set(&g->high, uneven ? 2 : 1);
    if (parts.exponent >= 0) {
        crd_i_big_shift_left(&g->big, (size_t)parts.exponent);
        crd_i_big_shift_left(&g->low, (size_t)parts.exponent);
        crd_i_big_shift_left(&g->high, (size_t)parts.exponent);
        crd_i_big_shift_left(&g->unit, scale);
    } else {
        crd_i_big_shift_left(&g->unit, scale + (size_t)-parts.exponent);
    }
}

static void scale_value(shortest_generator *g, unsigned power) {
    crd_i_big_multiply_power_of_10(&g->big, power);
    crd_i_big_multiply_power_of_10(&g->low, power);
    crd_i_big_multiply_power_of_10(&g->high, power);
}

/* Returns whether rest + high reaches the next unit: rounding up then gives a number that reads back. */
static bool reaches_unit(shortest_generator *g) {
    crd_i_big_copy(&g->sum, &g->big);
    crd_i_big_add(&g->sum, &g->high);
    int order = crd_i_big_compare(&g->sum, &g->unit);
    return order > 0 || (order == 0 && g->inclusive);
}

/* Returns whether the remainder is so small that it can be dropped. */
static bool within_low(shortest_generator *g) {
    int order = crd_i_big_compare(&g->big, &g->low);
    return order < 0 || (order == 0 && g->inclusive);
}

/* Returns whether the remainder is nearer to the next unit than to zero. A tie goes to the even digit. */
static bool rounds_up(shortest_generator *g, unsigned digit) {
    crd_i_big_copy(&g->sum, &g->big);
    crd_i_big_add(&g->sum, &g->big);
    int order = crd_i_big_compare(&g->sum, &g->unit);
    return order > 0 || (order == 0 && digit % 2 == 1);
}

crd_i_shortest crd_i_decimal_shortest(double value) {
    shortest_generator g;
    crd_i_parts parts = crd_i_parts_of(value);
    decimal_shortest_prepare(&g, parts);

    /* Scales so that value / 10^magnitude is less than 1 and at least 1/10, or close enough below 1/10 to be rounded up
     * to it. */
    int leading = parts.exponent + 63 - (int)crd_i_limb_leading_zeros(parts.mantissa);
    int magnitude = crd_i_floor_log10_of_2(leading) + 1;
    if (magnitude >= 0) crd_i_big_multiply_power_of_10(&g.unit, (unsigned)magnitude);
    else scale_value(&g, (unsigned)-magnitude);
    if (reaches_unit(&g)) {
        magnitude++;
        crd_i_big_multiply_small(&g.unit, 10, 0);
    }

    crd_i_shortest shortest = {0, magnitude};
    bool down = false, up = false;
    while (!down && !up) {
        scale_value(&g, 1);
        unsigned digit = 0;
        while (crd_i_big_compare(&g.big, &g.unit) >= 0) {
            crd_i_big_subtract(&g.big, &g.unit);
            digit++;
        }
        down = within_low(&g);
        up = reaches_unit(&g);
        if (up && (!down || rounds_up(&g, digit))) digit++;
        shortest.digits = shortest.digits * 10 + digit;
        shortest.exponent--;
    }
    return shortest;
}

/* ======== 2. Digits from leading bits ======== */

enum { MOST_DIGITS = 17, WORD = 8 };

/* Computes factor * (t + d) / 2^128, with the power t + d as in decimal.h, rounded to odd: an integer is
 * unchanged, and any number between two integers becomes the odd one. The comparison with an even integer (less, equal
 * or greater) therefore stays the same. Returns false if the result is uncertain.
 *
 * The product factor * t is `high` and a fraction of 128 bits, whose upper 64 bits are `middle`. The true product is
 * larger by factor * d, which is less than 2^62. It reaches `high` only if all bits of `middle` are ones. Otherwise the
 * integer part is `high`, and the fraction is greater than 0 unless d is 0 and all fraction bits are 0. */
static inline bool multiply_to_odd(uint64_t factor, crd_i_power power, bool is_exact, uint64_t *product) {
    crd_i_limb above = crd_i_limb_multiply(factor, power.high);
    if (power.low == 0) { /* only if the power is exact, as for most numbers in data */
        *product = above.high | (above.low != 0);
        return true;
    }
    crd_i_limb below = crd_i_limb_multiply(factor, power.low);
    uint64_t middle = above.low + below.high;
    uint64_t high = above.high + (middle < below.high);
    *product = high | (!is_exact || (middle | below.low) != 0);
    return is_exact || middle != UINT64_MAX;
}

/* Returns the shortest digits, which may end in zeros. */
static inline crd_i_shortest find_shortest(double value) {
    crd_i_parts parts = crd_i_parts_of(value);
    bool uneven = crd_i_is_uneven(parts);
    int k = uneven ? crd_i_floor_log10_of_3_4(parts.exponent) : crd_i_floor_log10_of_2(parts.exponent);
    crd_i_power power = crd_i_power_of_10(-k);
    bool is_exact = crd_i_power_is_exact(-k);
    /* 2^q * 10^-k = 2^shift * (t + d) / 2^128 is in [1, 40/3). Since t / 2^128 is in [1/2, 1), shift is 1 .. 4, and the
     * factors stay below 2^59. */
    unsigned shift = (unsigned)(parts.exponent + crd_i_floor_log2_of_10(-k) + 1);
    uint64_t quarters = 4 * parts.mantissa, low, middle, high;
    bool low_is_sure = multiply_to_odd((quarters - (uneven ? 1 : 2)) << shift, power, is_exact, &low);
    bool middle_is_sure = multiply_to_odd(quarters << shift, power, is_exact, &middle);
    bool high_is_sure = multiply_to_odd((quarters + 2) << shift, power, is_exact, &high);
    if (!(low_is_sure & middle_is_sure & high_is_sure)) return crd_i_decimal_shortest(value);

    uint64_t odd = parts.mantissa & 1;
    low += odd; /* the midpoints themselves do not read back to the value */
    high -= odd;
    uint64_t digits = middle / 4, tens = digits / 10 * 10;
    /* The choice among the four candidates is unpredictable, so the code uses no branches: each flag is 1 or 0. */
    uint64_t tens_up = 4 * (tens + 10) <= high, is_tens = (low <= 4 * tens) | tens_up;
    uint64_t is_above_low = low <= 4 * digits, is_below_high = 4 * (digits + 1) <= high;
    uint64_t is_nearer_up = middle + (digits & 1) > 4 * digits + 2; /* above the midpoint, or at it with an odd digit */
    uint64_t by_ones = digits + (is_below_high & (is_nearer_up | (is_above_low ^ 1)));
    uint64_t by_tens = tens + 10 * tens_up;
    return (crd_i_shortest){by_ones ^ ((by_ones ^ by_tens) & (0 - is_tens)), k};
}

/* ======== 3. Text ======== */

/* 0.d1d2...dn * 10^magnitude, d1 and dn not 0 */
typedef struct format_digits {
    uint64_t words[3]; /* d1 ... dn as text, followed by zeros up to 24 characters */
    int count, magnitude;
} format_digits;

/* Returns the number of digits of a nonzero integer below 10^17. 1233 / 2^12 approximates log10(2) closely enough. */
static inline unsigned decimal_format_count_digits(uint64_t integer) {
    unsigned less = (64 - crd_i_limb_leading_zeros(integer)) * 1233 >> 12;
    return less + (integer >= crd_i_integer_powers[less]);
}

static inline int decimal_format_trailing_zeros(uint64_t word) {
    return word == 0 ? WORD : (int)(crd_i_limb_leading_zeros(word) / 8);
}

static inline void decimal_format_spell(crd_i_shortest shortest, format_digits *d) {
    /* Pads to 17 digits. At most one digit is missing, unless the number is an integer or denormal or needed big
     * integers. A branch could not predict which numbers lack it. */
    uint64_t integer = shortest.digits;
    unsigned is_short = integer < crd_i_integer_powers[MOST_DIGITS - 1], missing = is_short;
    if (integer >= crd_i_integer_powers[MOST_DIGITS - 2]) {
        integer += (9 * integer) & (0 - (uint64_t)is_short);
    } else {
        missing = MOST_DIGITS - decimal_format_count_digits(integer);
        integer *= crd_i_integer_powers[missing];
    }
    uint32_t upper = (uint32_t)(integer / 100000000), lower = (uint32_t)(integer - UINT64_C(100000000) * upper);
    uint32_t first = upper / 100000000;
    uint64_t middle = crd_i_word_of_integer(upper - 100000000 * first);
    uint64_t last = crd_i_word_of_integer(lower);
    d->words[0] = (first | middle << 8) | crd_i_word_of('0');
    d->words[1] = (middle >> 56 | last << 8) | crd_i_word_of('0');
    d->words[2] = last >> 56 | crd_i_word_of('0');
    d->magnitude = MOST_DIGITS - (int)missing + shortest.exponent;
    d->count =
        MOST_DIGITS - (last != 0 ? decimal_format_trailing_zeros(last) : WORD + decimal_format_trailing_zeros(middle));
}

/* Inserts a point after the first `place` characters of a word, 0 .. 7. This pushes the last character out. */
static inline uint64_t put_point(uint64_t word, int place) {
    uint64_t before = (UINT64_C(1) << 8 * place) - 1;
    return (word & before) | (uint64_t)'.' << 8 * place | (word & ~before) << 8;
}

/* Writes all digits with a point after the first `place` of them, 1 .. 16. The digits stay in words throughout, because
 * loading bytes that were just stored in different pieces would take longer than everything else. */
static inline void write_with_point(char *destination, const format_digits *d, int place) {
    uint64_t first = d->words[0], second = d->words[1], third = d->words[2] << 8 | d->words[1] >> 56;
    if (place < WORD) {
        second = second << 8 | first >> 56;
        first = put_point(first, place);
    } else if (place < 2 * WORD) {
        second = put_point(second, place - WORD);
    } else {
        third = put_point(d->words[2], 0);
    }
    crd_i_word_store(destination, first);
    crd_i_word_store(destination + WORD, second);
    crd_i_word_store(destination + 2 * WORD, third);
}

/* Writes numbers with magnitudes from -3 to 16 in plain layout. */
static char *write_plain(char *destination, const format_digits *d) {
    if (d->magnitude > 0) {
        write_with_point(destination, d, d->magnitude);
        return destination + (d->count > d->magnitude ? d->count + 1 : d->magnitude);
    }
    memcpy(destination, "0.000", 5);
    destination += 2 - d->magnitude;
    for (int i = 0; i < 3; i++) crd_i_word_store(destination + i * WORD, d->words[i]);
    return destination + d->count;
}

static char *write_scientific(char *destination, const format_digits *d) {
    write_with_point(destination, d, 1);
    destination += d->count > 1 ? d->count + 1 : 1;
    int exponent = d->magnitude - 1;
    *destination++ = 'e';
    *destination++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent >= 100) *destination++ = (char)('0' + exponent / 100);
    *destination++ = (char)('0' + exponent / 10 % 10);
    *destination++ = (char)('0' + exponent % 10);
    return destination;
}

static size_t write_special(double value, char *destination) {
    const char *text = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : signbit(value) ? "-0" : "0";
    size_t length = strlen(text);
    memcpy(destination, text, length + 1);
    return length;
}

size_t crd_number_format(double value, char out[CRD_NUMBER_ROOM]) {
    /* Below 2^53 every integer is a double, and no other number between its midpoints is as short. */
    const double all_integers = 9007199254740992.0;
    if (value == 0 || !isfinite(value)) return write_special(value, out);
    char *destination = out;
    *destination = '-'; /* overwritten if the number is not negative */
    destination += signbit(value) != 0;
    value = fabs(value);
    format_digits d;
    if (value < all_integers && (double)(int64_t)value == value)
        decimal_format_spell((crd_i_shortest){(uint64_t)(int64_t)value, 0}, &d);
    else decimal_format_spell(find_shortest(value), &d);
    destination =
        d.magnitude > -4 && d.magnitude <= 16 ? write_plain(destination, &d) : write_scientific(destination, &d);
    *destination = '\0';
    return (size_t)(destination - out);
}

const char *crd_number_round(double value, char out[CRD_NUMBER_ROOM]) {
    if (isnan(value)) return strcpy(out, "-");
    /* Large numbers are easier to read in full than with an exponent. */
    const bool is_large = fabs(value) >= 1e5 && fabs(value) < 1e15;
    snprintf(out, CRD_NUMBER_ROOM, is_large ? "%.0f" : "%.5g", value);
    /* The decimal point of some locales is a comma. */
    char *comma = strchr(out, ',');
    if (comma != NULL) *comma = '.';
    return out;
}

const char *crd_number_count(double value, char out[CRD_NUMBER_ROOM]) {
    if (fabs(value) >= 1e15 || value != floor(value)) return crd_number_round(value, out);
    snprintf(out, CRD_NUMBER_ROOM, "%.0f", value);
    return out;
}
