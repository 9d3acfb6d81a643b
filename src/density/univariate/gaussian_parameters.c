/* SPDX-License-Identifier: MIT */
/* gaussian_parameters.c - derives the mean and standard deviation of a normal density under each condition, from exact
 * sums.
 *
 * Variances are correctly rounded from the exact sums. They have their own exponent (crd_i_scaled) because squares
 * leave the range of a double long before deviations do. The steps are:
 *
 *   1. v is the variance of the condition, divided by n or n - 1 as the setting `variance` specifies. V is the variance
 *      of the whole column, over all conditions.
 *   2. The setting share-variance replaces v by a pooled variance, and n by the number of rows that share it:
 *        v = sum of S_i / sum of n_i,  or  sum of S_i / sum of (n_i - 1) over the i with more than one row,
 *      where S_i are the squared deviations of the n_i values of a condition (and attribute) from their own mean. If
 *      attributes share, V is pooled in the same way, from the deviations from their overall means.
 *   3. If v is undefined, it is replaced by V. It is undefined without rows, and under `sample` if the weight of the
 *      rows is at most 1.
 *   4. Smoothing m:M shrinks v towards V: (n v + M V) / (n + M).
 *   5. The standard deviation d is the square root, and at least min-deviation.
 *   6. If d is still zero, d^2 is 1e-9 times the variance of the whole column. All rows of the condition have one
 *      value, so the data do not determine how narrow the density is. With this width it is still a density, and its
 *      logarithms are small enough for the other attributes to count.
 *   7. A column with zero overall variance (constant, or a single row) has no information. It is ignored for every
 *      condition, whatever min-deviation is.
 *
 * A condition without rows has the overall mean and variance of the column, with or without sharing. In step 4, M is
 * the equivalent sample size of the prior: V counts like the variance of M more rows. */
#include "density/univariate/gaussian.h"

#include "base/memory.h"

#include <float.h>
#include <math.h>

static const double NARROWEST = 0x1.09456549be1bdp-15;      /* sqrt(1e-9), 3.1622776601683795e-05 */
static const double HALF_LOG_TWO_PI = 0x1.d67f1c864beb5p-1; /* log(2 pi) / 2 = 0.91893853320467274... */

static const double SQRT_HALF = 0x1.6a09e667f3bcdp-1; /* 0.70710678118654752... */

/* If a mean is beyond this, a difference of two doubles may overflow, so both are halved. The inverse of a deviation
 * beyond it, or below its inverse, may leave the range of normal doubles. */
static const double LARGE = 0x1p1000;

/* The rounding error of a mean is dropped if it is at most this fraction of the deviation. At z deviations from the
 * mean, that changes a log density by at most z 2^-50. The rounding error of a mean of up to eight deviations is that
 * small. */
static const double SLIGHT = 0x1p-50;

static crd_i_scaled gaussian_zero(void) {
    return crd_i_scaled_of(0);
}

/* ---- Moments ---- */

bool crd_i_facts_read(crd_i_moment_cell moment, crd_i_facts_wanted wanted, const crd_settings *settings,
                      crd_i_facts *out) {
    const crd_i_facts none = {.variance = {gaussian_zero(), 0, false}, .spread = crd_i_spread_none()};
    bool sample = settings->sample_variance, defined = true;
    double n = crd_i_sums_value(moment.n, moment.cell);
    *out = none;
    if (n == 0) return true;
    out->rows = out->variance.rows = out->spread.rows = n;
    out->spread.divisor = !sample ? n : n >= 1 ? n - 1 : 0;
    if (wanted.mean && !crd_i_moments_mean(moment, &out->mean, &out->mean_rest, &defined)) return false;
    if (wanted.squares && out->spread.divisor > 0 && !crd_i_moments_deviations(moment, &out->spread.squares))
        return false;
    if (!wanted.variance) return true;
    if (crd_i_moments_variance(moment, sample, &out->variance.value, &out->variance.defined)) return true;
    return !out->variance.defined;
}

crd_i_facts_wanted crd_i_facts_of_whole(const crd_settings *settings) {
    crd_i_facts_wanted wanted = {.mean = true, .variance = true, .squares = settings->share_attributes};
    return wanted;
}

crd_i_facts_wanted crd_i_facts_of_condition(const crd_settings *settings) {
    bool shares = settings->share_classes || settings->share_attributes;
    crd_i_facts_wanted wanted = {.mean = true, .variance = !shares, .squares = shares};
    return wanted;
}

