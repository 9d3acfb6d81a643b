/* SPDX-License-Identifier: MIT */
/* emission_sums_internal.h - internals shared by the files of emission_sums.h: the layout of the sums. */
#ifndef CRD_SEQUENCE_EMISSION_SUMS_INTERNAL_H
#define CRD_SEQUENCE_EMISSION_SUMS_INTERNAL_H

#include "math/simd/simd_trellis.h"
#include "sequence/train/emission_sums.h"

/* Statistics of a column. */
typedef enum crd_i_sum_form {
    CRD_I_SUM_NOTHING,  /* no value is present */
    CRD_I_SUM_CONSTANT, /* all values are equal: only the weights of the present values */
    CRD_I_SUM_NORMAL,   /* z and z^2, also for CRD_I_SUM_LOGNORMAL */
    CRD_I_SUM_LOGNORMAL,
    CRD_I_SUM_POISSON, /* z, also for CRD_I_SUM_EXPONENTIAL and CRD_I_SUM_BERNOULLI */
    CRD_I_SUM_EXPONENTIAL,
    CRD_I_SUM_BERNOULLI,
    CRD_I_SUM_CATEGORY, /* weight of each value */
    CRD_I_SUM_JOINT     /* part of a block, with its products */
} crd_i_sum_form;

typedef struct crd_i_summed_column {
    crd_i_sum_form form;
    const crd_i_observed_column *facts;
    bool is_log;           /* the family is lognormal */
    bool has_missing;      /* some values are missing; then the first statistic is the weight of the present values */
    size_t slot;           /* index of the first statistic */
    double centre, factor; /* z = (x - centre) factor; for the lognormal family, with log x instead of x */
} crd_i_summed_column;

/* Columns with a joint normal density. Statistics: z of each column, then the products of each column with itself and
 * with the later columns. */
typedef struct crd_i_summed_block {
    size_t *columns;
    size_t count, slot;
} crd_i_summed_block;

struct crd_i_emission_sums {
    crd_context *context;
    const crd_sequences *sequences;
    const crd_settings *settings; /* borrowed */
    size_t classes, stride;       /* the stride is `classes` rounded up to whole vectors */
    size_t slots;                 /* number of statistics; the first is the weight of all steps */
    crd_i_summed_column *columns;
    size_t column_count;
    crd_i_summed_block *blocks;
    size_t block_count;
    bool is_maximised;
    const crd_i_simd_trellis *lanes; /* SIMD implementation; results do not depend on it */
};

/* Returns the weight of the present values of a column in a class. */
static inline double crd_i_summed_weight(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                         const double *sums, size_t k) {
    return sums[(column->has_missing ? column->slot : 0) * layout->stride + k];
}
/* Returns statistic `i` of a column in a class, not counting the weight. */
static inline double crd_i_summed_value(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                        const double *sums, size_t i, size_t k) {
    return sums[(column->slot + column->has_missing + i) * layout->stride + k];
}

/* Return the mean and the variance of z in a class with positive weight. The variance has a lower bound: a small
 * fraction of the whole column's variance. */
double crd_i_summed_mean(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                         size_t k);
double crd_i_summed_variance(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                             size_t k);

#endif
