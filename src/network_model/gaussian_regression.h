/* SPDX-License-Identifier: MIT */
/* gaussian_regression.h - the table of a Gaussian node from exact sums: the least squares regression of the node on its
 * continuous parents, for each combination of its discrete parents' states.
 *
 * Of the rows of data that have the node and all of its parents, those of one row of the table are a group. With n the rows
 * of the group, k continuous parents and r how many of these are linearly independent in it, S the sums of squares and
 * products about the group's means and RSS the residual sum of squares:
 *
 *   coefficients  b = S_yy^-1 S_yx     constant  a = mean of x - b . means of y
 *   variance      RSS / n (mle), or RSS / (n - 1 - r) (sample)
 *
 * A parent that is constant in the group, or a linear function of those before it in the order of names, adds nothing: its
 * coefficient is 0. So it counts where what the parents before it leave of its sum of squares is no more than 2^-36 of it, as
 * in covariance matrices (math/cholesky.h). An RSS of no more than 2^-36 of the sum of squares is taken for 0.
 *
 * A group without rows has the regression of all rows. One of n < r + 2 rows cannot show how far rows are from its
 * regression: it keeps its means, and has the coefficients and the variance of the regression within groups, whose S and RSS
 * are the sums of those of all groups (where not even these have rows enough, of that of all rows). Where all rows that have
 * the whole family are too few for a regression, or none, the node has the distribution of its column, whatever its parents
 * are.
 *
 * Then, as with densities of single columns (density/univariate/gaussian_parameters.c): share-variance puts the variance
 * within groups in the place of each; smoothing m:M gives (n v + M V) / (n + M), V being the variance of the regression of all
 * rows; its root is no less than min-deviation; and where it is 0, it is 1e-9 of the node's own overall variance. Where all
 * rows that have the whole family have the same number, V and the overall variance are those of the node's column. A node
 * whose column is constant has its variance 0, or the square of min-deviation. Without continuous parents all is as it is
 * there, to the bit: a group of one row has v = 0 under `mle`. */
#ifndef CRD_NETWORK_MODEL_GAUSSIAN_REGRESSION_H
#define CRD_NETWORK_MODEL_GAUSSIAN_REGRESSION_H

#include "math/exact/exact_products.h"
#include "settings/settings_internal.h"

/* Sums of the groups: for each row of the table those of its continuous parents, in their order, and of the node,
 * last. */
typedef struct crd_i_group_sums {
    crd_context *context;
    size_t rows, parents;
    crd_i_products **products; /* of each row; NULL: no rows of data */
} crd_i_group_sums;

/* Cleared also where it fails, for want of memory. */
CRD_MUST_USE bool crd_i_group_sums_init(crd_i_group_sums *group, crd_context *context, size_t rows, size_t parents);
void crd_i_group_sums_clear(crd_i_group_sums *sums); /* all zero is fine */
/* Those of a row, at zero where there were none; NULL: out of memory. */
crd_i_products *crd_i_group_sums_of(crd_i_group_sums *sums, size_t row);

/* The rows of a node's table: constant, a coefficient for each continuous parent, variance. `column` has the sums of the
 * node alone, of all rows of data that have a number for it: one group, not NULL, without parents. `order` lists the parents
 * 0 ... k - 1 in the order of their names. */
CRD_MUST_USE crd_status crd_i_gaussian_rows(const crd_i_group_sums *sums, const crd_i_group_sums *column,
                                            const size_t *order, const crd_settings *settings, double *table,
                                            crd_error *error);

#endif
