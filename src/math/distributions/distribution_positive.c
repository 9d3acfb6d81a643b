/* SPDX-License-Identifier: MIT */
/* distribution_positive.c - distributions on an interval or a half line: uniform, exponential, gamma, chi-squared and
 * beta.
 *
 * A chi-squared distribution with v degrees of freedom is a gamma distribution with shape v/2 and scale 2. */
#include "math/distributions/distribution_internal.h"

#include "base/error.h"
#include "math/functions/elementary.h"

#include <math.h>

static void half_line(const crd_distribution *d, double *low, double *high) {
    (void)d;
    *low = 0;
    *high = INFINITY;
}

/* Returns the logarithm of a density proportional to x^(shape - 1) at x = 0. For shape 1 it is `at_one`. */
static crd_i_pair log_density_at_end(double shape, crd_i_pair at_one) {
    return shape == 1 ? at_one : crd_i_pair_of(shape < 1 ? INFINITY : -INFINITY);
}

/* ---- Uniform ---- */

static const crd_parameter uniform_parameters[] = {
    {"from", "the minimum", CRD_PARAMETER_REAL, CRD_I_ANY, 0},
    {"to", "the maximum", CRD_PARAMETER_REAL, CRD_I_ANY, 1},
};

static double positive_width(const crd_distribution *d) {
    return d->parameter[1] - d->parameter[0];
}

static crd_status uniform_check(crd_distribution *d, crd_error *error) {
    if (!(d->parameter[0] < d->parameter[1])) return crd_i_fail(error, CRD_ERROR_SETTING, "from must be less than to");
    if (isinf(positive_width(d))) return crd_i_fail(error, CRD_ERROR_SETTING, "from and to are too far apart");
    return CRD_OK;
}

static void uniform_support(const crd_distribution *d, double *low, double *high) {
    *low = d->parameter[0];
    *high = d->parameter[1];
}

static crd_i_pair uniform_log_density(const crd_distribution *d, const double *x) {
    (void)x;
    return crd_i_pair_negate(crd_i_pair_log(crd_i_pair_of(positive_width(d))));
}

static crd_i_tails uniform_tails(const crd_distribution *d, double x) {
    return (crd_i_tails){(x - d->parameter[0]) / positive_width(d), (d->parameter[1] - x) / positive_width(d)};
}

static double uniform_quantile(const crd_distribution *d, double p, bool from_above) {
    return from_above ? d->parameter[1] - p * positive_width(d) : d->parameter[0] + p * positive_width(d);
}

static double uniform_mean(const crd_distribution *d) {
    return d->parameter[0] + positive_width(d) / 2;
}

static double uniform_variance(const crd_distribution *d) {
    return positive_width(d) * positive_width(d) / 12;
}

static double uniform_deviation(const crd_distribution *d) {
    return positive_width(d) / sqrt(12);
}

const crd_i_distribution_type crd_i_uniform = {
    .kind = {"uniform", "all values of an interval have the same density", 0, 2, uniform_parameters},
    .check = uniform_check,
    .support = uniform_support,
    .log_density = uniform_log_density,
    .tails = uniform_tails,
    .quantile = uniform_quantile,
    .mean = uniform_mean,
    .variance = uniform_variance,
    .deviation = uniform_deviation,
};

/* ---- Exponential ---- */

static const crd_parameter exponential_parameters[] = {
    {"rate", "the expected number of events in a unit of time", CRD_PARAMETER_REAL, CRD_I_POSITIVE, 1},
};

static crd_i_pair exponential_log_density(const crd_distribution *d, const double *x) {
    double rate = d->parameter[0];
    if (rate * x[0] > 1e300) return crd_i_pair_of(-(rate * x[0])); /* the other terms are negligible */
    return crd_i_pair_subtract(crd_i_pair_log(crd_i_pair_of(rate)), crd_i_pair_product(rate, x[0]));
}

static crd_i_tails exponential_tails(const crd_distribution *d, double x) {
    if (d->parameter[0] * x > 1e300) return (crd_i_tails){1, 0};
    crd_i_pair power = crd_i_pair_negate(crd_i_pair_product(d->parameter[0], x));
    return (crd_i_tails){-crd_i_pair_expm1(power), crd_i_pair_exp(power)};
}

static double exponential_quantile(const crd_distribution *d, double p, bool from_above) {
    crd_i_pair above = from_above ? crd_i_pair_of(p) : crd_i_pair_sum(1, -p);
    return -crd_i_pair_log(above).high / d->parameter[0];
}

static double exponential_mean(const crd_distribution *d) {
    return 1 / d->parameter[0];
}

static double exponential_variance(const crd_distribution *d) {
    return 1 / d->parameter[0] / d->parameter[0];
}

const crd_i_distribution_type crd_i_exponential = {
    .kind = {"exponential", "the waiting time until an event that occurs at a constant rate", 0, 1,
             exponential_parameters},
    .support = half_line,
    .log_density = exponential_log_density,
    .tails = exponential_tails,
    .quantile = exponential_quantile,
    .mean = exponential_mean,
    .variance = exponential_variance,
    .deviation = exponential_mean,
};

/* ---- Gamma and chi-squared ---- */

static const crd_parameter gamma_parameters[] = {
    {"shape", "the number of waiting times in the sum, if a whole number", CRD_PARAMETER_REAL, CRD_I_SHAPE, NAN},
    {"scale", "the mean of each waiting time: 1 / rate", CRD_PARAMETER_REAL, CRD_I_POSITIVE, 1},
};

