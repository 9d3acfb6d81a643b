/* SPDX-License-Identifier: MIT */
/* elementary.h - exp, log and sums of exponentials with the same bits on every machine.
 *
 * crd_exp and crd_log (declared in credence/classifier.h) err by less than one unit in the last place. */
#ifndef CRD_MATH_FUNCTIONS_ELEMENTARY_H
#define CRD_MATH_FUNCTIONS_ELEMENTARY_H

#include <credence/classifier.h>

/* log(sum of exp(x[i])) in the order of i; -INFINITY when count is 0 or all x are. No overflow, no underflow. */
double crd_i_log_sum_exp(const double *x, size_t count);

/* The natural logarithm of mantissa * 2^exponent, mantissa > 0. */
double crd_i_log_scaled(double mantissa, int64_t exponent);

#endif
