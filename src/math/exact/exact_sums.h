/* SPDX-License-Identifier: MIT */
/* exact_sums.h - exact sums of doubles and of their products: an array of accumulators that share one window of limbs.
 *
 * A finite double is an integer times a power of two, so sums and products of doubles are too. Cell i holds the integer
 * whose two's complement limbs are limbs[i * width .. (i + 1) * width), least significant first, times 2^(64 * base).
 * Nothing is ever rounded, so the result does not depend on the order of adding. The window grows, for all cells at
 * once, when a number does not fit; a column's values have similar exponents, so two to five limbs are usual,
 * and thousands of columns under a thousand classes fit in memory.
 *
 * This is the plain way, one number at a time. Faster ways must give the same limbs. */
#ifndef CRD_MATH_EXACT_EXACT_SUMS_H
#define CRD_MATH_EXACT_EXACT_SUMS_H

#include "base/context.h"

typedef struct crd_i_sums {
    crd_context *context;
    size_t cells;
    int32_t base;   /* limb 0 weighs 2^(64 * base) */
    uint32_t width; /* limbs in a cell; 0: every cell is zero */
    uint64_t *limbs;
    size_t capacity; /* limbs that there is room for */
} crd_i_sums;

void crd_i_sums_init(crd_i_sums *sums, crd_context *context);
void crd_i_sums_clear(crd_i_sums *sums);

/* More cells, at zero. false: out of memory, nothing changed; so with all below that return bool. */
CRD_MUST_USE bool crd_i_sums_extend(crd_i_sums *sums, size_t cells);

/* Adds an integer, x, x*y, or x*y*z (exactly) to a cell. Arguments are finite. */
CRD_MUST_USE bool crd_i_sums_add_integer(crd_i_sums *sums, size_t cell, int64_t value);
CRD_MUST_USE bool crd_i_sums_add(crd_i_sums *sums, size_t cell, double x);
CRD_MUST_USE bool crd_i_sums_add_product(crd_i_sums *sums, size_t cell, double x, double y);
CRD_MUST_USE bool crd_i_sums_add_product3(crd_i_sums *sums, size_t cell, double x, double y, double z);
/* Adds x times a cell of other sums, which are not the same object. */
CRD_MUST_USE bool crd_i_sums_add_scaled(crd_i_sums *sums, size_t cell, const crd_i_sums *other, size_t from, double x);

/* Adds the integer whose `count` digits, at most 5, each a signed number of at most 55 bits, stand most significant
 * first, each weighing 2^CRD_I_DIGIT_BITS times the next; the last weighs 2^exponent. */
enum { CRD_I_DIGIT_BITS = 22 };
CRD_MUST_USE bool crd_i_sums_add_digits(crd_i_sums *sums, size_t cell, const int64_t *digits, size_t count,
                                        int32_t exponent);

/* Adds a count: where the window is that of counts, one limb with room to spare, at once. */
CRD_MUST_USE static inline bool crd_i_sums_count(crd_i_sums *sums, size_t cell, uint32_t count) {
    if (sums->width != 1 || sums->base != 0 || sums->limbs[cell] >> 62 != 0)
        return crd_i_sums_add_integer(sums, cell, count);
    sums->limbs[cell] += count;
    return true;
}

/* sums[to] += sign * other[from]; sign is 1 or -1. */
CRD_MUST_USE bool crd_i_sums_combine(crd_i_sums *sums, size_t to, const crd_i_sums *other, size_t from, int sign);
/* Makes the room for that: afterwards the combination, with either sign, and undoing it need no memory. */
CRD_MUST_USE bool crd_i_sums_reserve(crd_i_sums *sums, size_t to, const crd_i_sums *other, size_t from);
/* Every cell of `other`, cell i to cell map[i] (to cell i where map is NULL), all or nothing. */
CRD_MUST_USE bool crd_i_sums_combine_all(crd_i_sums *sums, const crd_i_sums *other, const size_t *map, int sign);

/* -1, 0 or 1. */
int crd_i_sums_sign(const crd_i_sums *sums, size_t cell);
/* Rounded to nearest, ties to even; an infinity beyond the range of a double. */
double crd_i_sums_value(const crd_i_sums *sums, size_t cell);

/* The absolute value of a cell, limb by limb: those at absolute positions low .. end - 1, of which the first and the
 * last are not zero; low == end for zero. Holds until the sums change. */
typedef struct crd_i_magnitude {
    const crd_i_sums *sums;
    size_t cell;
    int32_t low, end;
    bool negative;
} crd_i_magnitude;
crd_i_magnitude crd_i_sums_magnitude(const crd_i_sums *sums, size_t cell);
uint64_t crd_i_magnitude_limb(const crd_i_magnitude *magnitude, int32_t limb);

/* For files: the least window that holds every cell (width 0 when all are zero), and the limb of a cell at absolute
 * position `limb` (weight 2^(64 * limb)), sign-extended. */
void crd_i_sums_trimmed(const crd_i_sums *sums, int32_t *base, uint32_t *width);
uint64_t crd_i_sums_limb(const crd_i_sums *sums, size_t cell, int32_t limb);
/* Makes the window exactly this, all cells zero, so that limbs can be filled in. */
CRD_MUST_USE bool crd_i_sums_set_window(crd_i_sums *sums, int32_t base, uint32_t width);

/* The widest windows that sums of doubles, and products of up to three, can need; a file that asks for more is damaged.
 */
#define CRD_I_SUMS_LEAST_BASE (-56)
#define CRD_I_SUMS_MOST_WIDTH 108u

/* A hexadecimal literal of the exact value ("-0x1a8p-4", "0x0p+0"); freed with crd_free; NULL when out of memory. */
char *crd_i_sums_text(const crd_i_sums *sums, size_t cell);

#endif
