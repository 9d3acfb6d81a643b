/* SPDX-License-Identifier: MIT */
/* special.h - the special functions of the distributions: gamma, incomplete gamma and beta, and the normal
 * distribution.
 *
 * They use only sums, products, quotients and square roots, so every machine computes the same bits. The stated errors
 * are upper bounds that the tests check against MPFR; the usual error is a tenth of them. Shapes are limited to
 * CRD_I_GREATEST_SHAPE, because the sums in this module would become too long. */
#ifndef CRD_MATH_FUNCTIONS_SPECIAL_H
#define CRD_MATH_FUNCTIONS_SPECIAL_H

#include "math/functions/double_double.h"

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

/* ---- Inverses ---- */

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
