/* SPDX-License-Identifier: MIT */
/* fold_weights.h - weights of the terms of a score, fitted to held-out rows.
 *
 * The score of class c is s_c = base_c + sum over i of w_i t_ic. The terms t and the base of a row come from a
 * classifier that was trained without the row's fold. The weights are nonnegative. They maximize the conditional
 * likelihood under a ridge penalty that shrinks them towards their initial values (math/logistic_newton.h). */
#ifndef CRD_FIT_FOLD_WEIGHTS_H
#define CRD_FIT_FOLD_WEIGHTS_H

#include "fit/held_out.h"

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

#endif
