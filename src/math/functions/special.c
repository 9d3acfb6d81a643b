/* SPDX-License-Identifier: MIT */
/* special.c - the special functions of the distributions: gamma, incomplete gamma and beta functions, and the standard
 * normal distribution. See special.h.
 *
 * Contents:
 *   1. Quantiles from tails
 *   2. Gamma functions
 *   3. Incomplete beta function
 *   4. Standard normal distribution */
#include "math/functions/special.h"

#include "math/functions/elementary.h"

#include <math.h>

/* ======== 1. Quantiles from tails ========
 *
 * For any distribution on [0, end]. On the lower side, ln F is nearly linear in ln x (F behaves like x^a near 0). On
 * the upper side, ln Q is nearly linear in x (Q behaves like e^-x). Newton's steps use these coordinates, so few are
 * needed. Positive doubles are ordered like their bits, so bisecting the bits between two of them ends after at most 64
 * steps, anywhere from 1e-300 to 1e300. */

static double special_inverse_halfway(double low, double high) {
    uint64_t first = crd_i_bits_of(low), limit = crd_i_bits_of(high);
    return crd_i_double_of(first + (limit - first) / 2);
}

/* Returns the next point of Newton's method from x, or NaN if it is undefined there. */
static double special_inverse_newton(const crd_i_continuous *d, double x, crd_i_tails tails, double p,
                                     bool from_above) {
    double density = d->density(d->parameters, x);
    bool on_lower_side = tails.below < 0.5;
    double tail = on_lower_side ? tails.below : tails.above;
    double wanted = on_lower_side == from_above ? 1 - p : p;
    if (!(tail > 0) || !(wanted > 0) || !(density > 0) || isinf(density)) return NAN;
    double gap = crd_log(wanted) - crd_log(tail);
    if (on_lower_side) return x * crd_exp(gap * tail / (x * density));
    return x - gap * tail / density;
}

double crd_i_continuous_quantile(const crd_i_continuous *d, double p, bool from_above) {
    if (!(p > 0)) return from_above ? d->end : 0;
    if (!(p < 1)) return from_above ? 0 : d->end;
    double low = 0, high = d->end, x = isinf(d->end) ? 1 : d->end / 2;
    for (int i = 0; i < 200; i++) {
        crd_i_tails tails = d->tails(d->parameters, x);
        double excess = from_above ? p - tails.above : tails.below - p;
        if (excess == 0) return x;
        if (excess < 0) low = x;
        else high = x;
        if (crd_i_bits_of(high) - crd_i_bits_of(low) <= 1) break;
        double next = special_inverse_newton(d, x, tails, p, from_above);
        bool is_inside = next > low && next < high;
        if (is_inside && fabs(next - x) <= x * 0x1p-51) return next;
        /* Every third step bisects, in case steps that stay inside the bracket make slow progress. */
        x = is_inside && i % 3 != 2 ? next : special_inverse_halfway(low, high);
    }
    return x;
}

/* ======== 2. Gamma functions ========
 *
 * Ln Gamma Stirling's series from 30 on, where 13 terms leave less than 1e-33. Smaller arguments are raised to 30 using
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
/* Sums and fractions end when rounding hides the remaining terms. For every allowed shape, this takes far fewer steps
 * than the maximum. The truncation error of a fraction is itself a sum of many small changes, so a quarter more steps are taken. */
static const double SERIES_CLOSE_ENOUGH = 0x1p-52;
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
    while (term > sum * SERIES_CLOSE_ENOUGH) {
        last++;
        term *= x / (a + last);
        sum += term;
    }
    double nested = 1;
    for (double n = ceil(last * TAKEN_OVER_FOUND); n > 0; n--) nested = 1 + x / (a + n) * nested;
    return nested;
}

/* Returns the continued fraction 1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...))) = Gamma(a, x) / (x^a e^-x), for x >=
 * 1 and x at least about a. */
static double gamma_fraction(double a, double x) {
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
        if (fabs(term) < sum * SERIES_CLOSE_ENOUGH) break;
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
    double above = w == 0 ? 0 : w * a * gamma_fraction(a, x);
    return (crd_i_tails){1 - above, above};
}

