/* SPDX-License-Identifier: MIT */
/* slices_kernel.h - adds slices, written once for vectors of any length. Each implementation includes it after defining
 * the macros of slices_split.h, and
 *
 *
 *   MULTIPLY_ADD(a, b, c) a * b + c, fused or not: nothing is rounded here in either case
 *
 * The largest sum is 2 * 2^20 * 2^21 + 2^21 * 2^21 = 2^43 per value, in its own unit. Sums of 1,024 values are
 * therefore exact, in any order. */
#include "math/exact/slices_split.h"

/* `columns` is a constant in every call. */
INLINED size_t add_columns(const crd_i_scales *scales, const double *rows, size_t stride, size_t count, size_t columns,
                           const uint32_t *slots, crd_i_parts_row *parts, uint16_t *left) {
    size_t left_count = 0;
    for (size_t row = 0; row < count; row++, rows += stride) {
        double(*sums)[CRD_I_PANEL] = parts[slots[row]].sums;
#pragma GCC unroll 4
        for (size_t at = 0; at < columns; at += LANES) {
            sliced_lanes of = slice(scales, at, load(rows + at), CRD_I_PANEL * row + at, left, &left_count);
            store(sums[0] + at, load(sums[0] + at) + of.both);
            store(sums[1] + at, load(sums[1] + at) + of.slice2);
            store(sums[2] + at, MULTIPLY_ADD(of.slice0, of.slice0, load(sums[2] + at)));
            store(sums[3] + at, MULTIPLY_ADD(of.slice0, of.slice1, load(sums[3] + at)));
            lanes squares = MULTIPLY_ADD(of.slice1, of.slice1, load(sums[4] + at));
            store(sums[4] + at, MULTIPLY_ADD(of.slice0 + of.slice0, of.slice2, squares));
            store(sums[5] + at, MULTIPLY_ADD(of.slice1, of.slice2, load(sums[5] + at)));
            store(sums[6] + at, MULTIPLY_ADD(of.slice2, of.slice2, load(sums[6] + at)));
        }
    }
    return left_count;
}

TARGET static inline size_t add(const crd_i_scales *scales, const double *rows, size_t stride, size_t count,
                                size_t columns, const uint32_t *slots, crd_i_parts_row *parts, uint16_t *left) {
    if (columns == CRD_I_PANEL) return add_columns(scales, rows, stride, count, CRD_I_PANEL, slots, parts, left);
    return add_columns(scales, rows, stride, count, CRD_I_PANEL / 2, slots, parts, left);
}

/* Keeps the sums in registers. The two kinds of products with the same unit have separate sums, so no addition waits
 * for another. */
TARGET static inline size_t add_group(const crd_i_scales *scales, const double *rows, size_t stride, size_t ahead,
                                      const uint16_t *order, size_t count, size_t columns, crd_i_parts_row *parts,
                                      uint16_t *left) {
    double(*sums)[CRD_I_PANEL] = parts->sums;
    size_t left_count = 0;
    for (size_t index = 0; index < columns; index += LANES) {
        lanes sum0 = load(sums[0] + index), sum1 = load(sums[1] + index), sum2 = load(sums[2] + index);
        lanes sum3 = load(sums[3] + index), sum4 = load(sums[4] + index), sum5 = load(sums[5] + index);
        lanes sum6 = load(sums[6] + index), once_of_two = {0};
        for (size_t i = 0; i < count; i++) {
            const double *row = rows + order[i] * stride + index;
            /* This may be beyond the last row; it then does nothing. */
            crd_i_slices_fetch((const void *)((uintptr_t)row + ahead * sizeof *row));
            sliced_lanes of =
                slice(scales, index, load(row), (size_t)CRD_I_PANEL * order[i] + index, left, &left_count);
            sum0 += of.both;
            sum1 += of.slice2;
            sum2 = MULTIPLY_ADD(of.slice0, of.slice0, sum2);
            sum3 = MULTIPLY_ADD(of.slice0, of.slice1, sum3);
            sum4 = MULTIPLY_ADD(of.slice1, of.slice1, sum4);
            once_of_two = MULTIPLY_ADD(of.slice0, of.slice2, once_of_two);
            sum5 = MULTIPLY_ADD(of.slice1, of.slice2, sum5);
            sum6 = MULTIPLY_ADD(of.slice2, of.slice2, sum6);
        }
        store(sums[0] + index, sum0);
        store(sums[1] + index, sum1);
        store(sums[2] + index, sum2);
        store(sums[3] + index, sum3);
        store(sums[4] + index, sum4 + (once_of_two + once_of_two));
        store(sums[5] + index, sum5);
        store(sums[6] + index, sum6);
    }
    return left_count;
}
