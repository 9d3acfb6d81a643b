/* SPDX-License-Identifier: MIT */
/* exact_moments.h - means, variances and covariances from exact sums, correctly rounded.
 *
 * With n = sum of weights, s = sum of w x, q = sum of w x^2, all exact:
 *   mean s / n
 *   variance (n q - s^2) / n^2
 *   sample variance (n q - s^2) / (n (n - 1))
 * For two columns, with t = sum of w y and q = sum of w x y, the covariances use s t instead of s^2. All are evaluated
 * in big integers and rounded once, so no offset can cancel digits. A variance may exceed the range of a double even if
 * its standard deviation does not, so it is stored with a separate exponent. */
#ifndef CRD_MATH_EXACT_EXACT_MOMENTS_H
#define CRD_MATH_EXACT_EXACT_MOMENTS_H

#include "math/exact/exact_sums.h"

/* The number mantissa * 2^exponent; mantissa is 0 or in [0.5, 1). */
typedef struct crd_i_scaled {
    double mantissa;
    int64_t exponent;
} crd_i_scaled;

crd_i_scaled crd_i_scaled_of(double value); /* value finite and >= 0 */
crd_i_scaled crd_i_scaled_add(crd_i_scaled a, crd_i_scaled b);
crd_i_scaled crd_i_scaled_multiply(crd_i_scaled a, crd_i_scaled b);
crd_i_scaled crd_i_scaled_divide(crd_i_scaled a, crd_i_scaled b); /* b not 0 */
/* Returns the value rounded to nearest: an infinity if too large, denormal or zero if too small. */
double crd_i_scaled_value(crd_i_scaled a);
double crd_i_scaled_root(crd_i_scaled a);

/* One entry of three arrays of sums: w, w x, w x^2. */
typedef struct crd_i_moment_cell {
    const crd_i_sums *n, *s, *q;
    size_t cell;
} crd_i_moment_cell;

/* Compute the mean, the variance and the sample variance. Return false if memory runs out or the result is undefined
 * (n = 0; for the sample variance n <= 1); *defined distinguishes the two. `remainder`, which may be NULL, receives
 * the next bits of the mean: its rounding error, to 2^-62 of the mean. */
CRD_MUST_USE bool crd_i_moments_mean(crd_i_moment_cell cell, double *mean, double *remainder, bool *defined);
CRD_MUST_USE bool crd_i_moments_variance(crd_i_moment_cell cell, bool sample, crd_i_scaled *variance, bool *defined);
/* Computes n times the variance, (n q - s^2) / n, for pooling; 0 if n is 0. */
CRD_MUST_USE bool crd_i_moments_deviations(crd_i_moment_cell cell, crd_i_scaled *sum_of_squared_deviations);
/* Sets *possible to whether n >= 0, n = 0 implies s = q = 0, and n q >= s^2. Every multiset of rows satisfies these
 * conditions. */
CRD_MUST_USE bool crd_i_moments_possible(crd_i_moment_cell moment, bool *possible);

/* The sums of two columns, which may be the same column: w, w x, w y, w x y. */
typedef struct crd_i_comoment_cell {
    const crd_i_sums *n, *s, *t, *q;
    size_t n_cell, s_cell, t_cell, q_cell;
} crd_i_comoment_cell;

/* The number sign * size; sign is 0 if size is 0. */
typedef struct crd_i_signed {
    int sign;
    crd_i_scaled size;
} crd_i_signed;
double crd_i_signed_value(crd_i_signed a);

/* Compute the mean of x and the covariances, with the same results as the functions above. If x is y, the covariance is
 * the variance, except that a negative one is returned as such. */
CRD_MUST_USE bool crd_i_comoments_mean(crd_i_comoment_cell cell, double *mean, double *remainder, bool *defined);
CRD_MUST_USE bool crd_i_comoments_covariance(crd_i_comoment_cell cell, bool sample, crd_i_signed *covariance,
                                             bool *defined);
/* Computes n times the covariance, (n q - s t) / n, for pooling; 0 if n is 0. */
CRD_MUST_USE bool crd_i_comoments_deviations(crd_i_comoment_cell cell, crd_i_signed *sum_of_products);

#endif
