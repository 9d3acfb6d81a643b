/* SPDX-License-Identifier: MIT */
/* class_mixture_internal.h - the members of a class mixture, and the layout of its statistics and parameters.
 *
 * Statistics: the weights of the classes, then the statistics of each column in turn.
 *   categorical column   counts[value][class]
 *   numeric column       weights[class], sums[class], sums of squares[class]
 *
 * Parameters: log P(k) of each class, then the parameters of each column in turn, and last the log prior density.
 *   categorical column   log P(value | class) as [class][value], with one extra entry per class, 0, for missing values
 *   numeric column       centers[class], rests[class] (always 0), slopes[class], tops[class]: the parabola
 *                        log p(z | class) = top - (slope (z - center))^2 */
#ifndef CRD_EM_CLASS_MIXTURE_INTERNAL_H
#define CRD_EM_CLASS_MIXTURE_INTERNAL_H

#include "em/class_mixture.h"
#include "math/simd/simd_columns.h"

typedef struct crd_i_mixture_column {
    size_t of; /* index of the column in the table */
    bool is_number;
    size_t states;               /* categorical column: the number of states */
    double differ;               /* categorical column: the probability that two random rows differ in it */
    double unit, centre, factor; /* numeric column: standardization z = (x unit - centre) factor */
    double log_factor;           /* numeric column: log of dz / dx */
    size_t statistics, parameters;
} crd_i_mixture_column;

struct crd_i_class_mixture {
    crd_context *context;
    const crd_i_simd_columns *lanes;
    size_t classes, column_count;
    crd_i_mixture_column *columns;
    size_t statistics, parameters;
    double *state;
    crd_i_smoothing smoothing;
    double strength;
    bool is_marginal;
    double min_deviation;
};

#endif
