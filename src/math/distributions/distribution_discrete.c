/* SPDX-License-Identifier: MIT */
/* distribution_discrete.c - discrete uniform, binomial and Poisson distributions.
 *
 * The tails of the last two are incomplete beta and gamma functions:
 *     binomial P(X > k) = I_p(k + 1, n - k), Poisson P(X <= k) = Q(k + 1, mean). */
#include "math/distributions/distribution_internal.h"

#include "base/error.h"

#include <math.h>

/* Returns k ln x, with 0^0 = 1. */
static crd_i_pair log_power(double k, crd_i_pair x) {
    if (k == 0) return crd_i_pair_of(0);
    return x.high > 0 ? crd_i_pair_times(crd_i_pair_log(x), k) : crd_i_pair_of(-INFINITY);
}

/* ---- Uniform on from, from + 1, ..., to ---- */

static const crd_parameter discrete_uniform_parameters[] = {
    {"from", "the minimum", CRD_PARAMETER_WHOLE, -0x1p52, 0x1p52, 1},
    {"to", "the maximum", CRD_PARAMETER_WHOLE, -0x1p52, 0x1p52, NAN},
};

static crd_status discrete_uniform_check(crd_distribution *d, crd_error *error) {
    if (d->parameter[0] <= d->parameter[1]) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_SETTING, "from is greater than to");
}

static void from_to_support(const crd_distribution *d, double *low, double *high) {
    *low = d->parameter[0];
    *high = d->parameter[1];
}

static double value_count(const crd_distribution *d) {
    return d->parameter[1] - d->parameter[0] + 1;
}

static crd_i_pair discrete_uniform_log_density(const crd_distribution *d, const double *x) {
    (void)x;
    return crd_i_pair_negate(crd_i_pair_log(crd_i_pair_of(value_count(d))));
}

static crd_i_tails discrete_uniform_tails(const crd_distribution *d, double x) {
    return (crd_i_tails){(x - d->parameter[0] + 1) / value_count(d), (d->parameter[1] - x) / value_count(d)};
}

static double discrete_uniform_mean(const crd_distribution *d) {
    return (d->parameter[0] + d->parameter[1]) / 2;
}

static double discrete_uniform_variance(const crd_distribution *d) {
    double count = value_count(d);
    return (count - 1) * (count + 1) / 12;
}

static void discrete_uniform_sample(const crd_distribution *d, crd_i_random *random, double *out) {
    out[0] = d->parameter[0] + (double)crd_i_random_below(random, (uint64_t)value_count(d));
}

const crd_i_distribution_type crd_i_discrete_uniform = {
    .kind = {"discrete-uniform", "each whole number of a range has the same probability: a die is to=6", 1, 2,
             discrete_uniform_parameters},
    .check = discrete_uniform_check,
    .support = from_to_support,
    .log_density = discrete_uniform_log_density,
    .tails = discrete_uniform_tails,
    .mean = discrete_uniform_mean,
    .variance = discrete_uniform_variance,
    .sample = discrete_uniform_sample,
};

/* ---- Binomial ---- */

static const crd_parameter binomial_parameters[] = {
    {"n", "the number of trials", CRD_PARAMETER_WHOLE, 0, CRD_I_GREATEST_SHAPE, NAN},
    {"p", "the probability of success in each trial", CRD_PARAMETER_REAL, 0, 1, 0.5},
};

static void binomial_support(const crd_distribution *d, double *low, double *high) {
    *low = 0;
    *high = d->parameter[0];
}

static crd_i_pair binomial_log_density(const crd_distribution *d, const double *x) {
    double n = d->parameter[0], p = d->parameter[1], k = x[0];
    crd_i_pair successes = log_power(k, crd_i_pair_of(p)), failures = log_power(n - k, crd_i_pair_sum(1, -p));
    if (isinf(successes.high) || isinf(failures.high)) return crd_i_pair_of(-INFINITY);
    crd_i_pair ways = crd_i_pair_subtract(crd_i_log_gamma_1p(n), crd_i_log_gamma_1p(k));
    ways = crd_i_pair_subtract(ways, crd_i_log_gamma_1p(n - k));
    return crd_i_pair_add(ways, crd_i_pair_add(successes, failures));
}

static crd_i_tails binomial_tails(const crd_distribution *d, double x) {
    double n = d->parameter[0], p = d->parameter[1];
    crd_i_tails beta = crd_i_beta_tails(x + 1, n - x, crd_i_pair_of(p), crd_i_pair_sum(1, -p));
    return (crd_i_tails){beta.above, beta.below};
}

static double binomial_mean(const crd_distribution *d) {
    return d->parameter[0] * d->parameter[1];
}

static double binomial_variance(const crd_distribution *d) {
    return d->parameter[0] * d->parameter[1] * (1 - d->parameter[1]);
}

const crd_i_distribution_type crd_i_binomial = {
    .kind = {"binomial", "successes in n independent trials: heads of n coins", 1, 2, binomial_parameters},
    .support = binomial_support,
    .log_density = binomial_log_density,
    .tails = binomial_tails,
    .mean = binomial_mean,
    .variance = binomial_variance,
};

/* ---- Poisson ---- */

static const crd_parameter poisson_parameters[] = {
    {"mean", "the expected number of events", CRD_PARAMETER_REAL, 0, CRD_I_GREATEST_SHAPE, NAN},
};

static void poisson_support(const crd_distribution *d, double *low, double *high) {
    *low = 0;
    *high = d->parameter[0] > 0 ? INFINITY : 0;
}

static crd_i_pair poisson_log_density(const crd_distribution *d, const double *x) {
    if (d->parameter[0] == 0) return crd_i_pair_of(0);
    /* The probability of so many events is so small that its logarithm does not fit in a double. */
    if (x[0] > 1e300) return crd_i_pair_of(-INFINITY);
    return crd_i_gamma_log_power(x[0], d->parameter[0]);
}

static crd_i_tails poisson_tails(const crd_distribution *d, double x) {
    crd_i_tails gamma = crd_i_gamma_tails(x + 1, d->parameter[0]);
    return (crd_i_tails){gamma.above, gamma.below};
}

static double poisson_mean(const crd_distribution *d) {
    return d->parameter[0];
}

const crd_i_distribution_type crd_i_poisson = {
    .kind = {"poisson", "the number of independent events, given their mean", 1, 1, poisson_parameters},
    .support = poisson_support,
    .log_density = poisson_log_density,
    .tails = poisson_tails,
    .mean = poisson_mean,
    .variance = poisson_mean,
};
