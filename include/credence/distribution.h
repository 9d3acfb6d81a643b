/* SPDX-License-Identifier: MIT */
/* credence/distribution.h - named distributions: densities, tails, quantiles, moments and draws, with one interface.
 *
 * A distribution is immutable, and threads can share it. Only crd_distribution_create allocates memory. Results are
 * bit-identical on every machine. The smaller of the two tails has a relative accuracy of 1e-12 or better, except for
 * beta shapes under 0.1 at the very ends. */
#ifndef CREDENCE_DISTRIBUTION_H
#define CREDENCE_DISTRIBUTION_H

#ifndef CRD_EXPERIMENTAL
#error "credence/distribution.h is experimental: define CRD_EXPERIMENTAL before you include it"
#endif

#include <credence/credence.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Available distributions ---- */

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

/* Returns row `index` of the table of distributions, or NULL if `index` is past its end. */
CRD_API const crd_distribution_kind *crd_distribution_kind_at(size_t index);
/* Returns the row of the distribution called `name`, or NULL if there is none. */
CRD_API const crd_distribution_kind *crd_distribution_kind_named(crd_text name);

/* ---- Distributions ---- */

typedef struct crd_distribution crd_distribution;

typedef struct crd_parameter_value {
    crd_text name;
    const double *values; /* one, or as many as the form asks for */
    size_t count;
} crd_parameter_value;

/* Creates the distribution called `name` with `count` parameters. The caller destroys *out. CRD_ERROR_SETTING: the
 * distribution or a parameter is unknown (the error's subject), a parameter is given twice or is missing, or a value is
 * out of range. */
CRD_API CRD_MUST_USE crd_status crd_distribution_create(crd_context *context, crd_text name,
                                                        const crd_parameter_value *parameters, size_t count,
                                                        crd_distribution **out, crd_error *error);
/* Frees a distribution. NULL is allowed. */
CRD_API void crd_distribution_destroy(crd_distribution *distribution);

/* Returns the row of the table of distributions that describes the distribution. */
CRD_API const crd_distribution_kind *crd_distribution_kind_of(const crd_distribution *distribution);
/* Returns the number of dimensions: 1 for all distributions except the multivariate normal. */
CRD_API size_t crd_distribution_dimension(const crd_distribution *distribution);

/* ---- Points: `x` has as many numbers as there are dimensions ---- */

/* Returns the probability of x if the distribution is discrete, else the density at x. */
CRD_API double crd_distribution_density(const crd_distribution *distribution, const double *x);
/* Returns the logarithm of the probability or density at x. */
CRD_API double crd_distribution_log_density(const crd_distribution *distribution, const double *x);
/* Writes the mean, one number per dimension. A mean that does not exist is NaN. */
CRD_API void crd_distribution_mean(const crd_distribution *distribution, double *out);
/* Writes the variance, or the covariance matrix row by row if there are several dimensions. A variance that does not
 * exist is NaN or infinite. */
CRD_API void crd_distribution_variance(const crd_distribution *distribution, double *out);
/* Returns the standard deviation, also if the variance is too large or too small for a double. Returns NaN for several
 * dimensions. */
CRD_API double crd_distribution_deviation(const crd_distribution *distribution);
/* Writes `count` draws, numbered from `first`, point by point. Draw i depends only on the seed and on i. */
CRD_API void crd_distribution_sample(const crd_distribution *distribution, uint64_t seed, uint64_t first, size_t count,
                                     double *out);

/* ---- Tails of one-dimensional distributions; NaN if there are several dimensions ---- */

/* Gets the smallest and the largest possible value, which may be infinite. */
CRD_API void crd_distribution_support(const crd_distribution *distribution, double *low, double *high);
/* Returns P(X <= x). */
CRD_API double crd_distribution_below(const crd_distribution *distribution, double x);
/* Returns P(X > x). */
CRD_API double crd_distribution_above(const crd_distribution *distribution, double x);
/* Returns P(X < x), which differs from P(X <= x) if the distribution is discrete. */
CRD_API double crd_distribution_less(const crd_distribution *distribution, double x);
/* Returns P(X >= x), which differs from P(X > x) if the distribution is discrete. */
CRD_API double crd_distribution_at_least(const crd_distribution *distribution, double x);
/* Returns P(low <= X <= high), or 0 if low > high. */
CRD_API double crd_distribution_between(const crd_distribution *distribution, double low, double high);
/* Returns the smallest x with P(X <= x) >= p, or NaN if p is not a probability. */
CRD_API double crd_distribution_quantile(const crd_distribution *distribution, double p);
/* Returns the smallest x with P(X > x) <= p, or NaN if p is not a probability. */
CRD_API double crd_distribution_quantile_above(const crd_distribution *distribution, double p);
/* Gets the central interval of probability p: at most (1 - p) / 2 lies on either side of it. */
CRD_API void crd_distribution_interval(const crd_distribution *distribution, double p, double *low, double *high);

#ifdef __cplusplus
}
#endif
#endif
