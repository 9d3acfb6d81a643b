/* SPDX-License-Identifier: MIT */
/* held_out.h - the training rows that a model stores, split into folds for fits to held-out rows.
 *
 * The fold depends on the hash of a row's content, so it depends neither on the order of rows nor on threads. Copies of
 * a row are dealt to the folds in turn. Models of some of the rows are trained as usual, with the rows' weights.
 *
 * Contents:
 *   1. Rows in folds
 *   2. Weights of terms
 *   3. Grid folds */
#ifndef CRD_FIT_HELD_OUT_H
#define CRD_FIT_HELD_OUT_H

#include "classify/classifier_internal.h"
#include "density/univariate/family.h"

enum { CRD_I_HELD_OUT_FOLDS = 5 };

/* Fits to held-out rows stop at this relative change of the loss. It is far smaller than the effect of drawing other
 * rows. */
#define CRD_I_HELD_OUT_ENOUGH 1e-7

/* ======== 1. Rows in folds ======== */

typedef struct crd_i_held_out crd_i_held_out;

/* Reads the stored rows, ordered by fold. Class and value codes are the codes of `like`, a classifier of the model,
 * which must outlive *out. If the model stores no rows, returns CRD_ERROR_SETTING; `description` names in the error the
 * setting that needs them. */
CRD_MUST_USE crd_status crd_i_held_out_create(const crd_model *model, const crd_classifier *like,
                                              const crd_i_schema_view *view, const char *description,
                                              crd_i_held_out **out, crd_error *error);
void crd_i_held_out_destroy(crd_i_held_out *inner); /* NULL is allowed */
/* Returns CRD_OK if the model stores rows, otherwise CRD_ERROR_SETTING as above. */
CRD_MUST_USE crd_status crd_i_held_out_check(const crd_model *model, const char *description, crd_error *error);

/* Creates the settings for models of some of the rows: the classifier's settings without calibration. Families that
 * were selected for the classifier are fixed, so they are not selected again for each fold. A specified prior is
 * dropped, because a class may not occur among the rows. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_held_out_settings(const crd_classifier *classifier, crd_settings **out, crd_error *error);

size_t crd_i_held_out_rows(const crd_i_held_out *inner);
/* Return the class, weight and hash of each row. */
const int32_t *crd_i_held_out_classes(const crd_i_held_out *inner);
const double *crd_i_held_out_weights(const crd_i_held_out *inner);
const uint64_t *crd_i_held_out_hashes(const crd_i_held_out *inner);
/* Returns the bag of terms of a row's text; an empty text if it is missing. */
crd_text crd_i_held_out_text(const crd_i_held_out *inner, size_t attribute, size_t row);
/* Converts the values of a row for another classifier of the same attributes, one value for each. */
void crd_i_held_out_row(const crd_i_held_out *inner, const crd_classifier *classifier, size_t row,
                        crd_i_one_cell *cells);
/* Returns the first row of a fold, 0 .. CRD_I_HELD_OUT_FOLDS. The last index returns the number of rows. */
size_t crd_i_held_out_start(const crd_i_held_out *inner, size_t fold);

/* Trains a model on all rows outside of first .. limit - 1, with the given weights (NULL: the rows' own). If no weight
 * is left, the model has no rows, and no classifier can be created from it. The caller destroys *out. */
CRD_MUST_USE crd_status crd_i_held_out_learn(const crd_i_held_out *inner, const crd_settings *settings, size_t first,
                                             size_t limit, const double *weights, crd_model **out, crd_error *error);
/* Computes the log posteriors of the rows first .. limit - 1 with a classifier: rows x classes of `like`. A class that
 * the classifier does not have gets -INFINITY. */
CRD_MUST_USE crd_status crd_i_held_out_ask(const crd_i_held_out *inner, const crd_classifier *classifier, size_t first,
                                           size_t limit, double *logs, crd_error *error);
/* Computes the log posteriors of each row with a model trained without the row's fold. */
CRD_MUST_USE crd_status crd_i_held_out_hold_out(const crd_i_held_out *inner, const crd_settings *settings, double *logs,
                                                crd_error *error);

/* ======== 2. Weights of terms ========
 *
 * The weights of the terms of a score are fitted to held-out rows.
 *
 * The score of class c is s_c = base_c + sum over i of w_i t_ic. The terms t and the base of a row come from a
 * classifier that was trained without the row's fold. The weights are nonnegative. They maximize the conditional
 * likelihood under a ridge penalty that shrinks them towards their initial values (math/logistic_newton.h). */

/* Bound of the absolute value of a term. A value that never occurred with a class would have an infinite term. */
#define CRD_I_FOLD_WEIGHTS_MOST 50.0

typedef struct crd_i_fold_weights {
    const void *state;   /* state for the functions below */
    size_t count;        /* number of weights */
    const char *method;  /* method of the folds' classifiers; NULL: the classifier's own */
    double ridge;        /* ridge penalty, */
    double ridge_of_few; /* plus this number times weights per row */
    /* Returns the number of doubles that `place` needs in addition to the scorer's scratch. */
    size_t (*scratch)(const void *state, const crd_classifier *classifier);
    /* Computes the terms and base of a row with a fold's classifier. classes[k] is the code of its class k in the whole
     * classifier. Term i of class c is stored at terms[c * count + i], its base at base[c]. Before the call, terms are
     * 0 and bases are -CRD_I_FOLD_WEIGHTS_MOST. */
    crd_status (*place)(const void *state, const crd_i_scored_row *row, const int32_t *classes, double *terms,
                        double *base, crd_error *error);
} crd_i_fold_weights;

/* Fits the weights. `weights` contains the initial values, and then the result. They stay unchanged if there are too
 * few rows to hold any out. */
CRD_MUST_USE crd_status crd_i_fold_weights_fit(const crd_i_fold_weights *problem, const crd_classifier *classifier,
                                               const crd_i_held_out *inner, double *weights, crd_error *error);

/* Returns whether weights from a file are plausible: nonnegative, and not larger than a fit can return. */
bool crd_i_fold_weights_fit_in(const double *weights, size_t count);

/* ======== 3. Grid folds ========
 *
 * The rows of a numeric column are split into folds, as far as its adaptive histogram (grid) resolves them. Families
 * are tried on rows that they were not derived from.
 *
 * The fold of a row depends only on its number, at the resolution used here, and on the name of its class. Rows that
 * are equal in both are split at random, and the random numbers are a function of both. So the folds do not depend on
 * the order of rows, the numbering of classes or the number of threads. */

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
