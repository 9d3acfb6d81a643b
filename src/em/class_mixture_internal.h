/* SPDX-License-Identifier: MIT */
/* class_mixture_internal.h - what a mixture of classes is made of.
 *
 * Statistics are the weights of the classes, then for each column in turn, of a category [value][class], of a number the
 * weights, sums and sums of squares of each class. Parameters are log P(k), then of a category [class][value], a value more,
 * at 0, for missing cells, of a number centres, rests (0), slopes and tops of parabolas; last the log prior density. */
#ifndef CRD_EM_CLASS_MIXTURE_INTERNAL_H
#define CRD_EM_CLASS_MIXTURE_INTERNAL_H

#include "em/class_mixture.h"
#include "math/simd/simd_columns.h"

typedef struct crd_i_mixture_column {
    size_t of; /* of the table */
    bool is_number;
    size_t states;               /* of a category */
    double differ;               /* of a category: the probability that two rows differ in it */
    double unit, centre, factor; /* of a number: z = (x unit - centre) factor */
    double log_factor;           /* log of dz / dx */
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
