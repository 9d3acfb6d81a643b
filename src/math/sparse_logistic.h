/* SPDX-License-Identifier: MIT */
/* sparse_logistic.h - multinomial logistic regression on rows with few features of many, a coefficient for each feature and
 * class. The sum of class k of a row is base_k + sum over its features of value x coefficient_k, and its
 * probability exp(sum k) / sum over all classes. The coefficients sought have the least
 *
 *   - sum over rows of weight x log probability of the row's class + ridge / 2 x squares of the coefficients.
 *
 * This is convex; Nocedal's limited-memory BFGS finds it (J. Nocedal, Math. Comp. 35, 1980). Rows and features are taken by
 * threads in pieces, each of which is summed in one order: the same bits with any number of threads. */
#ifndef CRD_MATH_SPARSE_LOGISTIC_H
#define CRD_MATH_SPARSE_LOGISTIC_H

#include "base/context.h"

typedef struct crd_i_sparse_logistic {
    size_t rows, classes, features;
    const size_t *starts;    /* of each row's features below, and one more: the end */
    const uint32_t *indices; /* each row's features, in ascending order */
    const double *values;    /* of these */
    const double *base;      /* rows x classes, finite; NULL: 0 */
    const int32_t *truths;   /* the class of each row */
    const double *weights;   /* of each row; 0: it does not count */
    double ridge;            /* above zero */
    double enough;           /* fitting is over when a step lowers the objective by less than this part of it */
    size_t most_steps;
} crd_i_sparse_logistic;

/* coefficients (features x classes) hold where to begin, and then where it ended. false: out of memory. Where the
 * context is cancelled it ends early, and where it ended means nothing: the caller asks the context. */
CRD_MUST_USE bool crd_i_sparse_logistic_fit(crd_context *context, const crd_i_sparse_logistic *problem,
                                            double *coefficients);
/* The sum over rows of weight x minus log probability, over the rows with these weights in place of the problem's. */
CRD_MUST_USE bool crd_i_sparse_logistic_loss(crd_context *context, const crd_i_sparse_logistic *problem,
                                             const double *coefficients, const double *weights, double *loss);

#endif
