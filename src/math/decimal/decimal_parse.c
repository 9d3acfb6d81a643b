/* SPDX-License-Identifier: MIT */
/* decimal_parse.c - converts decimal text to the nearest double; see credence/number.h.
 *
 * The text is read as an integer w of up to 19 digits and a power of ten, eight digits at a time. Then one of these
 * methods applies, in this order:
 *
 * 1. If w is at most 2^53 and the power is within 10^+-22, both are doubles. The number is one operation on them,
 *    which rounds once (Clinger, How to read floating point numbers accurately, 1990).
 * 2. Otherwise w is multiplied by the leading 128 bits of the power. The bits that were cut off change the result only
 *    if the product is next to a point at which rounding changes, which the product itself shows (Lemire, Number
 *    parsing at a gigabyte per second, 2021, after an idea of Eisel; the proof is at `scaled`).
 * 3. The few remaining numbers are divided as big integers, which is exact at any length.
 *
 * If there are more than 19 digits, the first 19 are converted twice: unchanged, and with 1 added in the last place. If
 * both give the same double, so do all digits between them. */
#include "math/decimal/decimal.h"

#include "math/exact/big_integer.h"
#include "math/exact/ieee754.h"
#include "math/exact/limbs.h"

#include <math.h>
#include <stdbool.h>

enum {
    WORD = 8,          /* digits that are read at a time */
    MOST_SCALED = 308, /* larger powers of ten exceed the largest double */
    MOST_LEADING = 19, /* digits that always fit in 64 bits */
    /* A midpoint between two doubles has at most 767 significant digits. It only matters whether any digit beyond these
     * is nonzero, so time and memory are bounded for every text. */
    MOST_DIGITS = 800,
    /* 10^310 exceeds the largest double, and 10^-330 is less than half of the smallest. */
    MOST_MAGNITUDE = 310,
    LEAST_MAGNITUDE = -330,
    /* 801 digits have 2,661 bits; 5^(801 + 330) has 2,627. */
    ROOM = 90,
    LONGEST_EXPONENT = 5 /* "e-308" */
};

/* The powers of ten that are doubles. */
static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
enum { MOST_EXACT = 22 };

const uint64_t crd_i_integer_powers[CRD_I_INTEGER_POWERS] = {UINT64_C(1),
                                                             UINT64_C(10),
                                                             UINT64_C(100),
                                                             UINT64_C(1000),
                                                             UINT64_C(10000),
                                                             UINT64_C(100000),
                                                             UINT64_C(1000000),
                                                             UINT64_C(10000000),
                                                             UINT64_C(100000000),
                                                             UINT64_C(1000000000),
                                                             UINT64_C(10000000000),
                                                             UINT64_C(100000000000),
                                                             UINT64_C(1000000000000),
                                                             UINT64_C(10000000000000),
                                                             UINT64_C(100000000000000),
                                                             UINT64_C(1000000000000000),
                                                             UINT64_C(10000000000000000),
                                                             UINT64_C(100000000000000000),
                                                             UINT64_C(1000000000000000000)};

/* ---- From an integer and a power of ten ---- */

/* The leading bits of integer * 10^exponent: (high + f) * 2^unit, where f is 0, or in (0, 1) if `more`. `high` has 63
 * or 64 bits. The conversion returns false if the stored bits of the power do not suffice. The integer is not 0, and
 * the exponent is in the range of the table.
 *
 * With w = integer * 2^zeros, 2^63 <= w < 2^64, and the power t + d as in decimal.h, the number is w (t + d) 2^s
 * for some s. The product w t is an integer of 191 or 192 bits; `high` is its highest 64 bits and `middle` the next 64.
 * The true product is larger by w d, which is less than 2^64, or 1 in `middle`. Together with the bits below `middle`,
 * this is less than 2. If `middle` is at most 2^64 - 3, nothing is carried into `high`. The bits after `high` are then
 * greater than 0 unless d is 0 and all of them are 0. */
typedef struct parse_scaled {
    uint64_t high;
    int unit;
    bool more;
} parse_scaled;

static inline bool decimal_parse_scale(uint64_t integer, int exponent, parse_scaled *s) {
    unsigned zeros = crd_i_limb_leading_zeros(integer);
    crd_i_power power = crd_i_power_of_10(exponent);
    crd_i_limb above = crd_i_limb_multiply(integer << zeros, power.high);
    crd_i_limb below = crd_i_limb_multiply(integer << zeros, power.low);
    uint64_t middle = above.low + below.high;
    bool is_exact = crd_i_power_is_exact(exponent);
    s->high = above.high + (middle < below.high);
    s->unit = crd_i_floor_log2_of_10(exponent) + 1 - (int)zeros;
    s->more = !is_exact || (middle | below.low) != 0;
    return is_exact || middle <= UINT64_MAX - 3;
}

