/* decimal_format.c - the shortest decimal that reads back to the same double; see credence/number.h.
 *
 * Every real number between the midpoints to the neighbouring doubles reads back to the same double; the midpoints too
 * where the mantissa is even, as ties go to even. Digits of the exact value are produced until the rest of the value
 * is within that distance of a shorter number (Steele and White, How to print floating-point numbers accurately;
 * Burger and Dybvig, Printing floating-point numbers quickly and accurately). In big integers, so it is exact for every
 * double. The result is the shortest, and of the shortest the nearest to the value.
 *
 * Two shorter ways find the same digits for most numbers: a few tries at decimals of up to 15 digits, of which a double
 * tells all apart, for what data hold (20 ns); and the same comparison in integers of 128 bits for sizes from about
 * 1e-9 to 1e16, for what is computed (70 ns, where big integers take 1,000).
 *
 * Layout: from 1e-4 up to below 1e16 plain ("0.0001", "1234567", "2.5"), else with an exponent of a sign and at least
 * two digits ("1e-05", "1.5e+20"). */
#include <credence/number.h>

#include "math/big.h"
#include "math/ieee.h"
#include "math/wide.h"

#include <math.h>
#include <string.h>

enum {
    MOST_DIGITS = 17, /* that a double ever needs */
    /* 2^1077, or 2^54 * 10^324, and room to multiply by 10. */
    ROOM = 40
};

/* 0.d1d2...dn * 10^magnitude */
typedef struct digits {
    unsigned char digit[MOST_DIGITS + 3];
    int count, magnitude;
} digits;

static void set_digits(digits *out, uint64_t integer, int scale) {
    unsigned char reversed[20];
    int count = 0;
    for (; integer > 0; integer /= 10) reversed[count++] = (unsigned char)(integer % 10);
    out->magnitude = count - scale;
    int trailing = 0;
    while (trailing < count && reversed[trailing] == 0) trailing++;
    out->count = count - trailing;
    for (int i = 0; i < out->count; i++) out->digit[i] = reversed[count - 1 - i];
}

/* Numbers below 1e15 of up to 15 digits, at most 6 of them behind the point. A decimal of 15 digits that reads back is
 * the only one of its length that does, as 15 digits are fewer than a double tells apart. */
static bool find_short(double value, digits *out) {
    static const double powers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    const double limit = 1e15;
    for (int scale = 0; scale <= 6; scale++) {
        double scaled = value * powers[scale] + 0.5;
        if (!(scaled < limit)) return false;
        uint64_t integer = (uint64_t)scaled;
        if (integer > 0 && (double)integer / powers[scale] == value) {
            set_digits(out, integer, scale);
            return true;
        }
    }
    return false;
}

/* The greatest power of ten not above 2^exponent, for |exponent| < 2,000: log10(2) to 32 bits is near enough. */
static int floor_log10(int exponent) {
    int64_t product = (int64_t)exponent * 1292913986;
    int64_t unit = INT64_C(1) << 32;
    return (int)(product >= 0 ? product / unit : -((-product + unit - 1) / unit));
}

/* The exponent of the leading bit: 2^leading <= value < 2^(leading + 1). */
static int leading_exponent(crd_i_parts parts) {
    return parts.exponent + 63 - (int)crd_i_wide_leading_zeros(parts.mantissa);
}

/* Below a power of two doubles lie twice as close, but not at the bottom of the range. */
static bool is_uneven(crd_i_parts parts) {
    return parts.mantissa == UINT64_C(1) << 52 && parts.exponent > -1074;
}

/* A value between two decimals, and the distances from it within which a decimal reads back. */
typedef struct neighbours {
    uint64_t fraction; /* of the value, in 2^-shift */
    unsigned shift;
    uint64_t low, high;
    bool inclusive;
} neighbours;

/* Whether integer, less what it has over a multiple of `step`, reads back, or the next multiple does; the nearer of
 * those that do goes to *nearest. */
