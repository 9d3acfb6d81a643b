/* SPDX-License-Identifier: MIT */
/* named_distribution.h - functions for families whose density is a standard distribution under each condition
 * (math/distributions/distribution_internal.h). Such a family derives the parameters and takes all other functions from
 * here: it puts CRD_I_NAMED into its table. */
#ifndef CRD_DENSITY_UNIVARIATE_NAMED_DISTRIBUTION_H
#define CRD_DENSITY_UNIVARIATE_NAMED_DISTRIBUTION_H

#include "density/univariate/generic_density.h"
#include "math/distributions/distribution_internal.h"

typedef struct crd_i_named {
    crd_i_density base;
    crd_distribution each[]; /* one per condition; the family fills in the parameters */
} crd_i_named;

/* Creates a density of distributions of one type, without parameters. Returns NULL if memory runs out. */
crd_i_named *crd_i_named_create(crd_context *context, const crd_i_family *family, size_t conditions,
                                const crd_i_distribution_type *type);

#define CRD_I_NAMED                                                                                                    \
    .destroy = crd_i_named_destroy, .log_density = crd_i_named_log_density, .parameters = crd_i_named_parameters,      \
    .moments = crd_i_named_moments, .below = crd_i_named_below, .quantile = crd_i_named_quantile,                      \
    .covers = crd_i_named_covers, .list_parameters = crd_i_generic_list_parameters, CRD_I_GENERIC

/* The functions of crd_i_family; see there. */
void crd_i_named_destroy(crd_i_density *density);
double crd_i_named_log_density(const crd_i_density *density, size_t condition, double x);
size_t crd_i_named_parameters(const crd_i_density *density, size_t condition, crd_term_parameter *out);
void crd_i_named_moments(const crd_i_density *density, size_t condition, double *mean, double *deviation);
double crd_i_named_below(const crd_i_density *density, size_t condition, double x);
double crd_i_named_quantile(const crd_i_density *density, size_t condition, double p);
bool crd_i_named_covers(const crd_i_density *density, double x);

/* Computes the mean of each condition, followed by the overall mean: means[0 .. conditions]. With smoothing m:M, the
 * mean of a condition with n rows of mean m is shrunk to (n m + M overall) / (n + M). A condition without rows has the
 * overall mean. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_means_read(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings,
                                   double *means);
/* Returns M if the setting `smoothing` is m:M; otherwise 0. */
double crd_i_pseudo_counts_rows(const crd_settings *settings);

#endif
