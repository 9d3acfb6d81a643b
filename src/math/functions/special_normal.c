/* SPDX-License-Identifier: MIT */
/* special_normal.c - the standard normal distribution: tails and quantiles.
 *
 * With phi(z) = e^(-z^2/2) / sqrt(2 pi), the upper tail is
 *     1/2 - phi(z) (z + z^3/3 + z^5/(3 5) + ...) for 0 <= z < 3/2,
 *     phi(z) z / 2 times the fraction of Gamma(1/2, z^2/2) for z >= 3/2.
 * The quantile uses Newton's method on the logarithm of the upper tail Q. It is concave, and Q <= e^(-z^2/2) / 2.
 * Starting from z = sqrt(-2 ln 2p), every step therefore approaches the solution from above; about five steps are
 * needed. */
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <math.h>

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
    return z / 2 * crd_i_gamma_fraction(0.5, z * z / 2);
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