bool crd_i_facts_read_condition(const crd_i_tallied *attribute, size_t k, const crd_settings *settings,
                                crd_i_facts *out) {
    const crd_i_facts none = {.variance = {gaussian_zero(), 0, false}, .spread = crd_i_spread_none()};
    size_t condition = (size_t)attribute->view.conditions[k];
    *out = none;
    if (condition >= attribute->tally->conditions) return true;
    return crd_i_facts_read(crd_i_moments_cell(attribute->tally, condition), crd_i_facts_of_condition(settings),
                            settings, out);
}

bool crd_i_facts_gather(const crd_i_tallied *attribute, crd_i_sums whole[3]) {
    for (int power = 0; power < 3; power++)
        if (!crd_i_sums_extend(&whole[power], 1)) return false;
    for (size_t k = 0; k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        if (condition >= attribute->tally->conditions) continue;
        crd_i_moment_cell cell = crd_i_moments_cell(attribute->tally, condition);
        if (!crd_i_sums_combine(&whole[0], 0, cell.n, condition, 1) ||
            !crd_i_sums_combine(&whole[1], 0, cell.s, condition, 1) ||
            !crd_i_sums_combine(&whole[2], 0, cell.q, condition, 1))
            return false;
    }
    return true;
}

bool crd_i_facts_read_whole(const crd_i_sums whole[3], const crd_settings *settings, crd_i_facts *out) {
    crd_i_moment_cell cell = {&whole[0], &whole[1], &whole[2], 0};
    return crd_i_facts_read(cell, crd_i_facts_of_whole(settings), settings, out);
}

crd_i_facts *crd_i_facts_read_all(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings) {
    size_t conditions = attribute->view.condition_count;
    crd_i_facts *facts = crd_i_alloc(context, conditions + 1, sizeof *facts);
    if (facts == NULL) return NULL;
    crd_i_sums whole[3];
    for (int power = 0; power < 3; power++) crd_i_sums_init(&whole[power], context);
    bool done = crd_i_facts_gather(attribute, whole) && crd_i_facts_read_whole(whole, settings, &facts[conditions]);
    for (int power = 0; power < 3; power++) crd_i_sums_clear(&whole[power]);
    for (size_t k = 0; done && k < conditions; k++)
        done = crd_i_facts_read_condition(attribute, k, settings, &facts[k]);
    if (done) return facts;
    crd_free(context, facts);
    return NULL;
}

/* ---- Spreads and variances ---- */

crd_i_spread crd_i_spread_none(void) {
    const crd_i_spread none = {gaussian_zero(), 0, 0};
    return none;
}

void crd_i_spread_add(crd_i_spread *spread, const crd_i_spread *more) {
    spread->squares = crd_i_scaled_add(spread->squares, more->squares);
    spread->rows += more->rows;
    spread->divisor += more->divisor;
}

static crd_i_variance from_spread(const crd_i_spread *spread) {
    crd_i_variance result = {gaussian_zero(), spread->rows, spread->divisor > 0};
    if (result.defined) result.value = crd_i_scaled_divide(spread->squares, crd_i_scaled_of(spread->divisor));
    return result;
}

void crd_i_shared_add(crd_i_shared *shared_part, const crd_i_facts *whole, const crd_i_facts *conditions,
                      size_t count) {
    crd_i_spread_add(&shared_part->whole, &whole->spread);
    for (size_t k = 0; k < count; k++) {
        crd_i_spread_add(&shared_part->conditions[k], &conditions[k].spread);
        crd_i_spread_add(&shared_part->all, &conditions[k].spread);
    }
}

crd_i_overall crd_i_overall_of(const crd_i_facts *whole, const crd_i_facts *conditions, size_t count,
                               const crd_i_shared *pool, const crd_settings *settings) {
    crd_i_overall overall = {.V = whole->variance, .pool = pool, .mean = whole->mean, .mean_rest = whole->mean_rest};
    bool has_spread = whole->variance.value.mantissa > 0;
    if (has_spread) overall.deviation = crd_i_scaled_root(whole->variance.value);
    overall.is_silent = !has_spread;
    if (settings->share_attributes) {
        overall.V = from_spread(&pool->whole);
        overall.pooled = from_spread(&pool->all);
    } else if (settings->share_classes) {
        crd_i_spread sum = crd_i_spread_none();
        for (size_t k = 0; k < count; k++) crd_i_spread_add(&sum, &conditions[k].spread);
        overall.pooled = from_spread(&sum);
    }
    return overall;
}

