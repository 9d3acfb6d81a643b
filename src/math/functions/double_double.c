/* SPDX-License-Identifier: MIT */
/* double_double.c - logarithm and exponential of pairs; see special.h.
 *
 * log x = 2^k m, sqrt(1/2) <= m < sqrt(2); with s = (m - 1) / (m + 1), t = s^2 < 0.0295, ln m = 2 s (1 + t/3 + t^2/5 +
 * ...). Terms beyond t^10 are below 2^-52 of the first, so plain doubles suffice for them. The last term is t^24.
 * exp x = k ln 2 + r, |r| <= ln(2) / 2; e^r = 1 + r (1 + r/2 (1 + r/3 (...))). The inner levels, which contribute less
 * than 2^-52, use plain doubles. There are 24 levels: r^24/24! < 2^-115. */
#include "math/functions/special.h"

#include <math.h>

static const crd_i_pair LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
static const double ONE_OVER_LN2 = 0x1.71547652b82fep0;

enum { LOG_TERMS = 24, LOG_PAIR_TERMS = 10, EXP_LEVELS = 24, EXP_PAIR_LEVELS = 13 };

crd_i_pair crd_i_pair_log(crd_i_pair x) {
    int exponent;
    double fraction = frexp(x.high, &exponent); /* in [1/2, 1) */
    if (fraction < 0.70710678118654752) exponent--;
    crd_i_pair m = {ldexp(x.high, -exponent), ldexp(x.low, -exponent)};

    crd_i_pair above = crd_i_pair_add(m, crd_i_pair_of(-1));
    crd_i_pair s = crd_i_pair_divide(above, crd_i_pair_add(m, crd_i_pair_of(1)));
    crd_i_pair t = crd_i_pair_multiply(s, s);
    double tail = 0;
    for (int i = LOG_TERMS; i > LOG_PAIR_TERMS; i--) tail = tail * t.high + 1.0 / (2 * i + 1);
    crd_i_pair series = crd_i_pair_of(tail);
    for (int i = LOG_PAIR_TERMS; i >= 0; i--) {
        crd_i_pair coefficient = crd_i_pair_divide(crd_i_pair_of(1), crd_i_pair_of(2 * i + 1));
        series = crd_i_pair_add(crd_i_pair_multiply(series, t), coefficient);
    }
    crd_i_pair log_m = crd_i_pair_multiply((crd_i_pair){2 * s.high, 2 * s.low}, series);
    return crd_i_pair_add(crd_i_pair_times(LN2, exponent), log_m);
}

/* Returns (e^r - 1) / r. */
static crd_i_pair double_double_exp_series(crd_i_pair r) {
    double tail = 1;
    for (int i = EXP_LEVELS; i > EXP_PAIR_LEVELS; i--) tail = 1 + r.high * tail / i;
    crd_i_pair series = crd_i_pair_of(tail);
    for (int i = EXP_PAIR_LEVELS; i > 1; i--) {
        series = crd_i_pair_divide(crd_i_pair_multiply(series, r), crd_i_pair_of(i));
        series = crd_i_pair_add(series, crd_i_pair_of(1));
    }
    return series;
}

double crd_i_pair_exp(crd_i_pair x) {
    if (isnan(x.high)) return x.high;
    if (x.high > 709.79) return INFINITY;
    if (x.high < -745.2) return 0;
    int k = (int)(x.high * ONE_OVER_LN2 + (x.high < 0 ? -0.5 : 0.5));
    crd_i_pair r = crd_i_pair_subtract(x, crd_i_pair_times(LN2, k));
    crd_i_pair power = crd_i_pair_add(crd_i_pair_of(1), crd_i_pair_multiply(r, double_double_exp_series(r)));
    return ldexp(power.high, k);
}

double crd_i_pair_expm1(crd_i_pair x) {
    if (fabs(x.high) > 0.5) return crd_i_pair_exp(x) - 1;
    return crd_i_pair_multiply(x, double_double_exp_series(x)).high;
}
