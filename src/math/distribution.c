/* SPDX-License-Identifier: MIT */
/* distribution.c - the table of named distributions, and their common code: creation, the bounds of the support,
 * quantiles by search, intervals, random draws.
 *
 * Contents:
 *   1. Table of distributions
 *   2. Creation
 *   3. Points
 *   4. Tails
 *   5. Discrete distributions
 *   6. Normal and Student's t distributions
 *   7. Distributions on an interval */
#include "math/distribution_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"

#include <credence/number.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Table of distributions ======== */

static const crd_i_distribution_type *const types[] = {
    &crd_i_uniform, &crd_i_discrete_uniform,    &crd_i_binomial,    &crd_i_poisson, &crd_i_normal,
    &crd_i_student, &crd_i_multivariate_normal, &crd_i_exponential, &crd_i_gamma,   &crd_i_chi_squared,
    &crd_i_beta,
};
enum { TYPES = sizeof types / sizeof types[0] };

const crd_distribution_kind *crd_distribution_kind_at(size_t index) {
    return index < TYPES ? &types[index]->kind : NULL;
}

static const crd_i_distribution_type *distribution_find_type(crd_text name) {
    for (size_t i = 0; i < TYPES; i++) {
        if (crd_text_equal(crd_text_of(types[i]->kind.name), name)) return types[i];
    }
    return NULL;
}

const crd_distribution_kind *crd_distribution_kind_named(crd_text name) {
    const crd_i_distribution_type *type = distribution_find_type(name);
    return type == NULL ? NULL : &type->kind;
}

/* ======== 2. Creation ======== */

static crd_status distribution_refuse(crd_error *error, const crd_parameter *parameter, const char *description) {
    crd_i_fail(error, CRD_ERROR_SETTING, "%s %s", parameter->name, description);
    crd_i_error_subject(error, crd_text_of(parameter->name));
    return CRD_ERROR_SETTING;
}

static crd_status check_value(const crd_parameter *parameter, double value, crd_error *error) {
    char match[CRD_NUMBER_ROOM], least[CRD_NUMBER_ROOM], most[CRD_NUMBER_ROOM], what[200] = "";
    if (value >= parameter->least && value <= parameter->most) {
        if (parameter->form != CRD_PARAMETER_WHOLE || value == floor(value)) return CRD_OK;
        crd_number_format(value, match);
        snprintf(what, sizeof what, "must be a whole number, not %s", match);
        return distribution_refuse(error, parameter, what);
    }
    crd_number_format(value, match);
    crd_number_format(parameter->least, least);
    crd_number_format(parameter->most, most);
    if (parameter->most > 1e300) {
        snprintf(what, sizeof what, "must be a %s number, not %s", parameter->least > 0 ? "positive" : "finite", match);
    } else if (parameter->least > 0 && parameter->least < 1e-100) {
        snprintf(what, sizeof what, "must be a positive number of at most %s, not %s", most, match);
    } else {
        snprintf(what, sizeof what, "must be from %s to %s, not %s", least, most, match);
    }
    return distribution_refuse(error, parameter, what);
}

static crd_status take_values(crd_distribution *d, size_t index, const crd_parameter_value *given, crd_error *error) {
    const crd_parameter *parameter = &d->type->kind.parameters[index];
    bool is_single = parameter->form == CRD_PARAMETER_REAL || parameter->form == CRD_PARAMETER_WHOLE;
    if (given->count == 0) return distribution_refuse(error, parameter, "has no value");
    if (is_single && given->count != 1) return distribution_refuse(error, parameter, "must be one number");
    for (size_t i = 0; i < given->count; i++) {
        crd_status status = check_value(parameter, given->values[i], error);
        if (status != CRD_OK) return status;
    }
    if (is_single) {
        d->parameter[index] = given->values[0];
        return CRD_OK;
    }
    size_t dimension = given->count;
    if (parameter->form == CRD_PARAMETER_MATRIX) {
        dimension = (size_t)(sqrt((double)given->count) + 0.5);
        if (dimension * dimension != given->count) {
            return distribution_refuse(error, parameter, "must be a square matrix, row by row: 1, 4, 9, ... numbers");
        }
    }
    if (d->dimension == 0) d->dimension = dimension;
    if (d->dimension != dimension)
        return distribution_refuse(error, parameter, "must have as many dimensions as the parameters before it");
    d->list[index] = crd_i_alloc(d->context, given->count, sizeof *d->list[index]);
    if (d->list[index] == NULL) return crd_i_fail_memory(error);
    memcpy(d->list[index], given->values, given->count * sizeof *given->values);
    return CRD_OK;
}

