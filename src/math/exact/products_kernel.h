/* SPDX-License-Identifier: MIT */
/* products_kernel.h - evaluation and multiplication, written once for vectors of any length. Each implementation
 * includes it after defining the macros of slices_split.h, and
 *
 *
 *   MULTIPLY_ADD(a, b, c) a * b + c, fused or not: nothing is rounded here in either case
 *   SPREAD(from) a vector with the double at `from` in each lane
 *   TO_INTEGERS(a) converts a vector of doubles that are integers of at most 2^53
 *   BLOCKS, COLUMNS how many blocks are multiplied with how many columns at once, in registers */
#include "math/exact/products_dispatch.h"
#include "math/exact/slices_split.h"

/* Arrays that are indexed by an unrolled loop stay in registers. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

enum { VECTORS = CRD_I_PRODUCTS_BLOCK / LANES };

/* Evaluates p(z) = slice2 + slice1 z + slice0 z^2 at 0, 1, -1, 2 and infinity. products_sliced.c derives the bounds. */
TARGET static size_t evaluate(const crd_i_points_scales *scales, const double *rows, size_t stride, size_t count,
                              crd_i_points_panel *const points[CRD_I_POINTS],
                              double sums[CRD_I_SLICES][CRD_I_PRODUCTS_BLOCK], uint16_t *left) {
    size_t left_count = 0;
    for (size_t index = 0; index < CRD_I_PRODUCTS_BLOCK; index += LANES) {
        const lanes unit0 = load(scales->units[0] + index), unit1 = load(scales->units[1] + index);
        const lanes unit2 = load(scales->units[2] + index);
        lanes sum0 = load(sums[0] + index), sum1 = load(sums[1] + index), sum2 = load(sums[2] + index);
        for (size_t row = 0; row < count; row++) {
            sliced_lanes sliced = slice(&scales->scales, index, load(rows + row * stride + index),
                                        CRD_I_PRODUCTS_BLOCK * row + index, left, &left_count);
            const lanes slice0 = sliced.slice0 * unit0, slice1 = sliced.slice1 * unit1, slice2 = sliced.slice2 * unit2;
            const lanes even = slice0 + slice2, twice = slice0 + slice0, upper = twice + slice1;
            sum0 += slice0;
            sum1 += slice1;
            sum2 += slice2;
            store((*points[0])[row] + index, slice2);
            store((*points[1])[row] + index, even + slice1);
            store((*points[2])[row] + index, even - slice1);
            store((*points[3])[row] + index, upper + upper + slice2);
            store((*points[4])[row] + index, slice0);
        }
        store(sums[0] + index, sum0);
        store(sums[1] + index, sum1);
        store(sums[2] + index, sum2);
    }
    return left_count;
}

/* `blocks` is a constant in every call. */
INLINED void multiply_columns(crd_i_points_panel *firsts, size_t blocks, const double *second, size_t begin, size_t end,
                              int64_t totals[][CRD_I_PRODUCTS_BLOCK][CRD_I_PRODUCTS_BLOCK], size_t column) {
    lanes sums[BLOCKS * VECTORS][COLUMNS];
    UNROLLED
    for (size_t i = 0; i < blocks * VECTORS; i++) {
        UNROLLED
        for (size_t j = 0; j < COLUMNS; j++) sums[i][j] = (lanes){0};
    }
    for (size_t row = begin; row < end; row++) {
        lanes values[BLOCKS * VECTORS];
        UNROLLED
        for (size_t i = 0; i < blocks * VECTORS; i++) values[i] = load(firsts[i / VECTORS][row] + i % VECTORS * LANES);
        UNROLLED
        for (size_t j = 0; j < COLUMNS; j++) {
            const lanes other = SPREAD(second + CRD_I_PRODUCTS_BLOCK * row + column + j);
            UNROLLED
            for (size_t i = 0; i < blocks * VECTORS; i++) sums[i][j] = MULTIPLY_ADD(values[i], other, sums[i][j]);
        }
    }
    UNROLLED
    for (size_t i = 0; i < blocks * VECTORS; i++) {
        UNROLLED
        for (size_t j = 0; j < COLUMNS; j++) {
            int64_t *destination = totals[i / VECTORS][column + j] + i % VECTORS * LANES;
            lane_bits total;
            memcpy(&total, destination, sizeof total);
            total += TO_INTEGERS(sums[i][j]);
            memcpy(destination, &total, sizeof total);
        }
    }
}

TARGET static void multiply(crd_i_points_panel *firsts, size_t blocks, crd_i_points_panel *second, size_t begin,
                            size_t end, int64_t totals[][CRD_I_PRODUCTS_BLOCK][CRD_I_PRODUCTS_BLOCK]) {
    for (size_t column = 0; column < CRD_I_PRODUCTS_BLOCK; column += COLUMNS) {
        size_t block = 0;
        for (; block + BLOCKS <= blocks; block += BLOCKS)
            multiply_columns(firsts + block, BLOCKS, (*second)[0], begin, end, totals + block, column);
        if (BLOCKS > 2 && block + 2 <= blocks) {
            multiply_columns(firsts + block, 2, (*second)[0], begin, end, totals + block, column);
            block += 2;
        }
        for (; block < blocks; block++)
            multiply_columns(firsts + block, 1, (*second)[0], begin, end, totals + block, column);
    }
}
