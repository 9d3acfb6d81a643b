/* SPDX-License-Identifier: MIT */
/* aode.h - what aode.c knows of single attributes and of pairs, for those that weigh them otherwise. */
#ifndef CRD_DENSITY_MULTIVARIATE_AODE_H
#define CRD_DENSITY_MULTIVARIATE_AODE_H

#include "density/multivariate/joint_density.h"

/* How many terms there are: one for each column, and one for each pair of columns. */
size_t crd_i_aode_pair_count(const crd_i_joint *a1de);
/* The terms of a row, term by term, the classes innermost: of each column i log P(x_i | c), then of each pair i < j
 * what knowing x_i adds to that of x_j, log P(x_j | c, x_i) - log P(x_j | c); 0 where a cell is missing. A naive
 * Bayes with a tree of dependencies is the sum of the columns' terms and those of the tree's pairs. room is that of
 * the density. */
void crd_i_aode_pair_terms(const crd_i_joint *a1de, const crd_i_joint_cell *cells, double *values, double *workspace);

#endif
