/* slices.c - see slices.h: from a block's seven sums to the wide integers. */
#include "math/slices.h"

#include "math/ieee.h"
#include "math/slices_ways.h"

const crd_i_slicer *const crd_i_slicers[] = {
#ifdef CRD_I_SLICES_AVX2
    &crd_i_slicer_avx2,
#endif
#ifdef CRD_I_SLICES_PLAIN
    &crd_i_slicer_plain,
#endif
    NULL,
};

const crd_i_slicer *crd_i_slicer_best(void) {
    size_t i = 0;
    while (crd_i_slicers[i] != NULL && !crd_i_slicers[i]->is_supported()) i++;
    return crd_i_slicers[i];
}

/* Below, adding seven doubles to the integers costs more than adding the values themselves. */
enum { LEAST_COUNT = 6 };

/* Where the largest magnitude is below 2^e, the sums reach up to 2^(2 e + 10) and down to 2^(2 e - 128); with these
 * bounds both are normal doubles. What lies outside is rare, and is added one by one. */
enum { LEAST_EXPONENT = -440, MOST_EXPONENT = 500 };

/* Slice i is a multiple of 2^(e - FIRST_BITS - i * NEXT_BITS). */
enum { FIRST_BITS = 20, NEXT_BITS = 22 };

static double power_of_two(int exponent) {
    return crd_i_double_of((uint64_t)(exponent + 1023) << 52);
}

static bool add_one_by_one(const double *values, const uint16_t *which, size_t count, crd_i_sums *sums,
                           crd_i_sums *squares, size_t cell) {
    for (size_t i = 0; i < count; i++) {
        double x = values[which[i]];
        if (x == 0) continue;
        if (!crd_i_sums_add(sums, cell, x) || !crd_i_sums_add_product(squares, cell, x, x)) return false;
    }
    return true;
}

/* x = s + r, where the slices s are counted and the rest r is not: x^2 = s^2 + 2 s r + r^2. */
static bool add_rest(double x, const double constants[CRD_I_SLICES], crd_i_sums *sums, crd_i_sums *squares,
                     size_t cell) {
    double rest = x;
    for (int i = 1; i < CRD_I_SLICES; i++) rest -= (rest + constants[i]) - constants[i]; /* 1 takes the first two */
    double counted = x - rest;
    return crd_i_sums_add(sums, cell, rest) && crd_i_sums_add_product(squares, cell, 2 * counted, rest) &&
           crd_i_sums_add_product(squares, cell, rest, rest);
}

static bool add_slices(const crd_i_slicer *slicer, const double block[CRD_I_BLOCK], size_t count, int exponent,
                       crd_i_sums *sums, crd_i_sums *squares, size_t cell) {
    /* The unit in the last place of 1.5 * 2^(k + 52), and of all within 2^(k + 51) of it, is 2^k. */
    double constants[CRD_I_SLICES];
    for (int i = 0; i < CRD_I_SLICES; i++)
        constants[i] = 1.5 * power_of_two(exponent - FIRST_BITS - i * NEXT_BITS + 52);
    crd_i_sliced sliced;
    slicer->slice(block, count, constants, &sliced);
    for (int i = 0; i < CRD_I_SLICE_SUMS; i++)
        if (!crd_i_sums_add(sums, cell, sliced.sums[i])) return false;
    for (int order = 0; order < CRD_I_SLICE_ORDERS; order++)
        if (!crd_i_sums_add(squares, cell, sliced.squares[order])) return false;
    for (size_t i = 0; i < sliced.left_count; i++)
        if (!add_rest(block[sliced.left[i]], constants, sums, squares, cell)) return false;
    return true;
}

static size_t leave_out_nan(const double *values, const uint16_t *which, size_t count, uint16_t *present) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        present[kept] = which[i];
        kept += values[which[i]] == values[which[i]];
    }
    return kept;
}

bool crd_i_slices_add(const crd_i_slicer *slicer, const double *values, const uint16_t *which, size_t *count,
                      crd_i_sums *sums, crd_i_sums *squares, size_t cell) {
    double block[CRD_I_BLOCK];
    uint16_t present[CRD_I_BLOCK];
    if (*count < LEAST_COUNT) slicer = NULL;
    unsigned field = slicer == NULL ? CRD_I_NAN_FIELD : slicer->gather(values, which, *count, block);
    if (field == CRD_I_NAN_FIELD) {
        *count = leave_out_nan(values, which, *count, present);
        which = present;
        if (slicer != NULL) field = slicer->gather(values, which, *count, block);
    }
    int exponent = (int)field - 1022; /* every magnitude is below 2^exponent */
    if (slicer == NULL || exponent < LEAST_EXPONENT || exponent > MOST_EXPONENT)
        return add_one_by_one(values, which, *count, sums, squares, cell);
    return add_slices(slicer, block, *count, exponent, sums, squares, cell);
}
