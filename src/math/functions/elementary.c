/* SPDX-License-Identifier: MIT */
/* elementary.c - exp and log from basic IEEE operations only, so every machine computes the same bits. Compiled without
 * contraction, because a fused multiply-add would round differently. The arithmetic is in elementary_kernel.h, which
 * the vector code shares. This file handles the ends of the range. */
#include "math/functions/elementary.h"

#include "math/exact/ieee754.h"

#include <math.h>

#define REAL double
#define BITS uint64_t
#define TARGET
#define BITS_OF(x) crd_i_bits_of(x)
#define REAL_OF(bits) crd_i_double_of(bits)
#define SELECT(test, a, b) ((test) ? (a) : (b))
#include "math/functions/elementary_kernel.h"

/* Returns 2^exponent for exponents -1022 .. 1023. */
static double elementary_power_of_two(int exponent) {
    return crd_i_double_of((uint64_t)(exponent + 1023) << 52);
}

/* ---- exp ---- */

/* Computes (leading + rest) * 2^exponent below the smallest normal double, rounded to the fixed step of the denormals.
 * Adding the power of two whose last place is that step does the rounding; everything else is exact. */
static double scale_to_denormal(double leading, double remainder, int exponent) {
    double anchor = elementary_power_of_two(-1022 - exponent);
    double sum = anchor + leading;
    double lost = leading - (sum - anchor);
    sum += lost + remainder;
    return (sum - anchor) * elementary_power_of_two(-1000) * elementary_power_of_two(exponent + 1000);
}

double crd_exp(double x) {
    if (isnan(x)) return x;
    if (x > 709.79) return INFINITY; /* the smallest x that overflows is 709.7827... */
    if (x < -745.2) return 0;        /* the largest x whose result rounds to 0 is -745.1332... */
    exp_parts parts = exp_split(x);
    int k = (int)parts.k;
    double result = parts.leading + parts.correction;
    if (k > 1023) return result * 2 * elementary_power_of_two(k - 1);
    if (k > -1022 || (k == -1022 && result >= 1)) return result * crd_i_double_of(parts.power);
    return scale_to_denormal(result, parts.correction - (result - parts.leading), k);
}

/* ---- log ---- */

/* Returns ln(x * 2^exponent) for a positive, finite x. */
static double log_finite(double x, int64_t exponent) {
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        exponent -= 54;
    }
    uint64_t bits = crd_i_bits_of(x);
    return log_of_parts((double)(exponent + (int64_t)(bits >> 52) - 1023), bits);
}

double crd_log(double x) {
    if (isnan(x)) return x;
    if (x < 0) return NAN;
    if (x == 0) return -INFINITY;
    if (isinf(x)) return x;
    return log_finite(x, 0);
}

double crd_i_log_scaled(double mantissa, int64_t exponent) {
    return log_finite(mantissa, exponent);
}

double crd_i_log_sum_exp(const double *x, size_t count) {
    double greatest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (isnan(x[i])) return x[i];
        if (x[i] > greatest) greatest = x[i];
    }
    if (isinf(greatest)) return greatest;
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += crd_exp(x[i] - greatest);
    return greatest + crd_log(sum);
}
