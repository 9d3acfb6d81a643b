/* SPDX-License-Identifier: MIT */
/* slices_split.h - slicing, written once for vectors of any length. Each way includes it after defining
 *
 *   LANES                   doubles in a vector
 *   TARGET                  the attribute of functions that asks for the processor's instructions, or nothing
 *   MARKS(a, b, c, d)       for each lane, the lowest first, a bit that says whether a != b or c >= d
 *
 * In units of 2^(e - 20), 2^(e - 42) and 2^(e - 64) the slices are integers of at most 2^20, 2^21 and 2^21, since half
 * a unit is the most that rounding to one leaves to the next. */
#include "math/exact/slices.h"

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

/* A bit for each lane whose value does not fit. (The second slice is the difference of what two roundings give, so that
 * the processor need not finish the one to begin the other.) */
INLINED unsigned misfits(const crd_i_scales *scales, size_t at, lanes value, sliced_lanes *made) {
    const lane_bits magnitude = (lane_bits){0} + INT64_MAX;
    const lanes constant1 = load(scales->constants[1] + at), constant2 = load(scales->constants[2] + at);
    const lanes limit = load(scales->limits + at);
    made->both = (value + constant1) - constant1;
    made->slice2 = value - made->both;
    const lanes rounded = (made->slice2 + constant2) - constant2, size = (lanes)((lane_bits)value & magnitude);
    /* An infinity or NaN leaves NaN, which is not itself. */
    return MARKS(made->slice2, rounded, size, limit);
}

/* Puts zero into lanes that are marked. */
INLINED lanes clear_lanes(lanes value, unsigned marks) {
    double values[LANES];
    store(values, value);
    for (; marks != 0; marks &= marks - 1) values[__builtin_ctz(marks)] = 0;
    return load(values);
}

INLINED void split_first(const crd_i_scales *scales, size_t at, lanes value, sliced_lanes *made) {
    const lanes constant0 = load(scales->constants[0] + at);
    made->slice0 = (value + constant0) - constant0;
    made->slice1 = made->both - made->slice0;
}

/* Lanes whose value does not fit are listed, counting from number `first`, and their slices are zero. */
INLINED sliced_lanes slice(const crd_i_scales *scales, size_t at, lanes value, size_t first, uint16_t *left,
                           size_t *left_count) {
    sliced_lanes made;
    unsigned marks = misfits(scales, at, value, &made);
    if (__builtin_expect(marks != 0, 0)) {
        for (unsigned rest = marks; rest != 0; rest &= rest - 1)
            left[(*left_count)++] = (uint16_t)(first + (unsigned)__builtin_ctz(rest));
        value = clear_lanes(value, marks);
        (void)misfits(scales, at, value, &made);
    }
    split_first(scales, at, value, &made);
    return made;
}
