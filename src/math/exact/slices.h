/* SPDX-License-Identifier: MIT */
/* slices.h - exact sums of doubles and of their squares, of eight columns side by side, at nearly the speed of rounded
 * ones.
 *
 * Where the magnitudes of a column are below 2^e, a value is split without error into multiples of 2^(e - 20),
 * 2^(e - 42) and 2^(e - 64), slices of at most 20, 21 and 21 bits and a sign, by adding and subtracting a constant so
 * large that it leaves no room for the bits below. Slices, and products of two slices, are then so short that plain
 * additions of up to 1,024 of them round nothing. So a column under a condition is seven doubles for as long as 1,024
 * values, and only then goes to the wide integers. Values that do not fit, being too large or having bits below the
 * third slice, as have two or three in a thousand of normal data, are left to be added to the integers one by one.
 *
 * All ways to slice give the same doubles, and all of this gives, to the bit, what adding one by one gives.
 *
 * It wants doubles that are rounded to doubles after every operation, to nearest. So the ways are compiled only where
 * the compiler says FLT_EVAL_METHOD == 0, which leaves out the x87 (see slices_internal.h); where none is compiled, every
 * value is added to the integers by itself, and integers are the same everywhere. */
#ifndef CRD_MATH_EXACT_SLICES_H
#define CRD_MATH_EXACT_SLICES_H

#include "math/exact/exact_sums.h"

enum {
    CRD_I_PANEL = 8,          /* columns side by side; every vector's length divides half of it */
    CRD_I_SLICES = 3,         /* of a value */
    CRD_I_PARTS = 7,          /* sums of a column under a condition, of which the first two are those of values */
    CRD_I_MOST_SLICED = 1024, /* values whose slices can be summed without rounding */
    CRD_I_MOST_TILE = 512     /* rows that are added at once */
};

/* The seven sums under one condition, each of eight columns, each in a cache line of its own: of first and second
 * slices together, of third ones; of products of slices 0 and 0, of 0 and 1, of 1 and 1 and twice those of 0 and 2, of
 * 1 and 2, of 2 and 2. */
typedef struct crd_i_parts_row {
    double sums[CRD_I_PARTS][CRD_I_PANEL];
} crd_i_parts_row;

/* How the columns of a panel are sliced. */
typedef struct crd_i_scales {
    int exponents[CRD_I_PANEL]; /* e */
    double limits[CRD_I_PANEL]; /* 2^e */
    double constants[CRD_I_SLICES][CRD_I_PANEL];
} crd_i_scales;

/* Sums of weights w, of w x and of w x^2 of one column, eight of its rows side by side. The slices of w and x are those
 * above, x^2 is sliced anew into six of 22 bits, and parts are sums of products of two slices, by their unit:
 *
 *   0, 1    of w: first and second slices together, third ones
 *   2 .. 6  of w x: units 2^22 apart, down to 2^(e + f - 128), where weights are below 2^f
 *   7 .. 14 of w x^2: down to 2^(2 e + f - 192) */
enum { CRD_I_WEIGHTED_PARTS = 15, CRD_I_SQUARE_SLICES = 6, CRD_I_MOST_WEIGHTED = 672 };
typedef struct crd_i_weighted_parts {
    double sums[CRD_I_WEIGHTED_PARTS][CRD_I_PANEL];
} crd_i_weighted_parts;

/* Weights, sliced once for all columns. */
typedef struct crd_i_sliced_weights {
    int exponent;                       /* f */
    int used;                           /* slices of which some are not zero, at least 1 */
    const double *slices[CRD_I_SLICES]; /* of each weight; the first is NaN where it does not fit */
} crd_i_sliced_weights;

/* How they are sliced: numbers, and from its products of slices the square. */
typedef struct crd_i_weighted_scales {
    int weight_exponent;
    crd_i_scales numbers; /* the same in every column */
    double square_constants[CRD_I_SQUARE_SLICES - 1];
} crd_i_weighted_scales;

/* A way to slice, made for one kind of processor. */
typedef struct crd_i_slicer {
    const char *name;
    bool (*is_supported)(void);
    /* Adds `count` rows, at most CRD_I_MOST_TILE, that are `stride` doubles apart, row i to parts[slots[i]]. `columns`,
     * of which the row has at least as many, is CRD_I_PANEL or half of it. Values that do not fit, NaN and infinities
     * are not added but listed, as CRD_I_PANEL * row + column, in `left`, which has room for all; returns how many. */
    size_t (*add)(const crd_i_scales *scales, const double *rows, size_t stride, size_t count, size_t columns,
                  const uint32_t *slots, crd_i_parts_row *parts, uint16_t *left);
    /* The same, faster, for `count` rows whose numbers are in `order` and which all go to *parts; in `left` they are in
     * no certain order. Asks memory for what lies `ahead` doubles behind each, which need not be there. */
    size_t (*add_group)(const crd_i_scales *scales, const double *rows, size_t stride, size_t ahead,
                        const uint16_t *order, size_t count, size_t columns, crd_i_parts_row *parts, uint16_t *left);
    /* Adds `count` numbers, at most CRD_I_MOST_WEIGHTED, each with its weight. Rows in which a number or weight
     * does not fit are listed in `left` instead; returns how many. */
    size_t (*add_weighted)(const crd_i_weighted_scales *scales, const double *numbers,
                           const crd_i_sliced_weights *weights, size_t count, crd_i_weighted_parts *parts,
                           uint16_t *left);
} crd_i_slicer;

/* The ways that were compiled, the fastest first, ended by NULL; and the first that this machine supports, or NULL. */
extern const crd_i_slicer *const crd_i_slicers[];
const crd_i_slicer *crd_i_slicer_best(void);

/* Asks memory for a double that is wanted soon. */
static inline void crd_i_slices_fetch(const void *address) {
#ifdef __GNUC__
    __builtin_prefetch(address, 0, 2);
#else
    (void)address;
#endif
}

/* The e under which most of `count` values, `stride` apart, fit; where there are several, one that leaves room for
 * larger values and for smaller ones. false: no value says anything about it. */
CRD_MUST_USE bool crd_i_scales_choose(const double *values, size_t stride, size_t count, int *exponent);
void crd_i_scales_set(crd_i_scales *scales, size_t column, int exponent);

/* Adds what was summed of one column to a cell, and makes it zero. false: out of memory. */
CRD_MUST_USE bool crd_i_slices_pour(const crd_i_scales *scales, size_t column, crd_i_parts_row *parts, crd_i_sums *sums,
                                    crd_i_sums *squares, size_t cell);

/* Slices weights into three arrays of `count`, one after the other in `room`. false: their exponents are too far from 0,
 * or this machine does not slice. */
CRD_MUST_USE bool crd_i_slice_weights(const double *weights, size_t count, double *room, crd_i_sliced_weights *out);
/* false where sums of w x^2 could leave the range of doubles. */
CRD_MUST_USE bool crd_i_weighted_scales_set(crd_i_weighted_scales *scales, int exponent, int weight_exponent);
/* Adds what was summed to a cell of the sums of w, w x and w x^2. false: out of memory. */
CRD_MUST_USE bool crd_i_weighted_pour(const crd_i_weighted_scales *scales, const crd_i_weighted_parts *parts,
                                      crd_i_sums *powers, size_t cell);

#endif
