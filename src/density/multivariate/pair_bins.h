/* SPDX-License-Identifier: MIT */
/* pair_bins.h - the values that a joint tally of pairs counts by, as a density takes them: categories by their place
 * in the view, numbers by the bin that they are in. */
#ifndef CRD_DENSITY_MULTIVARIATE_PAIR_BINS_H
#define CRD_DENSITY_MULTIVARIATE_PAIR_BINS_H

#include "density/multivariate/joint_density.h"
#include "stats/pair_counts.h"

typedef struct crd_i_pair_bins {
    crd_context *context;
    size_t column_count;
    crd_i_pairs_bins *columns; /* of each: the bin of each value or cell; no bins: it has no kind */
    int32_t **bins;            /* what `columns` has */
    int32_t *places;           /* of each condition that is known */
    double *cuts;              /* of column i from i * CRD_I_AXIS_MOST on: where its bins after the first begin */
} crd_i_pair_bins;

/* false: out of memory; then too it is to be cleared. */
CRD_MUST_USE bool crd_i_pair_bins_init(crd_i_pair_bins *bins, crd_context *context,
                                       const crd_i_joint_source *joint_source);
void crd_i_pair_bins_clear(crd_i_pair_bins *bins);

/* The bin of a number, of which there are `count`. */
size_t crd_i_pair_bins_find(const double *cuts, size_t count, double number);

#endif