/* Rounds to 53 bits. Returns false if the result is denormal or infinite. */
static inline bool round_normal(const parse_scaled *s, double *value) {
    unsigned top = (unsigned)(s->high >> 63);
    int field = s->unit + 1023 + 62 + (int)top;
    if (field < 1 || field > 2046) return false;
    /* The first bit after the 53 kept bits decides, together with the bits after it. A carry propagates into the
     * exponent. */
    uint64_t kept = s->high >> (9 + top);
    bool beyond_half = s->more || (s->high & ((UINT64_C(1) << (9 + top)) - 1)) != 0;
    uint64_t up = kept & (beyond_half | kept >> 1) & 1;
    *value = crd_i_double_of(((uint64_t)(field - 1) << 52) + (kept >> 1) + up);
    return true;
}

/* Finds the double nearest to integer * 10^exponent, for any exponent. Returns false if more digits are needed. */
static bool convert_scaled(uint64_t integer, int64_t exponent, double *value) {
    parse_scaled s;
    if (integer == 0 || exponent < CRD_I_LEAST_POWER) {
        *value = 0;
    } else if (exponent > MOST_SCALED) {
        *value = INFINITY;
    } else if (!decimal_parse_scale(integer, (int)exponent, &s)) {
        return false;
    } else if (!round_normal(&s, value)) {
        /* If `high` is shifted, its last bit is 0, so it is harmless that the remainder may exceed 1. */
        unsigned shift = s.high >> 63 == 0;
        *value = crd_i_round(false, s.high << shift, s.more, s.unit - (int)shift);
    }
    return true;
}

/* Finds the double nearest to integer * 10^exponent if both factors are doubles. */
static inline bool convert_exact(uint64_t integer, int64_t exponent, double *value) {
    if (integer > UINT64_C(1) << 53 || exponent < -MOST_EXACT || exponent > MOST_EXACT) return false;
    *value = exponent < 0 ? (double)(int64_t)integer / exact_powers[-exponent]
                          : (double)(int64_t)integer * exact_powers[exponent];
    return true;
}

static bool decimal_parse_convert(uint64_t integer, int64_t exponent, double *value) {
    if (convert_exact(integer, exponent, value) || convert_scaled(integer, exponent, value)) return true;
    /* A number that is itself a double lies exactly at a rounding boundary, which the bits of an inexact power cannot
     * decide. Many such numbers end in zeros, which need no power. */
    while (integer % 10 == 0) {
        integer /= 10;
        exponent++;
    }
    return convert_exact(integer, exponent, value);
}

/* ---- Digits and perhaps a point, by words ---- */

static inline uint64_t byte_at(const char *cursor, size_t place) {
    return (uint64_t)(unsigned char)cursor[place] << 8 * place;
}

static inline uint64_t load_half(const char *cursor) {
    return byte_at(cursor, 0) | byte_at(cursor, 1) | byte_at(cursor, 2) | byte_at(cursor, 3);
}

/* Loads the first `length` bytes of a word, 1 .. 8, if the bytes after them cannot be read. */
static inline uint64_t load_short(const char *cursor, size_t length) {
    if (length < WORD / 2) return byte_at(cursor, 0) | byte_at(cursor, length / 2) | byte_at(cursor, length - 1);
    /* Two overlapping halves, which contain the same bytes where they overlap. */
    return load_half(cursor) | load_half(cursor + length - WORD / 2) << 8 * (length - WORD / 2);
}

/* Reads 8 to 24 digits with at most one point, which must be among the first eight characters. At most 19 digits may
 * remain after leading zeros. Sets the integer and the number of digits after the point. Returns false if the text may
 * still be a number. */
