/* SPDX-License-Identifier: MIT */
/* grid_folds.h - the rows of a numeric column, as far as its adaptive histogram (grid) resolves them, split into folds.
 * Families are tried on rows that they were not derived from.
 *
 * The fold of a row depends only on its number, at the resolution used here, and on the name of its class. Rows that
 * are equal in both are split at random, and the random numbers are a function of both. So the folds do not depend on
 * the order of rows, the numbering of classes or the number of threads. */
#ifndef CRD_FIT_GRID_FOLDS_H
#define CRD_FIT_GRID_FOLDS_H

#include "density/univariate/family.h"

enum { CRD_I_GRID_FOLDS = 5 };

/* One fold: the weight of each number under each condition, ordered by number and then by condition. */
typedef struct crd_i_grid_folds_fold {
    size_t count, capacity[3];
    double *numbers;
    int32_t *conditions;
    double *weights;
} crd_i_grid_folds_fold;

typedef struct crd_i_grid_folds {
    crd_context *context;
    size_t conditions;
    double *rows; /* [fold][condition]: sums of weights */
    crd_i_grid_folds_fold folds[CRD_I_GRID_FOLDS];
    crd_i_tally *whole[CRD_I_MOST_READS]; /* tallies of all folds, in the order of crd_i_family_auto's reads */
} crd_i_grid_folds;

/* Splits the rows of a grid. Conditions are numbered by their position in the view and have the given names. Returns
 * false if memory runs out. Clear `dealt` in either case. */
CRD_MUST_USE bool crd_i_grid_folds_init(crd_i_grid_folds *dealt, crd_context *context, const crd_i_tally *grid,
                                        const crd_i_view *view, const crd_i_dictionary *names);
void crd_i_grid_folds_clear(crd_i_grid_folds *dealt);

/* Computes the tallies of all rows outside of a fold, in the order of `whole`. Returns false if memory runs out.
 * Destroy each tally in either case. */
CRD_MUST_USE bool crd_i_grid_folds_rest(const crd_i_grid_folds *dealt, size_t fold,
                                        crd_i_tally *tally[CRD_I_MOST_READS]);

#endif
