/* SPDX-License-Identifier: MIT */
/* weight_groups.h - numbers of rows with few distinct weights, tallied without weights.
 *
 *   sum of w x  =  sum over distinct weights v of  v (sum of x over the rows of weight v)
 *
 * and likewise for w and w x^2. So rows are tallied by class and weight, as fast as rows without weights, and what comes
 * of it is multiplied at the end: exactly, so that nothing shows in the sums. */
#ifndef CRD_MODEL_WEIGHT_GROUPS_H
#define CRD_MODEL_WEIGHT_GROUPS_H

#include "stats/tally.h"

typedef struct crd_i_weight_groups crd_i_weight_groups;

/* For tallies of so many columns. NULL: out of memory. */
crd_i_weight_groups *crd_i_weight_groups_create(crd_context *context, size_t columns);
void crd_i_weight_groups_destroy(crd_i_weight_groups *groups); /* NULL is fine */

/* The pair of class and weight of each row, negative where its class is, until the next call; *out is NULL where there
 * are, or once were, too many distinct weights. false: out of memory. */
CRD_MUST_USE bool crd_i_weight_groups_assign(crd_i_weight_groups *groups, size_t rows, const int32_t *classes,
                                             const double *weights, const int32_t **out);
/* Pairs are numbered below this. */
size_t crd_i_weight_groups_count(const crd_i_weight_groups *groups);
/* The tally of moments by pairs that stands for that of a column; NULL: out of memory. */
crd_i_tally *crd_i_weight_groups_tally(crd_i_weight_groups *groups, size_t column);
/* Adds what was tallied of a column, if anything was, to its own tally, which knows all classes. false: out of
 * memory. */
CRD_MUST_USE bool crd_i_weight_groups_pour(const crd_i_weight_groups *groups, size_t column, crd_i_tally *own);

#endif