/* ======== 3. Incomplete beta function ========
 *
 *   I_x(a, b) = x^a y^b / B(a, b) / (d0 + c1/(d1 + c2/(d2 + ...))), y = 1 - x, where with lead = a y - b x
 *     c(n) = (a + n - 1) (a + b + n - 1) n (b - n) x^2 / (a + 2n - 1)^2,
 *     d(n) = n + n (b - n) x / (a + 2n - 1) + (a + n) (lead + 1 + n (1 + y)) / (a + 2n + 1).
 * This is the even part of the usual continued fraction in powers of x (DiDonato and Morris 1992). It needs half as
 * many steps. Since y and lead appear in it directly, nothing is lost when x is close to 1. It converges within about
 * sqrt(max(a, b)) steps for x < (a + 1) / (a + b + 2). For larger x, the other tail is computed: I_x(a, b) = 1 - I_y(b,
 * a). */

static const double TOO_CLOSE = 1e-8;

/* 1 / (a B(a, b)) = b / (a + b) * Gamma(1 + a + b) / (Gamma(1 + a) Gamma(1 + b)), which has no pole at small a or b. */
crd_i_pair crd_i_beta_log_power(double a, double b, crd_i_pair x, crd_i_pair y) {
    crd_i_pair log_x = crd_i_pair_times(crd_i_pair_log(x), a), log_y = crd_i_pair_times(crd_i_pair_log(y), b);
    crd_i_pair sum = crd_i_pair_sum(a, b);
    crd_i_pair log_gammas =
        sum.high < 1e-17 ? crd_i_log_gamma_1p(sum.high) : crd_i_log_gamma_pair(crd_i_pair_add(sum, crd_i_pair_of(1)));
    log_gammas = crd_i_pair_subtract(log_gammas, crd_i_log_gamma_1p(a));
    log_gammas = crd_i_pair_subtract(log_gammas, crd_i_log_gamma_1p(b));
    crd_i_pair share = crd_i_pair_log(crd_i_pair_divide(crd_i_pair_of(b), sum));
    return crd_i_pair_add(crd_i_pair_add(log_x, log_y), crd_i_pair_add(log_gammas, share));
}

typedef struct beta_fraction {
    double a, b, x, y, lead;
} beta_fraction;

/* Returns c(n), except c(1) / a instead of c(1). */
static double part_above(const beta_fraction *f, double n) {
    double below = f->a + 2 * n - 1, first = n == 1 ? 1 : f->a + n - 1;
    return first / below * ((f->a + f->b + n - 1) / below) * (n * (f->b - n) * f->x * f->x);
}

/* Returns d(n), except d(0) / a instead of d(0). */
static double special_beta_part_below(const beta_fraction *f, double n) {
    if (n == 0) return (f->lead + 1) / (f->a + 1);
    return n + n * (f->b - n) / (f->a + 2 * n - 1) * f->x +
           (f->a + n) / (f->a + 2 * n + 1) * (f->lead + 1 + n * (1 + f->y));
}

/* Evaluates the fraction divided by a. Lentz's method determines the number of steps; `above` and `below` are the
 * ratios of successive numerators and denominators of the convergents. The fraction is then summed from the far end,
 * where rounding errors die out. */
static double special_beta_evaluate(const beta_fraction *f) {
    double above = special_beta_part_below(f, 0), below = 0, last = 0;
    do {
        last++;
        double part = part_above(f, last), base = special_beta_part_below(f, last);
        above = base + part / above;
        below = 1 / (base + part * below);
    } while (fabs(above * below - 1) > FRACTION_CLOSE_ENOUGH && last < MOST_STEPS);
    last = ceil(last * TAKEN_OVER_FOUND);
    double value = special_beta_part_below(f, last);
    for (double n = last; n > 0; n--) value = special_beta_part_below(f, n - 1) + part_above(f, n) / value;
    return value;
}

/* Returns I_x(a, b) for x below (a + 1) / (a + b + 2). */
static double lower_tail(double a, double b, crd_i_pair x, crd_i_pair y) {
    double power = crd_i_pair_exp(crd_i_beta_log_power(a, b, x, y));
    beta_fraction f = {a, b, x.high, y.high, a * y.high - b * x.high};
    return power == 0 ? 0 : fmin(power / special_beta_evaluate(&f), 1); /* rounding may exceed 1 */
}

/* Returns whether to start from the lower tail. With a shape below 1, most of the mass may lie at one end, so the small
 * tail is the one without the mean. At the very end, however, the fraction takes 1 / sqrt(1 - x) steps, so this rule
 * does not apply there. */
