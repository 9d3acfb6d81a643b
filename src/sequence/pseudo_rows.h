/* SPDX-License-Identifier: MIT */
/* pseudo_rows.h - creates a model from specified or expected statistics instead of rows: for each class and column the
 * number of values with their mean and variance, their table of value counts, and so on.
 *
 * The model learns a few weighted values that have exactly these statistics. Families then derive their densities as
 * they do from rows, so no density is implemented twice. For n values with mean m and variance v (divided by n), the
 * values are
 *
 *   mean and variance     m - a, m, m + b with weights n v / (a (a + b)), the rest of n, and n v / (b (a + b)); a and
 *                         b are close to a power of two that exceeds the deviation, and m - a and m + b are exact
 *   logarithms            the exponentials of these values
 *   mean of counts        the integers below and above m, with weights that give the mean m
 *   mean of amounts       m
 *   probability p         1 with weight n p, 0 with the rest
 *   minimum and maximum   these two values
 *   value counts          each value with its count
 *   mean vector, covariance L L'
 *                         m - sqrt(D) l_j and m + sqrt(D) l_j for each of the D columns l_j of L, each with weight
 *                         n / (2 D) (the sigma points of the unscented transform; Julier and Uhlmann 1997)
 *
 * The row counts of classes are separate from the values, so columns may have missing values in any number of rows. */
#ifndef CRD_SEQUENCE_PSEUDO_ROWS_H
#define CRD_SEQUENCE_PSEUDO_ROWS_H

#include "model/model_internal.h"

/* Statistics of one attribute; all zero if it belongs to a block, or has no values. */
typedef struct crd_i_column_statistics {
    const double *cells; /* for each class: the number of values, or the sum of their weights; NULL: no values */
    /* Numeric column: for each class, the statistics that its family is derived from:
     *
     *   gaussian, student                 mean; variance, divided by n
     *   lognormal                         mean and variance of the logarithms
     *   poisson, exponential, bernoulli   mean; `seconds` is not used
     *   uniform                           minimum; maximum */
    const double *firsts, *seconds;
    /* Categorical column: for each class, the count of each value. `cells` must not be NULL then, but is not used. */
    const double *counts;
    const crd_text *values; /* distinct values */
    size_t value_count;
} crd_i_column_statistics;

/* Statistics of a block of numeric attributes with a multivariate normal density: a mean vector and a covariance
 * matrix. */
typedef struct crd_i_block_statistics {
    const size_t *columns; /* columns of the schema */
    size_t count;
    const double *cells; /* for each class: the number of complete rows */
    const double *means; /* for each class: `count` means */
    /* for each class: the covariance matrix, row by row, divided by n; only the lower triangle is used; may be
     * singular */
    const double *covariances;
} crd_i_block_statistics;

typedef struct crd_i_class_statistics {
    size_t classes;
    const crd_text *names; /* distinct names of the classes */
    /* row counts of the classes: not negative, and except for rounding not less than the number of values in any
     * column */
    const double *rows;
    const crd_i_column_statistics *columns; /* one for each column of the schema; the target's entry is not used */
    const crd_i_block_statistics *blocks;
    size_t block_count;
} crd_i_class_statistics;

/* Creates a model with the given schema and settings from statistics. The schema must have a target; the call takes
 * ownership of it, even on failure. The settings determine the families of numeric columns and the joint statistics;
 * their blocks must be the blocks of the settings. Returns CRD_ERROR_NUMBER if a statistic is not finite or too large,
 * and CRD_ERROR_SETTING if a family cannot be derived from such statistics. */
CRD_MUST_USE crd_status crd_i_model_of_statistics(crd_context *context, crd_i_schema *schema,
                                                  const crd_settings *settings,
                                                  const crd_i_class_statistics *statistics, crd_model **out,
                                                  crd_error *error);

#endif
