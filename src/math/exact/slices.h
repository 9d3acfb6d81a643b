/* SPDX-License-Identifier: MIT */
/* slices.h - exact sums of doubles and of their squares, for eight columns in parallel, nearly as fast as rounded sums.
 *
 * If the magnitudes of a column are below 2^e, a value is split without error into multiples of 2^(e - 20), 2^(e - 42)
 * and 2^(e - 64): slices of at most 20, 21 and 21 bits and a sign. The split adds and subtracts a constant so large
 * that it leaves no room for the lower bits. Slices, and products of two slices, are so short that adding up to 1,024
 * of them rounds nothing. A column under one condition therefore needs only seven doubles for up to 1,024 values, and
 * only then goes to the wide integers. Values that do not fit, because they are too large or have bits below the third
 * slice, are added to the integers one by one. In normally distributed data these are two or three in a thousand.
 *
 * All slicing implementations give the same doubles, and the final sums are bit-identical to adding one by one.
 *
 * Slicing requires that every operation rounds to double, to nearest. It is therefore compiled only if FLT_EVAL_METHOD
 * == 0, which excludes the x87 (see slices_internal.h). If no implementation is compiled, every value is added to the
 * integers directly, with the same result. */
#ifndef CRD_MATH_EXACT_SLICES_H
#define CRD_MATH_EXACT_SLICES_H

#include "math/exact/exact_sums.h"

enum {
    CRD_I_PANEL = 8,          /* columns in parallel; every vector length divides half of it */
    CRD_I_SLICES = 3,         /* slices of a value */
    CRD_I_PARTS = 7,          /* sums of a column under a condition; the first two are sums of values */
    CRD_I_MOST_SLICED = 1024, /* values whose slices can be summed without rounding */
    CRD_I_MOST_TILE = 512     /* maximum number of rows per call */
};

/* The seven sums under one condition, each for eight columns, each in its own cache line: first and second slices
 * together; third slices; products of slices 0 and 0; of 0 and 1; of 1 and 1 plus twice 0 and 2; of 1 and 2; of 2 and
 * 2. */
typedef struct crd_i_parts_row {
    double sums[CRD_I_PARTS][CRD_I_PANEL];
} crd_i_parts_row;

/* The scales with which the columns of a panel are sliced. */
typedef struct crd_i_scales {
    int exponents[CRD_I_PANEL]; /* e */
    double limits[CRD_I_PANEL]; /* 2^e */
    double constants[CRD_I_SLICES][CRD_I_PANEL];
} crd_i_scales;

/* Sums of w, w x and w x^2 for one column, eight of its rows in parallel. w and x are sliced as above, and x^2 is
 * sliced again into six slices of 22 bits. The parts are sums of products of two slices, ordered by their unit:
 *
 *
 *   0, 1 sums of w: first and second slices together, third slices
 *   2 .. 6 sums of w x: units 2^22 apart, down to 2^(e + f - 128), where weights are below 2^f
 *   7 .. 14 sums of w x^2: down to 2^(2 e + f - 192) */
enum { CRD_I_WEIGHTED_PARTS = 15, CRD_I_SQUARE_SLICES = 6, CRD_I_MOST_WEIGHTED = 672 };
typedef struct crd_i_weighted_parts {
    double sums[CRD_I_WEIGHTED_PARTS][CRD_I_PANEL];
} crd_i_weighted_parts;

/* Weights, sliced once for all columns. */
typedef struct crd_i_sliced_weights {
    int exponent;                       /* f */
    int used;                           /* slices that are not all zero, at least 1 */
    const double *slices[CRD_I_SLICES]; /* of each weight; the first is NaN if the weight does not fit */
} crd_i_sliced_weights;

/* The scales of the numbers and of their squares, which are sliced from the products of slices. */
typedef struct crd_i_weighted_scales {
    int weight_exponent;
    crd_i_scales numbers; /* the same scale in every column */
    double square_constants[CRD_I_SQUARE_SLICES - 1];
} crd_i_weighted_scales;

/* A slicing implementation for one instruction set. */
typedef struct crd_i_slicer {
    const char *name;
    bool (*is_supported)(void);
    /* Adds `count` rows, at most CRD_I_MOST_TILE, that are `stride` doubles apart, row i to parts[slots[i]]. `columns`
     * is CRD_I_PANEL or half of it; each row has at least that many. Values that do not fit, NaN and infinities are not
     * added but listed, as CRD_I_PANEL * row + column, in `left`, which has room for all of them. Returns how many are
     * listed. */
    size_t (*add)(const crd_i_scales *scales, const double *rows, size_t stride, size_t count, size_t columns,
                  const uint32_t *slots, crd_i_parts_row *parts, uint16_t *left);
    /* Adds `count` rows, whose numbers are in `order`, to *parts. This is faster than `add`. The order of values in
     * `left` is unspecified. Prefetches the memory `ahead` doubles after each row, which need not exist. */
    size_t (*add_group)(const crd_i_scales *scales, const double *rows, size_t stride, size_t ahead,
                        const uint16_t *order, size_t count, size_t columns, crd_i_parts_row *parts, uint16_t *left);
    /* Adds `count` numbers, at most CRD_I_MOST_WEIGHTED, each with its weight. Rows in which a number or weight does
     * not fit are listed in `left` instead. Returns how many are listed. */
    size_t (*add_weighted)(const crd_i_weighted_scales *scales, const double *numbers,
                           const crd_i_sliced_weights *weights, size_t count, crd_i_weighted_parts *parts,
                           uint16_t *left);
} crd_i_slicer;

/* The compiled implementations, fastest first, terminated by NULL; and the first one that this machine supports, or
 * NULL. */
extern const crd_i_slicer *const crd_i_slicers[];
const crd_i_slicer *crd_i_slicer_best(void);

/* Prefetches a double that will be needed soon. */
static inline void crd_i_slices_fetch(const void *address) {
#ifdef __GNUC__
    __builtin_prefetch(address, 0, 2);
#else
    (void)address;
#endif
}

/* Finds the exponent e for which most of `count` values, `stride` apart, fit. If there are several, it chooses one that
 * leaves room for larger and for smaller values. Returns false if no value is informative. */
CRD_MUST_USE bool crd_i_scales_choose(const double *values, size_t stride, size_t count, int *exponent);
void crd_i_scales_set(crd_i_scales *scales, size_t column, int exponent);

/* Adds the sums of one column to an entry of `sums`, and resets them to zero. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_slices_pour(const crd_i_scales *scales, size_t column, crd_i_parts_row *parts, crd_i_sums *sums,
                                    crd_i_sums *squares, size_t cell);

/* Slices weights into three consecutive arrays of `count` numbers in `room`. Returns false if their exponents are too
 * far from 0, or if this machine does not support slicing. */
CRD_MUST_USE bool crd_i_slice_weights(const double *weights, size_t count, double *workspace,
                                      crd_i_sliced_weights *out);
/* Sets the scales. Returns false if sums of w x^2 could exceed the range of doubles. */
CRD_MUST_USE bool crd_i_weighted_scales_set(crd_i_weighted_scales *scales, int exponent, int weight_exponent);
/* Adds the parts to an entry of the sums of w, w x and w x^2. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_weighted_pour(const crd_i_weighted_scales *scales, const crd_i_weighted_parts *parts,
                                      crd_i_sums *powers, size_t cell);

#endif
