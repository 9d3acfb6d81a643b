/* SPDX-License-Identifier: MIT */
/* spread.h - a column's grid made ready for densities of any shape: cells with weights, on a scale of their own.
 *
 * Numbers may be of any size, up to the ends of the doubles. So densities are derived on the scale t = (x - centre) /
 * 2^e on which the column's cells are about 1 apart from end to end, and nothing overflows; the log density of x is
 * that of t less e log 2.
 *
 * Smoothing m:M adds M pseudo-counts to each condition, which lie as those of all conditions together do. So every
 * condition has weight wherever the column has, and one without rows is like the whole. Without M such a condition has
 * the weights of the whole, too. */
#ifndef CRD_DENSITY_UNIVARIATE_SPREAD_H
#define CRD_DENSITY_UNIVARIATE_SPREAD_H

#include "density/univariate/family.h"
#include "stats/grid.h"

typedef struct crd_i_spread_scale {
    double half_centre, factor; /* half the centre, 2^-e */
    double log_unit;            /* e log 2 */
} crd_i_spread_scale;

/* t is kept within bounds in which its square is finite; x within those of the doubles. */
double crd_i_scale_to(const crd_i_spread_scale *scale, double x);
double crd_i_scale_from(const crd_i_spread_scale *scale, double t);

/* half_centre, factor and log_unit. false: out of memory. */
CRD_MUST_USE bool crd_i_scale_list_parameters(const crd_i_spread_scale *scale, crd_i_parameter_list *parameter);

typedef struct crd_i_spread_cells {
    crd_context *context;
    crd_i_spread_scale scale;
    size_t count, conditions;
    bool is_exact;   /* cells are values */
    double width;    /* of each cell; 0 where they are values */
    double gap;      /* between neighbours in the mean; 0 where there are fewer than two */
    double total;    /* rows of all conditions */
    double *t;       /* of each cell: the value or the middle, ascending */
    double *whole;   /* of each cell: the rows of all conditions */
    double *rows;    /* [condition][cell], as counted */
    double *weights; /* [condition][cell], with M rows more */
    double *sums;    /* of each condition: of its weights */
} crd_i_spread_cells;

/* false: out of memory; then too it is to be cleared. */
CRD_MUST_USE bool crd_i_spread_cells_init(crd_i_spread_cells *cells, crd_context *context,
                                          const crd_i_tallied *attribute, const crd_settings *settings);
void crd_i_spread_cells_clear(crd_i_spread_cells *cells);

/* Mean and deviation of weighted cells, which have a sum above 0; within cells of a width numbers are even. */
void crd_i_spread_moments(const crd_i_spread_cells *cells, const double *weights, double *mean, double *deviation);
/* The point below which a share p of the weights lies, cells of a width being even. */
double crd_i_spread_quantile(const crd_i_spread_cells *cells, const double *weights, double p);

/* The t between low and high at which a distribution function is p: Newton's steps, halving where one leaves the
 * bounds.
 */
typedef struct crd_i_spread_curve {
    double (*below)(const void *object, double t);
    double (*density)(const void *object, double t);
    const void *data;
} crd_i_spread_curve;
double crd_i_spread_invert(const crd_i_spread_curve *curve, double low, double high, double p);

/* n^power, n > 0, with the same bits everywhere. */
double crd_i_spread_power(double n, double power);

#endif
