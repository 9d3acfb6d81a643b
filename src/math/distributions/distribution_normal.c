/* SPDX-License-Identifier: MIT */
/* distribution_normal.c - normal, multivariate normal and Student's t distributions.
 *
 * With L the Cholesky factor of the covariances, the log density of the multivariate normal distribution is
 *     -(n ln 2 pi + |L^-1 (x - mean)|^2) / 2 - sum of ln L[i][i],
 * and mean + L z is a draw if z are independent standard normal variates. A beta distribution gives the tails of
 * Student's t:
 *     P(T > t) = I_x(v/2, 1/2) / 2, x = v / (v + t^2), t >= 0. */
#include "math/distributions/distribution_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"

#include <math.h>

static const crd_i_pair HALF_LOG_2PI = {0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55};
static const crd_i_pair HALF_LOG_PI = {0x1.250d048e7a1bdp-1, 0x1.7abf2ad8d5088p-58};

/* Larger numbers are squared as logarithms, or not at all. */
static const double FAR = 1e100;

static void whole_line(const crd_distribution *d, double *low, double *high) {
    (void)d;
    *low = -INFINITY;
    *high = INFINITY;
}

/* ---- Normal ---- */

static const crd_parameter normal_parameters[] = {
    {"mean", "the mean", CRD_PARAMETER_REAL, CRD_I_ANY, 0},
    {"deviation", "the standard deviation: the square root of the variance", CRD_PARAMETER_REAL, CRD_I_POSITIVE, 1},
};

/* Computes (x - mean) / deviation. Uses halves if the difference of the two numbers overflows. */
static double distribution_normal_standardised(const crd_distribution *d, double x) {
    double difference = x - d->parameter[0];
    if (isfinite(difference)) return difference / d->parameter[1];
    return (x / 2 - d->parameter[0] / 2) / d->parameter[1] * 2;
}

static crd_i_pair normal_log_density(const crd_distribution *d, const double *x) {
    double z = distribution_normal_standardised(d, x[0]);
    crd_i_pair scale = crd_i_pair_add(HALF_LOG_2PI, crd_i_pair_log(crd_i_pair_of(d->parameter[1])));
    if (fabs(z) > FAR) return crd_i_pair_of(-0.5 * z * z);
    crd_i_pair square = crd_i_pair_product(z, z);
    return crd_i_pair_negate(crd_i_pair_add((crd_i_pair){square.high / 2, square.low / 2}, scale));
}

static crd_i_tails normal_tails(const crd_distribution *d, double x) {
    return crd_i_normal_tails(distribution_normal_standardised(d, x));
}

static double normal_quantile(const crd_distribution *d, double p, bool from_above) {
    double z = crd_i_normal_quantile(p), mean = d->parameter[0], deviation = d->parameter[1];
    if (from_above) z = -z;
    double x = mean + z * deviation;
    return isfinite(x) ? x : 2 * (mean / 2 + z * (deviation / 2));
}

static double normal_mean(const crd_distribution *d) {
    return d->parameter[0];
}

static double normal_variance(const crd_distribution *d) {
    return d->parameter[1] * d->parameter[1];
}

static double normal_deviation(const crd_distribution *d) {
    return d->parameter[1];
}

static void normal_sample(const crd_distribution *d, crd_i_random *random, double *out) {
    out[0] = d->parameter[0] + crd_i_random_normal(random) * d->parameter[1];
}

const crd_i_distribution_type crd_i_normal = {
    .kind = {"normal", "the normal (Gaussian) distribution", 0, 2, normal_parameters},
    .support = whole_line,
    .log_density = normal_log_density,
    .tails = normal_tails,
    .quantile = normal_quantile,
    .mean = normal_mean,
    .variance = normal_variance,
    .deviation = normal_deviation,
    .sample = normal_sample,
};

/* ---- Multivariate normal ---- */

