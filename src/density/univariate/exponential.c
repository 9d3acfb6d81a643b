/* SPDX-License-Identifier: MIT */
/* exponential.c - the exponential family: waiting times and other nonnegative amounts for which small values are the
 * most likely.
 *
 *   p(x | c) = rate e^(-rate x),  x >= 0;  1 / rate = (n mean + M overall) / (n + M)
 *
 * Condition c has n rows with this mean; `overall` is the mean over all conditions. The rate is the posterior mean
 * under a gamma prior with shape M and rate M overall, for smoothing m:M (Bernardo and Smith, Bayesian Theory, 1994,
 * appendix A). Other smoothings have M = 0. A condition without rows has the overall mean.
 *
 * The mean of a condition is at least sqrt(1e-9) times the overall mean. This bound matters if all values of a
 * condition are 0 and M = 0; the narrowest normal density has the same bound. */
#include "density/univariate/family.h"

#include "base/error.h"
#include "base/memory.h"

#include <float.h>

static const double NARROWEST = 0x1.09456549be1bdp-15; /* sqrt(1e-9), as in gaussian.c */

static crd_i_misfit exponential_fits(const crd_i_tallied *attribute) {
    crd_i_misfit misfit = {0, "below zero"};
    for (size_t k = 0; k < attribute->view.condition_count; k++)
        misfit.cells += crd_i_signs_value(attribute->more[0], (size_t)attribute->view.conditions[k], CRD_I_NEGATIVE);
    return misfit;
}

static crd_status exponential_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                     const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_i_named *density = crd_i_named_create(context, &crd_i_family_exponential, conditions, &crd_i_exponential);
    if (density == NULL) return crd_i_fail_memory(error);
    double *means = crd_i_arena_alloc(density->base.arena, conditions + 1, sizeof *means);
    if (means == NULL || !crd_i_means_read(context, attribute, settings, means)) {
        crd_i_density_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    double overall = means[conditions], least = overall * NARROWEST;
    density->base.is_silent = overall == 0;
    for (size_t k = 0; k < conditions; k++) {
        double mean = means[k] > least ? means[k] : least, rate = mean < 1 / DBL_MAX ? DBL_MAX : 1 / mean;
        density->each[k].parameter[0] = rate < DBL_MIN ? DBL_MIN : rate;
    }
    *out = &density->base;
    return CRD_OK;
}

const crd_i_family crd_i_family_exponential = {
    .name = "exponential",
    .summary = "amounts from 0 up, small values most likely: waiting times",
    .reads = {&crd_i_moments, &crd_i_signs},
    .estimated = {"rates"},
    .fits = exponential_fits,
    .derive = exponential_derive,
    CRD_I_NAMED,
};
