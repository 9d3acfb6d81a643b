/* SPDX-License-Identifier: MIT */
/* decimal_format.c - the shortest decimal that reads back to the same double, as text; see credence/number.h.
 *
 * Every real number between the midpoints to the neighbouring doubles reads back to the same double; the midpoints too
 * where the mantissa is even, as ties go to even. So the question is which multiple of the greatest power of ten lies
 * between them (Steele and White, How to print floating-point numbers accurately, 1990). The value is m * 2^q. Let 10^k
 * be the greatest power that does not exceed the distance between the midpoints, which is 2^q, or 3/4 of it above a
 * power of two, where the lower neighbour is nearer. Then
 *
 *  - there is at most one multiple of 10^(k+1) between the midpoints, and if so, it is the result: shorter decimals are
 *    multiples of 10^(k+1) too;
 *  - else the multiple of 10^k below the value, or the one above, is, and the nearer if both are between.
 *
 * That takes the value and both midpoints in units of 10^k / 4, of which only has to be known whether they are
 * integers, and what their integer part is (Giulietti, The Schubfach way to render doubles, 2021). They come from the
 * leading bits of 10^-k, and the product shows when those do not suffice. Then big integers decide: for one in 2^64 by
 * chance, and for numbers from about 10^17 on that are multiples of 10^k themselves.
 *
 * Layout: from 1e-4 up to below 1e16 plain ("0.0001", "1234567", "2.5"), else with an exponent of a sign and at least
 * two digits ("1e-05", "1.5e+20"). Digits are always written as three words, and what is too much stays behind the end:
 * a sign, up to five characters and 24 digits are less than CRD_NUMBER_ROOM. */
#include <credence/number.h>

#include "math/decimal/decimal_powers.h"
#include "math/decimal/decimal_shortest.h"
#include "math/decimal/decimal_swar.h"
#include "math/exact/limbs.h"

#include <math.h>
#include <string.h>

enum { MOST_DIGITS = 17, WORD = 8 };

/* ---- Digits ---- */

/* factor * 10^exponent in units of which 2^128 make a one, rounded to odd: an integer as it is, and of all between two
 * integers the odd one. What is less than, equal to or more than an even integer stays so. false where it is not sure.
 *
 * With t + d as decimal_powers.h has the power, the product factor * t is `high` and a fraction of 128 bits, whose
 * upper 64 are `middle`. The true one is factor * d more, which is less than 2^62: it reaches `high` only where
 * `middle` is all ones. Else the integer part is `high`, and what follows is more than 0 unless d is 0 and all bits
 * there are. */
static inline bool multiply_to_odd(uint64_t factor, crd_i_power power, bool is_exact, uint64_t *product) {
    crd_i_limb above = crd_i_limb_multiply(factor, power.high);
    if (power.low == 0) { /* only where the power is exact, as it is for most numbers of data */
        *product = above.high | (above.low != 0);
        return true;
    }
    crd_i_limb below = crd_i_limb_multiply(factor, power.low);
    uint64_t middle = above.low + below.high;
    uint64_t high = above.high + (middle < below.high);
    *product = high | (!is_exact || (middle | below.low) != 0);
    return is_exact || middle != UINT64_MAX;
}

/* The digits, which may end in zeros. */
static inline crd_i_shortest find_shortest(double value) {
    crd_i_parts parts = crd_i_parts_of(value);
    bool uneven = crd_i_is_uneven(parts);
    int k = uneven ? crd_i_floor_log10_of_3_4(parts.exponent) : crd_i_floor_log10_of_2(parts.exponent);
    crd_i_power power = crd_i_power_of_10(-k);
    bool is_exact = crd_i_power_is_exact(-k);
    /* 2^q * 10^-k is 2^shift * (t + d) / 2^128, and from 1 to less than 40/3. As t / 2^128 is from 1/2 to less than 1,
     * shift is 1 .. 4, and the factors stay below 2^59. */
    unsigned shift = (unsigned)(parts.exponent + crd_i_floor_log2_of_10(-k) + 1);
    uint64_t quarters = 4 * parts.mantissa, low, middle, high;
    bool low_is_sure = multiply_to_odd((quarters - (uneven ? 1 : 2)) << shift, power, is_exact, &low);
    bool middle_is_sure = multiply_to_odd(quarters << shift, power, is_exact, &middle);
    bool high_is_sure = multiply_to_odd((quarters + 2) << shift, power, is_exact, &high);
    if (!(low_is_sure & middle_is_sure & high_is_sure)) return crd_i_decimal_shortest(value);

    uint64_t odd = parts.mantissa & 1;
    low += odd; /* the midpoints themselves do not read back */
    high -= odd;
    uint64_t digits = middle / 4, tens = digits / 10 * 10;
    /* Which of the four it is nobody can foresee, so there are no branches: 1 where it is so, else 0. */
    uint64_t tens_up = 4 * (tens + 10) <= high, is_tens = (low <= 4 * tens) | tens_up;
    uint64_t is_above_low = low <= 4 * digits, is_below_high = 4 * (digits + 1) <= high;
    uint64_t is_nearer_up = middle + (digits & 1) > 4 * digits + 2; /* beyond halfway, or there and odd */
    uint64_t by_ones = digits + (is_below_high & (is_nearer_up | (is_above_low ^ 1)));
    uint64_t by_tens = tens + 10 * tens_up;
    return (crd_i_shortest){by_ones ^ ((by_ones ^ by_tens) & (0 - is_tens)), k};
}