static const crd_parameter chi_squared_parameters[] = {
    {"degrees", "degrees of freedom", CRD_PARAMETER_REAL, CRD_I_SHAPE, NAN},
};

typedef struct gamma_form {
    double shape, scale;
} gamma_form;

static gamma_form positive_form(const crd_distribution *d) {
    if (d->type == &crd_i_chi_squared) return (gamma_form){d->parameter[0] / 2, 2};
    return (gamma_form){d->parameter[0], d->parameter[1]};
}

/* (x/scale)^shape e^(-x/scale) / Gamma(1 + shape) * shape / x */
static crd_i_pair gamma_log_density(const crd_distribution *d, const double *x) {
    gamma_form form = positive_form(d);
    double ratio = x[0] / form.scale;
    if (x[0] == 0 || ratio == 0) {
        return log_density_at_end(form.shape, crd_i_pair_negate(crd_i_pair_log(crd_i_pair_of(form.scale))));
    }
    if (ratio > 1e300) return crd_i_pair_of(-ratio); /* the other terms are negligible */
    crd_i_pair log_shape = crd_i_pair_log(crd_i_pair_of(form.shape)), log_x = crd_i_pair_log(crd_i_pair_of(x[0]));
    return crd_i_pair_add(crd_i_gamma_log_power(form.shape, ratio), crd_i_pair_subtract(log_shape, log_x));
}

static crd_i_tails gamma_tails(const crd_distribution *d, double x) {
    gamma_form form = positive_form(d);
    return crd_i_gamma_tails(form.shape, x / form.scale);
}

static double gamma_mean(const crd_distribution *d) {
    gamma_form form = positive_form(d);
    return form.shape * form.scale;
}

static double gamma_variance(const crd_distribution *d) {
    gamma_form form = positive_form(d);
    return form.shape * form.scale * form.scale;
}

static double gamma_deviation(const crd_distribution *d) {
    gamma_form form = positive_form(d);
    return sqrt(form.shape) * form.scale;
}

static void gamma_sample(const crd_distribution *d, crd_i_random *random, double *out) {
    gamma_form form = positive_form(d);
    out[0] = crd_exp(crd_i_random_log_gamma(random, form.shape)) * form.scale;
}

const crd_i_distribution_type crd_i_gamma = {
    .kind = {"gamma", "the sum of exponential waiting times", 0, 2, gamma_parameters},
    .support = half_line,
    .log_density = gamma_log_density,
    .tails = gamma_tails,
    .mean = gamma_mean,
    .variance = gamma_variance,
    .deviation = gamma_deviation,
    .sample = gamma_sample,
};

const crd_i_distribution_type crd_i_chi_squared = {
    .kind = {"chi-squared", "the sum of squares of standard normal numbers", 0, 1, chi_squared_parameters},
    .support = half_line,
    .log_density = gamma_log_density,
    .tails = gamma_tails,
    .mean = gamma_mean,
    .variance = gamma_variance,
    .deviation = gamma_deviation,
    .sample = gamma_sample,
};

/* ---- Beta ---- */

static const crd_parameter beta_parameters[] = {
    {"a", "the weight of 1: the number of successes plus one", CRD_PARAMETER_REAL, CRD_I_SHAPE, NAN},
    {"b", "the weight of 0: the number of failures plus one", CRD_PARAMETER_REAL, CRD_I_SHAPE, NAN},
};

static void unit_interval(const crd_distribution *d, double *low, double *high) {
    (void)d;
    *low = 0;
    *high = 1;
}

/* x^a y^b / (a B(a, b)) * a / (x y) */
static crd_i_pair beta_log_density(const crd_distribution *d, const double *x) {
    double a = d->parameter[0], b = d->parameter[1];
    crd_i_pair log_a = crd_i_pair_log(crd_i_pair_of(a)), y = crd_i_pair_sum(1, -x[0]);
    if (x[0] == 0) return log_density_at_end(a, crd_i_pair_log(crd_i_pair_of(b)));
    if (x[0] == 1) return log_density_at_end(b, log_a);
    crd_i_pair power = crd_i_beta_log_power(a, b, crd_i_pair_of(x[0]), y);
    crd_i_pair logs = crd_i_pair_add(crd_i_pair_log(crd_i_pair_of(x[0])), crd_i_pair_log(y));
    return crd_i_pair_add(power, crd_i_pair_subtract(log_a, logs));
}

static crd_i_tails beta_tails(const crd_distribution *d, double x) {
    return crd_i_beta_tails(d->parameter[0], d->parameter[1], crd_i_pair_of(x), crd_i_pair_sum(1, -x));
}

static double beta_mean(const crd_distribution *d) {
    return d->parameter[0] / (d->parameter[0] + d->parameter[1]);
}

static double beta_variance(const crd_distribution *d) {
    double a = d->parameter[0], b = d->parameter[1], sum = a + b;
    return a / sum * (b / sum) / (sum + 1);
}

/* Draws g / (g + h) for two gamma variates, using their logarithms. */
static void beta_sample(const crd_distribution *d, crd_i_random *random, double *out) {
    double log_g = crd_i_random_log_gamma(random, d->parameter[0]);
    double log_h = crd_i_random_log_gamma(random, d->parameter[1]);
    out[0] = 1 / (1 + crd_exp(log_h - log_g));
}

const crd_i_distribution_type crd_i_beta = {
    .kind = {"beta", "a probability, given the numbers of successes and failures", 0, 2, beta_parameters},
    .support = unit_interval,
    .log_density = beta_log_density,
    .tails = beta_tails,
    .mean = beta_mean,
    .variance = beta_variance,
    .sample = beta_sample,
};
