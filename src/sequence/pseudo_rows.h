/* SPDX-License-Identifier: MIT */
/* pseudo_rows.h - a tallied model of stated or expected statistics: of each class and column how many cells there are, and
 * their mean and variance, their table of values, and so on.
 *
 * The tallies are given few weighted cells that have these statistics, from which families derive densities as they do
 * from rows: no density is written twice. Of n cells with mean m and variance v (divided by n)
 *
 *   mean and variance   m - a, m, m + b with weights n v / (a (a + b)), the rest of n, and n v / (b (a + b)); a and b are
 *                       near a power of two of at least the deviation, such that m - a and m + b lose no digits of m
 *   logarithms          the exponentials of these
 *   means of counts     the whole numbers below and above m, with the weights that have the mean m
 *   means of amounts    m
 *   p of 0 and 1        1 with weight n p, 0 with the rest
 *   least and greatest  these two
 *   values              each value with its count
 *   mean vector, covariance L L'   m - sqrt(D) l_j and m + sqrt(D) l_j for each of the D columns l_j of L, with the weight
 *                       n / (2 D) each
 *
 * The rows of classes are tallied apart from cells, so that columns may lack cells in any number of rows. */
#ifndef CRD_SEQUENCE_PSEUDO_ROWS_H
#define CRD_SEQUENCE_PSEUDO_ROWS_H

#include "model/model_internal.h"

/* Of one attribute; all zero where it is part of a block, or has no cells. */
typedef struct crd_i_column_statistics {
    const double *cells; /* of each class: how many there are, or the sum of their weights. NULL: no cells. */
    /* Of a number, class by class, what its family is derived from:
     *   gaussian, student               the mean; the variance, divided by n
     *   lognormal                       the same of the logarithms
     *   poisson, exponential, bernoulli the mean; `seconds` is not read
     *   uniform                         the least; the greatest */
    const double *firsts, *seconds;
    /* Of a category, class by class: the count of each of the values. `cells` is not NULL then, and not read. */
    const double *counts;
    const crd_text *values; /* different from each other */
    size_t value_count;
} crd_i_column_statistics;

/* Of a block of number attributes whose multivariate normal density has a mean vector and a covariance matrix. */
typedef struct crd_i_block_statistics {
    const size_t *columns; /* of the schema */
    size_t count;
    const double *cells; /* of each class: complete rows */
    const double *means; /* class by class, count each */
    const double
        *covariances; /* class by class, row by row, divided by n; the lower triangle is read; may be singular */
} crd_i_block_statistics;

typedef struct crd_i_class_statistics {
    size_t classes;
    const crd_text *names; /* of classes, different from each other */
    const double *rows;    /* of classes: not negative; no fewer than cells in any column, but for rounding */
    const crd_i_column_statistics *columns; /* one for each column of the schema; the target's is not read */
    const crd_i_block_statistics *blocks;
    size_t block_count;
} crd_i_class_statistics;

/* A tallied model with the schema, which has a target and is taken over also on failure, and the settings, under which the
 * families of number columns and the joint tallies are found; blocks are those of the settings. CRD_ERROR_NUMBER: a
 * statistic is not finite, or too large; CRD_ERROR_SETTING: a family that has no such statistics. */
CRD_MUST_USE crd_status crd_i_model_of_statistics(crd_context *context, crd_i_schema *schema,
                                                  const crd_settings *settings,
                                                  const crd_i_class_statistics *statistics, crd_model **out,
                                                  crd_error *error);

#endif
