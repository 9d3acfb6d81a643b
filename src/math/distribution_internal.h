/* SPDX-License-Identifier: MIT */
/* distribution_internal.h - the struct of a named distribution, and its type: a table of functions, listed in
 * distribution.c. */
#ifndef CRD_MATH_DISTRIBUTION_INTERNAL_H
#define CRD_MATH_DISTRIBUTION_INTERNAL_H

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
    double parameter[CRD_I_MOST_PARAMETERS]; /* scalar parameters, in table order */
    double *list[CRD_I_MOST_PARAMETERS];     /* vector parameters: mean and covariances; NULL if scalar */
    crd_i_pair log_scale; /* multivariate: the logarithm of the normalizing constant, by which the density is divided */
    /* multivariate: the Cholesky factor of the covariances, followed by its inverse; otherwise NULL */
    double *factor;
};

struct crd_i_distribution_type {
    crd_distribution_kind kind;
    /* Optional: checks conditions that bounds on single parameters cannot express. May compute derived members. */
    crd_status (*check)(crd_distribution *d, crd_error *error);
    void (*support)(const crd_distribution *d, double *low, double *high);
    /* Returns the log density at a point inside the support (an integer if the distribution is discrete). */
    crd_i_pair (*log_density)(const crd_distribution *d, const double *x);
    /* Returns P(X <= x) and P(X > x) for a finite x inside the support. For a discrete distribution, x is already
     * floored. */
    crd_i_tails (*tails)(const crd_distribution *d, double x);
    /* Optional: a closed form. Otherwise the quantile is searched using the tails, for continuous distributions from 0
     * up. */
    double (*quantile)(const crd_distribution *d, double p, bool from_above);
    /* Univariate distributions only. A multivariate distribution stores the mean and the covariances in `list`. */
    double (*mean)(const crd_distribution *d);
    double (*variance)(const crd_distribution *d);
    /* Optional: the standard deviation, if its square may not fit in a double. Otherwise it is the square root of the
     * variance. */
    double (*deviation)(const crd_distribution *d);
    /* Optional: draws a sample. Otherwise a sample is the quantile of a uniform number. */
    void (*sample)(const crd_distribution *d, crd_i_random *random, double *out);
};

extern const crd_i_distribution_type crd_i_uniform, crd_i_discrete_uniform, crd_i_binomial, crd_i_poisson, crd_i_normal,
    crd_i_multivariate_normal, crd_i_exponential, crd_i_student, crd_i_gamma, crd_i_beta, crd_i_chi_squared;

/* Common parameter bounds. */
#define CRD_I_ANY -1.7976931348623157e308, 1.7976931348623157e308
#define CRD_I_POSITIVE 2.2250738585072014e-308, 1.7976931348623157e308
#define CRD_I_SHAPE CRD_I_LEAST_SHAPE, CRD_I_GREATEST_SHAPE

#endif
