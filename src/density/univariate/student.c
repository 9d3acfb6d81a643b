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
 * The setting `student` specifies K as a number, or asks for its empirical Bayes estimate. By default K is the M of
 * smoothing m:M, or 0 under other smoothings. The fewer the rows, the longer the tails, so a class with few rows is not
 * overconfident. v is at least 1. If n + K = 0, K is 1. The scale is at least min-sd;
 * if it is zero, it is as narrow as a normal density gets in gaussian.c.
 *
 * Contents:
 *   1. Prior strength
 *   2. The family */
#include "base/error.h"
#include "base/memory.h"
#include "density/univariate/family.h"
#include "density/univariate/gaussian.h"
#include "math/functions/elementary.h"
#include "math/functions/special.h"

#include <float.h>
#include <math.h>

/* ======== 1. Prior strength ========
 *
 * Empirical Bayes: the prior strength in pseudo-counts is the K with the largest marginal likelihood of the rows.
 *
 * K pseudo-counts with mean m0 and variance V define the normal-inverse-gamma prior. The mean of a condition is normal
 * with mean m0 and variance s^2 / K. The variance s^2 is inverse gamma with shape (K - 1) / 2 and scale K V / 2.
 * Integrating over both gives the density of the n rows of a condition with mean m and squared deviations S (Bernardo
 * and Smith, Bayesian Theory, 1994, 5.2). In units of sqrt(V), its logarithm is, up to a constant that does not depend
 * on K,
 *
 *   T = K + S / V + K n / (K + n) (m - m0)^2 / V
 *   log Gamma((K - 1 + n) / 2) - log Gamma((K - 1) / 2)
 *     + (K - 1)/2 log K - (K - 1 + n)/2 log T + 1/2 log (K / (K + n))
 *
 * K maximizes the sum over conditions. The prior is proper only for K > 1; the sum falls without bound as K approaches
 * 1. If the conditions do not differ, the sum increases without end, so K stops at 2^20 + 1. The sum may have several
 * local maxima. So K - 1 is tried at powers of two from 2^-10 on, and golden-section search (Kiefer 1953) refines the
 * best of them. */

enum { LEAST_POWER = -10, GREATEST_POWER = 20, NARROWINGS = 44 };

/* Returns log (Gamma(a + n) / Gamma(a)). It is accurate even if a is large compared with n. */
static double prior_strength_log_rising(double a, double n) {
    crd_i_pair above = crd_i_log_gamma_pair(crd_i_pair_sum(a, n)), below = crd_i_log_gamma_pair(crd_i_pair_of(a));
    return crd_i_pair_subtract(above, below).high;
}

/* The statistics of a condition that its density depends on. */
typedef struct strength_condition {
    double rows, squares, away; /* n, S / V, (m - m0)^2 / V */
} strength_condition;

static strength_condition prior_strength_measure(const crd_i_facts *facts, const crd_i_overall *overall) {
    double distance = fabs(facts->mean - overall->mean);
    crd_i_scaled away = crd_i_scaled_of(distance > DBL_MAX ? DBL_MAX : distance);
    crd_i_scaled squares = crd_i_scaled_multiply(facts->variance.value, crd_i_scaled_of(facts->rows));
    const strength_condition condition = {
        facts->rows, crd_i_scaled_value(crd_i_scaled_divide(squares, overall->V.value)),
        crd_i_scaled_value(crd_i_scaled_divide(crd_i_scaled_multiply(away, away), overall->V.value))};
    return condition;
}

/* Returns the log marginal likelihood of all conditions for a prior strength K, up to a constant. */
static double prior_strength_log_likelihood(const strength_condition *conditions, size_t count, double K) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double n = conditions[i].rows;
        double more = conditions[i].squares + K / (K + n) * n * conditions[i].away;
        /* log T = log K + log(1 + more / K), so large terms that are equal cancel before rounding. */
        double ratio = more / K, sum_of_both = 1 + ratio;
        double log_more = crd_log(sum_of_both) - ((sum_of_both - 1) - ratio) / sum_of_both;
        sum += prior_strength_log_rising((K - 1) / 2, n / 2) - n / 2 * (crd_log(K) + log_more) -
               (K - 1) / 2 * log_more + crd_log(K / (K + n)) / 2;
    }
    return sum;
}

