/* SPDX-License-Identifier: MIT */
/* distribution.c - the table of named distributions, and their common code: creation, the bounds of the support,
 * quantiles by search, intervals, random draws. */
#include "math/distributions/distribution_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/number.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* ---- Creation ---- */

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

/* Returns whether `name` is another usual name of a parameter: mu for a mean; sd, std and sigma for a standard
 * deviation. */
static bool is_other_name(crd_text view, crd_text name) {
    static const struct {
        const char *own, *other;
    } NAMES[] = {{"mean", "mu"}, {"deviation", "sd"}, {"deviation", "std"}, {"deviation", "sigma"}};
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        if (crd_text_equal(view, crd_text_of(NAMES[i].own)) && crd_text_equal(name, crd_text_of(NAMES[i].other)))
            return true;
    return false;
}

/* Returns the index of the parameter with this name. A standard deviation can also be given as a variance; *is_variance
 * is then true, and the caller takes the square root. */
static size_t distribution_find_parameter(const crd_distribution_kind *kind, crd_text name, bool *is_variance) {
    static const crd_text deviation = {"deviation", 9};
    *is_variance = crd_text_equal(name, crd_text_of("variance"));
    for (size_t index = 0; index < kind->parameter_count; index++) {
        const crd_text view = crd_text_of(kind->parameters[index].name);
        if (crd_text_equal(view, name)) {
            *is_variance = false;
            return index;
        }
        if (crd_text_equal(view, deviation) && *is_variance) return index;
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

/* ---- Points ---- */

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

/* ---- Tails ---- */

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
