/* SPDX-License-Identifier: MIT */
/* decimal_parse.c - decimal text to the nearest double; see credence/number.h.
 *
 * The text is taken as an integer w of up to 19 digits and a power of ten, eight digits at a time. Then, in this order:
 *
 * 1. Where w is at most 2^53 and the power within 10^+-22, both are doubles, and the number is one operation on them,
 *    which rounds once (Clinger, How to read floating point numbers accurately, 1990).
 * 2. Else w is multiplied by the leading 128 bits of the power. What was cut off changes the result only where the
 *    product is next to a point at which rounding changes, which the product itself shows (Lemire, Number parsing at a
 *    gigabyte per second, 2021, after an idea of Eisel; the proof stands at `scaled`).
 * 3. The few that are left are divided in big integers, which is exact at any length.
 *
 * Of more than 19 digits the first 19 are taken, as they are and with one more in the last place: where both give the
 * same double, so do all digits between them. */
#include "math/decimal/decimal.h"

#include "math/decimal/decimal_powers.h"
#include "math/decimal/decimal_swar.h"
#include "math/exact/big_integer.h"
#include "math/exact/ieee754.h"
#include "math/exact/limbs.h"

#include <math.h>
#include <stdbool.h>

enum {
    WORD = 8,          /* digits that are read at a time */
    MOST_SCALED = 308, /* a greater power of ten is beyond the greatest double */
    MOST_LEADING = 19, /* digits that always fit 64 bits */
    /* A point halfway between two doubles has at most 767 significant digits. So of any digits beyond these it only
     * matters whether one is not zero, and time and memory are bounded whatever the text. */
    MOST_DIGITS = 800,
    /* 10^310 is beyond the greatest double, 10^-330 below half of the least. */
    MOST_MAGNITUDE = 310,
    LEAST_MAGNITUDE = -330,
    /* 801 digits have 2,661 bits; 5^(801 + 330) has 2,627. */
    ROOM = 90,
    LONGEST_EXPONENT = 5 /* "e-308" */
};

/* Those that are doubles. */
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

/* Leading bits of integer * 10^exponent: (high + f) * 2^unit, where f is 0, or in (0, 1) if `more`; `high` has 63 bits
 * or 64. false where the bits of the power at hand cannot tell. The integer is not 0, the exponent one that has a
 * power.
 *
 * With w = integer * 2^zeros, 2^63 <= w < 2^64, and t + d the power as decimal_powers.h has it, the number is
 * w (t + d) 2^s for some s. Of the product w t, an integer of 191 or 192 bits, `high` are the highest 64 and `middle`
 * the next. The true product is w d more, which is less than 2^64, or 1 in `middle`; so, with what stands below
 * `middle`, less than 2. Where `middle` is at most 2^64 - 3, nothing is carried into `high`, and what follows `high` is
 * more than 0 unless d is 0 and all bits there are. */
typedef struct scaled {
    uint64_t high;
    int unit;
    bool more;
} scaled;

