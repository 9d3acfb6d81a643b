/* SPDX-License-Identifier: MIT */
/* gaussian.h - what the files of the gaussian family share:
 *
 *   gaussian_parameters.c  facts of cells, read from exact sums, and the normal densities that follow from them
 *   gaussian.c        densities of a whole tally: deriving, asking, crossings
 *   gaussian_leave_one_out.c   densities of a tally with one row taken out
 *
 * Facts are all that is read from exact sums; everything after them is a short computation in doubles that gives the
 * same bits from the same facts, whether these were read from a tally or from one without a row. */
#ifndef CRD_DENSITY_UNIVARIATE_GAUSSIAN_H
#define CRD_DENSITY_UNIVARIATE_GAUSSIAN_H

#include "density/univariate/family.h"

/* Squared deviations and what they are divided by: n, or n - 1. */
typedef struct crd_i_spread {
    crd_i_scaled squares;
    double rows, divisor;
} crd_i_spread;

/* A variance and the rows it stands for; where it is not defined its value is 0. */
typedef struct crd_i_variance {
    crd_i_scaled value;
    double rows;
    bool defined;
} crd_i_variance;

/* Of the cells under one condition, or under all. */
typedef struct crd_i_facts {
    double rows;
    double mean, mean_rest; /* their sum is the mean to 2^-62 of it; 0 where there are no rows */
    crd_i_variance variance;
    crd_i_spread spread;
} crd_i_facts;

/* Each costs a division of big integers, so only what the settings look at is read; the rest stays zero. */
typedef struct crd_i_facts_wanted {
    bool mean, variance, squares;
} crd_i_facts_wanted;
crd_i_facts_wanted crd_i_facts_of_whole(const crd_settings *settings);
crd_i_facts_wanted crd_i_facts_of_condition(const crd_settings *settings);

/* All below that return bool give false when memory ran out. */
CRD_MUST_USE bool crd_i_facts_read(crd_i_moment_cell moment, crd_i_facts_wanted wanted, const crd_settings *settings,
                                   crd_i_facts *out);
CRD_MUST_USE bool crd_i_facts_read_condition(const crd_i_tallied *attribute, size_t k, const crd_settings *settings,
                                             crd_i_facts *out);
/* All conditions of the view together, into three sums that the caller has initialised and clears; and their facts. */
CRD_MUST_USE bool crd_i_facts_gather(const crd_i_tallied *attribute, crd_i_sums whole[3]);
CRD_MUST_USE bool crd_i_facts_read_whole(const crd_i_sums whole[3], const crd_settings *settings, crd_i_facts *out);

/* Of each condition, and behind them of all together; freed with crd_free. NULL: out of memory. */
crd_i_facts *crd_i_facts_read_all(crd_context *context, const crd_i_tallied *attribute, const crd_settings *settings);

crd_i_spread crd_i_spread_none(void);
void crd_i_spread_add(crd_i_spread *spread, const crd_i_spread *more);

/* What attributes that share pool. */
typedef struct crd_i_shared {
    crd_i_spread whole;       /* V */
    crd_i_spread all;         /* over conditions and attributes */
    crd_i_spread *conditions; /* of each */
} crd_i_shared;
void crd_i_shared_add(crd_i_shared *shared_part, const crd_i_facts *whole, const crd_i_facts *conditions, size_t count);

/* What does not change from condition to condition of an attribute. */
typedef struct crd_i_overall {
    crd_i_variance V, pooled;
    const crd_i_shared *pool; /* counts where attributes share */
    double mean, mean_rest, deviation;
    bool is_silent; /* the attribute says nothing */
} crd_i_overall;
crd_i_overall crd_i_overall_of(const crd_i_facts *whole, const crd_i_facts *conditions, size_t count,
                               const crd_i_shared *pool, const crd_settings *settings);

typedef struct crd_i_normal_curve {
    double mean, deviation;
    double scale;       /* 1, or 1/2 where the mean is large */
    double scaled_mean; /* mean * scale */
    double scaled_rest; /* what the mean lost by rounding, * scale: x - mean is exact where they are near, so that no
                         * offset of a column shows in its densities */
    double rescale;     /* 1 / scale */
    double log_peak;    /* the log density at the mean */
    double slope;       /* 1 / (deviation * sqrt 2); 0 where mean or deviation are at the ends of their range */
} crd_i_normal_curve;
/* The density under condition k, whose facts are `own`. */
crd_i_normal_curve crd_i_normal_of(const crd_i_overall *overall, const crd_i_facts *facts, size_t k,
                                   const crd_settings *settings);
/* (x - mean) / deviation */
double crd_i_normal_standard(const crd_i_normal_curve *curve, double x);
/* Where there is a slope, a parabola of simd_columns.h; else by division, which no mean or deviation is too large
 * for. */
double crd_i_normal_log_density(const crd_i_normal_curve *curve, double x);

/* Of each condition: mean, mean_rest, deviation, log_peak and slope. false: out of memory. */
CRD_MUST_USE bool crd_i_normal_list_parameters(const crd_i_normal_curve *curves, size_t count,
                                               crd_i_parameter_list *parameter);

/* ---- student_prior_strength.c ---- */

/* The pseudo-counts under which the conditions' rows are most likely, from the facts of each, in a column that is not
 * silent. false: out of memory. */
CRD_MUST_USE bool crd_i_student_strength(crd_context *context, const crd_i_facts *facts, size_t count,
                                         const crd_i_overall *overall, double *out);

/* ---- gaussian_leave_one_out.c: see crd_i_family ---- */

CRD_MUST_USE crd_status crd_i_gaussian_rest_create(const crd_i_family *family, crd_context *context,
                                                   const crd_i_tallied *attributes, size_t count,
                                                   const crd_settings *settings, crd_i_rest **out, crd_error *error);
void crd_i_gaussian_rest_destroy(crd_i_rest *remainder);
CRD_MUST_USE crd_status crd_i_gaussian_rest_pool(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                                                 size_t rows, const int32_t *conditions, crd_error *error);
CRD_MUST_USE crd_status crd_i_gaussian_rest_add(crd_i_rest *remainder, size_t attribute, const crd_i_cells *cells,
                                                const int32_t *conditions, double *sums, uint32_t *unseen,
                                                crd_error *error);

#endif