static const crd_parameter multivariate_parameters[] = {
    {"mean", "the mean, one number for each dimension", CRD_PARAMETER_LIST, CRD_I_ANY, NAN},
    {"covariance", "the covariances, row by row", CRD_PARAMETER_MATRIX, CRD_I_ANY, NAN},
};

static crd_status multivariate_check(crd_distribution *d, crd_error *error) {
    size_t n = d->dimension;
    const double *covariance = d->list[1];
    for (size_t i = 0; i < n * n; i++) {
        if (covariance[i] == covariance[i % n * n + i / n]) continue;
        return crd_i_fail(error, CRD_ERROR_SETTING,
                          "covariance is not symmetric: the number in row %zu, column %zu differs from the number in "
                          "row %zu, column %zu",
                          i / n + 1, i % n + 1, i % n + 1, i / n + 1);
    }
    d->factor = crd_i_alloc(d->context, 2 * n * n, sizeof *d->factor);
    if (d->factor == NULL) return crd_i_fail_memory(error);
    if (!crd_i_cholesky(covariance, n, d->factor)) {
        return crd_i_fail(error, CRD_ERROR_SETTING, "covariance is not positive definite");
    }
    crd_i_invert_lower(d->factor, n, d->factor + n * n);
    crd_i_pair scale = crd_i_pair_times(HALF_LOG_2PI, (double)n);
    for (size_t i = 0; i < n; i++) {
        scale = crd_i_pair_add(scale, crd_i_pair_log(crd_i_pair_of(d->factor[i * n + i])));
    }
    d->log_scale = scale;
    return CRD_OK;
}

static crd_i_pair multivariate_log_density(const crd_distribution *d, const double *x) {
    size_t n = d->dimension;
    const double *inverse = d->factor + n * n;
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        double z = 0;
        for (size_t j = 0; j <= i; j++) z += inverse[i * n + j] * (x[j] - d->list[0][j]);
        squares += z * z;
    }
    if (!(squares < FAR)) return crd_i_pair_of(-0.5 * squares);
    return crd_i_pair_subtract(crd_i_pair_of(-0.5 * squares), d->log_scale);
}

/* Computes mean + L z in place from the last number to the first: each needs only the normal variates up to its own. */
static void multivariate_sample(const crd_distribution *d, crd_i_random *random, double *out) {
    size_t n = d->dimension;
    for (size_t i = 0; i < n; i++) out[i] = crd_i_random_normal(random);
    for (size_t i = n; i-- > 0;) {
        double sum = 0;
        for (size_t j = 0; j <= i; j++) sum += d->factor[i * n + j] * out[j];
        out[i] = d->list[0][i] + sum;
    }
}

const crd_i_distribution_type crd_i_multivariate_normal = {
    .kind = {"multivariate-normal", "the normal (Gaussian) distribution in several dimensions", 0, 2,
             multivariate_parameters},
    .check = multivariate_check,
    .log_density = multivariate_log_density,
    .sample = multivariate_sample,
};

/* ---- Student's t ---- */

static const crd_parameter student_parameters[] = {
    {"degrees", "degrees of freedom", CRD_PARAMETER_REAL, CRD_I_SHAPE, NAN},
};

/* Returns whether t^2 or t^2 / v may overflow. The 1 in 1 + t^2 / v is then negligible. */
static bool is_far(double t, double v) {
    return t > FAR * (v < 1 ? sqrt(v) : 1);
}

/* Returns ln(1 + t^2 / v) for t >= 0. */
static crd_i_pair log_spread(double t, double v) {
    if (is_far(t, v)) {
        crd_i_pair log_t = crd_i_pair_log(crd_i_pair_of(t));
        return crd_i_pair_subtract((crd_i_pair){2 * log_t.high, 2 * log_t.low}, crd_i_pair_log(crd_i_pair_of(v)));
    }
    crd_i_pair ratio = crd_i_pair_divide(crd_i_pair_product(t, t), crd_i_pair_of(v));
    return crd_i_pair_log(crd_i_pair_add(crd_i_pair_of(1), ratio));
}