static bool starts_below(double a, double b, double x, double y) {
    if (a >= 1 && b >= 1) return x * (a + b + 2) < a + 1;
    return x * b < y * a ? y > TOO_CLOSE : x < TOO_CLOSE;
}

crd_i_tails crd_i_beta_tails(double a, double b, crd_i_pair x, crd_i_pair y) {
    if (!(x.high > 0)) return (crd_i_tails){0, 1};
    if (!(y.high > 0)) return (crd_i_tails){1, 0};
    if (starts_below(a, b, x.high, y.high)) {
        double below = lower_tail(a, b, x, y);
        return (crd_i_tails){below, 1 - below};
    }
    double above = lower_tail(b, a, y, x);
    return (crd_i_tails){1 - above, above};
}

/* ======== 4. Standard normal distribution ========
 *
 * With phi(z) = e^(-z^2/2) / sqrt(2 pi), the upper tail is
 *     1/2 - phi(z) (z + z^3/3 + z^5/(3 5) + ...) for 0 <= z < 3/2,
 *     phi(z) z / 2 times the fraction of Gamma(1/2, z^2/2) for z >= 3/2.
 * The quantile uses Newton's method on the logarithm of the upper tail Q. It is concave, and Q <= e^(-z^2/2) / 2.
 * Starting from z = sqrt(-2 ln 2p), every step therefore approaches the solution from above; about five steps are
 * needed. */

static const double ONE_OVER_SQRT_2PI = 0x1.9884533d43651p-2;

/* Returns phi(z) for z of at most 40. */
static double special_normal_height(double z) {
    crd_i_pair square = crd_i_pair_product(z, z);
    return crd_i_pair_exp((crd_i_pair){-0.5 * square.high, -0.5 * square.low}) * ONE_OVER_SQRT_2PI;
}

/* Returns the probability between 0 and z, 0 <= z < 3/2. */
static double special_normal_middle(double z) {
    double sum = 0, term = z;
    for (int i = 3; term > sum * 0x1p-56; i += 2) {
        sum += term;
        term *= z * z / i;
    }
    return sum * special_normal_height(z);
}

/* Returns the upper tail divided by phi(z), for z >= 3/2. */
static double far_ratio(double z) {
    return z / 2 * gamma_fraction(0.5, z * z / 2);
}

crd_i_tails crd_i_normal_tails(double z) {
    if (isnan(z)) return (crd_i_tails){z, z};
    double distance = fabs(z);
    if (distance < 1.5) {
        double part = z < 0 ? -special_normal_middle(distance) : special_normal_middle(distance);
        return (crd_i_tails){0.5 + part, 0.5 - part};
    }
    double small = distance > 40 ? 0 : special_normal_height(distance) * far_ratio(distance);
    return z < 0 ? (crd_i_tails){small, 1 - small} : (crd_i_tails){1 - small, small};
}

/* Returns the point whose upper tail is q, 0 < q < 0.4. Uses the logarithm of the tail, which does not underflow. */
static double far_quantile(double q) {
    double log_q = crd_log(q), z = sqrt(-2 * crd_log(2 * q)), step;
    do {
        double ratio = z < 1.5 ? (0.5 - special_normal_middle(z)) / special_normal_height(z) : far_ratio(z);
        step = (crd_log(ratio * ONE_OVER_SQRT_2PI) - z * z / 2 - log_q) * ratio;
        z += step;
    } while (fabs(step) > z * 1e-9); /* the next step would be of the order of its square */
    return z;
}

/* Returns the point whose upper tail is q, 0.4 <= q <= 1/2. Uses Newton's method on the middle part, which is nearly
 * linear there. */
static double near_quantile(double q) {
    double wanted = 0.5 - q, z = wanted / ONE_OVER_SQRT_2PI;
    for (int i = 0; i < 4; i++) z += (wanted - special_normal_middle(z)) / special_normal_height(z);
    return z;
}

double crd_i_normal_quantile(double p) {
    if (!(p > 0)) return -INFINITY;
    if (!(p < 1)) return INFINITY;
    double tail = p <= 0.5 ? p : 1 - p;
    double z = tail < 0.4 ? far_quantile(tail) : near_quantile(tail);
    return p <= 0.5 ? -z : z;
}