/* Returns whether `name` is another usual name of a parameter: mu for a mean; std and sigma for a standard deviation. */
static bool is_other_name(crd_text view, crd_text name) {
    static const struct { const char *own, *other; } NAMES[] = {{"mean", "mu"}, {"sd", "std"}, {"sd", "sigma"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (crd_text_equal(view, crd_text_of(NAMES[i].own)) && crd_text_equal(name, crd_text_of(NAMES[i].other)))
            return true;
    return false;
}

/* Returns the index of the parameter with this name. A standard deviation can also be given as a variance; *is_variance
 * is then true, and the caller takes the square root. */
static size_t distribution_find_parameter(const crd_distribution_kind *kind, crd_text name, bool *is_variance) {
    *is_variance = crd_text_equal(name, crd_text_of("variance"));
    for (size_t index = 0; index < kind->parameter_count; index++) {
        const crd_text view = crd_text_of(kind->parameters[index].name);
        if (crd_text_equal(view, name)) {
            *is_variance = false;
            return index;
        }
        if (*is_variance && crd_text_equal(view, crd_text_of("sd"))) return index;
        if (is_other_name(view, name)) return index;
    }
    return kind->parameter_count;
}

static crd_status distribution_take_parameters(crd_distribution *d, const crd_parameter_value *given, size_t count,
                                               crd_error *error) {
    const crd_distribution_kind *kind = &d->type->kind;
    bool taken[CRD_I_MOST_PARAMETERS] = {false};
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < count; i++) {
        bool is_variance = false;
        const size_t index = distribution_find_parameter(kind, given[i].name, &is_variance);
        if (index == kind->parameter_count) {
            crd_i_fail(error, CRD_ERROR_SETTING, "%s has no parameter '%s'", kind->name,
                       crd_i_quote(given[i].name, quoted));
            crd_i_error_subject(error, given[i].name);
            return CRD_ERROR_SETTING;
        }
        if (taken[index]) return distribution_refuse(error, &kind->parameters[index], "is specified twice");
        taken[index] = true;
        crd_parameter_value value = given[i];
        const double root = is_variance && value.count == 1 ? sqrt(value.values[0]) : 0;
        if (is_variance && value.count == 1 && !(value.values[0] > 0))
            return crd_i_fail(error, CRD_ERROR_SETTING, "variance must be above 0");
        if (is_variance && value.count == 1) value.values = &root;
        crd_status status = take_values(d, index, &value, error);
        if (status != CRD_OK) return status;
    }
    for (size_t i = 0; i < kind->parameter_count; i++) {
        if (taken[i]) continue;
        if (isnan(kind->parameters[i].standard)) return distribution_refuse(error, &kind->parameters[i], "is missing");
        d->parameter[i] = kind->parameters[i].standard;
    }
    if (d->dimension == 0) d->dimension = 1;
    return d->type->check == NULL ? CRD_OK : d->type->check(d, error);
}

crd_status crd_distribution_create(crd_context *context, crd_text name, const crd_parameter_value *parameters,
                                   size_t count, crd_distribution **out, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    if (out == NULL || context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context or pointer");
    *out = NULL;
    const crd_i_distribution_type *type = distribution_find_type(name);
    if (type == NULL) {
        return crd_i_fail(error, CRD_ERROR_SETTING, "unknown distribution '%s'", crd_i_quote(name, quoted));
    }
    crd_distribution *d = crd_i_alloc_zeroed(context, 1, sizeof *d);
    if (d == NULL) return crd_i_fail_memory(error);
    d->context = context;
    d->type = type;
    crd_status status = distribution_take_parameters(d, parameters, count, error);
    if (status != CRD_OK) {
        crd_distribution_destroy(d);
        return status;
    }
    *out = d;
    return CRD_OK;
}

void crd_distribution_destroy(crd_distribution *d) {
    if (d == NULL) return;
    for (size_t i = 0; i < CRD_I_MOST_PARAMETERS; i++) crd_free(d->context, d->list[i]);
    crd_free(d->context, d->factor);
    crd_free(d->context, d);
}

const crd_distribution_kind *crd_distribution_kind_of(const crd_distribution *d) {
    return &d->type->kind;
}

size_t crd_distribution_dimension(const crd_distribution *d) {
    return d->dimension;
}

/* ======== 3. Points ======== */

void crd_distribution_support(const crd_distribution *d, double *low, double *high) {
    *low = *high = NAN;
    if (d->type->support != NULL) d->type->support(d, low, high);
}

/* Returns the log density: minus infinity outside the support, and between the integers of a discrete distribution. */
static crd_i_pair distribution_log_density(const crd_distribution *d, const double *x) {
    if (d->type->support != NULL) {
        double low, high;
        d->type->support(d, &low, &high);
        bool is_inside = x[0] >= low && x[0] <= high && !isinf(x[0]);
        if (isnan(x[0])) return crd_i_pair_of(x[0]);
        if (!is_inside || (d->type->kind.is_discrete && x[0] != floor(x[0]))) return crd_i_pair_of(-INFINITY);
    }
    return d->type->log_density(d, x);
}

double crd_distribution_density(const crd_distribution *d, const double *x) {
    return crd_i_pair_exp(distribution_log_density(d, x));
}

double crd_distribution_log_density(const crd_distribution *d, const double *x) {
    return distribution_log_density(d, x).high;
}

void crd_distribution_mean(const crd_distribution *d, double *out) {
    if (d->type->mean != NULL) out[0] = d->type->mean(d);
    else memcpy(out, d->list[0], d->dimension * sizeof *out);
}

void crd_distribution_variance(const crd_distribution *d, double *out) {
    if (d->type->variance != NULL) out[0] = d->type->variance(d);
    else memcpy(out, d->list[1], d->dimension * d->dimension * sizeof *out);
}

double crd_distribution_deviation(const crd_distribution *d) {
    if (d->type->deviation != NULL) return d->type->deviation(d);
    return d->type->variance != NULL ? sqrt(d->type->variance(d)) : NAN;
}

void crd_distribution_sample(const crd_distribution *d, uint64_t seed, uint64_t first, size_t count, double *out) {
    for (size_t i = 0; i < count; i++) {
        crd_i_random random = crd_i_random_at(seed, first + i);
        if (d->type->sample != NULL) {
            d->type->sample(d, &random, out + i * d->dimension);
        } else {
            out[i] = crd_distribution_quantile(d, crd_i_random_open(&random));
        }
    }
}

/* ======== 4. Tails ======== */

static crd_i_tails distribution_tails(const crd_distribution *d, double x) {
    if (d->dimension != 1 || d->type->tails == NULL || isnan(x)) return (crd_i_tails){NAN, NAN};
    double low, high;
    d->type->support(d, &low, &high);
    if (d->type->kind.is_discrete) x = floor(x);
    if (x < low || x == -INFINITY) return (crd_i_tails){0, 1};
    if (x >= high || x == INFINITY) return (crd_i_tails){1, 0};
    return d->type->tails(d, x);
}

double crd_distribution_below(const crd_distribution *d, double x) {
    return distribution_tails(d, x).below;
}

double crd_distribution_above(const crd_distribution *d, double x) {
    return distribution_tails(d, x).above;
}

/* Returns P(X < x) and P(X >= x). For a discrete distribution, P(X < k) = P(X <= k - 1). */
static crd_i_tails tails_under(const crd_distribution *d, double x) {
    return distribution_tails(d, d->type->kind.is_discrete ? ceil(x) - 1 : x);
}

double crd_distribution_less(const crd_distribution *d, double x) {
    return tails_under(d, x).below;
}

double crd_distribution_at_least(const crd_distribution *d, double x) {
    return tails_under(d, x).above;
}

double crd_distribution_between(const crd_distribution *d, double low, double high) {
    if (low > high) return 0;
    if (low == high) return d->type->kind.is_discrete ? crd_distribution_density(d, &low) : 0;
    crd_i_tails source_tails = tails_under(d, low), target_tails = distribution_tails(d, high);
    /* Subtracts the smaller tails, which is more accurate. */
    double between =
        source_tails.below > 0.5 ? source_tails.above - target_tails.above : target_tails.below - source_tails.below;
    return between < 0 ? 0 : between;
}

/* The tail probability for which a quantile is searched. */
typedef struct distribution_tail {
    double p;
    bool from_above;
    bool is_rest; /* the caller specified the other tail, 1 - p */
} distribution_tail;

/* A value with this probability changes both tails by far more than their rounding errors. */
static const double MOVES_BOTH = 0x1p-40;

/* Returns whether the quantile is at most k. If both tails are accurate enough, the tail that the caller specified
 * decides, so its exact value at k leads back to k. */
static bool distribution_is_enough(const crd_distribution *d, double k, const distribution_tail *wanted) {
    crd_i_tails tails = distribution_tails(d, k);
    bool by_other = wanted->is_rest && crd_distribution_density(d, &k) > MOVES_BOTH;
    if (wanted->from_above) return by_other ? tails.below >= 1 - wanted->p : tails.above <= wanted->p;
    return by_other ? tails.above <= 1 - wanted->p : tails.below >= wanted->p;
}

/* Finds a discrete quantile. Doubles the stride from the normal approximation with the same moments, then bisects. */
static double discrete_quantile(const crd_distribution *d, const distribution_tail *wanted) {
    double low, high, stride = 1, z = crd_i_normal_quantile(wanted->p);
    d->type->support(d, &low, &high);
    double guess = floor(d->type->mean(d) + (wanted->from_above ? -z : z) * sqrt(d->type->variance(d)));
    if (!(guess > low)) guess = low;
    if (!(guess < high)) guess = high;
    if (isinf(guess)) return guess;
    double enough = guess, short_of = guess;
    if (distribution_is_enough(d, guess, wanted)) {
        do {
            enough = short_of;
            if (enough <= low) return low;
            short_of = fmax(enough - stride, low - 1);
            stride *= 2;
        } while (short_of >= low && distribution_is_enough(d, short_of, wanted));
    } else {
        do {
            short_of = enough;
            enough = fmin(short_of + stride, high);
            stride *= 2;
        } while (!distribution_is_enough(d, enough, wanted));
    }
    while (enough - short_of > 1) {
        double middle = floor(short_of + (enough - short_of) / 2);
        if (distribution_is_enough(d, middle, wanted)) enough = middle;
        else short_of = middle;
    }
    return enough;
}

static crd_i_tails search_tails(const void *d, double x) {
    return distribution_tails(d, x);
}

static double search_density(const void *d, double x) {
    return crd_distribution_density(d, &x);
}

static double distribution_quantile(const crd_distribution *d, double p, bool from_above) {
    double low, high;
    if (d->dimension != 1 || d->type->tails == NULL || !(p >= 0 && p <= 1)) return NAN;
    d->type->support(d, &low, &high);
    if (p == 0) return from_above ? high : low;
    if (p == 1) return from_above ? low : high;
    if (d->type->quantile != NULL) return d->type->quantile(d, p, from_above);
    /* The search uses the smaller tail, which still has significant digits when the other tail has been rounded to
     * 1. */
    distribution_tail wanted = {p > 0.5 ? 1 - p : p, (p > 0.5) != from_above, p > 0.5};
    if (d->type->kind.is_discrete) return discrete_quantile(d, &wanted);
    crd_i_continuous search = {search_tails, search_density, d, high};
    return crd_i_continuous_quantile(&search, wanted.p, wanted.from_above);
}

double crd_distribution_quantile(const crd_distribution *d, double p) {
    return distribution_quantile(d, p, false);
}

double crd_distribution_quantile_above(const crd_distribution *d, double p) {
    return distribution_quantile(d, p, true);
}

void crd_distribution_interval(const crd_distribution *d, double p, double *low, double *high) {
    *low = distribution_quantile(d, (1 - p) / 2, false);
    *high = distribution_quantile(d, (1 - p) / 2, true);
}

/* ======== 5. Discrete distributions ========
 *
 * The tails of the last two are incomplete beta and gamma functions:
 *     binomial P(X > k) = I_p(k + 1, n - k), Poisson P(X <= k) = Q(k + 1, mean). */

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

/* ======== 6. Normal and Student's t distributions ========
 *
 * With L the Cholesky factor of the covariances, the log density of the multivariate normal distribution is
 *     -(n ln 2 pi + |L^-1 (x - mean)|^2) / 2 - sum of ln L[i][i],
 * and mean + L z is a draw if z are independent standard normal variates. A beta distribution gives the tails of
 * Student's t:
 *     P(T > t) = I_x(v/2, 1/2) / 2, x = v / (v + t^2), t >= 0. */

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
    {"sd", "the standard deviation: the square root of the variance", CRD_PARAMETER_REAL, CRD_I_POSITIVE, 1},
};

/* Computes (x - mean) / deviation. Uses halves if the difference of the two numbers overflows. */
static double distribution_normal_standardized(const crd_distribution *d, double x) {
    double difference = x - d->parameter[0];
    if (isfinite(difference)) return difference / d->parameter[1];
    return (x / 2 - d->parameter[0] / 2) / d->parameter[1] * 2;
}

static crd_i_pair normal_log_density(const crd_distribution *d, const double *x) {
    double z = distribution_normal_standardized(d, x[0]);
    crd_i_pair scale = crd_i_pair_add(HALF_LOG_2PI, crd_i_pair_log(crd_i_pair_of(d->parameter[1])));
    if (fabs(z) > FAR) return crd_i_pair_of(-0.5 * z * z);
    crd_i_pair square = crd_i_pair_product(z, z);
    return crd_i_pair_negate(crd_i_pair_add((crd_i_pair){square.high / 2, square.low / 2}, scale));
}

static crd_i_tails normal_tails(const crd_distribution *d, double x) {
    return crd_i_normal_tails(distribution_normal_standardized(d, x));
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

/* ======== 7. Distributions on an interval ========
 *
 * Uniform, exponential, gamma, chi-squared and beta, on an interval or a half line.
 *
 * A chi-squared distribution with v degrees of freedom is a gamma distribution with shape v/2 and scale 2. */

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
