/* SPDX-License-Identifier: MIT */
/* slices_weighted.h - adds slices of numbers times slices of their weights, written once for vectors of any length.
 * Include it after slices_kernel.h. Each lane holds a row of one column.
 *
 *
 *   x = a0 + a1 + a2, w = w0 + w1 + w2, x^2 = a0^2 + 2 a0 a1 + (a1^2 + 2 a0 a2) + 2 a1 a2 + a2^2
 *
 * Each of the five terms of the square is an integer of at most 2^43 in its unit, too long for another multiplication.
 * It is rounded to the next larger unit, 2^22 times its own. The remainder, and the multiple of the larger unit that
 * the term below contributes, make a slice of at most 2^22. The longest sum, three products of such a slice and a
 * weight slice, then has at most 3 * 2^43 units per row, and 2^53 for 341 rows: more than a lane receives. */

enum { LONGEST_TERM = CRD_I_MOST_WEIGHTED / LANES * 3 };
_Static_assert(LONGEST_TERM <= 1 << 10, "sums of weighted slices are exact");

/* Loads `count` numbers, followed by zeros. */
INLINED lanes load_first(const double *source, size_t count) {
    double values[LANES] = {0};
    if (__builtin_expect(count >= LANES, 1)) return load(source);
    for (size_t i = 0; i < count; i++) values[i] = source[i];
    return load(values);
}

/* Computes y0 + ... + y5 = x^2, the largest first. */
INLINED void slice_square(const double *constants, const sliced_lanes *of, lanes *y) {
    const lanes twice0 = of->slice0 + of->slice0, twice1 = of->slice1 + of->slice1;
    const lanes terms[CRD_I_SQUARE_SLICES - 1] = {of->slice0 * of->slice0, twice0 * of->slice1,
                                                  MULTIPLY_ADD(of->slice1, of->slice1, twice0 * of->slice2),
                                                  twice1 * of->slice2, of->slice2 * of->slice2};
    lanes above = {0}; /* remainder of the term above */
#pragma GCC unroll 5
    for (int i = 0; i < CRD_I_SQUARE_SLICES - 1; i++) {
        const lanes constant = (lanes){0} + constants[i];
        const lanes rounded = (terms[i] + constant) - constant;
        y[i] = above + rounded;
        above = terms[i] - rounded;
    }
    y[CRD_I_SQUARE_SLICES - 1] = above;
}

/* `used` is a constant in every call. */
INLINED size_t add_by(const crd_i_weighted_scales *scales, const double *numbers, const crd_i_sliced_weights *weights,
                      int used, size_t count, crd_i_weighted_parts *parts, uint16_t *left) {
    size_t left_count = 0;
    lanes sums[CRD_I_WEIGHTED_PARTS];
#pragma GCC unroll 15
    for (int i = 0; i < CRD_I_WEIGHTED_PARTS; i++) sums[i] = load(parts->sums[i]);
    for (size_t row = 0; row < count; row += LANES) {
        lanes x = load_first(numbers + row, count - row), w[CRD_I_SLICES], y[CRD_I_SQUARE_SLICES];
        sliced_lanes sliced;
#pragma GCC unroll 3
        for (int i = 0; i < used; i++) w[i] = load_first(weights->slices[i] + row, count - row);
        unsigned marks = misfits(&scales->numbers, 0, x, &sliced) | MARKS(w[0], w[0], (lanes){0}, (lanes){0} + 1);
        if (__builtin_expect(marks != 0, 0)) {
            for (unsigned remainder = marks; remainder != 0; remainder &= remainder - 1)
                left[left_count++] = (uint16_t)(row + (unsigned)__builtin_ctz(remainder));
            x = clear_lanes(x, marks);
            for (int i = 0; i < used; i++) w[i] = clear_lanes(w[i], marks);
            (void)misfits(&scales->numbers, 0, x, &sliced);
        }
        split_first(&scales->numbers, 0, x, &sliced);
        slice_square(scales->square_constants, &sliced, y);
        const lanes a[CRD_I_SLICES] = {sliced.slice0, sliced.slice1, sliced.slice2};
        sums[0] += used > 1 ? w[0] + w[1] : w[0];
        if (used > 2) sums[1] += w[2];
#pragma GCC unroll 3
        for (int i = 0; i < used; i++) {
#pragma GCC unroll 3
            for (int k = 0; k < CRD_I_SLICES; k++) sums[2 + i + k] = MULTIPLY_ADD(w[i], a[k], sums[2 + i + k]);
#pragma GCC unroll 6
            for (int k = 0; k < CRD_I_SQUARE_SLICES; k++) sums[7 + i + k] = MULTIPLY_ADD(w[i], y[k], sums[7 + i + k]);
        }
    }
#pragma GCC unroll 15
    for (int i = 0; i < CRD_I_WEIGHTED_PARTS; i++) store(parts->sums[i], sums[i]);
    return left_count;
}

TARGET static inline size_t add_weighted(const crd_i_weighted_scales *scales, const double *numbers,
                                         const crd_i_sliced_weights *weights, size_t count, crd_i_weighted_parts *parts,
                                         uint16_t *left) {
    if (weights->used == 1) return add_by(scales, numbers, weights, 1, count, parts, left);
    if (weights->used == 2) return add_by(scales, numbers, weights, 2, count, parts, left);
    return add_by(scales, numbers, weights, CRD_I_SLICES, count, parts, left);
}
