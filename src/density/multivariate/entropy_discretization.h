/* SPDX-License-Identifier: MIT */
/* entropy_discretization.h - supervised discretization: merges adjacent cells of a numeric column into bins that
 * separate the classes. */
#ifndef CRD_DENSITY_MULTIVARIATE_ENTROPY_DISCRETIZATION_H
#define CRD_DENSITY_MULTIVARIATE_ENTROPY_DISCRETIZATION_H

#include "base/context.h"

/* Finds cut points by minimum entropy and MDL. counts[cell * classes + class] are counts, with cells in ascending
 * order. Sets marks[cell] to 1 for the first cell of each bin except the first bin, and to 0 for all others. Returns
 * false if no cut is accepted. `sums` has room for (cells + 1) * classes doubles. */
bool crd_i_entropy_cuts(const double *counts, size_t cells, size_t classes, double *sums, int32_t *marks);

/* Like crd_i_entropy_cuts, but makes at least one cut if there are two cells or more. Sets bins[cell] to the bin of
 * each cell (0, 1, 2, ...) and returns the number of bins. `sums` has room for (cells + 1) * classes doubles. */
size_t crd_i_entropy_bins(const double *counts, size_t cells, size_t classes, double *sums, int32_t *bins);

#endif
