/* SPDX-License-Identifier: MIT */
/* products_dispatch.h - the compiled implementations of the multiplication in products_sliced.c. They need the same
 * compiler support as slicing (slices_internal.h); without it, products are added one by one. */
#ifndef CRD_MATH_EXACT_PRODUCTS_DISPATCH_H
#define CRD_MATH_EXACT_PRODUCTS_DISPATCH_H

#include "math/exact/exact_products.h"
#include "math/exact/slices_internal.h"

enum {
    CRD_I_POINTS = 5,              /* points at which polynomials are evaluated */
    CRD_I_PRODUCTS_ROWS = 240,     /* rows of a panel, which are sliced and multiplied at once */
    CRD_I_PRODUCTS_MOST_BLOCKS = 3 /* adjacent blocks that are multiplied with one block */
};

/* The values of eight columns at one point. */
typedef double crd_i_points_panel[CRD_I_PRODUCTS_ROWS][CRD_I_PRODUCTS_BLOCK];

/* The scales of eight columns, and the factors that convert slices to integers. */
typedef struct crd_i_points_scales {
    crd_i_scales scales;
    double units[CRD_I_SLICES][CRD_I_PRODUCTS_BLOCK]; /* 2^(20 - e), 2^(42 - e), 2^(64 - e) */
} crd_i_points_scales;

struct crd_i_multiplier {
    const char *name;
    bool (*is_supported)(void);
    /* Slices `count` rows of eight columns, evaluates them at each point, and adds their slices to sums. Values that do
     * not fit count as zero and are listed, as 8 * row + column, in `left`, which has room for all of them. Returns how
     * many are listed. */
    size_t (*evaluate)(const crd_i_points_scales *scales, const double *rows, size_t stride, size_t count,
                       crd_i_points_panel *const points[CRD_I_POINTS], double sums[CRD_I_SLICES][CRD_I_PRODUCTS_BLOCK],
                       uint16_t *left);
    /* Adds the products of `blocks` adjacent panels with one panel, summed over rows `begin` to `end`. The product of
     * column i of block k with column j of the other panel is added to totals[k][j][i]. No sum of magnitudes exceeds
     * 2^53. */
    void (*multiply)(crd_i_points_panel *firsts, size_t blocks, crd_i_points_panel *second, size_t begin, size_t end,
                     int64_t totals[][CRD_I_PRODUCTS_BLOCK][CRD_I_PRODUCTS_BLOCK]);
};

#ifdef CRD_I_SLICES_PLAIN
extern const crd_i_multiplier crd_i_multiplier_plain;
#endif
#ifdef CRD_I_SLICES_AVX2
extern const crd_i_multiplier crd_i_multiplier_avx2, crd_i_multiplier_avx512;
#endif

/* The compiled implementations, fastest first, terminated by NULL. */
extern const crd_i_multiplier *const crd_i_multipliers[];

#endif
