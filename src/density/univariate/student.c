/* SPDX-License-Identifier: MIT */
/* student.c - the student family: the posterior predictive density of a normal distribution whose mean and variance are
 * unknown. It is the Bayesian version of the gaussian family.
 *
 * The prior is p(variance) ~ 1 / variance, updated with K pseudo-counts of the column's overall mean m0 and variance V.
 * It is then updated with the n rows of condition c, with mean m and squared deviations S. The posterior of the mean
 * and variance is normal-inverse-gamma, and the predictive density of a new number is Student's t (Bernardo and Smith,
 * Bayesian Theory, 1994, appendix A):
 *
 *   degrees of freedom  v = n + K - 1
 *   location            (K m0 + n m) / (n + K)
 *   scale               s,  s^2 = (S + K V + K n / (n + K) (m - m0)^2) / v (1 + 1 / (n + K))
 *   log p(x | c) = log t_v((x - location) / s) - log s
 *
 * The setting `student` specifies K as a number, or asks for its empirical Bayes estimate (student_prior_strength.c).
 * By default K is the M of smoothing m:M, or 0 under other smoothings. The fewer the rows, the longer the tails, so a
 * class with few rows is not overconfident. v is at least 1. If n + K = 0, K is 1. The scale is at least min-deviation;
 * if it is zero, it is as narrow as a normal density gets in gaussian_parameters.c. */
#include "density/univariate/gaussian.h"
#include "density/univariate/named_distribution.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>
#include <math.h>

static const double NARROWEST = 0x1.09456549be1bdp-15; /* sqrt(1e-9), as in gaussian_parameters.c */

typedef struct student_item {
    crd_distribution standard; /* the standard t distribution with v degrees of freedom */
    double location, scale;
    double log_peak; /* the log density at the location */
} student_item;

typedef struct student {
    crd_i_density base;
    double strength;     /* K if the setting `student` specifies or estimates it; NaN if it comes from smoothing */
    student_item each[]; /* one per condition */
} student;

static const student_item *student_at(const crd_i_density *density, size_t condition) {
    return &((const student *)density)->each[condition];
}

/* ---- Derivation ---- */

static void student_destroy(crd_i_density *density) {
    crd_free(density->context, density);
}

/* Returns the square root of s^2, kept above min-deviation and within the range of positive finite doubles. */
static double student_scale(crd_i_scaled square, const crd_i_overall *overall, const crd_settings *settings) {
    double scale = crd_i_scaled_root(square);
    if (square.mantissa == 0) scale = NARROWEST * overall->deviation;
    if (scale < settings->min_deviation) scale = settings->min_deviation;
    return scale == 0 ? DBL_TRUE_MIN : scale > DBL_MAX ? DBL_MAX : scale;
}

/* Computes the t distribution of one condition by the formulas in the file head. */
static void student_derive_one(const crd_i_facts *facts, const crd_i_overall *overall, const crd_settings *settings,
                               student_item *out) {
    double n = facts->rows, K = crd_i_pseudo_counts_rows(settings);
    if (n + K == 0) K = 1;
    double together = n + K, degrees = together - 1 > 1 ? together - 1 : 1, zero = 0;
    if (degrees > CRD_I_GREATEST_SHAPE) degrees = CRD_I_GREATEST_SHAPE;
    double away = n > 0 ? fabs(facts->mean - overall->mean) : 0;
    crd_i_scaled distance = crd_i_scaled_of(away > DBL_MAX ? DBL_MAX : away);
    crd_i_scaled S = n > 0 ? crd_i_scaled_multiply(facts->variance.value, crd_i_scaled_of(n)) : crd_i_scaled_of(0);
    crd_i_scaled prior = crd_i_scaled_multiply(overall->V.value, crd_i_scaled_of(K));
    crd_i_scaled between =
        crd_i_scaled_multiply(crd_i_scaled_multiply(distance, distance), crd_i_scaled_of(n / together * K));
    crd_i_scaled squares = crd_i_scaled_add(crd_i_scaled_add(S, prior), between);
    squares = crd_i_scaled_divide(crd_i_scaled_multiply(squares, crd_i_scaled_of(1 + 1 / together)),
                                  crd_i_scaled_of(degrees));
    out->standard.type = &crd_i_student;
    out->standard.dimension = 1;
    out->standard.parameter[0] = degrees;
    out->location = n > 0 ? facts->mean * (n / together) + overall->mean * (K / together) : overall->mean;
    out->scale = student_scale(squares, overall, settings);
    out->log_peak = crd_distribution_log_density(&out->standard, &zero) - crd_log(out->scale);
}

