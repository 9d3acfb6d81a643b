/* slices.h - the exact sum of a block of doubles, and of their squares, at nearly the speed of rounded ones.
 *
 * Where the largest magnitude is below 2^e, every value is split without error into multiples of 2^(e - 20),
 * 2^(e - 42) and 2^(e - 64), slices of at most 20, 21 and 21 bits and a sign, by adding and subtracting a constant so
 * large that it leaves no room for the bits below. Slices, and products of two slices, are then so short that plain
 * additions of up to 1,024 of them round nothing. So a block becomes seven doubles, and only these go to the wide
 * integers. A value so much smaller than the largest that bits are left below its third slice, as are two or three in a
 * thousand of normal data, adds what is left to the integers by itself.
 *
 * All ways to slice give the same seven doubles and so, to the bit, what adding one by one gives. */
#ifndef CRD_MATH_SLICES_H
#define CRD_MATH_SLICES_H

#include "math/sums.h"

enum {
    CRD_I_BLOCK = 1024,     /* the most values in a block; every vector's length divides it */
    CRD_I_SLICES = 3,       /* of a value */
    CRD_I_SLICE_SUMS = 2,   /* of the first two slices together, of the third */
    CRD_I_SLICE_ORDERS = 5, /* of products of two slices: slices i and k give order i + k */
    CRD_I_NAN_FIELD = 0x7ff
};

typedef struct crd_i_sliced {
    double sums[CRD_I_SLICE_SUMS];
    double squares[CRD_I_SLICE_ORDERS]; /* what the products of each order add to the sum of squares */
    size_t left_count;
    uint16_t left[CRD_I_BLOCK]; /* which values have bits below the third slice */
} crd_i_sliced;

/* A way to slice, made for one kind of processor. */
typedef struct crd_i_slicer {
    const char *name;
    bool (*is_supported)(void);
    /* Puts values[which[0 .. count)] side by side, then zeros as far as `slice` looks. Returns the exponent field of
     * the largest magnitude; CRD_I_NAN_FIELD if a value is NaN. */
    unsigned (*gather)(const double *values, const uint16_t *which, size_t count, double block[CRD_I_BLOCK]);
    void (*slice)(const double block[CRD_I_BLOCK], size_t count, const double constants[CRD_I_SLICES],
                  crd_i_sliced *sliced);
} crd_i_slicer;

/* The ways that were compiled, the fastest first, ended by NULL; and the first that this machine supports, or NULL. */
extern const crd_i_slicer *const crd_i_slicers[];
const crd_i_slicer *crd_i_slicer_best(void);

/* Adds each of values[which[0 .. *count)], and its square, to a cell, where *count is at most CRD_I_BLOCK. NaN are left
 * out, and *count becomes how many were not; no value is infinite. No slicer: one by one. */
CRD_MUST_USE bool crd_i_slices_add(const crd_i_slicer *slicer, const double *values, const uint16_t *which,
                                   size_t *count, crd_i_sums *sums, crd_i_sums *squares, size_t cell);

#endif
