/* SPDX-License-Identifier: MIT */
/* emission_sums_internal.h - what the files of emission_sums.h share: which sums there are, and where. */
#ifndef CRD_SEQUENCE_EMISSION_SUMS_INTERNAL_H
#define CRD_SEQUENCE_EMISSION_SUMS_INTERNAL_H

#include "math/simd/simd_trellis.h"
#include "sequence/train/emission_sums.h"

/* What is summed of a column. */
typedef enum crd_i_sum_form {
    CRD_I_SUM_NOTHING,  /* no cell is present */
    CRD_I_SUM_CONSTANT, /* all cells are the same: weights of present ones */
    CRD_I_SUM_NORMAL,   /* z and z^2 */
    CRD_I_SUM_LOGNORMAL,
    CRD_I_SUM_POISSON, /* z */
    CRD_I_SUM_EXPONENTIAL,
    CRD_I_SUM_BERNOULLI,
    CRD_I_SUM_CATEGORY, /* weights of each value */
    CRD_I_SUM_JOINT     /* in a block, with its products */
} crd_i_sum_form;

typedef struct crd_i_summed_column {
    crd_i_sum_form form;
    const crd_i_observed_column *facts;
    bool is_log;           /* of the lognormal family */
    bool has_missing;      /* then the weights of present cells are summed, too: the first statistic */
    size_t slot;           /* of its first statistic */
    double centre, factor; /* z = (x - centre) factor; of the lognormal that of log x */
} crd_i_summed_column;

/* Columns with a joint normal density: z of each, then the products of each with itself and those behind it. */
typedef struct crd_i_summed_block {
    size_t *columns;
    size_t count, slot;
} crd_i_summed_block;

struct crd_i_emission_sums {
    crd_context *context;
    const crd_sequences *sequences;
    const crd_settings *settings; /* borrowed */
    size_t classes, stride;       /* classes rounded up to whole vectors */
    size_t slots;                 /* statistics; the first is the weights of all steps */
    crd_i_summed_column *columns;
    size_t column_count;
    crd_i_summed_block *blocks;
    size_t block_count;
    bool is_maximised;
    const crd_i_simd_trellis *lanes; /* how it computes; results do not depend on it */
};

/* The weights of the present cells of a column in a class. */
static inline double crd_i_summed_weight(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                         const double *sums, size_t k) {
    return sums[(column->has_missing ? column->slot : 0) * layout->stride + k];
}
/* Its statistic `i`, behind those weights. */
static inline double crd_i_summed_value(const crd_i_emission_sums *layout, const crd_i_summed_column *column,
                                        const double *sums, size_t i, size_t k) {
    return sums[(column->slot + column->has_missing + i) * layout->stride + k];
}

/* The mean of z in a class of weight above 0, and its variance, which is no less than a small part of the whole column's. */
double crd_i_summed_mean(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                         size_t k);
double crd_i_summed_variance(const crd_i_emission_sums *layout, const crd_i_summed_column *column, const double *sums,
                             size_t k);

#endif
