/* SPDX-License-Identifier: MIT */
/* decimal_shortest.c - see decimal_shortest.h.
 *
 * Digits of the exact value are produced until the rest of the value is within the distance of a midpoint of a shorter
 * number (Burger and Dybvig, Printing floating-point numbers quickly and accurately, 1996). In big integers, so it is
 * exact for every double, and takes about a microsecond. */
#include "math/decimal/decimal_shortest.h"

#include "math/decimal/decimal_powers.h"
#include "math/exact/big_integer.h"
#include "math/exact/limbs.h"

/* 2^1077, or 2^54 * 10^324, and room to multiply by 10. */
enum { ROOM = 40 };

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
    bool uneven = crd_i_is_uneven(parts);
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

crd_i_shortest crd_i_decimal_shortest(double value) {
    generator g;
    crd_i_parts parts = crd_i_parts_of(value);
    prepare(&g, parts);

    /* Makes value / 10^magnitude less than 1, and 1/10 at least, or close enough below to be rounded up to it. */
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
        while (crd_i_big_compare(&g.rest, &g.unit) >= 0) {
            crd_i_big_subtract(&g.rest, &g.unit);
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
