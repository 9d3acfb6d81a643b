/* SPDX-License-Identifier: MIT */
/* poisson.c - the poisson family: counts of events that occur independently.
 *
 *   P(x | c) = mean^x e^(-mean) / x!,  x = 0, 1, 2, ...;  mean = (n m + M overall) / (n + M)
 *
 * Condition c has n rows with mean m; `overall` is the mean over all conditions. For smoothing m:M, the mean is the
 * posterior mean under a gamma prior with shape M overall and rate M, which counts like M rows (Bernardo and Smith,
 * Bayesian Theory, 1994, appendix A). Other smoothings have M = 0. A condition without rows has the overall mean. */
#include "density/univariate/family.h"

#include "base/error.h"
#include "base/memory.h"

static crd_i_misfit poisson_fits(const crd_i_tallied *attribute) {
    crd_i_misfit misfit = {0, "below zero, or not whole"};
    for (size_t k = 0; k < attribute->view.condition_count; k++) {
        size_t condition = (size_t)attribute->view.conditions[k];
        misfit.cells += crd_i_signs_value(attribute->more[0], condition, CRD_I_NEGATIVE) +
                        crd_i_signs_value(attribute->more[0], condition, CRD_I_FRACTION);
    }
    return misfit;
}

static crd_status poisson_derive(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                 const void *shared, crd_i_density **out, crd_error *error) {
    (void)shared;
    *out = NULL;
    size_t conditions = attribute->view.condition_count;
    crd_i_named *density = crd_i_named_create(context, &crd_i_family_poisson, conditions, &crd_i_poisson);
    if (density == NULL) return crd_i_fail_memory(error);
    double *means = crd_i_arena_alloc(density->base.arena, conditions + 1, sizeof *means);
    if (means == NULL || !crd_i_means_read(context, attribute, settings, means)) {
        crd_i_density_destroy(&density->base);
        return crd_i_fail_memory(error);
    }
    density->base.is_silent = means[conditions] == 0;
    for (size_t k = 0; k < conditions; k++)
        density->each[k].parameter[0] = means[k] < CRD_I_GREATEST_SHAPE ? means[k] : CRD_I_GREATEST_SHAPE;
    *out = &density->base;
    return CRD_OK;
}

const crd_i_family crd_i_family_poisson = {
    .name = "poisson",
    .summary = "counts of independent events",
    .reads = {&crd_i_moments, &crd_i_signs},
    .is_discrete = true,
    .estimated = {"means"},
    .fits = poisson_fits,
    .derive = poisson_derive,
    CRD_I_NAMED,
};
