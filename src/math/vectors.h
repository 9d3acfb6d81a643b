/* SPDX-License-Identifier: MIT */
/* vectors.h - sums over vectors of doubles, in a fixed number of lanes. The order of additions does not depend on the
 * CPU. */
#ifndef CRD_MATH_VECTORS_H
#define CRD_MATH_VECTORS_H

#include <stddef.h>

/* Returns the inner product. */
static inline double crd_i_dot(const double *a, const double *b, size_t count) {
    enum { LANES = 8 };
    double sums[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t worker = 0; worker < LANES; worker++) sums[worker] += a[i + worker] * b[i + worker];
    for (; i < count; i++) sum += a[i] * b[i];
    for (size_t worker = 0; worker < LANES; worker++) sum += sums[worker];
    return sum;
}

/* Computes to += factor * from. */
static inline void crd_i_add_scaled(double *restrict destination, double factor, const double *restrict source,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) destination[i] += factor * source[i];
}

#endif
