/* SPDX-License-Identifier: MIT */
/* double_double.h - double-double arithmetic: numbers of about 104 bits as the sum of two doubles, with logarithm and
 * exponential.
 *
 * The densities and tails in this module are products such as x^a e^-x / Gamma(a), whose logarithms cancel. At a = 1e6,
 * numbers near 1e7 leave a result near 1, and the rounding of the former is a relative error of 1e-9 in the result.
 * With pairs, the exponent is accurate to the last place of a double for every allowed shape, and no special expansions
 * are needed around the mean.
 *
 * Results are undefined for infinities and NaN, and if a product overflows. Callers avoid these cases. */
#ifndef CRD_MATH_FUNCTIONS_DOUBLE_DOUBLE_H
#define CRD_MATH_FUNCTIONS_DOUBLE_DOUBLE_H

#include "math/exact/ieee754.h"

/* The number high + low, where |low| is at most half a unit in the last place of high. */
typedef struct crd_i_pair {
    double high, low;
} crd_i_pair;

static inline crd_i_pair crd_i_pair_of(double x) {
    return (crd_i_pair){x, 0};
}

/* Returns a + b exactly. */
static inline crd_i_pair crd_i_pair_sum(double a, double b) {
    double sum = a + b;
    double b_in = sum - a;
    return (crd_i_pair){sum, (a - (sum - b_in)) + (b - b_in)};
}

/* Returns a + b exactly if |a| >= |b| or a is 0. */
static inline crd_i_pair crd_i_pair_ordered_sum(double a, double b) {
    double sum = a + b;
    return (crd_i_pair){sum, b - (sum - a)};
}

/* Returns a * b to 2^-106, using halves of 26 and 27 bits. */
static inline crd_i_pair crd_i_pair_product(double a, double b) {
    const uint64_t upper = ~((UINT64_C(1) << 27) - 1);
    double a_high = crd_i_double_of(crd_i_bits_of(a) & upper), a_low = a - a_high;
    double b_high = crd_i_double_of(crd_i_bits_of(b) & upper), b_low = b - b_high;
    double product = a * b;
    return (crd_i_pair){product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

static inline crd_i_pair crd_i_pair_negate(crd_i_pair a) {
    return (crd_i_pair){-a.high, -a.low};
}

static inline crd_i_pair crd_i_pair_add(crd_i_pair a, crd_i_pair b) {
    crd_i_pair high = crd_i_pair_sum(a.high, b.high), low = crd_i_pair_sum(a.low, b.low);
    crd_i_pair sum = crd_i_pair_ordered_sum(high.high, high.low + low.high);
    return crd_i_pair_ordered_sum(sum.high, sum.low + low.low);
}

static inline crd_i_pair crd_i_pair_subtract(crd_i_pair a, crd_i_pair b) {
    return crd_i_pair_add(a, crd_i_pair_negate(b));
}

static inline crd_i_pair crd_i_pair_multiply(crd_i_pair a, crd_i_pair b) {
    crd_i_pair product = crd_i_pair_product(a.high, b.high);
    return crd_i_pair_ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline crd_i_pair crd_i_pair_times(crd_i_pair a, double b) {
    return crd_i_pair_multiply(a, crd_i_pair_of(b));
}

static inline crd_i_pair crd_i_pair_divide(crd_i_pair a, crd_i_pair b) {
    double first = a.high / b.high;
    crd_i_pair pair = crd_i_pair_subtract(a, crd_i_pair_times(b, first));
    double second = pair.high / b.high;
    pair = crd_i_pair_subtract(pair, crd_i_pair_times(b, second));
    crd_i_pair quotient = crd_i_pair_ordered_sum(first, second);
    return crd_i_pair_add(quotient, crd_i_pair_of(pair.high / b.high));
}

/* Returns ln x for x > 0, to 2^-98 of the result, also near 1. */
crd_i_pair crd_i_pair_log(crd_i_pair x);

/* Returns e^x rounded to a double, with an error of barely more than half a unit in the last place. Infinite x are
 * allowed: the results are infinity and 0. */
double crd_i_pair_exp(crd_i_pair x);

/* Returns e^x - 1 with a relative error of 2^-51. */
double crd_i_pair_expm1(crd_i_pair x);

#endif
