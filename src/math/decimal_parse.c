/* decimal_parse.c - decimal text to the nearest double; see credence/number.h.
 *
 * Most numbers in data have few digits: an integer below 2^53 times or over a power of ten up to 10^22 is one exactly
 * rounded operation on exact doubles (Clinger, How to read floating point numbers accurately, 1990). All others are
 * divided in big integers, which is exact at any length.
 *
 * A point halfway between two doubles has at most 767 significant digits. So of any digits beyond the first 800 it
 * only matters whether one is not zero, and time and memory are bounded whatever the text. */
#include "math/decimal.h"

#include "math/big.h"
#include "math/ieee.h"

#include <math.h>
#include <stdbool.h>

enum {
    MOST_DIGITS = 800,
    /* 10^310 is beyond the greatest double, 10^-330 below half of the least. */
    MOST_MAGNITUDE = 310,
    LEAST_MAGNITUDE = -330,
    /* 801 digits have 2,661 bits; 5^(801 + 330) has 2,627. */
    ROOM = 90
};

/* The text of a number taken apart. Its value is 0.d1d2d3... * 10^magnitude, d1 not zero; no digits: zero. */
typedef struct decimal {
    bool negative;
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

/* Those that are doubles. */
static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Digits and perhaps a point among them, which nearly every cell of a table is: in one pass, where there are few enough
 * to be an integer that is a double. false: it may still be a number. */
static bool convert_simple(const char *at, const char *end, char point, double *value) {
    if (end - at > 19) return false;
    uint64_t integer = 0;
    const char *digits = at, *fraction = NULL;
    for (; at < end; at++) {
        unsigned digit = (unsigned)(unsigned char)*at - '0';
        if (digit < 10) integer = integer * 10 + digit;
        else if (*at == point && fraction == NULL) fraction = at + 1;
        else return false;
    }
    if (end - digits == (fraction != NULL) || integer > UINT64_C(1) << 53) return false;
    *value = fraction == NULL ? (double)integer : (double)integer / powers[end - fraction];
    return true;
}

/* For up to 19 digits and where the operation is exact but for its one rounding. */
static bool convert_short(const decimal *d, double *value) {
    if (d->digits > 19) return false;
    int64_t exponent = d->magnitude - (int64_t)d->digits;
    if (exponent < -22 || exponent > 22) return false;
    uint64_t integer = 0;
    for (const char *at = d->first; at < d->end; at++)
        if (is_digit(*at)) integer = integer * 10 + (uint64_t)(*at - '0');
    if (integer > UINT64_C(1) << 53) return false;
    *value = exponent < 0 ? (double)integer / powers[-exponent] : (double)integer * powers[exponent];
    return true;
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

crd_number_class crd_i_decimal_parse(crd_text text, char point, double *out) {
    if (text.length == 0) return CRD_NUMBER_NONE;
    const char *at = text.bytes, *end = text.bytes + text.length;
    decimal d = {*at == '-', at, at, 0, 0};
    if (*at == '-' || *at == '+') at++;
    double value = 0;
    if (convert_simple(at, end, point, &value)) {
        *out = d.negative ? -value : value;
        return CRD_NUMBER_FINITE;
    }
    if (is_word(at, end, "inf") || is_word(at, end, "infinity")) {
        value = INFINITY;
    } else if (!scan(at, end, point, &d)) {
        return CRD_NUMBER_NONE;
    } else if (d.digits > 0 && d.magnitude > MOST_MAGNITUDE) {
        value = INFINITY;
    } else if (d.digits > 0 && d.magnitude >= LEAST_MAGNITUDE && !convert_short(&d, &value)) {
        value = convert_long(&d);
    }
    *out = d.negative ? -value : value;
    return value == INFINITY ? CRD_NUMBER_INFINITE : CRD_NUMBER_FINITE;
}

crd_number_class crd_i_decimal_parse_padded(const char *begin, const char *end, char point, double *out) {
    return crd_i_decimal_parse((crd_text){begin, (size_t)(end - begin)}, point, out);
}

crd_number_class crd_number_parse(crd_text text, double *out) {
    return crd_i_decimal_parse(text, '.', out);
}
