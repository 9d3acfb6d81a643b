/* SPDX-License-Identifier: MIT */
/* gaussian.h - the moments and normal curves that two source files share:
 *
 *   gaussian.c   reads moments from exact sums, derives the normal densities from them, with or without one row
 *   student.c    the student family, which derives its densities from the same moments
 *
 * The struct crd_i_facts holds everything that is read from exact sums. All later steps are short computations in
 * doubles. They give the same bits for the same facts, with or without a row removed. */
#ifndef CRD_DENSITY_UNIVARIATE_GAUSSIAN_H
#define CRD_DENSITY_UNIVARIATE_GAUSSIAN_H

#include "density/univariate/family.h"

/* A sum of squared deviations and its divisor: n, or n - 1. */
typedef struct crd_i_spread {
    crd_i_scaled squares;
    double rows, divisor;
} crd_i_spread;

/* A variance and the number of rows that it was estimated from. Its value is 0 if it is undefined. */
typedef struct crd_i_variance {
    crd_i_scaled value;
    double rows;
    bool defined;
} crd_i_variance;

/* The moments of a column under one condition, or over all conditions. */
typedef struct crd_i_facts {
    double rows;
    /* mean + mean_rest equals the mean to a relative error of 2^-62; 0 without rows */
    double mean, mean_rest;
    crd_i_variance variance;
    crd_i_spread spread;
} crd_i_facts;

/* The moments to read. Each needs a division of big integers, so only the moments that the settings use are read. The
 * others stay zero. */
typedef struct crd_i_facts_wanted {
    bool mean, variance, squares;
} crd_i_facts_wanted;
/* Return the moments that the settings use over all conditions, and under a single condition. */
crd_i_facts_wanted crd_i_facts_of_whole(const crd_settings *settings);
crd_i_facts_wanted crd_i_facts_of_condition(const crd_settings *settings);

/* The functions below that return bool return false if memory runs out.
 *
 * Reads the moments of one cell of exact sums. */
CRD_MUST_USE bool crd_i_facts_read(crd_i_moment_cell moment, crd_i_facts_wanted wanted, const crd_settings *settings,
                                   crd_i_facts *out);
/* Adds up all conditions of the view, into three sums that the caller has initialized and clears. The second function
 * reads the moments of these sums. */
CRD_MUST_USE bool crd_i_facts_gather(const crd_i_tallied *attribute, crd_i_sums whole[3]);

/* Reads the moments of each condition, followed by the moments over all conditions. The caller frees the array with
 * crd_free. Returns NULL if memory runs out. */
crd_i_facts *crd_i_facts_read_all(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings);

crd_i_spread crd_i_spread_none(void);

/* Sums of squared deviations, pooled over all attributes, for the setting that shares variances between attributes. */
typedef struct crd_i_shared {
    crd_i_spread whole;       /* for V: squared deviations from the overall means */
    crd_i_spread all;         /* pooled over conditions and attributes */
    crd_i_spread *conditions; /* for each condition, pooled over attributes */
} crd_i_shared;

/* The values that all conditions of an attribute have in common. */
typedef struct crd_i_overall {
    crd_i_variance V, pooled;
    const crd_i_shared *pool; /* used only if attributes share their variances */
    double mean, mean_rest, deviation;
    bool is_silent; /* the column is constant, so the attribute is ignored */
} crd_i_overall;
crd_i_overall crd_i_overall_of(const crd_i_facts *whole, const crd_i_facts *conditions, size_t count,
                               const crd_i_shared *pool, const crd_settings *settings);

typedef struct crd_i_normal_curve {
    double mean, deviation;
    double scale;       /* 1, or 1/2 if the mean is very large */
    double scaled_mean; /* mean * scale */
    /* rounding error of the mean, times scale. It makes x - mean exact near the mean, so a large offset of a column
     * does not affect its densities. */
    double scaled_rest;
    double rescale;  /* 1 / scale */
    double log_peak; /* the log density at the mean */
    double slope;    /* 1 / (deviation * sqrt 2); 0 if the mean or the deviation is extreme */
} crd_i_normal_curve;
/* Returns the normal density under condition k, from its moments `facts`. */
crd_i_normal_curve crd_i_normal_of(const crd_i_overall *overall, const crd_i_facts *facts, size_t k,
                                   const crd_settings *settings);
/* Returns the standardized number (x - mean) / deviation. */
double crd_i_normal_standard(const crd_i_normal_curve *curve, double x);
/* Returns the log density at x. If the curve has a slope, this is a parabola of simd_columns.h. Otherwise it is
 * computed by division, which no mean or deviation is too large for. */
double crd_i_normal_log_density(const crd_i_normal_curve *curve, double x);

/* Lists mean, mean_rest, deviation, log_peak and slope of each condition. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_normal_list_parameters(const crd_i_normal_curve *curves, size_t count,
                                               crd_i_parameter_list *parameter);

#endif
