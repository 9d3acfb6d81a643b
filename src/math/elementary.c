/* elementary.c - exp and log from the basic IEEE operations alone, hence with the same bits on every machine; built
 * without contraction, since a fused multiply-add would round differently.
 *
 * In both the result is a leading part that is exact plus a small correction that is not: the correction is at most a
 * hundredth or so of the result, so its own few roundings move the result by a small part of its last place, and the
 * final addition by half of one. Over 7.5 million random and hard arguments each, the greatest error against MPFR was
 * 0.534 units in the last place for exp and 0.535 for log; tests hold both below 0.55, the promise is below 1.
 *
 * exp: x = k ln 2 + r with |r| <= ln(2) / 2, r in two parts, and
 *     e^r = 1 + r + r^2/2 + r^3 (1/3! + r/4! + ... + r^11/14!);
 * what is left out is about r^15/15! < 2^-63.
 *
 * log: x = 2^k m with sqrt(1/2) <= m < sqrt(2); with s = (m - 1) / (m + 1), |s| < 0.1716,
 *     ln m = 2 atanh s = 2 s + s^3 (2/3 + 2/5 s^2 + ... + 2/21 s^18);
 * what is left out is below 2^-60 of the first term. The quotient s is found as 26 bits and a remainder, so that 2 s is
 * as good as exact.
 *
 * Both series are plain Taylor series: one or two terms more than a fitted polynomial would need, and nothing in them
 * that a reader cannot check. */
#include "math/elementary.h"

#include "math/ieee.h"

#include <math.h>

/* ln 2 in two parts: the first has 40 bits, so that its product with an integer below 2^13 is exact. */
static const double LN2_HIGH = 0x1.62e42fefa2000p-1;
static const double LN2_LOW = 0x1.9ef35793c7673p-41;
static const double ONE_OVER_LN2 = 0x1.71547652b82fep0;

/* 2^exponent, exponent in -1022 .. 1023. */
static double power_of_two(int exponent) {
    return crd_i_double_of((uint64_t)(exponent + 1023) << 52);
}

/* x without the lower 27 bits of its mantissa: the product of two such numbers is exact. */
static double upper_half(double x) {
    return crd_i_double_of(crd_i_bits_of(x) & ~((UINT64_C(1) << 27) - 1));
}

/* ---- exp ---- */

/* (e^r - 1 - r - r^2/2) / r^3, in pairs of terms so that the machine can work on several at a time. */
static double exp_series(double r) {
    double r2 = r * r, r4 = r2 * r2;
    double t0 = 1.0 / 6 + r * (1.0 / 24);
    double t2 = 1.0 / 120 + r * (1.0 / 720);
    double t4 = 1.0 / 5040 + r * (1.0 / 40320);
    double t6 = 1.0 / 362880 + r * (1.0 / 3628800);
    double t8 = 1.0 / 39916800 + r * (1.0 / 479001600);
    double t10 = 1.0 / 6227020800 + r * (1.0 / 87178291200);
    return (t0 + r2 * t2) + r4 * ((t4 + r2 * t6) + r4 * (t8 + r2 * t10));
}

/* (leading + rest) * 2^exponent below the least normal double, rounded to the denormals' fixed step. Adding the power
 * of two whose last place is that step does the rounding; all else is exact. */
static double scale_to_denormal(double leading, double rest, int exponent) {
    double anchor = power_of_two(-1022 - exponent);
    double sum = anchor + leading;
    double lost = leading - (sum - anchor);
    sum += lost + rest;
    return (sum - anchor) * power_of_two(-1000) * power_of_two(exponent + 1000);
}

double crd_exp(double x) {
    if (isnan(x)) return x;
    if (x > 709.79) return INFINITY; /* the least x that overflows is 709.7827... */
    if (x < -745.2) return 0;        /* the greatest x whose result rounds to 0 is -745.1332... */
    int k = (int)(x * ONE_OVER_LN2 + (x < 0 ? -0.5 : 0.5));
    double near = x - k * LN2_HIGH; /* exact */
    double low = k * LN2_LOW;
    double r = near - low;
    double r_rest = (near - r) - low;

    /* 1 + r + r^2/2 with what rounding loses; the square as that of the upper half and the little that is missing. */
    double r_high = upper_half(r);
    double half_square = 0.5 * r_high * r_high;
    double first = 1 + r;
    double leading = first + half_square;
    double lost = (r - (first - 1)) + (half_square - (leading - first));
    double correction = lost + (r_rest * first + 0.5 * (r - r_high) * (r + r_high) + r * r * r * exp_series(r));
    double result = leading + correction;
    if (k > 1023) return result * 2 * power_of_two(k - 1);
    if (k > -1022 || (k == -1022 && result >= 1)) return result * power_of_two(k);
    return scale_to_denormal(result, correction - (result - leading), k);
}

/* ---- log ---- */

/* (2 atanh(s) - 2 s) / s^3 as a function of t = s^2. */
static double atanh_series(double t) {
    double t2 = t * t, t4 = t2 * t2;
    double u0 = 2.0 / 3 + t * (2.0 / 5);
    double u2 = 2.0 / 7 + t * (2.0 / 9);
    double u4 = 2.0 / 11 + t * (2.0 / 13);
    double u6 = 2.0 / 15 + t * (2.0 / 17);
    double u8 = 2.0 / 19 + t * (2.0 / 21);
    return (u0 + t2 * u2) + t4 * ((u4 + t2 * u6) + t4 * u8);
}

/* ln(x * 2^exponent), x positive and finite. */
static double log_finite(double x, int64_t exponent) {
    if (x < 0x1p-1022) {
        x *= 0x1p54;
        exponent -= 54;
    }
    uint64_t bits = crd_i_bits_of(x);
    exponent += (int64_t)(bits >> 52) - 1023;
    double m = crd_i_double_of((bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
    if (m >= 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }

    double above = m - 1; /* exact */
    double below = m + 1;
    double below_high = upper_half(below);
    double below_low = (below - below_high) + (m - (below - 1));
    double s_high = upper_half(above / below);
    double s_low = ((above - s_high * below_high) - s_high * below_low) / below;
    double s = s_high + s_low;
    double t = s * s;

    double k = (double)exponent;
    double leading = k * LN2_HIGH;
    double sum = leading + 2 * s_high;
    double lost = 2 * s_high - (sum - leading);
    return sum + (lost + (k * LN2_LOW + (2 * s_low + s * t * atanh_series(t))));
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
