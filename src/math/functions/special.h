/* SPDX-License-Identifier: MIT */
/* special.h - the special functions of the distributions: gamma, incomplete gamma and beta, and the normal
 * distribution.
 *
 * They use only sums, products, quotients and square roots, so every machine computes the same bits. The stated errors
 * are upper bounds that the tests check against MPFR; the usual error is a tenth of them. Shapes are limited to
 * CRD_I_GREATEST_SHAPE, because the sums in this module would become too long.
 *
 * Contents:
 *   1. Double-double arithmetic
 *   2. Inverses */
#ifndef CRD_MATH_FUNCTIONS_SPECIAL_H
#define CRD_MATH_FUNCTIONS_SPECIAL_H

#include "math/exact/ieee754.h"

/* ======== 1. Double-double arithmetic ========
 *
 * Numbers of about 104 bits are the sum of two doubles, with logarithm and exponential.
 *
 * The densities and tails in this module are products such as x^a e^-x / Gamma(a), whose logarithms cancel. At a = 1e6,
 * numbers near 1e7 leave a result near 1, and the rounding of the former is a relative error of 1e-9 in the result.
 * With pairs, the exponent is accurate to the last place of a double for every allowed shape, and no special expansions
 * are needed around the mean.
 *
 * Results are undefined for infinities and NaN, and if a product overflows. Callers avoid these cases. */

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

#define CRD_I_LEAST_SHAPE 1e-300
#define CRD_I_GREATEST_SHAPE 1e12

/* A probability and its complement. Each is accurate when it is the smaller one. */
typedef struct crd_i_tails {
    double below, above;
} crd_i_tails;

/* Returns ln Gamma(x), 0 < x <= 1e300, to one unit in the last place, also near the zeros at 1 and 2. */
double crd_i_log_gamma(double x);
/* Returns ln Gamma(x) as a pair, with an error of 2^-95 of the result or 2^-98, whichever is larger. 1e-290 <= x <=
 * 1e300. */
crd_i_pair crd_i_log_gamma_pair(crd_i_pair x);
/* Returns ln Gamma(1 + a) as a pair, a >= 0, accurate relative to the result even if the result is small. */
crd_i_pair crd_i_log_gamma_1p(double a);

/* Returns ln(x^a e^-x / Gamma(1 + a)); a >= 0, x > 0. */
crd_i_pair crd_i_gamma_log_power(double a, double x);

/* Computes the regularized incomplete gamma functions: below = P(a, x), above = Q(a, x). The relative error of each is
 * at most 1e-14 for a <= 1e6, and 1e-13 beyond, including Q for tiny a and x. x >= 0 may be infinite. */
crd_i_tails crd_i_gamma_tails(double a, double x);

/* Computes the regularized incomplete beta function: below = I_x(a, b), above = 1 - below. y is 1 - x; both are pairs.
 * The relative error is at most 1e-13 in each tail if both shapes are at least 0.1; otherwise in the tail that does not
 * contain the mean, for x and y of at least 1e-8. The error never exceeds 1e-15 of the larger tail. */
crd_i_tails crd_i_beta_tails(double a, double b, crd_i_pair x, crd_i_pair y);

/* Returns ln(x^a y^b / (a B(a, b))); a > 0, b > 0, x > 0, y > 0. */
crd_i_pair crd_i_beta_log_power(double a, double b, crd_i_pair x, crd_i_pair y);

/* Returns the tails of the standard normal distribution at z, which may be infinite. The relative error of each tail is
 * at most 1e-14. */
crd_i_tails crd_i_normal_tails(double z);
/* Returns the z whose lower tail is p, 0 <= p <= 1; infinite at the ends. The z for an upper tail is the negative. The
 * relative error is at most 1e-14; for p around 1/2, the absolute error. */
double crd_i_normal_quantile(double p);

/* ======== 2. Inverses ======== */

/* A distribution on [0, end] with a positive density inside. */
typedef struct crd_i_continuous {
    crd_i_tails (*tails)(const void *parameters, double x);
    double (*density)(const void *parameters, double x);
    const void *parameters;
    double end;
} crd_i_continuous;

/* Returns the x at which the tail `below`, or else `above`, is p. Applies Newton's method to the logarithm of that
 * tail, bracketed by two doubles that enclose the result. If a step leaves the bracket, it bisects the bits of the two
 * doubles, so the search always ends. */
double crd_i_continuous_quantile(const crd_i_continuous *distribution, double p, bool from_above);

#endif
