/* SPDX-License-Identifier: MIT */
/* grid_folds.h - the rows of a number column split into folds, as far as its grid resolves them: for trying families on rows
 * that they were not derived from.
 *
 * Which fold a row is in depends on nothing but its number, as it is seen here, and the name of its class: of rows that
 * are alike in both, each fold gets as many as are drawn by random numbers that are a function of both. So no order of rows, no
 * numbering of classes and no number of threads shows in it. */
#ifndef CRD_FIT_GRID_FOLDS_H
#define CRD_FIT_GRID_FOLDS_H

#include "density/univariate/family.h"

enum { CRD_I_GRID_FOLDS = 5 };

/* One fold: how much weight there is of which number under which condition, by numbers and then conditions. */
typedef struct crd_i_grid_folds_fold {
    size_t count, capacity[3];
    double *numbers;
    int32_t *conditions;
    double *weights;
} crd_i_grid_folds_fold;

typedef struct crd_i_grid_folds {
    crd_context *context;
    size_t conditions;
    double *rows; /* [fold][condition]: the sums of weights */
    crd_i_grid_folds_fold folds[CRD_I_GRID_FOLDS];
    crd_i_tally *whole[CRD_I_MOST_READS]; /* of all folds, in the order of crd_i_family_auto's reads */
} crd_i_grid_folds;

/* Conditions are numbered by their place in the view, and have these names. false: out of memory; then too it is to be
 * cleared. */
CRD_MUST_USE bool crd_i_grid_folds_init(crd_i_grid_folds *dealt, crd_context *context, const crd_i_tally *grid,
                                        const crd_i_view *view, const crd_i_dictionary *names);
void crd_i_grid_folds_clear(crd_i_grid_folds *dealt);

/* The tallies of all rows but those of a fold, in the order of `whole`. Each is to be destroyed, also where memory ran
 * out. */
CRD_MUST_USE bool crd_i_grid_folds_rest(const crd_i_grid_folds *dealt, size_t fold,
                                        crd_i_tally *tally[CRD_I_MOST_READS]);

#endif