static inline bool decimal_parse_read_words(const char *cursor, const char *end, char point, uint64_t *integer,
                                            int *places) {
    size_t length = (size_t)(end - cursor);
    if (length < WORD || length > 3 * WORD) return false;
    unsigned before;
    uint64_t first = crd_i_word_take_point(crd_i_word_load(cursor) ^ crd_i_word_of('0'), point, &before);
    *places = before < WORD ? (int)length - 1 - (int)before : 0;
    if (length == WORD) {
        *integer = crd_i_word_to_integer(first);
        return crd_i_word_not_digits(first) == 0;
    }
    size_t remainder = (length - 1) % WORD + 1; /* bytes in the last word that the preceding words do not cover */
    uint64_t last = (crd_i_word_load(end - WORD) ^ crd_i_word_of('0')) & UINT64_MAX << 8 * (WORD - remainder);
    uint64_t others = crd_i_word_not_digits(first) | crd_i_word_not_digits(last);
    uint64_t head = crd_i_word_to_integer(first);
    if (length > 2 * WORD) {
        uint64_t second = crd_i_word_load(cursor + WORD) ^ crd_i_word_of('0');
        others |= crd_i_word_not_digits(second);
        head = head * 100000000 + crd_i_word_to_integer(second);
        if (head >= crd_i_integer_powers[MOST_LEADING - remainder]) return false;
    }
    if (others != 0) return false;
    *integer = head * crd_i_integer_powers[remainder] + crd_i_word_to_integer(last);
    return true;
}

/* ---- Any other number ---- */

/* A parsed decimal number. Its value is 0.d1d2d3... * 10^magnitude with d1 not zero. No digits mean zero. */
typedef struct parse_decimal {
    const char *first, *end; /* from d1 to the end of the last nonzero digit; may contain a point */
    uint64_t digits;         /* number of digits */
    int64_t magnitude;
} parse_decimal;

static bool decimal_parse_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns whether the text is `word`, which is in lower case, ignoring case. */
static bool decimal_parse_is_word(const char *cursor, const char *end, const char *word) {
    for (; cursor < end && *word != '\0'; cursor++, word++) {
        char lower = *cursor >= 'A' && *cursor <= 'Z' ? (char)(*cursor - 'A' + 'a') : *cursor;
        if (lower != *word) return false;
    }
    return cursor == end && *word == '\0';
}

/* Reads "e-12" to the end of the text. The exponent stops growing at a limit that no text length could compensate. */
static bool scan_exponent(const char *cursor, const char *end, int64_t *exponent) {
    const int64_t enough = INT64_C(1) << 58;
    cursor++;
    bool negative = cursor < end && *cursor == '-';
    if (cursor < end && (*cursor == '-' || *cursor == '+')) cursor++;
    if (cursor == end) return false;
    int64_t value = 0;
    for (; cursor < end; cursor++) {
        if (!decimal_parse_is_digit(*cursor)) return false;
        if (value < enough) value = value * 10 + (*cursor - '0');
    }
    *exponent = negative ? -value : value;
    return true;
}

/* Splits the text after the sign into digits and magnitude. Returns false if it is not a number. */
static bool decimal_parse_scan(const char *cursor, const char *end, char point, parse_decimal *d) {
    bool any_digit = false, after_point = false;
    int64_t before = 0; /* digits from d1 to the point, or minus the zeros from the point to d1 */
    uint64_t seen = 0;
    d->first = d->end = cursor;
    d->digits = 0;
    for (; cursor < end; cursor++) {
        if (*cursor == point) {
            if (after_point) return false;
            after_point = true;
            continue;
        }
        if (!decimal_parse_is_digit(*cursor)) break;
        any_digit = true;
        if (*cursor == '0' && seen == 0) {
            before -= after_point;
            continue;
        }
        if (seen++ == 0) d->first = cursor;
        before += !after_point;
        if (*cursor != '0') {
            d->end = cursor + 1;
            d->digits = seen;
        }
    }
    if (!any_digit) return false;
    int64_t exponent = 0;
    if (cursor < end && (*cursor == 'e' || *cursor == 'E')) {
        if (!scan_exponent(cursor, end, &exponent)) return false;
    } else if (cursor < end) {
        return false;
    }
    d->magnitude = before + exponent;
    return true;
}

/* Converts the first digits. Returns false if the other digits could change the result. */
static bool convert_leading(const parse_decimal *d, double *value) {
    uint64_t integer = 0;
    int64_t count = 0;
    for (const char *cursor = d->first; cursor < d->end && count < MOST_LEADING; cursor++) {
        if (!decimal_parse_is_digit(*cursor)) continue; /* the point */
        integer = integer * 10 + (uint64_t)(*cursor - '0');
        count++;
    }
    int64_t exponent = d->magnitude - count;
    if (d->digits <= MOST_LEADING) return decimal_parse_convert(integer, exponent, value);
    double next;
    return convert_scaled(integer, exponent, value) && convert_scaled(integer + 1, exponent, &next) && *value == next;
}

/* Converts the digits to an integer. Digits beyond MOST_DIGITS are replaced by one digit 1. Returns the number of
 * digits. */
