/* SPDX-License-Identifier: MIT */
/* slices_split.h - slicing, written once for vectors of any length. Each implementation includes it after defining
 *
 *
 *   LANES doubles in a vector
 *   TARGET the function attribute that enables the CPU's instructions, or nothing
 *   MARKS(a, b, c, d) for each lane, lowest first, a bit that is set if a != b or c >= d
 *
 * In units of 2^(e - 20), 2^(e - 42) and 2^(e - 64), the slices are integers of at most 2^20, 2^21 and 2^21, because
 * rounding to one unit leaves at most half a unit to the next slice. */
#include "math/exact/slices.h"

#include <string.h>

#define INLINED TARGET static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t lane_bits __attribute__((vector_size(8 * LANES)));

INLINED lanes load(const double *source) {
    lanes loaded;
    memcpy(&loaded, source, sizeof loaded);
    return loaded;
}

INLINED void store(double *destination, lanes stored) {
    memcpy(destination, &stored, sizeof stored);
}

/* The slices of a vector of values, the first of which is in column `at`. `both` is the first and second slice
 * together. */
typedef struct sliced_lanes {
    lanes both, slice0, slice1, slice2;
} sliced_lanes;

/* Returns a bit for each lane whose value does not fit. (The second slice is the difference of two roundings, so the
 * CPU can begin one before it finishes the other.) */
INLINED unsigned misfits(const crd_i_scales *scales, size_t index, lanes value, sliced_lanes *made) {
    const lane_bits magnitude = (lane_bits){0} + INT64_MAX;
    const lanes constant1 = load(scales->constants[1] + index), constant2 = load(scales->constants[2] + index);
    const lanes limit = load(scales->limits + index);
    made->both = (value + constant1) - constant1;
    made->slice2 = value - made->both;
    const lanes rounded = (made->slice2 + constant2) - constant2, size = (lanes)((lane_bits)value & magnitude);
    /* An infinity or NaN leaves NaN, which is not equal to itself. */
    return MARKS(made->slice2, rounded, size, limit);
}

/* Sets marked lanes to zero. */
INLINED lanes clear_lanes(lanes value, unsigned marks) {
    double values[LANES];
    store(values, value);
    for (; marks != 0; marks &= marks - 1) values[__builtin_ctz(marks)] = 0;
    return load(values);
}

INLINED void split_first(const crd_i_scales *scales, size_t index, lanes value, sliced_lanes *sliced) {
    const lanes constant0 = load(scales->constants[0] + index);
    sliced->slice0 = (value + constant0) - constant0;
    sliced->slice1 = sliced->both - sliced->slice0;
}

/* Slices values. Lanes whose value does not fit are listed, counted from number `first`, and their slices are zero. */
INLINED sliced_lanes slice(const crd_i_scales *scales, size_t index, lanes value, size_t first, uint16_t *left,
                           size_t *left_count) {
    sliced_lanes sliced;
    unsigned marks = misfits(scales, index, value, &sliced);
    if (__builtin_expect(marks != 0, 0)) {
        for (unsigned remainder = marks; remainder != 0; remainder &= remainder - 1)
            left[(*left_count)++] = (uint16_t)(first + (unsigned)__builtin_ctz(remainder));
        value = clear_lanes(value, marks);
        (void)misfits(scales, index, value, &sliced);
    }
    split_first(scales, index, value, &sliced);
    return sliced;
}
