/* SPDX-License-Identifier: MIT */
/* exact_sums.h - exact sums of doubles and of their products: an array of accumulators that share one window of limbs.
 *
 * A finite double is an integer times a power of two, so sums and products of doubles are too. Entry i is the integer
 * whose two's complement limbs are limbs[i * width .. (i + 1) * width), least significant first, times 2^(64 * base).
 * Nothing is ever rounded, so the result does not depend on the order of additions. The window grows, for all entries
 * at once, when a number does not fit. The values of a column have similar exponents, so two to five limbs are usual,
 * and thousands of columns with a thousand classes fit in memory.
 *
 * This is the plain implementation, which adds one number at a time. Faster implementations must give the same
 * limbs. */
#ifndef CRD_MATH_EXACT_EXACT_SUMS_H
#define CRD_MATH_EXACT_EXACT_SUMS_H

#include "base/context.h"

typedef struct crd_i_sums {
    crd_context *context;
    size_t cells;
    int32_t base;   /* limb 0 has weight 2^(64 * base) */
    uint32_t width; /* limbs per entry; 0: every entry is zero */
    uint64_t *limbs;
    size_t capacity; /* allocated limbs */
} crd_i_sums;

void crd_i_sums_init(crd_i_sums *sums, crd_context *context);
void crd_i_sums_clear(crd_i_sums *sums);

/* Appends entries at zero. Returns false if memory runs out, without any change. This holds for all functions below
 * that return bool. */
CRD_MUST_USE bool crd_i_sums_extend(crd_i_sums *sums, size_t cells);

/* Add an integer, x, x*y, or x*y*z exactly to an entry. The arguments are finite. */
CRD_MUST_USE bool crd_i_sums_add_integer(crd_i_sums *sums, size_t cell, int64_t value);
CRD_MUST_USE bool crd_i_sums_add(crd_i_sums *sums, size_t cell, double x);
CRD_MUST_USE bool crd_i_sums_add_product(crd_i_sums *sums, size_t cell, double x, double y);
CRD_MUST_USE bool crd_i_sums_add_product3(crd_i_sums *sums, size_t cell, double x, double y, double z);
/* Adds x times an entry of other sums, which must be a different object. */
CRD_MUST_USE bool crd_i_sums_add_scaled(crd_i_sums *sums, size_t cell, const crd_i_sums *other, size_t first, double x);

/* Adds an integer given as `count` digits, at most 5, each a signed number of at most 55 bits. The most significant
 * digit comes first. Each digit weighs 2^CRD_I_DIGIT_BITS times the next; the last weighs 2^exponent. */
enum { CRD_I_DIGIT_BITS = 22 };
CRD_MUST_USE bool crd_i_sums_add_digits(crd_i_sums *sums, size_t cell, const int64_t *digits, size_t count,
                                        int32_t exponent);

/* Adds a count. Adds it directly if the window is the usual window of counts: one limb with headroom. */
CRD_MUST_USE static inline bool crd_i_sums_count(crd_i_sums *sums, size_t cell, uint32_t count) {
    if (sums->width != 1 || sums->base != 0 || sums->limbs[cell] >> 62 != 0)
        return crd_i_sums_add_integer(sums, cell, count);
    sums->limbs[cell] += count;
    return true;
}

/* Computes sums[to] += sign * other[from]; sign is 1 or -1. */
CRD_MUST_USE bool crd_i_sums_combine(crd_i_sums *sums, size_t limit, const crd_i_sums *other, size_t first, int sign);
/* Makes room for crd_i_sums_combine. Afterwards the combination, with either sign, and undoing it need no memory. */
CRD_MUST_USE bool crd_i_sums_reserve(crd_i_sums *sums, size_t limit, const crd_i_sums *other, size_t first);
/* Adds every entry of `other`, entry i to entry map[i] (to entry i if map is NULL). Adds either all of them or none. */
CRD_MUST_USE bool crd_i_sums_combine_all(crd_i_sums *sums, const crd_i_sums *other, const size_t *map, int sign);

/* Returns -1, 0 or 1. */
int crd_i_sums_sign(const crd_i_sums *sums, size_t cell);
/* Returns the value rounded to nearest, ties to even; an infinity if it exceeds the range of a double. */
double crd_i_sums_value(const crd_i_sums *sums, size_t cell);

/* The absolute value of an entry, limb by limb: the limbs at absolute positions low .. end - 1, of which the first and
 * the last are nonzero. low == end for zero. Valid until the sums change. */
typedef struct crd_i_magnitude {
    const crd_i_sums *sums;
    size_t cell;
    int32_t low, end;
    bool negative;
} crd_i_magnitude;
crd_i_magnitude crd_i_sums_magnitude(const crd_i_sums *sums, size_t cell);
uint64_t crd_i_magnitude_limb(const crd_i_magnitude *magnitude, int32_t limb);

/* For files: return the smallest window that holds every entry (width 0 if all are zero), and the limb of an entry at
 * absolute position `limb` (weight 2^(64 * limb)), sign-extended. */
void crd_i_sums_trimmed(const crd_i_sums *sums, int32_t *base, uint32_t *width);
uint64_t crd_i_sums_limb(const crd_i_sums *sums, size_t cell, int32_t limb);
/* Sets the window exactly, with all entries zero, so limbs can be filled in. */
CRD_MUST_USE bool crd_i_sums_set_window(crd_i_sums *sums, int32_t base, uint32_t width);

/* The widest windows that sums of doubles, and of products of up to three, can need. A file with a wider window is
 * damaged. */
#define CRD_I_SUMS_LEAST_BASE (-56)
#define CRD_I_SUMS_MOST_WIDTH 108u

/* Returns a hexadecimal literal of the exact value ("-0x1a8p-4", "0x0p+0"). Free it with crd_free. Returns NULL if
 * memory runs out. */
char *crd_i_sums_text(const crd_i_sums *sums, size_t cell);

#endif
