/* SPDX-License-Identifier: MIT */
/* distribution_internal.h - what a named distribution is made of: one table of functions each, listed in
 * distribution.c. */
#ifndef CRD_MATH_DISTRIBUTIONS_DISTRIBUTION_INTERNAL_H
#define CRD_MATH_DISTRIBUTIONS_DISTRIBUTION_INTERNAL_H

#include "base/context.h"
#include "math/functions/special.h"
#include "math/random.h"

#include <credence/distribution.h>

typedef struct crd_i_distribution_type crd_i_distribution_type;

enum { CRD_I_MOST_PARAMETERS = 2 };

struct crd_distribution {
    crd_context *context;
    const crd_i_distribution_type *type;
    size_t dimension;
    double parameter[CRD_I_MOST_PARAMETERS]; /* those that are one number, in the order of their table */
    double *list[CRD_I_MOST_PARAMETERS];     /* those that are several, mean and covariances; else NULL */
    crd_i_pair log_scale; /* of several dimensions: the logarithm of what the density is divided by */
    double *factor;       /* of the covariances, and behind it its inverse; else NULL */
};

struct crd_i_distribution_type {
    crd_distribution_kind kind;
    /* Optional: what the bounds of single parameters cannot say. May derive more. */
    crd_status (*check)(crd_distribution *d, crd_error *error);
    void (*support)(const crd_distribution *d, double *low, double *high);
    /* The logarithm of the density, for a point inside the support (whole, where it is discrete). */
    crd_i_pair (*log_density)(const crd_distribution *d, const double *x);
    /* P(X <= x) and P(X > x), x inside the support and finite; floored where it is discrete. */
    crd_i_tails (*tails)(const crd_distribution *d, double x);
    /* Optional: closed forms; otherwise the tails are searched, from 0 up where it is continuous. */
    double (*quantile)(const crd_distribution *d, double p, bool from_above);
    /* Of one dimension; of several, the lists are the mean and the covariances. */
    double (*mean)(const crd_distribution *d);
    double (*variance)(const crd_distribution *d);
    /* Optional: where the square of a number that fits may not fit; else the root of the variance. */
    double (*deviation)(const crd_distribution *d);
    /* Optional: else by the quantile of a uniform number. */
    void (*sample)(const crd_distribution *d, crd_i_random *random, double *out);
};

extern const crd_i_distribution_type crd_i_uniform, crd_i_discrete_uniform, crd_i_binomial, crd_i_poisson, crd_i_normal,
    crd_i_multivariate_normal, crd_i_exponential, crd_i_student, crd_i_gamma, crd_i_beta, crd_i_chi_squared;

/* Bounds that many parameters have. */
#define CRD_I_ANY -1.7976931348623157e308, 1.7976931348623157e308
#define CRD_I_POSITIVE 2.2250738585072014e-308, 1.7976931348623157e308
#define CRD_I_SHAPE CRD_I_LEAST_SHAPE, CRD_I_GREATEST_SHAPE

#endif
