/* SPDX-License-Identifier: MIT */
/* bernoulli.c - the bernoulli family: numbers that are 0 or 1.
 *
 *   P(1 | c) = p,  P(0 | c) = 1 - p
 *
 * Condition c has n rows, and n_1 of them are 1. The estimate of p depends on the setting `smoothing`, as for a
 * category with two values (categorical.c):
 *
 *   none          p = n_1 / n
 *   m:M           p = (n_1 + M / 2) / (n + M)       beta prior with M pseudo-counts, half of them 1
 *   m:M:marginal  p = (n_1 + M q) / (n + M)         q is the proportion of 1 over all conditions
 *   laplace:L     p = (n_1 + L) / (n + 2 L)
 *
 * Without smoothing, a condition without rows has p = q. */
#include "density/univariate/family.h"

#include "base/error.h"

static double bernoulli_count(const crd_i_tallied *attribute, size_t k, crd_i_sign sign) {
    return crd_i_signs_value(attribute->tally, (size_t)attribute->view.conditions[k], sign);
}

static crd_i_misfit bernoulli_fits(const crd_i_tallied *attribute) {
    crd_i_misfit misfit = {0, "neither 0 nor 1"};
    for (size_t k = 0; k < attribute->view.condition_count; k++)
        misfit.cells += bernoulli_count(attribute, k, CRD_I_NEGATIVE) + bernoulli_count(attribute, k, CRD_I_WHOLE) +
                        bernoulli_count(attribute, k, CRD_I_FRACTION);
    return misfit;
}

static crd_status bernoulli_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                   const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_i_named *density = crd_i_named_create(context, &crd_i_family_bernoulli, conditions, &crd_i_binomial);
    if (density == NULL) return crd_i_fail_memory(error);
    double all_ones = 0, all = 0, strength = settings->smoothing_strength;
    for (size_t k = 0; k < conditions; k++) {
        all_ones += bernoulli_count(attribute, k, CRD_I_ONE);
        all += bernoulli_count(attribute, k, CRD_I_ONE) + bernoulli_count(attribute, k, CRD_I_ZERO);
    }
    density->base.is_silent = all == 0;
    double share = all == 0 ? 0.5 : all_ones / all;
    for (size_t k = 0; k < conditions; k++) {
        double ones = bernoulli_count(attribute, k, CRD_I_ONE), rows = ones + bernoulli_count(attribute, k, CRD_I_ZERO);
        if (settings->smoothing == CRD_I_SMOOTHING_M) {
            ones += strength * (settings->smoothing_marginal ? share : 0.5);
            rows += strength;
        } else if (settings->smoothing == CRD_I_SMOOTHING_LAPLACE) {
            ones += strength;
            rows += 2 * strength;
        }
        density->each[k].parameter[0] = 1;
        density->each[k].parameter[1] = rows == 0 ? share : ones > rows ? 1 : ones / rows;
    }
    *out = &density->base;
    return CRD_OK;
}

/* Writes p only. The distribution is binomial with one trial, which need not be shown. */
static size_t bernoulli_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out) {
    const crd_term_parameter p = {"p", ((const crd_i_named *)density)->each[condition].parameter[1]};
    out[0] = p;
    return 1;
}

const crd_i_family crd_i_family_bernoulli = {
    .name = "bernoulli",
    .summary = "numbers that are 0 or 1",
    .reads = {&crd_i_signs},
    .is_discrete = true,
    .estimated = {"probabilities of 1"},
    .fits = bernoulli_fits,
    .derive = bernoulli_derive,
    .log_density = crd_i_named_log_density,
    .parameters = bernoulli_parameters,
    .list_parameters = crd_i_generic_list_parameters,
    .moments = crd_i_named_moments,
    .below = crd_i_named_below,
    .quantile = crd_i_named_quantile,
    .covers = crd_i_named_covers,
    CRD_I_GENERIC,
};
