/* SPDX-License-Identifier: MIT */
/* vectors.h - sums over vectors of doubles, in lanes: the order of additions is the same whatever the processor has. */
#ifndef CRD_MATH_VECTORS_H
#define CRD_MATH_VECTORS_H

#include <stddef.h>

/* The inner product. */
static inline double crd_i_dot(const double *a, const double *b, size_t count) {
    enum { LANES = 8 };
    double sums[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t lane = 0; lane < LANES; lane++) sums[lane] += a[i + lane] * b[i + lane];
    for (; i < count; i++) sum += a[i] * b[i];
    for (size_t lane = 0; lane < LANES; lane++) sum += sums[lane];
    return sum;
}

/* to += factor * from. */
static inline void crd_i_add_scaled(double *restrict to, double factor, const double *restrict from, size_t count) {
    for (size_t i = 0; i < count; i++) to[i] += factor * from[i];
}

#endif