static bool find_multiple(const neighbours *n, uint64_t integer, uint64_t step, uint64_t *nearest) {
    uint64_t over = integer % step, missing = step - over;
    /* Products stay below 2^64: the distances do, with 2^shift to spare. */
    uint64_t below = over <= n->low >> n->shift ? (over << n->shift) + n->fraction : UINT64_MAX;
    uint64_t above = missing <= (n->high >> n->shift) + 1 ? (missing << n->shift) - n->fraction : UINT64_MAX;
    bool down = below < n->low || (below == n->low && n->inclusive);
    bool up = above < n->high || (above == n->high && n->inclusive);
    if (!down && !up) return false;
    if (down && up) up = above < below || (above == below && (integer - over) / step % 2 == 1);
    *nearest = up ? integer + missing : integer - over;
    return true;
}

/* With scale chosen so that value * 10^scale has 17 or 18 digits, that product is 4 mantissa 5^scale / 2^shift, and the
 * midpoints lie 2 * 5^scale away in the same unit: integers of 128 and 64 bits where scale is 0 .. 27. */
static bool find_middling(double value, digits *out) {
    crd_i_parts parts = crd_i_parts_of(value);
    int scale = MOST_DIGITS - 1 - floor_log10(leading_exponent(parts));
    int shift = 2 - parts.exponent - scale;
    if (scale < 0 || scale > 27 || shift < 1 || shift > 59) return false;
    uint64_t power = 1;
    for (int i = 0; i < scale; i++) power *= 5;
    crd_i_wide product = crd_i_wide_multiply(4 * parts.mantissa, power);
    uint64_t integer = product.high << (64 - shift) | product.low >> shift;
    neighbours n = {product.low & ((UINT64_C(1) << shift) - 1), (unsigned)shift, 2 * power, 2 * power,
                    (parts.mantissa & 1) == 0};
    if (is_uneven(parts)) n.low = power;

    /* What is a multiple of 100 is one of 10: the first step that fails is the end. */
    uint64_t found = 0;
    for (uint64_t step = 1; find_multiple(&n, integer, step, &found); step *= 10) continue;
    set_digits(out, found, scale);
    return true;
}

/* The value is rest / unit; the distances to the midpoints below and above are low / unit and high / unit. */
typedef struct generator {
    uint32_t rooms[5][ROOM];
    crd_i_big rest, unit, low, high, sum;
    bool inclusive; /* the midpoints themselves read back */
} generator;

static void prepare(generator *g, crd_i_parts parts) {
    g->rest.limbs = g->rooms[0];
    g->unit.limbs = g->rooms[1];
    g->low.limbs = g->rooms[2];
    g->high.limbs = g->rooms[3];
    g->sum.limbs = g->rooms[4];
    g->inclusive = (parts.mantissa & 1) == 0;
    /* In units of 1/4 or 1/2 of the last place, so that the distances are integers. */
    bool uneven = is_uneven(parts);
    unsigned scale = uneven ? 2 : 1;
    crd_i_big_set(&g->rest, parts.mantissa << scale);
    crd_i_big_set(&g->unit, 1);
    crd_i_big_set(&g->low, 1);
    crd_i_big_set(&g->high, uneven ? 2 : 1);
    if (parts.exponent >= 0) {
        crd_i_big_shift_left(&g->rest, (size_t)parts.exponent);
        crd_i_big_shift_left(&g->low, (size_t)parts.exponent);
        crd_i_big_shift_left(&g->high, (size_t)parts.exponent);
        crd_i_big_shift_left(&g->unit, scale);
    } else {
        crd_i_big_shift_left(&g->unit, scale + (size_t)-parts.exponent);
    }
}

static void scale_value(generator *g, unsigned power) {
    crd_i_big_multiply_power_of_10(&g->rest, power);
    crd_i_big_multiply_power_of_10(&g->low, power);
    crd_i_big_multiply_power_of_10(&g->high, power);
}

