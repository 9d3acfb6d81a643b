/* special_beta.c - the incomplete beta function.
 *
 * I_x(a, b) = x^a y^b / (a B(a, b)) / (1 + d1/(1 + d2/(1 + ...))), y = 1 - x,
 *     d(2m)   =  m (b - m) x / ((a + 2m - 1) (a + 2m)),
 *     d(2m+1) = -(a + m) (a + b + m) x / ((a + 2m) (a + 2m + 1)),
 * which converges within about sqrt(max(a, b)) steps for x < (a + 1) / (a + b + 2); beyond that the tail on the other
 * side is found, by I_x(a, b) = 1 - I_y(b, a). */
#include "math/special.h"

#include <math.h>

static const double CLOSE_ENOUGH = 0x1p-52;
static const double TOO_CLOSE = 1e-8;

/* 1 / (a B(a, b)) = b / (a + b) * Gamma(1 + a + b) / (Gamma(1 + a) Gamma(1 + b)), which has no pole at a small a or b.
 */
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

static double odd_part(double a, double b, double x, double m) {
    return -((a + m) / (a + 2 * m)) * ((a + b + m) / (a + 2 * m + 1)) * x;
}

static double even_part(double a, double b, double x, double m) {
    return (m / (a + 2 * m - 1)) * ((b - m) / (a + 2 * m)) * x;
}

/* 1 + d1/(1 + d2/(1 + ...)). Lentz's method tells how far to go (above and below are the quotients of successive
 * numerators and denominators of the convergents), then it is summed from the far end, where roundings die out. */
static double fraction(double a, double b, double x) {
    double above = 1, below = 0, last = 0;
    do {
        double odd = odd_part(a, b, x, last), even = even_part(a, b, x, last + 1);
        above = 1 + odd / above;
        below = 1 / (1 + odd * below);
        above = 1 + even / above;
        below = 1 / (1 + even * below);
        last++;
    } while (fabs(above * below - 1) > CLOSE_ENOUGH);
    double value = 1;
    for (double m = last; m > 0; m--) {
        value = 1 + even_part(a, b, x, m) / value;
        value = 1 + odd_part(a, b, x, m - 1) / value;
    }
    return value;
}

/* I_x(a, b), x under (a + 1) / (a + b + 2). */
static double lower_tail(double a, double b, crd_i_pair x, crd_i_pair y) {
    double power = crd_i_pair_exp(crd_i_beta_log_power(a, b, x, y));
    return power == 0 ? 0 : power / fraction(a, b, x.high);
}

/* From which side to begin. With a shape under 1 most of the mass may lie at an end, so that the small tail is the one
 * that does not have the mean in it; but the fraction takes 1 / sqrt(1 - x) steps there, so not at the very end. */
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
