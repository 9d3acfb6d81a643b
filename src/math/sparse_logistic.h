/* SPDX-License-Identifier: MIT */
/* sparse_logistic.h - ridge-penalized multinomial logistic regression for sparse rows, with one coefficient per feature
 * and class. The score of class k is s_k = base_k + sum over the row's features j of x_j beta_jk, and its probability
 * is p_k = exp(s_k) / sum over l of exp(s_l). The fit minimizes
 *
 *
 *   - sum over rows of w log p_y + ridge / 2 sum of beta_jk^2,
 *
 * where y is the row's class and w its weight.
 *
 * The objective is convex. Limited-memory BFGS finds its minimum (J. Nocedal, Math. Comp. 35, 1980). Threads process
 * rows and features in pieces, and each piece is summed in a fixed order, so the bits do not depend on the number of
 * threads. */
#ifndef CRD_MATH_SPARSE_LOGISTIC_H
#define CRD_MATH_SPARSE_LOGISTIC_H

#include "base/context.h"

typedef struct crd_i_sparse_logistic {
    size_t rows, classes, features;
    const size_t *starts;    /* start of each row's features below, followed by the end of the last row */
    const uint32_t *indices; /* each row's features, in ascending order */
    const double *values;    /* their values */
    const double *base;      /* rows x classes, finite; NULL: 0 */
    const int32_t *truths;   /* class of each row */
    const double *weights;   /* weight of each row; 0: the row is ignored */
    double ridge;            /* above zero */
    double enough;           /* the fit stops when a step lowers the objective by less than this fraction of it */
    size_t most_steps;
} crd_i_sparse_logistic;

/* Fits the model. `coefficients` (features x classes) hold the initial values, and then the result. Returns false if
 * memory runs out. If the context is canceled, the fit ends early and the result is meaningless; the caller checks the
 * context. */
CRD_MUST_USE bool crd_i_sparse_logistic_fit(crd_context *context, const crd_i_sparse_logistic *problem,
                                            double *coefficients);
/* Computes the weighted sum of minus log probabilities over all rows, with these weights instead of the problem's. */
CRD_MUST_USE bool crd_i_sparse_logistic_loss(crd_context *context, const crd_i_sparse_logistic *problem,
                                             const double *coefficients, const double *weights, double *loss);

#endif
