/* SPDX-License-Identifier: MIT */
/* elementary.h - exp, log and sums of exponentials with the same bits on every machine.
 *
 * crd_exp and crd_log (declared in credence/classifier.h) have an error of less than one unit in the last place. */
#ifndef CRD_MATH_FUNCTIONS_ELEMENTARY_H
#define CRD_MATH_FUNCTIONS_ELEMENTARY_H

#include <credence/classifier.h>

/* Returns log(sum of exp(x[i])), summed in index order. Returns -INFINITY if count is 0 or all x are -INFINITY. It
 * never overflows or underflows. */
double crd_i_log_sum_exp(const double *x, size_t count);

/* Returns the natural logarithm of mantissa * 2^exponent; mantissa > 0. */
double crd_i_log_scaled(double mantissa, int64_t exponent);

#endif
