/* slices_kernel.h - slicing, written once for vectors of any length. Each way includes it after defining
 *
 *   LANES                   doubles in a vector
 *   TARGET                  the attribute of functions that asks for the processor's instructions, or nothing
 *   MULTIPLY_ADD(a, b, c)   a * b + c; with or without rounding between, as neither has anything to round here
 *   MARKS(a, b, c, d)       for each lane, the lowest first, a bit that says whether a != b or c >= d
 *
 * In units of 2^(e - 20), 2^(e - 42) and 2^(e - 64) the slices are integers of at most 2^20, 2^21 and 2^21, since half
 * a unit is the most that rounding to one leaves to the next. The largest sum is that of 2 * 2^20 * 2^21 + 2^21 * 2^21
 * = 2^43 a value; so 1,024 values are exact, and in whatever order they are added they give the same. */
#include "math/slices.h"

#include <string.h>

#define INLINED TARGET static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_bits __attribute__((vector_size(8 * LANES)));

INLINED lanes load(const double *from) {
    lanes loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

INLINED void store(double *to, lanes stored) {
    memcpy(to, &stored, sizeof stored);
}

/* The slices of a vector of values, the first of which is in column `at`; `both` is the first and second together. */
typedef struct sliced_lanes {
    lanes both, slice0, slice1, slice2;
} sliced_lanes;

/* Lanes whose value does not fit are listed, counting from number `first`, and their slices are zero. (The second slice
 * is the difference of what two roundings give, so that the processor need not finish the one to begin the other.) */
INLINED sliced_lanes slice(const crd_i_scales *scales, size_t at, lanes value, size_t first, uint16_t *left,
                           size_t *left_count) {
    const lane_bits magnitude = (lane_bits){0} + INT64_MAX;
    const lanes constant0 = load(scales->constants[0] + at), constant1 = load(scales->constants[1] + at);
    const lanes constant2 = load(scales->constants[2] + at), limit = load(scales->limits + at);
    sliced_lanes made;
    made.both = (value + constant1) - constant1;
    made.slice2 = value - made.both;
    const lanes rounded = (made.slice2 + constant2) - constant2, size = (lanes)((lane_bits)value & magnitude);
    /* An infinity or NaN leaves NaN, which is not itself. */
    unsigned marks = MARKS(made.slice2, rounded, size, limit);
    if (__builtin_expect(marks != 0, 0)) {
        double values[LANES];
        store(values, value);
        for (; marks != 0; marks &= marks - 1) {
            unsigned lane = (unsigned)__builtin_ctz(marks);
            left[(*left_count)++] = (uint16_t)(first + lane);
            values[lane] = 0;
        }
        value = load(values);
        made.both = (value + constant1) - constant1;
        made.slice2 = value - made.both;
    }
    made.slice0 = (value + constant0) - constant0;
    made.slice1 = made.both - made.slice0;
    return made;
}

/* `columns` is a constant to every caller. */
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

/* The sums stay in registers. Of the two kinds of products that have the same unit each has a sum of its own, so that
 * no addition waits for another. */
TARGET static inline size_t add_group(const crd_i_scales *scales, const double *rows, size_t stride, size_t ahead,
                                      const uint16_t *order, size_t count, size_t columns, crd_i_parts_row *parts,
                                      uint16_t *left) {
    double(*sums)[CRD_I_PANEL] = parts->sums;
    size_t left_count = 0;
    for (size_t at = 0; at < columns; at += LANES) {
        lanes sum0 = load(sums[0] + at), sum1 = load(sums[1] + at), sum2 = load(sums[2] + at);
        lanes sum3 = load(sums[3] + at), sum4 = load(sums[4] + at), sum5 = load(sums[5] + at);
        lanes sum6 = load(sums[6] + at), once_of_two = {0};
        for (size_t i = 0; i < count; i++) {
            const double *row = rows + order[i] * stride + at;
            /* Which may be beyond the last row, and then does nothing. */
            crd_i_slices_fetch((const void *)((uintptr_t)row + ahead * sizeof *row));
            sliced_lanes of = slice(scales, at, load(row), (size_t)CRD_I_PANEL * order[i] + at, left, &left_count);
            sum0 += of.both;
            sum1 += of.slice2;
            sum2 = MULTIPLY_ADD(of.slice0, of.slice0, sum2);
            sum3 = MULTIPLY_ADD(of.slice0, of.slice1, sum3);
            sum4 = MULTIPLY_ADD(of.slice1, of.slice1, sum4);
            once_of_two = MULTIPLY_ADD(of.slice0, of.slice2, once_of_two);
            sum5 = MULTIPLY_ADD(of.slice1, of.slice2, sum5);
            sum6 = MULTIPLY_ADD(of.slice2, of.slice2, sum6);
        }
        store(sums[0] + at, sum0);
        store(sums[1] + at, sum1);
        store(sums[2] + at, sum2);
        store(sums[3] + at, sum3);
        store(sums[4] + at, sum4 + (once_of_two + once_of_two));
        store(sums[5] + at, sum5);
        store(sums[6] + at, sum6);
    }
    return left_count;
}