static int64_t decimal_parse_gather(const parse_decimal *d, crd_i_big *integer) {
    uint32_t chunk = 0, scale = 1;
    int64_t count = 0;
    for (const char *cursor = d->first; cursor < d->end && count <= MOST_DIGITS; cursor++) {
        if (!decimal_parse_is_digit(*cursor)) continue; /* the point */
        uint32_t digit = count < MOST_DIGITS ? (uint32_t)(*cursor - '0') : 1;
        count++;
        chunk = chunk * 10 + digit;
        scale *= 10;
        if (scale == 1000000000) {
            crd_i_big_multiply_small(integer, scale, chunk);
            chunk = 0;
            scale = 1;
        }
    }
    if (scale > 1) crd_i_big_multiply_small(integer, scale, chunk);
    return count;
}

static double convert_long(const parse_decimal *d) {
    uint32_t rooms[2][ROOM], scratch[2 * ROOM + 3];
    crd_i_big above = {rooms[0], 0}, below = {rooms[1], 0};
    int64_t exponent = d->magnitude - decimal_parse_gather(d, &above);
    crd_i_big_set(&below, 1);
    /* The powers of 2 in the powers of 10 go into the exponent. */
    if (exponent >= 0) crd_i_big_multiply_power_of_5(&above, (unsigned)exponent);
    else crd_i_big_multiply_power_of_5(&below, (unsigned)-exponent);
    crd_i_ratio ratio = crd_i_big_divide(&above, &below, scratch);
    return crd_i_round(false, ratio.top, ratio.more, ratio.exponent + exponent);
}

/* Converts "1.5e-07", with an exponent as programs write it. The digits before it are read by words. */
static bool convert_scientific(const char *cursor, const char *end, char point, double *value) {
    const char *mark = end - cursor > LONGEST_EXPONENT ? end - LONGEST_EXPONENT : cursor;
    while (mark < end && *mark != 'e' && *mark != 'E') mark++;
    int64_t exponent;
    if (mark == end || !scan_exponent(mark, end, &exponent)) return false;
    uint64_t integer;
    int places;
    return decimal_parse_read_words(cursor, mark, point, &integer, &places) &&
           decimal_parse_convert(integer, exponent - places, value);
}

/* Parses the complete grammar, after the sign. */
static crd_number_class convert_any(const char *cursor, const char *end, char point, double *value) {
    parse_decimal d;
    *value = 0;
    if (!convert_scientific(cursor, end, point, value)) {
        if (decimal_parse_is_word(cursor, end, "inf") || decimal_parse_is_word(cursor, end, "infinity")) {
            *value = INFINITY;
        } else if (!decimal_parse_scan(cursor, end, point, &d)) {
            return CRD_NUMBER_NONE;
        } else if (d.digits > 0 && d.magnitude > MOST_MAGNITUDE) {
            *value = INFINITY;
        } else if (d.digits > 0 && d.magnitude >= LEAST_MAGNITUDE && !convert_leading(&d, value)) {
            *value = convert_long(&d);
        }
    }
    return *value == INFINITY ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE;
}

static crd_number_class parse_any(crd_text text, char point, double *out) {
    const char *cursor = text.bytes, *end = cursor + text.length;
    bool negative = *cursor == '-';
    if (negative || *cursor == '+') cursor++;
    double value;
    crd_number_class class = convert_any(cursor, end, point, &value);
    if (class != CRD_NUMBER_NONE) *out = negative ? -value : value;
    return class;
}

/* Handles common values first, without anything to save across a call. All other texts start again from the
 * beginning. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out) {
    if (text.length <= WORD) {
        if (text.length == 0) return CRD_NUMBER_NONE;
        if (crd_i_word_parse(load_short(text.bytes, text.length), text.length, point, out)) return CRD_NUMBER_FINITE;
        return parse_any(text, point, out);
    }
    uint64_t negative = *text.bytes == '-', integer;
    const char *cursor = text.bytes + (negative | (*text.bytes == '+')), *end = text.bytes + text.length;
    int places;
    parse_scaled s;
    double value;
    if (!decimal_parse_read_words(cursor, end, point, &integer, &places)) return parse_any(text, point, out);
    if (!convert_exact(integer, -places, &value) &&
        !(integer != 0 && decimal_parse_scale(integer, -places, &s) && round_normal(&s, &value))) {
        return parse_any(text, point, out);
    }
    *out = crd_i_double_of(crd_i_bits_of(value) | negative << 63);
    return CRD_NUMBER_FINITE;
}

crd_number_class crd_number_parse(crd_text text, double *out) {
    return crd_i_decimal_parse(text, '.', out);
}
