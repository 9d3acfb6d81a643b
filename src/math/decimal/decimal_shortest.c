/* SPDX-License-Identifier: MIT */
/* decimal_shortest.c - see decimal_shortest.h.
 *
 * The algorithm produces digits of the exact value until the remainder is within the distance to a midpoint (Burger and
 * Dybvig, Printing floating-point numbers quickly and accurately, 1996). It uses big integers, so it is exact for every
 * double, and takes about a microsecond. */
#include "math/decimal/decimal_shortest.h"

#include "math/decimal/decimal_powers.h"
#include "math/exact/big_integer.h"
#include "math/exact/limbs.h"

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
