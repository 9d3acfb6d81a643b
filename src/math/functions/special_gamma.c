/* SPDX-License-Identifier: MIT */
/* special_gamma.c - the gamma function and the incomplete gamma functions.
 *
 * ln Gamma Stirling's series from 30 on, where 13 terms leave less than 1e-33. Smaller arguments are raised to 30 using
 *             Gamma(x) = Gamma(x + n) / (x (x+1) ... (x+n-1)). Pairs keep enough digits around 1 and 2, where the
 *             logarithm vanishes.
 * P, Q With w = x^a / Gamma(1 + a):
 *             P = w e^-x (1 + x/(a+1) + x^2/((a+1)(a+2)) + ...) for x < a,
 *             Q = w e^-x a / (x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))) for x >= a and x >= 1,
 *             Q = (1 - w) + w a (x/(1!(a+1)) - x^2/(2!(a+2)) + ...) for a < 1 and x < 1.
 *             Each case uses the formula that is not a difference of two large numbers; the other tail is 1 minus it.
 *             Around x = a all of them take about sqrt(a) steps, so Temme's uniform expansion is used from a = 1e8 on:
 *             Q = normal tail of eta sqrt(a) + e^(-a eta^2 / 2) / sqrt(2 pi a) (c0(eta) + c1(eta) / a + ...), where
 *             eta^2 / 2 = mu - ln(1 + mu), mu = (x - a) / a. There |eta| < 0.005, or else one of the tails is zero, so
 *             four terms of c0 = 1/mu - 1/eta and c1(0) = -1/540 leave less than 1e-15. */
#include "math/functions/special.h"

#include "math/functions/elementary.h"

#include <math.h>

static const crd_i_pair HALF_LOG_2PI = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
static const crd_i_pair EULER = {0x1.2788cfc6fb619p-1, -0x1.6cb90701fbfabp-58};

/* Bernoulli(2 k) / (2 k (2 k - 1)) for k = 1, 2, ... */
static const struct {
    double above, below;
} STIRLING[] = {{1, 12},      {-1, 360},       {1, 1260},       {-1, 1680},        {1, 1188},     {-691, 360360},
                {1, 156},     {-3617, 122400}, {43867, 244188}, {-174611, 125400}, {77683, 5796}, {-236364091, 1506960},
                {657931, 300}};
enum { STIRLING_TERMS = sizeof STIRLING / sizeof STIRLING[0] };
static const double STIRLING_FROM = 30;

static const double UNIFORM_FROM = 1e8;
/* Sums and fractions end when rounding hides the remaining terms, within far fewer steps than the maximum. The
 * truncation error of a fraction is itself a sum of many small changes, so a quarter more steps are taken. */
static const double CLOSE_ENOUGH = 0x1p-52;
static const double FRACTION_CLOSE_ENOUGH = 0x1p-51;
static const double MOST_STEPS = 1e7;
static const double TAKEN_OVER_FOUND = 1.25;

crd_i_pair crd_i_log_gamma_pair(crd_i_pair x) {
    crd_i_pair raised = crd_i_pair_of(1);
    bool is_raised = x.high < STIRLING_FROM;
    while (x.high < STIRLING_FROM) {
        raised = crd_i_pair_multiply(raised, x);
        x = crd_i_pair_add(x, crd_i_pair_of(1));
    }
    crd_i_pair log_x = crd_i_pair_log(x), sum = HALF_LOG_2PI;
    if (x.high < 1e17) {
        crd_i_pair inverse = crd_i_pair_divide(crd_i_pair_of(1), x), square = crd_i_pair_multiply(inverse, inverse);
        crd_i_pair series = crd_i_pair_of(0);
        for (int k = STIRLING_TERMS - 1; k >= 0; k--) {
            crd_i_pair term = crd_i_pair_divide(crd_i_pair_of(STIRLING[k].above), crd_i_pair_of(STIRLING[k].below));
            series = crd_i_pair_add(crd_i_pair_multiply(series, square), term);
        }
        sum = crd_i_pair_add(sum, crd_i_pair_multiply(series, inverse));
    }
    /* (x - 1/2) ln x - x = x (ln x - 1) - ln(x) / 2, which keeps its digits if x is large. */
    crd_i_pair lead = crd_i_pair_multiply(x, crd_i_pair_add(log_x, crd_i_pair_of(-1)));
    sum = crd_i_pair_add(sum, crd_i_pair_add(lead, (crd_i_pair){-0.5 * log_x.high, -0.5 * log_x.low}));
    return is_raised ? crd_i_pair_subtract(sum, crd_i_pair_log(raised)) : sum;
}

/* ln Gamma(1 + e) = -EULER e + zeta(2)/2 e^2 - zeta(3)/3 e^3 + zeta(4)/4 e^4 - ..., |e| < 1e-6. */
static crd_i_pair log_gamma_near_1(double e) {
    double square = e * (0.8224670334241132 + e * (-0.40068563438653143 + e * 0.27058080842778454));
    return crd_i_pair_times(crd_i_pair_add(crd_i_pair_of(square), crd_i_pair_negate(EULER)), e);
}