/* Gamma((v+1)/2) / Gamma(v/2) = Gamma((v+1)/2) v/2 / Gamma(1 + v/2) */
static crd_i_pair student_log_density(const crd_distribution *d, const double *x) {
    double v = d->parameter[0];
    crd_i_pair log_half_v = crd_i_pair_log(crd_i_pair_of(v / 2)), log_v = crd_i_pair_log(crd_i_pair_of(v));
    crd_i_pair sum = crd_i_log_gamma_pair(crd_i_pair_sum(v / 2, 0.5));
    sum = crd_i_pair_subtract(sum, crd_i_log_gamma_1p(v / 2));
    sum = crd_i_pair_subtract(crd_i_pair_add(sum, log_half_v), HALF_LOG_PI);
    sum = crd_i_pair_subtract(sum, (crd_i_pair){log_v.high / 2, log_v.low / 2});
    crd_i_pair power = crd_i_pair_multiply(log_spread(fabs(x[0]), v), crd_i_pair_sum(v / 2, 0.5));
    return crd_i_pair_subtract(sum, power);
}

/* Returns P(|T| <= t) and P(|T| > t) for t >= 0. */
static crd_i_tails folded_tails(const void *distribution, double t) {
    const crd_distribution *d = distribution;
    double v = d->parameter[0];
    if (is_far(t, v)) {
        /* Here y is 1, and the beta function reduces to its first term. */
        crd_i_pair one = crd_i_pair_of(1), power = crd_i_beta_log_power(v / 2, 0.5, one, one);
        double above = crd_i_pair_exp(crd_i_pair_subtract(power, crd_i_pair_times(log_spread(t, v), v / 2)));
        return (crd_i_tails){1 - above, above};
    }
    crd_i_pair square = crd_i_pair_product(t, t), sum = crd_i_pair_add(square, crd_i_pair_of(v));
    crd_i_pair x = crd_i_pair_divide(crd_i_pair_of(v), sum), y = crd_i_pair_divide(square, sum);
    return crd_i_beta_tails(0.5, v / 2, y, x);
}

static double folded_density(const void *distribution, double t) {
    return 2 * crd_distribution_density(distribution, &t);
}

static crd_i_tails student_tails(const crd_distribution *d, double x) {
    double beyond = folded_tails(d, fabs(x)).above / 2;
    return x < 0 ? (crd_i_tails){beyond, 1 - beyond} : (crd_i_tails){1 - beyond, beyond};
}

static double student_quantile(const crd_distribution *d, double p, bool from_above) {
    crd_i_continuous folded = {folded_tails, folded_density, d, INFINITY};
    double tail = p < 0.5 ? p : 1 - p, t = crd_i_continuous_quantile(&folded, 2 * tail, true);
    return (p < 0.5) == from_above ? t : -t;
}

static double student_mean(const crd_distribution *d) {
    return d->parameter[0] > 1 ? 0 : NAN;
}

static double student_variance(const crd_distribution *d) {
    double v = d->parameter[0];
    return v > 2 ? v / (v - 2) : v > 1 ? INFINITY : NAN;
}

static void student_sample(const crd_distribution *d, crd_i_random *random, double *out) {
    double half = d->parameter[0] / 2, z = crd_i_random_normal(random);
    out[0] = z * crd_exp((crd_log(half) - crd_i_random_log_gamma(random, half)) / 2);
}

const crd_i_distribution_type crd_i_student = {
    .kind = {"student", "Student's t: an estimated mean divided by its standard error", 0, 1, student_parameters},
    .support = whole_line,
    .log_density = student_log_density,
    .tails = student_tails,
    .quantile = student_quantile,
    .mean = student_mean,
    .variance = student_variance,
    .sample = student_sample,
};