/* ---- Text ---- */

/* 0.d1d2...dn * 10^magnitude, d1 and dn not 0 */
typedef struct digits {
    uint64_t words[3]; /* d1 ... dn as text, and zeros behind up to 24 */
    int count, magnitude;
} digits;

/* How many digits an integer has that is not 0 and below 10^17: 1233 / 2^12 is log10(2), near enough. */
static inline unsigned count_digits(uint64_t integer) {
    unsigned less = (64 - crd_i_limb_leading_zeros(integer)) * 1233 >> 12;
    return less + (integer >= crd_i_integer_powers[less]);
}

static inline int trailing_zeros(uint64_t word) {
    return word == 0 ? WORD : (int)(crd_i_limb_leading_zeros(word) / 8);
}

static inline void spell(crd_i_shortest shortest, digits *d) {
    /* Made 17 digits. Unless the number is an integer or denormal or took big integers, one is missing at most, and
     * which of them miss it no branch could foresee. */
    uint64_t integer = shortest.digits;
    unsigned is_short = integer < crd_i_integer_powers[MOST_DIGITS - 1], missing = is_short;
    if (integer >= crd_i_integer_powers[MOST_DIGITS - 2]) {
        integer += (9 * integer) & (0 - (uint64_t)is_short);
    } else {
        missing = MOST_DIGITS - count_digits(integer);
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
    d->count = MOST_DIGITS - (last != 0 ? trailing_zeros(last) : WORD + trailing_zeros(middle));
}

/* A point behind the first `place` characters of a word, 0 .. 7, which pushes its last one out. */
static inline uint64_t put_point(uint64_t word, int place) {
    uint64_t before = (UINT64_C(1) << 8 * place) - 1;
    return (word & before) | (uint64_t)'.' << 8 * place | (word & ~before) << 8;
}

/* All digits with a point behind the first `place` of them, 1 .. 16. They are kept in words all the way, since to load
 * what was just stored in other pieces takes longer than all the rest. */
static inline void write_with_point(char *to, const digits *d, int place) {
    uint64_t first = d->words[0], second = d->words[1], third = d->words[2] << 8 | d->words[1] >> 56;
    if (place < WORD) {
        second = second << 8 | first >> 56;
        first = put_point(first, place);
    } else if (place < 2 * WORD) {
        second = put_point(second, place - WORD);
    } else {
        third = put_point(d->words[2], 0);
    }
    crd_i_word_store(to, first);
    crd_i_word_store(to + WORD, second);
    crd_i_word_store(to + 2 * WORD, third);
}

/* For magnitudes from -3 to 16. */
static char *write_plain(char *to, const digits *d) {
    if (d->magnitude > 0) {
        write_with_point(to, d, d->magnitude);
        return to + (d->count > d->magnitude ? d->count + 1 : d->magnitude);
    }
    memcpy(to, "0.000", 5);
    to += 2 - d->magnitude;
    for (int i = 0; i < 3; i++) crd_i_word_store(to + i * WORD, d->words[i]);
    return to + d->count;
}

static char *write_scientific(char *to, const digits *d) {
    write_with_point(to, d, 1);
    to += d->count > 1 ? d->count + 1 : 1;
    int exponent = d->magnitude - 1;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent >= 100) *to++ = (char)('0' + exponent / 100);
    *to++ = (char)('0' + exponent / 10 % 10);
    *to++ = (char)('0' + exponent % 10);
    return to;
}

static size_t write_special(double value, char *to) {
    const char *text = isnan(value) ? "nan" : isinf(value) ? (value < 0 ? "-inf" : "inf") : signbit(value) ? "-0" : "0";
    size_t length = strlen(text);
    memcpy(to, text, length + 1);
    return length;
}

size_t crd_number_format(double value, char out[CRD_NUMBER_ROOM]) {
    /* Below 2^53 every integer is a double, and no other number between its midpoints is as short. */
    const double all_integers = 9007199254740992.0;
    if (value == 0 || !isfinite(value)) return write_special(value, out);
    char *to = out;
    *to = '-'; /* written over where it does not belong */
    to += signbit(value) != 0;
    value = fabs(value);
    digits d;
    if (value < all_integers && (double)(int64_t)value == value)
        spell((crd_i_shortest){(uint64_t)(int64_t)value, 0}, &d);
    else spell(find_shortest(value), &d);
    to = d.magnitude > -4 && d.magnitude <= 16 ? write_plain(to, &d) : write_scientific(to, &d);
    *to = '\0';
    return (size_t)(to - out);
}
