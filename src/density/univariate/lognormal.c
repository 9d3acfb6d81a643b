/* SPDX-License-Identifier: MIT */
/* lognormal.c - the lognormal family: positive amounts whose logarithms are normal, such as incomes, sizes and
 * concentrations (Aitchison and Brown, The Lognormal Distribution, 1957).
 *
 *   log p(x | c) = log N(log x; m, d) - log x,  x > 0
 *
 * m and d are the mean and standard deviation that the gaussian family estimates from the logarithms of the values,
 * under the same settings (gaussian.c). Smoothing m:M shrinks d towards the deviation of the whole column.
 * min-sd limits the deviation of the logarithms. pool-variance shares between classes, not between attributes.
 */
#include "density/univariate/family.h"
#include "density/univariate/gaussian.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/functions/special.h"

#include <float.h>
#include <math.h>

typedef struct lognormal {
    crd_i_density base;
    crd_i_normal_curve normals[]; /* the density of log x under each condition */
} lognormal;

static const crd_i_normal_curve *normal_of(const crd_i_density *density, size_t condition) {
    return &((const lognormal *)density)->normals[condition];
}

static crd_i_misfit lognormal_fits(const crd_i_tallied *attribute) {
    crd_i_misfit misfit = {0, "zero or below"};
    for (size_t k = 0; k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        misfit.cells += crd_i_signs_value(attribute->more[0], condition, CRD_I_NEGATIVE) +
                        crd_i_signs_value(attribute->more[0], condition, CRD_I_ZERO);
    }
    return misfit;
}

static crd_status lognormal_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                   const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_settings own_settings = *settings; /* a shallow copy, not to be freed */
    own_settings.share_attributes = false;
    lognormal *density =
        crd_i_density_create(context, &crd_i_family_lognormal, conditions, sizeof *density, sizeof(crd_i_normal_curve));
    if (density == NULL) return crd_i_fail_memory(error);
    crd_i_facts *facts = crd_i_facts_read_all(context, attribute, &own_settings);
    if (facts == NULL) {
        crd_i_density_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    crd_i_overall overall = crd_i_overall_of(&facts[conditions], facts, conditions, NULL, &own_settings);
    density->base.is_silent = overall.is_silent;
    for (size_t k = 0; k < conditions; k++)
        density->normals[k] = crd_i_normal_of(&overall, &facts[k], k, &own_settings);
    crd_free(context, facts);
    *out = &density->base;
    return CRD_OK;
}

static bool lognormal_covers(const crd_i_density *density, double x) {
    (void)density;
    return x > 0;
}

static double lognormal_log_density(const crd_i_density *density, size_t condition, double x) {
    if (!(x > 0)) return -INFINITY;
    double log_x = crd_log(x);
    return crd_i_normal_log_density(normal_of(density, condition), log_x) - log_x;
}

static size_t lognormal_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out) {
    const crd_i_normal_curve *curve = normal_of(density, condition);
    const crd_term_parameter mean = {"mean of log", curve->mean}, deviation = {"sd of log", curve->deviation};
    out[0] = mean;
    out[1] = deviation;
    return 2;
}

static bool lognormal_list_parameters(const crd_i_density *base, crd_i_parameter_list *parameter) {
    return crd_i_normal_list_parameters(((const lognormal *)base)->normals, base->conditions, parameter);
}

/* Limits x to positive finite doubles. Large deviations of the logarithms give means beyond their range. */
static double lognormal_bounded(double x) {
    return x > DBL_MAX ? DBL_MAX : x < DBL_TRUE_MIN ? DBL_TRUE_MIN : x;
}

static void lognormal_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation) {
    const crd_i_normal_curve *curve = normal_of(density, condition);
    double variance = curve->deviation * curve->deviation;
    *mean = lognormal_bounded(crd_exp(curve->mean + variance / 2));
    *deviation = lognormal_bounded(*mean * sqrt(crd_i_pair_expm1(crd_i_pair_of(variance < 1400 ? variance : 1400))));
}

static double lognormal_below(const crd_i_density *density, size_t condition, double x) {
    return x > 0 ? crd_i_normal_tails(crd_i_normal_standard(normal_of(density, condition), crd_log(x))).below : 0;
}

static double lognormal_quantile(const crd_i_density *density, size_t condition, double p) {
    const crd_i_normal_curve *curve = normal_of(density, condition);
    return lognormal_bounded(crd_exp(curve->mean + curve->deviation * crd_i_normal_quantile(p)));
}

const crd_i_family crd_i_family_lognormal = {
    .name = "lognormal",
    .summary = "amounts above 0 whose logarithms are normal",
    .reads = {&crd_i_logs, &crd_i_signs},
    .estimated = {"means of logarithms", "deviations of logarithms"},
    .fits = lognormal_fits,
    .covers = lognormal_covers,
    .derive = lognormal_derive,
    .log_density = lognormal_log_density,
    .parameters = lognormal_parameters,
    .list_parameters = lognormal_list_parameters,
    .moments = lognormal_moments,
    .below = lognormal_below,
    .quantile = lognormal_quantile,
    CRD_I_GENERIC,
};