static crd_status student_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                 const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_settings own_settings = *settings; /* a shallow copy, not to be freed */
    own_settings.share_classes = own_settings.share_attributes = own_settings.sample_variance = false;
    bool is_found = settings->student == CRD_I_STUDENT_LIKELIHOOD;
    if (settings->student != CRD_I_STUDENT_SMOOTHING) {
        own_settings.smoothing_strength = is_found ? 1 : settings->student_given;
        own_settings.smoothing = own_settings.smoothing_strength > 0 ? CRD_I_SMOOTHING_M : CRD_I_SMOOTHING_NONE;
    }
    if (conditions > (SIZE_MAX - sizeof(student)) / sizeof(student_item)) return crd_i_fail_memory(error);
    student *density = crd_i_alloc_zeroed(context, 1, sizeof *density + conditions * sizeof(student_item));
    crd_i_facts *facts = crd_i_facts_read_all(context, attribute, &own_settings);
    crd_i_overall overall = {0};
    bool done = density != NULL && facts != NULL;
    if (done) overall = crd_i_overall_of(&facts[conditions], facts, conditions, NULL, &own_settings);
    if (done && is_found && !overall.is_silent)
        done = crd_i_student_strength(context, facts, conditions, &overall, &own_settings.smoothing_strength);
    if (!done) {
        crd_free(context, density);
        crd_free(context, facts);
        return crd_i_fail_memory(error);
    }
    density->base.family = &crd_i_family_student;
    density->base.context = context;
    density->base.conditions = conditions;
    density->base.is_silent = overall.is_silent;
    density->strength = settings->student == CRD_I_STUDENT_SMOOTHING ? NAN : own_settings.smoothing_strength;
    for (size_t k = 0; k < conditions; k++) student_derive_one(&facts[k], &overall, &own_settings, &density->each[k]);
    crd_free(context, facts);
    *out = &density->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

/* Returns (x - location) / scale. Halving before the subtraction avoids overflow. */
static double student_standard(const student_item *one, double x) {
    return (x / 2 - one->location / 2) / one->scale * 2;
}

/* Returns log(1 + z) for z >= 0, corrected for the rounding of 1 + z. */
static double log_of_one_more(double z) {
    double sum = 1 + z;
    return sum > DBL_MAX ? INFINITY : crd_log(sum) - ((sum - 1) - z) / sum;
}

static double student_family_log_density(const crd_i_density *density, size_t condition, double x) {
    /* Beyond this t the square may overflow, and the 1 in 1 + t^2 / v is negligible. */
    static const double FAR = 0x1p500;
    const student_item *one = student_at(density, condition);
    double t = fabs(student_standard(one, x)), v = one->standard.parameter[0], half = (v + 1) / 2;
    if (t > FAR) return one->log_peak - half * (2 * crd_log(t > DBL_MAX ? DBL_MAX : t) - crd_log(v));
    return one->log_peak - half * log_of_one_more(t * t / v);
}

static size_t student_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out) {
    const student_item *one = student_at(density, condition);
    const crd_term_parameter degrees = {"degrees", one->standard.parameter[0]};
    const crd_term_parameter location = {"location", one->location}, scale = {"scale", one->scale};
    out[0] = degrees;
    out[1] = location;
    out[2] = scale;
    const crd_term_parameter strength = {"strength", ((const student *)density)->strength};
    if (isnan(strength.value)) return 3;
    out[3] = strength;
    return 4;
}

static bool student_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter_list) {
    size_t conditions = base->conditions;
    double *degrees = crd_i_parameter_list_vector(parameter_list, "degrees", conditions);
    double *locations = degrees == NULL ? NULL : crd_i_parameter_list_vector(parameter_list, "location", conditions);
    double *scales = locations == NULL ? NULL : crd_i_parameter_list_vector(parameter_list, "scale", conditions);
    double *peaks = scales == NULL ? NULL : crd_i_parameter_list_vector(parameter_list, "log_peak", conditions);
    for (size_t k = 0; peaks != NULL && k < conditions; k++) {
        degrees[k] = student_at(base, k)->standard.parameter[0];
        locations[k] = student_at(base, k)->location;
        scales[k] = student_at(base, k)->scale;
        peaks[k] = student_at(base, k)->log_peak;
    }
    return peaks != NULL;
}

/* Sets the mean and the standard deviation, which is infinite for v <= 2. */
static void student_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation) {
    const student_item *one = student_at(density, condition);
    double v = one->standard.parameter[0];
    *mean = one->location;
    *deviation = v > 2 ? one->scale * sqrt(v / (v - 2)) : INFINITY;
}

static double student_below(const crd_i_density *density, size_t condition, double x) {
    const student_item *one = student_at(density, condition);
    return crd_distribution_below(&one->standard, student_standard(one, x));
}

static double student_family_quantile(const crd_i_density *density, size_t condition, double p) {
    const student_item *one = student_at(density, condition);
    double x = one->location + one->scale * crd_distribution_quantile(&one->standard, p);
    return x > DBL_MAX ? DBL_MAX : x < -DBL_MAX ? -DBL_MAX : x;
}

const crd_i_family crd_i_family_student = {
    .name = "student",
    .summary = "Student's t: the predictive density of a normal with unknown mean and variance",
    .reads = {&crd_i_moments},
    .estimated = {"means", "deviations"},
    .derive = student_derive,
    .destroy = student_destroy,
    .log_density = student_family_log_density,
    .parameters = student_parameters,
    .list_parameters = student_list_parameters,
    .moments = student_moments,
    .below = student_below,
    .quantile = student_family_quantile,
    CRD_I_GENERIC,
};
