/* SPDX-License-Identifier: MIT */
/* spread.h - the adaptive histogram (grid) of a numeric column, prepared for the nonparametric families histogram,
 * kernel and mixture: bins with weights, on a normalized scale.
 *
 * Numbers may have any size, up to the largest doubles. So densities are derived on the scale t = (x - center) / 2^e,
 * on which the range of the column is about 1 and nothing overflows. The log density at x is the log density at t minus
 * e log 2.
 *
 * Smoothing m:M adds M pseudo-counts to each condition. They are distributed like the rows of all conditions:
 *
 *   w_ci = n_ci + M n_i / n,
 *
 * where n_ci is the number of rows of condition c in bin i, n_i its sum over conditions, and n the number of all rows.
 * So every condition has weight wherever the column has rows. A condition without rows has the distribution of the
 * whole column, even if M = 0. */
#ifndef CRD_DENSITY_UNIVARIATE_SPREAD_H
#define CRD_DENSITY_UNIVARIATE_SPREAD_H

#include "density/univariate/family.h"
#include "stats/grid.h"

typedef struct crd_i_spread_scale {
    double half_centre, factor; /* half of the center, and 2^-e */
    double log_unit;            /* e log 2 */
} crd_i_spread_scale;

/* Convert x to t, and t to x. t is limited to a range in which its square is finite. x is limited to finite doubles. */
double crd_i_scale_to(const crd_i_spread_scale *scale, double x);
double crd_i_scale_from(const crd_i_spread_scale *scale, double t);

/* Lists half_centre, factor and log_unit. Returns false if memory runs out. */
CRD_MUST_USE bool crd_i_scale_list_parameters(const crd_i_spread_scale *scale, crd_i_parameter_list *parameter);

typedef struct crd_i_spread_cells {
    crd_context *context;
    crd_i_spread_scale scale;
    size_t count, conditions;
    bool is_exact;   /* each bin is a single value */
    double width;    /* width of a bin; 0 if bins are single values */
    double gap;      /* mean distance between neighboring bins; 0 if there are fewer than two */
    double total;    /* number of rows of all conditions */
    double *t;       /* value or midpoint of each bin, ascending */
    double *whole;   /* rows in each bin, over all conditions */
    double *rows;    /* [condition][bin]: the counted rows */
    double *weights; /* [condition][bin]: the rows with the M pseudo-counts */
    double *sums;    /* sum of the weights of each condition */
} crd_i_spread_cells;

/* Reads the bins of an attribute. Returns false if memory runs out. Clear the struct in both cases. */
CRD_MUST_USE bool crd_i_spread_cells_init(crd_i_spread_cells *cells, crd_context *context,
                                          const crd_i_tallied *attribute, const crd_settings *settings);
void crd_i_spread_cells_clear(crd_i_spread_cells *cells);

/* Computes mean and standard deviation of the bins under weights whose sum is above 0. Within a bin of positive width,
 * numbers are uniformly distributed. */
void crd_i_spread_moments(const crd_i_spread_cells *cells, const double *weights, double *mean, double *deviation);
/* Returns the p-quantile of the weighted bins. Within a bin of positive width, numbers are uniformly distributed. */
double crd_i_spread_quantile(const crd_i_spread_cells *cells, const double *weights, double p);

/* A distribution function and its density. crd_i_spread_invert returns the t between low and high where the
 * distribution function equals p. It uses Newton's method, and bisects when a step leaves the bounds. */
typedef struct crd_i_spread_curve {
    double (*below)(const void *object, double t);
    double (*density)(const void *object, double t);
    const void *data;
} crd_i_spread_curve;
double crd_i_spread_invert(const crd_i_spread_curve *curve, double low, double high, double p);

/* Returns n^power for n > 0, with the same bits on every machine. */
double crd_i_spread_power(double n, double power);

#endif
