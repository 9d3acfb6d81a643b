/* SPDX-License-Identifier: MIT */
/* entropy_discretization.h - neighbouring cells of a number joined into bins that tell the classes apart. */
#ifndef CRD_DENSITY_MULTIVARIATE_ENTROPY_DISCRETIZATION_H
#define CRD_DENSITY_MULTIVARIATE_ENTROPY_DISCRETIZATION_H

#include "base/context.h"

/* counts[cell * classes + class], the cells in the order of numbers. Marks the first cell of each interval but the first
 * with 1, all others with 0. false: no cut is worth it. sums is room for (cells + 1) * classes doubles. */
bool crd_i_entropy_cuts(const double *counts, size_t cells, size_t classes, double *sums, int32_t *marks);

/* The same, where there is always a cut: gives each cell its bin, 0, 1, 2, ..., and returns
 * how many there are. sums is room for (cells + 1) * classes doubles. */
size_t crd_i_entropy_bins(const double *counts, size_t cells, size_t classes, double *sums, int32_t *bins);

#endif