crd_i_pair crd_i_log_gamma_1p(double a) {
    return fabs(a) < 1e-6 ? log_gamma_near_1(a) : crd_i_log_gamma_pair(crd_i_pair_sum(1, a));
}

double crd_i_log_gamma(double x) {
    if (x < 1e-17) return crd_i_pair_subtract(crd_i_log_gamma_1p(x), crd_i_pair_log(crd_i_pair_of(x))).high;
    if (fabs(x - 1) < 1e-6) return log_gamma_near_1(x - 1).high;
    if (fabs(x - 2) < 1e-6) {
        return crd_i_pair_add(log_gamma_near_1(x - 2), crd_i_pair_log(crd_i_pair_of(x - 1))).high;
    }
    return crd_i_log_gamma_pair(crd_i_pair_of(x)).high;
}

/* ln(x^a / Gamma(1 + a)) */
static crd_i_pair log_w(double a, double x) {
    crd_i_pair log_x = crd_i_pair_log(crd_i_pair_of(x));
    return crd_i_pair_subtract(crd_i_pair_times(log_x, a), crd_i_log_gamma_1p(a));
}

crd_i_pair crd_i_gamma_log_power(double a, double x) {
    return crd_i_pair_subtract(log_w(a, x), crd_i_pair_of(x));
}

/* Computes 1 + x/(a+1) (1 + x/(a+2) (1 + ...)) for x below about a. Sums from the far end, so a rounding error at one
 * level has no more weight than the level. */
static double rising_series(double a, double x) {
    double term = 1, sum = 1, last = 0;
    while (term > sum * CLOSE_ENOUGH) {
        last++;
        term *= x / (a + last);
        sum += term;
    }
    double nested = 1;
    for (double n = ceil(last * TAKEN_OVER_FOUND); n > 0; n--) nested = 1 + x / (a + n) * nested;
    return nested;
}

double crd_i_gamma_fraction(double a, double x) {
    /* Lentz's method determines the number of steps; `above` and `below` are the ratios of successive numerators and
     * denominators of the convergents. Its product of many factors would accumulate their rounding errors. Summed from
     * the far end, they die out. */
    double base = x + 1 - a, above = base, below = 0, last = 0;
    do {
        last++;
        double part = last * (a - last);
        above = base + 2 * last + part / above;
        below = 1 / (base + 2 * last + part * below);
    } while (fabs(above * below - 1) > FRACTION_CLOSE_ENOUGH && last < MOST_STEPS);
    last = ceil(last * TAKEN_OVER_FOUND);
    double value = base + 2 * last;
    for (double i = last; i > 0; i--) value = base + 2 * (i - 1) + i * (a - i) / value;
    return 1 / value;
}

/* Computes x/(1!(a+1)) - x^2/(2!(a+2)) + ... for x <= 1. */
static double falling_series(double a, double x) {
    double power = 1, sum = 0;
    for (int n = 1; n < 30; n++) {
        power *= -x / n;
        double term = power / (a + n);
        sum -= term;
        if (fabs(term) < sum * CLOSE_ENOUGH) break;
    }
    return sum;
}

/* Computes mu - ln(1 + mu) for |mu| < 0.01 from its series mu^2/2 - mu^3/3 + ... */
static double log_gap(double mu) {
    double sum = 0;
    for (int i = 10; i >= 2; i--) sum = 1.0 / i - mu * sum;
    return mu * mu * sum;
}

static crd_i_tails uniform_expansion(double a, double x) {
    double mu = (x - a) / a;
    if (mu < -0.009) return (crd_i_tails){0, 1};
    if (mu > 0.009) return (crd_i_tails){1, 0};
    double gap = log_gap(mu), eta = (mu < 0 ? -1 : 1) * sqrt(2 * gap);
    double c0 = -1.0 / 3 + eta * (1.0 / 12 + eta * (-2.0 / 135 + eta / 864));
    double remainder = crd_exp(-a * gap) / sqrt(6.283185307179586 * a) * (c0 - 1.0 / 540 / a);
    crd_i_tails tails = crd_i_normal_tails(eta * sqrt(a));
    return (crd_i_tails){tails.below - remainder, tails.above + remainder};
}

crd_i_tails crd_i_gamma_tails(double a, double x) {
    if (!(x > 0)) return (crd_i_tails){0, 1};
    if (isinf(x)) return (crd_i_tails){1, 0};
    if (a >= UNIFORM_FROM) return uniform_expansion(a, x);
    if (a < 1 && x < 1) {
        crd_i_pair power = log_w(a, x);
        double w = crd_i_pair_exp(power), series = a * falling_series(a, x);
        return (crd_i_tails){fmin(w * (1 - series), 1), w * series - crd_i_pair_expm1(power)};
    }
    double w = crd_i_pair_exp(crd_i_gamma_log_power(a, x));
    if (x < a) {
        double below = w * rising_series(a, x);
        return (crd_i_tails){below, 1 - below};
    }
    double above = w == 0 ? 0 : w * a * crd_i_gamma_fraction(a, x);
    return (crd_i_tails){1 - above, above};
}
