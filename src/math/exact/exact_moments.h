/* SPDX-License-Identifier: MIT */
/* exact_moments.h - means, variances and covariances from exact sums, correctly rounded.
 *
 * With n = sum of weights, s = sum of w x, q = sum of w x^2, all exact:
 *   mean            s / n
 *   variance        (n q - s^2) / n^2
 *   sample variance (n q - s^2) / (n (n - 1))
 * and of two columns, with t = sum of w y and q = sum of w x y, the covariances with s t for s^2,
 * evaluated in big integers and rounded once, so that no offset can cancel digits. A variance may leave the range of a
 * double though its deviation does not, so it is kept with an exponent of its own. */
#ifndef CRD_MATH_EXACT_EXACT_MOMENTS_H
#define CRD_MATH_EXACT_EXACT_MOMENTS_H

#include "math/exact/exact_sums.h"

/* mantissa * 2^exponent; mantissa is 0 or in [0.5, 1). */
typedef struct crd_i_scaled {
    double mantissa;
    int64_t exponent;
} crd_i_scaled;

crd_i_scaled crd_i_scaled_of(double value); /* value finite and >= 0 */
crd_i_scaled crd_i_scaled_add(crd_i_scaled a, crd_i_scaled b);
crd_i_scaled crd_i_scaled_multiply(crd_i_scaled a, crd_i_scaled b);
crd_i_scaled crd_i_scaled_divide(crd_i_scaled a, crd_i_scaled b); /* b not 0 */
/* Rounded to nearest; an infinity when too large, denormal or zero when too small. */
double crd_i_scaled_value(crd_i_scaled a);
double crd_i_scaled_root(crd_i_scaled a);

/* One cell of three arrays of sums: weights, w x, w x^2. */
typedef struct crd_i_moment_cell {
    const crd_i_sums *n, *s, *q;
    size_t cell;
} crd_i_moment_cell;

/* false: out of memory, or undefined (n = 0; for the sample variance n <= 1), told apart by *defined. `rest`, which may
 * be NULL, holds the next bits of the mean: what rounding it to a double left over, to 2^-62 of the mean. */
CRD_MUST_USE bool crd_i_moments_mean(crd_i_moment_cell at, double *mean, double *rest, bool *defined);
CRD_MUST_USE bool crd_i_moments_variance(crd_i_moment_cell at, bool sample, crd_i_scaled *variance, bool *defined);
/* n times the variance: (n q - s^2) / n, for pooling; 0 where n is 0. */
CRD_MUST_USE bool crd_i_moments_deviations(crd_i_moment_cell at, crd_i_scaled *sum_of_squared_deviations);
/* Whether n >= 0, n = 0 means s = q = 0, and n q >= s^2: what every multiset of rows fulfils. */
CRD_MUST_USE bool crd_i_moments_possible(crd_i_moment_cell at, bool *possible);

/* The sums of two columns, which may be the same one: weights, w x, w y, w x y. */
typedef struct crd_i_comoment_cell {
    const crd_i_sums *n, *s, *t, *q;
    size_t n_cell, s_cell, t_cell, q_cell;
} crd_i_comoment_cell;

/* sign * size; sign is 0 where size is. */
typedef struct crd_i_signed {
    int sign;
    crd_i_scaled size;
} crd_i_signed;
double crd_i_signed_value(crd_i_signed a);

/* As above, the mean being that of x: where x is y, what the variance is, though a negative one is told. */
CRD_MUST_USE bool crd_i_comoments_mean(crd_i_comoment_cell at, double *mean, double *rest, bool *defined);
CRD_MUST_USE bool crd_i_comoments_covariance(crd_i_comoment_cell at, bool sample, crd_i_signed *covariance,
                                             bool *defined);
/* n times the covariance: (n q - s t) / n, for pooling; 0 where n is 0. */
CRD_MUST_USE bool crd_i_comoments_deviations(crd_i_comoment_cell at, crd_i_signed *sum_of_products);

#endif
