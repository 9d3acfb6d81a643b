/* SPDX-License-Identifier: MIT */
/* credence/distribution.h - named distributions: densities, tails, quantiles, moments and draws, by one interface.
 *
 * A distribution is immutable: threads may share it. No call but create allocates. Results have the same bits on every
 * machine. Of the two tails the small one is accurate relative to itself, to 1e-12 or better, but for beta shapes
 * under 0.1 at the very ends. */
#ifndef CREDENCE_DISTRIBUTION_H
#define CREDENCE_DISTRIBUTION_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What there is ---- */

typedef enum crd_parameter_form {
    CRD_PARAMETER_REAL = 0,  /* a number */
    CRD_PARAMETER_WHOLE = 1, /* a whole number */
    CRD_PARAMETER_LIST = 2,  /* one number for each dimension */
    CRD_PARAMETER_MATRIX = 3 /* one for each pair of dimensions, row by row */
} crd_parameter_form;

/* One row of a distribution's table of parameters. */
typedef struct crd_parameter {
    const char *name;
    const char *help; /* one line */
    crd_parameter_form form;
    double least, most; /* both allowed */
    double standard;    /* what it is when it is not given; NaN: it has to be */
} crd_parameter;

/* One row of the table of distributions. */
typedef struct crd_distribution_kind {
    const char *name;    /* "normal" */
    const char *summary; /* one line */
    int is_discrete;     /* probabilities of whole numbers; else densities */
    size_t parameter_count;
    const crd_parameter *parameters;
} crd_distribution_kind;

/* Row `index` of the table; NULL behind its end. */
CRD_API const crd_distribution_kind *crd_distribution_kind_at(size_t index);
/* The row of that name, or NULL. */
CRD_API const crd_distribution_kind *crd_distribution_kind_named(crd_text name);

/* ---- One of them ---- */

typedef struct crd_distribution crd_distribution;

typedef struct crd_parameter_value {
    crd_text name;
    const double *values; /* one, or as many as the form asks for */
    size_t count;
} crd_parameter_value;

/* CRD_ERROR_SETTING: an unknown distribution or parameter (the error's subject), one that is given twice or not at all,
 * or values that it does not take. */
CRD_API CRD_MUST_USE crd_status crd_distribution_create(crd_context *context, crd_text name,
                                                        const crd_parameter_value *parameters, size_t count,
                                                        crd_distribution **out, crd_error *error);
CRD_API void crd_distribution_destroy(crd_distribution *distribution);

CRD_API const crd_distribution_kind *crd_distribution_kind_of(const crd_distribution *distribution);
/* How many numbers a point of it has: 1 for all but the multivariate normal. */
CRD_API size_t crd_distribution_dimension(const crd_distribution *distribution);

/* ---- Points: `x` has as many numbers as there are dimensions ---- */

/* The probability of x where the distribution is discrete, else the density there; and its logarithm. */
CRD_API double crd_distribution_density(const crd_distribution *distribution, const double *x);
CRD_API double crd_distribution_log_density(const crd_distribution *distribution, const double *x);
/* Writes the mean, one number a dimension. NaN where there is none. */
CRD_API void crd_distribution_mean(const crd_distribution *distribution, double *out);
/* Writes the variance; the covariances, row by row, where there are several dimensions. NaN or infinite where there is
 * none. */
CRD_API void crd_distribution_variance(const crd_distribution *distribution, double *out);
/* The root of the variance, also where that is too large or too small for a double; NaN of several dimensions. */
CRD_API double crd_distribution_deviation(const crd_distribution *distribution);
/* Writes draws first, first + 1, ..., point by point. Draw i depends on seed and i alone. */
CRD_API void crd_distribution_sample(const crd_distribution *distribution, uint64_t seed, uint64_t first, size_t count,
                                     double *out);

/* ---- Tails: of one dimension; NaN where there are several ---- */

/* The least and the greatest possible value, which may be infinite. */
CRD_API void crd_distribution_support(const crd_distribution *distribution, double *low, double *high);
/* P(X <= x) and P(X > x). */
CRD_API double crd_distribution_below(const crd_distribution *distribution, double x);
CRD_API double crd_distribution_above(const crd_distribution *distribution, double x);
/* P(X < x) and P(X >= x), which differ from the tails above where the distribution is discrete. */
CRD_API double crd_distribution_less(const crd_distribution *distribution, double x);
CRD_API double crd_distribution_at_least(const crd_distribution *distribution, double x);
/* P(low <= X <= high); 0 where low > high. */
CRD_API double crd_distribution_between(const crd_distribution *distribution, double low, double high);
/* The least x with P(X <= x) >= p; and the least with P(X > x) <= p. NaN where p is no probability. */
CRD_API double crd_distribution_quantile(const crd_distribution *distribution, double p);
CRD_API double crd_distribution_quantile_above(const crd_distribution *distribution, double p);
/* The central interval of probability p: no more than (1 - p) / 2 lies on either side of it. */
CRD_API void crd_distribution_interval(const crd_distribution *distribution, double p, double *low, double *high);

#ifdef __cplusplus
}
#endif
#endif