/* Returns K = 1 + 2^power. */
static double at_power(double power) {
    static const double LOG_2 = 0x1.62e42fefa39efp-1;
    return 1 + crd_exp(power * LOG_2);
}

/* Returns the K of maximum likelihood: the best power of two, refined by golden-section search. */
static double prior_strength_find(const strength_condition *conditions, size_t count) {
    static const double GOLDEN = 0x1.3c6ef372fe95p-1; /* (sqrt 5 - 1) / 2 */
    double best = LEAST_POWER, greatest = -INFINITY;
    for (int power = LEAST_POWER; power <= GREATEST_POWER; power++) {
        double height = prior_strength_log_likelihood(conditions, count, at_power(power));
        if (!(height > greatest)) continue;
        greatest = height;
        best = power;
    }
    if (best == GREATEST_POWER) return at_power(GREATEST_POWER);
    double low = best - 1, high = best + 1;
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double at_left = prior_strength_log_likelihood(conditions, count, at_power(left));
    double at_right = prior_strength_log_likelihood(conditions, count, at_power(right));
    for (int i = 0; i < NARROWINGS; i++) {
        if (at_left >= at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = prior_strength_log_likelihood(conditions, count, at_power(left));
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = prior_strength_log_likelihood(conditions, count, at_power(right));
        }
    }
    return at_power((low + high) / 2);
}

/* Sets *out to the prior strength K with the largest marginal likelihood, from the moments of each condition. The
 * column must not be constant. Returns false if memory runs out. */
static bool student_strength(crd_context *context, const crd_i_facts *facts, size_t count, const crd_i_overall *overall,
                             double *out) {
    strength_condition *conditions = crd_i_alloc(context, count, sizeof *conditions);
    if (conditions == NULL) return false;
    size_t used = 0;
    for (size_t k = 0; k < count; k++)
        if (facts[k].rows > 0) conditions[used++] = prior_strength_measure(&facts[k], overall);
    *out = prior_strength_find(conditions, used);
    crd_free(context, conditions);
    return true;
}

/* ======== 2. The family ======== */

static const double NARROWEST = 0x1.09456549be1bdp-15; /* sqrt(1e-9), as in gaussian.c */

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

/* Returns the square root of s^2, kept above min-sd and within the range of positive finite doubles. */
static double student_scale(crd_i_scaled square, const crd_i_overall *overall, const crd_settings *settings) {
    double scale = crd_i_scaled_root(square);
    if (square.mantissa == 0) scale = NARROWEST * overall->deviation;
    if (scale < settings->min_sd) scale = settings->min_sd;
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
    student *density =
        crd_i_density_create(context, &crd_i_family_student, conditions, sizeof *density, sizeof(student_item));
    if (density == NULL) return crd_i_fail_memory(error);
    crd_i_facts *facts = crd_i_facts_read_all(context, attribute, &own_settings);
    crd_i_overall overall = {0};
    bool done = facts != NULL;
    if (done) overall = crd_i_overall_of(&facts[conditions], facts, conditions, NULL, &own_settings);
    if (done && is_found && !overall.is_silent)
        done = student_strength(context, facts, conditions, &overall, &own_settings.smoothing_strength);
    if (!done) {
        crd_i_density_destroy(&density->base);
        crd_free(context, facts);
        return crd_i_fail_memory(error);
    }
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
    .log_density = student_family_log_density,
    .parameters = student_parameters,
    .list_parameters = student_list_parameters,
    .moments = student_moments,
    .below = student_below,
    .quantile = student_family_quantile,
    CRD_I_GENERIC,
};
