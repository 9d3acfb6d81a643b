/* SPDX-License-Identifier: MIT */
/* fold_weights.h - weights of a score's terms, fitted to rows that were held out.
 *
 * A score is base_c + sum over i of w_i t_ic for class c, where the terms t and the base of a row are those of a classifier
 * that was trained without the row's fold. The weights, none below zero, have maximum conditional likelihood under a
 * ridge penalty that draws them towards where they begin (math/logistic_newton.h). */
#ifndef CRD_FIT_FOLD_WEIGHTS_H
#define CRD_FIT_FOLD_WEIGHTS_H

#include "fit/held_out.h"

/* Terms are bounded by this on either side: that of a value that was never seen with a class would be infinite. */
#define CRD_I_FOLD_WEIGHTS_MOST 50.0

typedef struct crd_i_fold_weights {
    const void *state;   /* of the functions below */
    size_t count;        /* of weights */
    const char *method;  /* of the classifiers of the folds; NULL: as the classifier's */
    double ridge;        /* as if the first weights had been seen so often, */
    double ridge_of_few; /* and this often more, times weights a row */
    /* Doubles that placing a row works in, beside the scorer's scratch. */
    size_t (*scratch)(const void *state, const crd_classifier *classifier);
    /* The terms and base of a row by a fold's classifier. classes[k] is the class of the whole that its class k is:
     * term i of class c is at terms[c * count + i], its base at base[c]. These are 0 and -CRD_I_FOLD_WEIGHTS_MOST
     * before. */
    crd_status (*place)(const void *state, const crd_i_scored_row *row, const int32_t *classes, double *terms,
                        double *base, crd_error *error);
} crd_i_fold_weights;

/* Fits the weights, which begin as they are given. Where rows are too few to hold any out, they stay so. */
CRD_MUST_USE crd_status crd_i_fold_weights_fit(const crd_i_fold_weights *problem, const crd_classifier *classifier,
                                               const crd_i_held_out *inner, double *weights, crd_error *error);

/* Whether weights from a file can have been fitted: none below zero, none beyond where fits end. */
bool crd_i_fold_weights_fit_in(const double *weights, size_t count);

#endif
