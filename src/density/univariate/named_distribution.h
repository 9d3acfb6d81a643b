/* SPDX-License-Identifier: MIT */
/* named_distribution.h - densities that are a named distribution (math/distributions/distribution_internal.h) under
 * each condition. A family that has such derives the parameters, and takes the rest from here. */
#ifndef CRD_DENSITY_UNIVARIATE_NAMED_DISTRIBUTION_H
#define CRD_DENSITY_UNIVARIATE_NAMED_DISTRIBUTION_H

#include "density/univariate/generic_density.h"
#include "math/distributions/distribution_internal.h"

typedef struct crd_i_named {
    crd_i_density base;
    crd_distribution each[]; /* of each condition; parameters are to be filled in */
} crd_i_named;

/* NULL: out of memory. */
crd_i_named *crd_i_named_create(crd_context *context, const crd_i_family *family, size_t conditions,
                                const crd_i_distribution_type *type);

#define CRD_I_NAMED                                                                                                    \
    .destroy = crd_i_named_destroy, .log_density = crd_i_named_log_density, .parameters = crd_i_named_parameters,      \
    .moments = crd_i_named_moments, .below = crd_i_named_below, .quantile = crd_i_named_quantile,                      \
    .covers = crd_i_named_covers, .list_parameters = crd_i_generic_list_parameters, CRD_I_GENERIC

void crd_i_named_destroy(crd_i_density *density);
double crd_i_named_log_density(const crd_i_density *density, size_t condition, double x);
size_t crd_i_named_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out);
void crd_i_named_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation);
double crd_i_named_below(const crd_i_density *density, size_t condition, double x);
double crd_i_named_quantile(const crd_i_density *density, size_t condition, double p);
bool crd_i_named_covers(const crd_i_density *density, double x);

/* The mean of each condition, from moments, with M pseudo-counts of the mean of all cells where smoothing is m:M, and
 * behind them the mean of all. A condition without rows has that of all. false: out of memory. */
CRD_MUST_USE bool crd_i_means_read(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                   double *means);
/* M where smoothing is m:M, else 0. */
double crd_i_pseudo_counts_rows(const crd_settings *settings);

#endif
