/* SPDX-License-Identifier: MIT */
/* pair_bins.h - maps the values of a pair-counts joint tally to the items of a density: categories to their position in
 * the view, numbers to bins. */
#ifndef CRD_DENSITY_MULTIVARIATE_PAIR_BINS_H
#define CRD_DENSITY_MULTIVARIATE_PAIR_BINS_H

#include "density/multivariate/joint_density.h"
#include "stats/pair_counts.h"

typedef struct crd_i_pair_bins {
    crd_context *context;
    size_t column_count;
    crd_i_pairs_bins
        *columns;    /* for each column: the bin of each value or axis cell; no bins: the column has no type */
    int32_t **bins;  /* the arrays that `columns` points to */
    int32_t *places; /* for each condition of the tally: its position in the view */
    double *cuts;    /* column i begins at i * CRD_I_AXIS_MOST: the lower limits of its bins, except the first */
} crd_i_pair_bins;

/* Creates the bins of all columns. Returns false if memory runs out. The caller clears `bins` in both cases. */
CRD_MUST_USE bool crd_i_pair_bins_init(crd_i_pair_bins *bins, crd_context *context,
                                       const crd_i_joint_source *joint_source);
void crd_i_pair_bins_clear(crd_i_pair_bins *bins);

/* Returns the bin of `number`, by binary search. `count` is the number of bins. */
size_t crd_i_pair_bins_find(const double *cuts, size_t count, double number);

#endif
