/* SPDX-License-Identifier: MIT */
/* aode.h - access to the terms of single attributes and of pairs in aode.c, for methods that weight them
 * differently. */
#ifndef CRD_DENSITY_MULTIVARIATE_AODE_H
#define CRD_DENSITY_MULTIVARIATE_AODE_H

#include "density/multivariate/joint_density.h"

/* Returns the number of terms: one for each column, and one for each pair of columns. */
size_t crd_i_aode_pair_count(const crd_i_joint *a1de);
/* Computes the terms of a row, term by term, with the classes innermost. The first terms are log P(x_i | c) for each
 * column i. Then follows for each pair i < j the gain log P(x_j | c, x_i) - log P(x_j | c). Terms with a missing cell
 * are 0. A tree-augmented naive Bayes is the sum of all column terms and of the pair terms of its tree. `workspace` has
 * the capacity of the density's workspace. */
void crd_i_aode_pair_terms(const crd_i_joint *a1de, const crd_i_joint_cell *cells, double *values, double *workspace);

#endif