/* Whether rest + high reaches the next unit: a number that reads back can end by rounding up. */
static bool reaches_unit(generator *g) {
    crd_i_big_copy(&g->sum, &g->rest);
    crd_i_big_add(&g->sum, &g->high);
    int order = crd_i_big_compare(&g->sum, &g->unit);
    return order > 0 || (order == 0 && g->inclusive);
}

/* Whether what is left is so little that it can be left out. */
static bool within_low(generator *g) {
    int order = crd_i_big_compare(&g->rest, &g->low);
    return order < 0 || (order == 0 && g->inclusive);
}

/* Whether the rest is nearer to the next unit than to nothing; the even digit when it is halfway. */
static bool rounds_up(generator *g, unsigned digit) {
    crd_i_big_copy(&g->sum, &g->rest);
    crd_i_big_add(&g->sum, &g->rest);
    int order = crd_i_big_compare(&g->sum, &g->unit);
    return order > 0 || (order == 0 && digit % 2 == 1);
}

static void find_digits(double value, digits *out) {
    generator g;
    crd_i_parts parts = crd_i_parts_of(value);
    prepare(&g, parts);

    /* Makes value / 10^magnitude less than 1, and 1/10 at least, or close enough below to be rounded up to it. */
    out->magnitude = floor_log10(leading_exponent(parts)) + 1;
    if (out->magnitude >= 0) crd_i_big_multiply_power_of_10(&g.unit, (unsigned)out->magnitude);
    else scale_value(&g, (unsigned)-out->magnitude);
    if (reaches_unit(&g)) {
        out->magnitude++;
        crd_i_big_multiply_small(&g.unit, 10, 0);
    }

    out->count = 0;
    for (;;) {
        scale_value(&g, 1);
        unsigned char digit = 0;
        while (crd_i_big_compare(&g.rest, &g.unit) >= 0) {
            crd_i_big_subtract(&g.rest, &g.unit);
            digit++;
        }
        bool down = within_low(&g), up = reaches_unit(&g);
        if (up && (!down || rounds_up(&g, digit))) digit++;
        out->digit[out->count++] = digit;
        if (down || up) break;
    }
}

static char *write_digits(char *to, const digits *d, int from, int end) {
    for (int i = from; i < end; i++) *to++ = i < d->count ? (char)('0' + d->digit[i]) : '0';
    return to;
}

static char *write_plain(char *to, const digits *d) {
    if (d->magnitude > 0) {
        to = write_digits(to, d, 0, d->magnitude);
    } else {
        *to++ = '0';
    }
    if (d->count > d->magnitude) {
        *to++ = '.';
        for (int zeros = d->magnitude; zeros < 0; zeros++) *to++ = '0';
        to = write_digits(to, d, d->magnitude > 0 ? d->magnitude : 0, d->count);
    }
    return to;
}

static char *write_scientific(char *to, const digits *d) {
    to = write_digits(to, d, 0, 1);
    if (d->count > 1) {
        *to++ = '.';
        to = write_digits(to, d, 1, d->count);
    }
    int exponent = d->magnitude - 1;
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    if (exponent < 0) exponent = -exponent;
    if (exponent >= 100) *to++ = (char)('0' + exponent / 100);
    *to++ = (char)('0' + exponent / 10 % 10);
    *to++ = (char)('0' + exponent % 10);
    return to;
}

size_t crd_number_format(double value, char out[CRD_NUMBER_ROOM]) {
    if (isnan(value)) {
        memcpy(out, "nan", 4);
        return 3;
    }
    char *to = out;
    if (signbit(value)) {
        *to++ = '-';
        value = -value;
    }
    if (value == 0) {
        *to++ = '0';
    } else if (isinf(value)) {
        memcpy(to, "inf", 3);
        to += 3;
    } else {
        digits d;
        if (!find_short(value, &d) && !find_middling(value, &d)) find_digits(value, &d);
        to = d.magnitude > -4 && d.magnitude <= 16 ? write_plain(to, &d) : write_scientific(to, &d);
    }
    *to = '\0';
    return (size_t)(to - out);
}
