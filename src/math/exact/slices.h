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

#endif
