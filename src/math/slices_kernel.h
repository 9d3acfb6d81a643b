/* slices_kernel.h - slicing, written once for vectors of any length. Each way includes it after defining
 *
 *   LANES                   doubles in a vector
 *   TARGET                  the attribute of functions that asks for the processor's instructions, or nothing
 *   MULTIPLY_ADD(a, b, c)   a * b + c; with or without rounding between, as neither has anything to round here
 *   ANY(v)                  whether a lane has a bit set besides the sign */
#include "math/slices.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_bits __attribute__((vector_size(8 * LANES)));

TARGET static inline lanes load(const double *from) {
    lanes loaded;
    memcpy(&loaded, from, sizeof loaded);
    return loaded;
}

TARGET static inline void store(double *to, lanes stored) {
    memcpy(to, &stored, sizeof stored);
}

/* Lists the lanes whose value is not to be added, the first of which is number `at`, and makes them zero. */
TARGET static lanes leave_out(lanes value, lane_bits misfit, size_t at, uint16_t *left, size_t *left_count) {
    for (size_t lane = 0; lane < LANES; lane++) {
        if ((misfit[lane] & INT64_MAX) == 0) continue;
        left[(*left_count)++] = (uint16_t)(at + lane);
        value[lane] = 0;
    }
    return value;
}

/* In units of 2^(e - 20), 2^(e - 42) and 2^(e - 64) the slices are integers of at most 2^20, 2^21 and 2^21, since half
 * a unit is the most that rounding to one leaves to the next. (The second is the difference of what two roundings give,
 * so that the processor need not finish the one to begin the other.) The largest sum is that of 2 * 2^20 * 2^21 +
 * 2^21 * 2^21 = 2^43 a value; so 1,024 values are exact. `columns` is a constant to every caller. */
TARGET static inline __attribute__((always_inline)) size_t add_columns(const crd_i_scales *scales, const double *rows,
                                                                       size_t stride, size_t count, size_t columns,
                                                                       const uint32_t *slots, crd_i_parts_row *parts,
                                                                       uint16_t *left) {
    const lane_bits magnitude = (lane_bits){0} + INT64_MAX;
    size_t left_count = 0;
    for (size_t row = 0; row < count; row++, rows += stride) {
        double(*sums)[CRD_I_PANEL] = parts[slots[row]].sums;
#pragma GCC unroll 4
        for (size_t at = 0; at < columns; at += LANES) {
            const lanes first = load(scales->constants[0] + at), second = load(scales->constants[1] + at);
            const lanes third = load(scales->constants[2] + at), limit = load(scales->limits + at);
            lanes value = load(rows + at);
            lanes both = (value + second) - second, rest = value - both;
            lanes slice2 = (rest + third) - third;
            /* An infinity or NaN leaves NaN. */
            lane_bits misfit = (lane_bits)(rest - slice2) | ((lanes)((lane_bits)value & magnitude) >= limit);
            if (ANY(misfit)) {
                value = leave_out(value, misfit, CRD_I_PANEL * row + at, left, &left_count);
                both = (value + second) - second;
                rest = value - both;
                slice2 = (rest + third) - third;
            }
            lanes slice0 = (value + first) - first, slice1 = both - slice0;
            store(sums[0] + at, load(sums[0] + at) + both);
            store(sums[1] + at, load(sums[1] + at) + slice2);
            store(sums[2] + at, MULTIPLY_ADD(slice0, slice0, load(sums[2] + at)));
            store(sums[3] + at, MULTIPLY_ADD(slice0, slice1, load(sums[3] + at)));
            lanes squares = MULTIPLY_ADD(slice1, slice1, load(sums[4] + at));
            store(sums[4] + at, MULTIPLY_ADD(slice0 + slice0, slice2, squares));
            store(sums[5] + at, MULTIPLY_ADD(slice1, slice2, load(sums[5] + at)));
            store(sums[6] + at, MULTIPLY_ADD(slice2, slice2, load(sums[6] + at)));
        }
    }
    return left_count;
}

TARGET static size_t add(const crd_i_scales *scales, const double *rows, size_t stride, size_t count, size_t columns,
                         const uint32_t *slots, crd_i_parts_row *parts, uint16_t *left) {
    if (columns == CRD_I_PANEL) return add_columns(scales, rows, stride, count, CRD_I_PANEL, slots, parts, left);
    return add_columns(scales, rows, stride, count, CRD_I_PANEL / 2, slots, parts, left);
}