static inline bool scale(uint64_t integer, int exponent, scaled *s) {
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

/* Rounds to 53 bits; false where the result is denormal or infinite. */
static inline bool round_normal(const scaled *s, double *value) {
    unsigned top = (unsigned)(s->high >> 63);
    int field = s->unit + 1023 + 62 + (int)top;
    if (field < 1 || field > 2046) return false;
    /* The bit behind the 53 that stay decides, with those behind it; a carry goes on into the exponent. */
    uint64_t kept = s->high >> (9 + top);
    bool beyond_half = s->more || (s->high & ((UINT64_C(1) << (9 + top)) - 1)) != 0;
    uint64_t up = kept & (beyond_half | kept >> 1) & 1;
    *value = crd_i_double_of(((uint64_t)(field - 1) << 52) + (kept >> 1) + up);
    return true;
}

/* The double nearest to integer * 10^exponent, for any exponent; false where it takes more digits to tell. */
static bool convert_scaled(uint64_t integer, int64_t exponent, double *value) {
    scaled s;
    if (integer == 0 || exponent < CRD_I_LEAST_POWER) {
        *value = 0;
    } else if (exponent > MOST_SCALED) {
        *value = INFINITY;
    } else if (!scale(integer, (int)exponent, &s)) {
        return false;
    } else if (!round_normal(&s, value)) {
        /* Where `high` is shifted its last bit is 0, so that it does no harm that what follows may be more than 1. */
        unsigned shift = s.high >> 63 == 0;
        *value = crd_i_round(false, s.high << shift, s.more, s.unit - (int)shift);
    }
    return true;
}

/* The same, where both are doubles. */
static inline bool convert_exact(uint64_t integer, int64_t exponent, double *value) {
    if (integer > UINT64_C(1) << 53 || exponent < -MOST_EXACT || exponent > MOST_EXACT) return false;
    *value = exponent < 0 ? (double)(int64_t)integer / exact_powers[-exponent]
                          : (double)(int64_t)integer * exact_powers[exponent];
    return true;
}

static bool convert(uint64_t integer, int64_t exponent, double *value) {
    if (convert_exact(integer, exponent, value) || convert_scaled(integer, exponent, value)) return true;
    /* A number that is itself a double is where rounding would change were it any less, as the bits of a power that is
     * not exact leave open. Many of those have zeros behind, which need no power. */
    while (integer % 10 == 0) {
        integer /= 10;
        exponent++;
    }
    return convert_exact(integer, exponent, value);
}

/* ---- Digits and perhaps a point, by words ---- */

static inline uint64_t byte_at(const char *at, size_t place) {
    return (uint64_t)(unsigned char)at[place] << 8 * place;
}

static inline uint64_t load_half(const char *at) {
    return byte_at(at, 0) | byte_at(at, 1) | byte_at(at, 2) | byte_at(at, 3);
}

/* The first `length` bytes of a word, 1 .. 8, where those behind cannot be read. */
static inline uint64_t load_short(const char *at, size_t length) {
    if (length < WORD / 2) return byte_at(at, 0) | byte_at(at, length / 2) | byte_at(at, length - 1);
    /* Two halves that overlap, with the same bytes where they do. */
    return load_half(at) | load_half(at + length - WORD / 2) << 8 * (length - WORD / 2);
}

/* From 8 to 24 digits with at most one point, which is among the first eight characters, where at most 19 digits are
 * left after zeros: their integer, and how many of them are behind the point. false: it may still be a number. */
static inline bool read_words(const char *at, const char *end, char point, uint64_t *integer, int *places) {
    size_t length = (size_t)(end - at);
    if (length < WORD || length > 3 * WORD) return false;
    unsigned before;
    uint64_t first = crd_i_word_take_point(crd_i_word_load(at) ^ crd_i_word_of('0'), point, &before);
    *places = before < WORD ? (int)length - 1 - (int)before : 0;
    if (length == WORD) {
        *integer = crd_i_word_to_integer(first);
        return crd_i_word_not_digits(first) == 0;
    }
    size_t rest = (length - 1) % WORD + 1; /* in the last word, of which the others are not looked at */
    uint64_t last = (crd_i_word_load(end - WORD) ^ crd_i_word_of('0')) & UINT64_MAX << 8 * (WORD - rest);
    uint64_t others = crd_i_word_not_digits(first) | crd_i_word_not_digits(last);
    uint64_t head = crd_i_word_to_integer(first);
    if (length > 2 * WORD) {
        uint64_t second = crd_i_word_load(at + WORD) ^ crd_i_word_of('0');
        others |= crd_i_word_not_digits(second);
        head = head * 100000000 + crd_i_word_to_integer(second);
        if (head >= crd_i_integer_powers[MOST_LEADING - rest]) return false;
    }
    if (others != 0) return false;
    *integer = head * crd_i_integer_powers[rest] + crd_i_word_to_integer(last);
    return true;
}

/* ---- Any other number ---- */

/* The text of a number parsed. Its value is 0.d1d2d3... * 10^magnitude, d1 not zero; no digits: zero. */
typedef struct decimal {
    const char *first, *end; /* from d1 to behind the last digit that is not zero; a point may be among them */
    uint64_t digits;         /* how many */
    int64_t magnitude;
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether the text is `word`, which is in lower case, in any case. */
static bool is_word(const char *at, const char *end, const char *word) {
    for (; at < end && *word != '\0'; at++, word++) {
        char lower = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        if (lower != *word) return false;
    }
    return at == end && *word == '\0';
}

/* Reads "e-12" to the end of the text. Exponents stop growing where no length of text could make up for them. */
static bool scan_exponent(const char *at, const char *end, int64_t *exponent) {
    const int64_t enough = INT64_C(1) << 58;
    at++;
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;
    int64_t value = 0;
    for (; at < end; at++) {
        if (!is_digit(*at)) return false;
        if (value < enough) value = value * 10 + (*at - '0');
    }
    *exponent = negative ? -value : value;
    return true;
}

/* Takes the digits apart, after the sign; false where the text is no number. */
static bool scan(const char *at, const char *end, char point, decimal *d) {
    bool any_digit = false, after_point = false;
    int64_t before = 0; /* digits from d1 up to the point, or minus the zeros from the point up to d1 */
    uint64_t seen = 0;
    d->first = d->end = at;
    d->digits = 0;
    for (; at < end; at++) {
        if (*at == point) {
            if (after_point) return false;
            after_point = true;
            continue;
        }
        if (!is_digit(*at)) break;
        any_digit = true;
        if (*at == '0' && seen == 0) {
            before -= after_point;
            continue;
        }
        if (seen++ == 0) d->first = at;
        before += !after_point;
        if (*at != '0') {
            d->end = at + 1;
            d->digits = seen;
        }
    }
    if (!any_digit) return false;
    int64_t exponent = 0;
    if (at < end && (*at == 'e' || *at == 'E')) {
        if (!scan_exponent(at, end, &exponent)) return false;
    } else if (at < end) {
        return false;
    }
    d->magnitude = before + exponent;
    return true;
}

/* By the first digits, where the others cannot change the result. */
static bool convert_leading(const decimal *d, double *value) {
    uint64_t integer = 0;
    int64_t count = 0;
    for (const char *at = d->first; at < d->end && count < MOST_LEADING; at++) {
        if (!is_digit(*at)) continue; /* the point */
        integer = integer * 10 + (uint64_t)(*at - '0');
        count++;
    }
    int64_t exponent = d->magnitude - count;
    if (d->digits <= MOST_LEADING) return convert(integer, exponent, value);
    double next;
    return convert_scaled(integer, exponent, value) && convert_scaled(integer + 1, exponent, &next) && *value == next;
}

/* The digits as an integer; those beyond MOST_DIGITS become one more digit 1. Returns how many digits it has. */
static int64_t gather(const decimal *d, crd_i_big *integer) {
    uint32_t chunk = 0, scale = 1;
    int64_t count = 0;
    for (const char *at = d->first; at < d->end && count <= MOST_DIGITS; at++) {
        if (!is_digit(*at)) continue; /* the point */
        uint32_t digit = count < MOST_DIGITS ? (uint32_t)(*at - '0') : 1;
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

static double convert_long(const decimal *d) {
    uint32_t rooms[2][ROOM], scratch[2 * ROOM + 3];
    crd_i_big above = {rooms[0], 0}, below = {rooms[1], 0};
    int64_t exponent = d->magnitude - gather(d, &above);
    crd_i_big_set(&below, 1);
    /* Powers of 2 in the powers of 10 are left to the exponent. */
    if (exponent >= 0) crd_i_big_multiply_power_of_5(&above, (unsigned)exponent);
    else crd_i_big_multiply_power_of_5(&below, (unsigned)-exponent);
    crd_i_ratio ratio = crd_i_big_divide(&above, &below, scratch);
    return crd_i_round(false, ratio.top, ratio.more, ratio.exponent + exponent);
}

/* "1.5e-07", with an exponent as programs write it: words before it. */
static bool convert_scientific(const char *at, const char *end, char point, double *value) {
    const char *mark = end - at > LONGEST_EXPONENT ? end - LONGEST_EXPONENT : at;
    while (mark < end && *mark != 'e' && *mark != 'E') mark++;
    int64_t exponent;
    if (mark == end || !scan_exponent(mark, end, &exponent)) return false;
    uint64_t integer;
    int places;
    return read_words(at, mark, point, &integer, &places) && convert(integer, exponent - places, value);
}

/* The whole grammar, after the sign. */
static crd_number_class convert_any(const char *at, const char *end, char point, double *value) {
    decimal d;
    *value = 0;
    if (!convert_scientific(at, end, point, value)) {
        if (is_word(at, end, "inf") || is_word(at, end, "infinity")) {
            *value = INFINITY;
        } else if (!scan(at, end, point, &d)) {
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
    const char *at = text.bytes, *end = at + text.length;
    bool negative = *at == '-';
    if (negative || *at == '+') at++;
    double value;
    crd_number_class class = convert_any(at, end, point, &value);
    if (class != CRD_NUMBER_NONE) *out = negative ? -value : value;
    return class;
}

/* The common cells, with nothing to keep for a call: whatever else there is begins again. */
crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out) {
    if (text.length <= WORD) {
        if (text.length == 0) return CRD_NUMBER_NONE;
        if (crd_i_word_parse(load_short(text.bytes, text.length), text.length, point, out)) return CRD_NUMBER_FINITE;
        return parse_any(text, point, out);
    }
    uint64_t negative = *text.bytes == '-', integer;
    const char *at = text.bytes + (negative | (*text.bytes == '+')), *end = text.bytes + text.length;
    int places;
    scaled s;
    double value;
    if (!read_words(at, end, point, &integer, &places)) return parse_any(text, point, out);
    if (!convert_exact(integer, -places, &value) &&
        !(integer != 0 && scale(integer, -places, &s) && round_normal(&s, &value))) {
        return parse_any(text, point, out);
    }
    *out = crd_i_double_of(crd_i_bits_of(value) | negative << 63);
    return CRD_NUMBER_FINITE;
}

crd_number_class crd_number_parse(crd_text text, double *out) {
    return crd_i_decimal_parse(text, '.', out);
}
