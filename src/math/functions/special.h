/* SPDX-License-Identifier: MIT */
/* special.h - the functions behind the distributions: gamma, incomplete gamma and beta, the normal distribution.
 *
 * Built on sums, products, quotients and square roots alone, hence with the same bits on every machine. The stated
 * errors are bounds that the tests hold against MPFR; the usual error is a tenth of them. Shapes go up to
 * CRD_I_GREATEST_SHAPE: beyond it the sums that are taken here get too long. */
#ifndef CRD_MATH_FUNCTIONS_SPECIAL_H
#define CRD_MATH_FUNCTIONS_SPECIAL_H

#include "math/functions/double_double.h"

#define CRD_I_LEAST_SHAPE 1e-300
#define CRD_I_GREATEST_SHAPE 1e12

/* A probability and its complement, each accurate where it is the small one. */
typedef struct crd_i_tails {
    double below, above;
} crd_i_tails;

/* ln Gamma(x), 0 < x <= 1e300, to a unit in the last place; also where it is near zero, around 1 and 2. */
double crd_i_log_gamma(double x);
/* The same as a pair: an error of 2^-95 of the result, or of 2^-98 where that is more. 1e-290 <= x <= 1e300. */
crd_i_pair crd_i_log_gamma_pair(crd_i_pair x);
/* ln Gamma(1 + a), a >= 0, also relative to a small result: as a pair. */
crd_i_pair crd_i_log_gamma_1p(double a);

/* x^a e^-x / Gamma(1 + a) as a logarithm; a >= 0, x > 0. */
crd_i_pair crd_i_gamma_log_power(double a, double x);

/* Regularised incomplete gamma functions: below = P(a, x), above = Q(a, x). Relative error at most 1e-14 in each for
 * a <= 1e6, and 1e-13 beyond; Q of tiny a and x included. x >= 0, infinity too. */
crd_i_tails crd_i_gamma_tails(double a, double x);

/* 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))), x >= a or so and x >= 1: Gamma(a, x) / (x^a e^-x). */
double crd_i_gamma_fraction(double a, double x);

/* Regularised incomplete beta function: below = I_x(a, b), above = 1 - below; y is 1 - x, both as pairs. Relative error
 * at most 1e-13 in each where neither shape is under 0.1, else in the tail that does not have the mean in it, for x and
 * y of at least 1e-8. Anywhere 1e-15 of the larger tail. */
crd_i_tails crd_i_beta_tails(double a, double b, crd_i_pair x, crd_i_pair y);

/* x^a y^b / (a B(a, b)) as a logarithm; a > 0, b > 0, x > 0, y > 0. */
crd_i_pair crd_i_beta_log_power(double a, double b, crd_i_pair x, crd_i_pair y);

/* The standard normal distribution at z, which may be infinite; relative error at most 1e-14 in each tail. */
crd_i_tails crd_i_normal_tails(double z);
/* The z whose lower tail is p, 0 <= p <= 1; infinities at the ends. The upper tail's is its negative. Relative error at
 * most 1e-14, for p around 1/2 absolute. */
double crd_i_normal_quantile(double p);

/* ---- Inverses ---- */

/* A distribution on [0, end] with a positive density inside. */
typedef struct crd_i_continuous {
    crd_i_tails (*tails)(const void *parameters, double x);
    double (*density)(const void *parameters, double x);
    const void *parameters;
    double end;
} crd_i_continuous;

/* The x at which the tail `below`, or else `above`, is p. Newton's method on the logarithm of that tail, kept between
 * two doubles that enclose the answer and halved by their bits where a step leaves them, so that it always ends. */
double crd_i_continuous_quantile(const crd_i_continuous *distribution, double p, bool from_above);

#endif
