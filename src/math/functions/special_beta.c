/* SPDX-License-Identifier: MIT */
/* special_beta.c - the incomplete beta function.
 *
 * I_x(a, b) = x^a y^b / B(a, b) / (d0 + c1/(d1 + c2/(d2 + ...))), y = 1 - x, where with lead = a y - b x
 *     c(n) = (a + n - 1) (a + b + n - 1) n (b - n) x^2 / (a + 2n - 1)^2,
 *     d(n) = n + n (b - n) x / (a + 2n - 1) + (a + n) (lead + 1 + n (1 + y)) / (a + 2n + 1).
 * This is the even part of the usual continued fraction in powers of x (DiDonato and Morris 1992). It needs half as
 * many steps. Since y and lead appear in it directly, nothing is lost when x is close to 1. It converges within about
 * sqrt(max(a, b)) steps for x < (a + 1) / (a + b + 2). For larger x, the other tail is computed: I_x(a, b) = 1 - I_y(b,
 * a). */
#include "math/functions/special.h"

#include <math.h>

/* Convergents that are as close as rounding allows are found within far fewer steps than the maximum, for every allowed
 * shape. The truncation error is a sum of many such small changes, so a quarter more steps are taken. */
static const double CLOSE_ENOUGH = 0x1p-51;
static const double MOST_STEPS = 1e7;
static const double TAKEN_OVER_FOUND = 1.25;

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
    } while (fabs(above * below - 1) > CLOSE_ENOUGH && last < MOST_STEPS);
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