/* ---- Densities ---- */

/* Returns the deviation, at least min-deviation and within the range of finite positive doubles. */
static double bounded_deviation(double deviation, const crd_settings *settings) {
    if (deviation < settings->min_deviation) deviation = settings->min_deviation;
    if (deviation == 0) deviation = DBL_TRUE_MIN;
    return deviation > DBL_MAX ? DBL_MAX : deviation;
}

/* Steps 3 to 6 of the list above. */
static double gaussian_deviation(crd_i_variance own_variance, const crd_i_overall *overall,
                                 const crd_settings *settings) {
    const crd_i_variance *V = &overall->V;
    if (!own_variance.defined) own_variance.value = V->value;
    if (settings->smoothing == CRD_I_SMOOTHING_M && V->defined) {
        crd_i_scaled n = crd_i_scaled_of(own_variance.defined ? own_variance.rows : 0),
                     m = crd_i_scaled_of(settings->smoothing_strength);
        crd_i_scaled sum =
            crd_i_scaled_add(crd_i_scaled_multiply(n, own_variance.value), crd_i_scaled_multiply(m, V->value));
        own_variance.value = crd_i_scaled_divide(sum, crd_i_scaled_add(n, m));
    }
    double deviation = crd_i_scaled_root(own_variance.value);
    if (own_variance.value.mantissa == 0 && settings->min_deviation == 0) deviation = NARROWEST * overall->deviation;
    return bounded_deviation(deviation, settings);
}

crd_i_normal_curve crd_i_normal_of(const crd_i_overall *overall, const crd_i_facts *facts, size_t k,
                                   const crd_settings *settings) {
    crd_i_variance variance = facts->variance;
    if (settings->share_classes) variance = overall->pooled;
    else if (settings->share_attributes) variance = from_spread(&overall->pool->conditions[k]);
    crd_i_normal_curve normal;
    if (facts->rows > 0) {
        normal.mean = facts->mean;
        normal.scaled_rest = facts->mean_rest;
        normal.deviation = gaussian_deviation(variance, overall, settings);
    } else {
        normal.mean = overall->mean;
        normal.scaled_rest = overall->mean_rest;
        normal.deviation = bounded_deviation(overall->deviation, settings);
    }
    if (fabs(normal.scaled_rest) <= SLIGHT * normal.deviation) normal.scaled_rest = 0;
    normal.scale = fabs(normal.mean) > LARGE ? 0.5 : 1;
    normal.scaled_mean = normal.mean * normal.scale;
    normal.scaled_rest *= normal.scale;
    normal.rescale = 1 / normal.scale;
    normal.log_peak = -HALF_LOG_TWO_PI - crd_log(normal.deviation);
    bool is_usual = normal.scale == 1 && normal.deviation <= LARGE && normal.deviation >= 1 / LARGE;
    normal.slope = is_usual ? SQRT_HALF / normal.deviation : 0;
    return normal;
}

double crd_i_normal_standard(const crd_i_normal_curve *curve, double x) {
    return (x * curve->scale - curve->scaled_mean - curve->scaled_rest) / curve->deviation * curve->rescale;
}

double crd_i_normal_log_density(const crd_i_normal_curve *curve, double x) {
    if (curve->slope > 0) {
        double z = (x - curve->mean - curve->scaled_rest) * curve->slope;
        return curve->log_peak - z * z;
    }
    double z = crd_i_normal_standard(curve, x);
    return curve->log_peak - 0.5 * z * z;
}

bool crd_i_normal_list_parameters(const crd_i_normal_curve *curves, size_t count, crd_i_parameter_list *parameter) {
    double *means = crd_i_parameter_list_vector(parameter, "mean", count);
    double *rests = means == NULL ? NULL : crd_i_parameter_list_vector(parameter, "mean_rest", count);
    double *deviations = rests == NULL ? NULL : crd_i_parameter_list_vector(parameter, "deviation", count);
    double *peaks = deviations == NULL ? NULL : crd_i_parameter_list_vector(parameter, "log_peak", count);
    double *slopes = peaks == NULL ? NULL : crd_i_parameter_list_vector(parameter, "slope", count);
    for (size_t k = 0; slopes != NULL && k < count; k++) {
        means[k] = curves[k].mean;
        rests[k] = curves[k].scaled_rest * curves[k].rescale;
        deviations[k] = curves[k].deviation;
        peaks[k] = curves[k].log_peak;
        slopes[k] = curves[k].slope;
    }
    return slopes != NULL;
}
