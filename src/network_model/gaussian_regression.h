/* SPDX-License-Identifier: MIT */
/* gaussian_regression.h - the table of a Gaussian node from exact sums (Lauritzen and Wermuth 1989). The node is
 * regressed on its continuous parents by least squares, separately for each state combination of its discrete parents.
 *
 * A group is the set of data rows that belong to one row of the table, among the rows without missing values in the
 * family. Let x be the node, y its k continuous parents and n the number of rows of the group. S contains the sums of
 * squares and products about the group's means, RSS is the residual sum of squares, and r is the number of linearly
 * independent parents in the group:
 *
 *   coefficients  b = S_yy^-1 S_yx     constant  a = mean of x - b . means of y
 *   variance      RSS / n (mle), or RSS / (n - 1 - r) (sample)
 *
 * A parent adds nothing if it is constant in the group, or a linear function of the parents before it in the order of
 * names; its coefficient is 0. The criterion is as for covariance matrices (math/cholesky.h): after regression on the
 * parents before it, at most 2^-36 of its sum of squares remains. An RSS of at most 2^-36 of the sum of squares is
 * replaced by 0.
 *
 * Small groups: a group without rows gets the regression of all rows. A group with n < r + 2 rows cannot determine its
 * variance. It keeps its means and gets the coefficients and the variance of the pooled regression within groups, whose
 * S and RSS are summed over all groups. If the pooled regression has too few rows either, the regression of all rows is
 * used. If all complete rows together are too few for a regression, the node gets the distribution of its column,
 * regardless of its parents.
 *
 * Then the settings apply as for univariate densities (density/univariate/gaussian_parameters.c). share-variance
 * replaces each variance by the variance within groups. Smoothing m:M gives (n v + M V) / (n + M), where V is the
 * variance of the regression of all rows. The root of the variance is at least min-deviation. If the variance is 0, it
 * becomes 1e-9 of the node's overall variance. If all complete rows have the same number, V and the overall variance
 * are computed from the node's column. A node whose column is constant has variance 0, or the square of min-deviation.
 * Without continuous parents, results are bit-identical to univariate densities: a group of one row has v = 0 under
 * mle. */
#ifndef CRD_NETWORK_MODEL_GAUSSIAN_REGRESSION_H
#define CRD_NETWORK_MODEL_GAUSSIAN_REGRESSION_H

#include "math/exact/exact_products.h"
#include "settings/settings_internal.h"

/* Exact sums of the groups. For each row of the table: cross-products of its continuous parents, in their order, and of
 * the node, which is last. */
typedef struct crd_i_group_sums {
    crd_context *context;
    size_t rows, parents;
    crd_i_products **products; /* for each row of the table; NULL: no data */
} crd_i_group_sums;

/* Initializes empty sums. Returns false if memory runs out. Clear the sums in either case. */
CRD_MUST_USE bool crd_i_group_sums_init(crd_i_group_sums *group, crd_context *context, size_t rows, size_t parents);
void crd_i_group_sums_clear(crd_i_group_sums *sums); /* an all-zero struct is allowed */
/* Returns the sums of a row of the table, and creates them with 0 if needed. Returns NULL if memory runs out. */
crd_i_products *crd_i_group_sums_of(crd_i_group_sums *sums, size_t row);

/* Computes the rows of a node's table: constant, one coefficient per continuous parent, variance. `column` contains the
 * sums of the node alone, over all data rows that have a number for it: one group, not NULL, without parents. `order`
 * lists the parents 0 ... k - 1 in the order of their names. */
CRD_MUST_USE crd_status crd_i_gaussian_rows(const crd_i_group_sums *sums, const crd_i_group_sums *column,
                                            const size_t *order, const crd_settings *settings, double *table,
                                            crd_error *error);

#endif
