/* SPDX-License-Identifier: MIT */
/* logistic_newton.h - coefficients that make the classes of rows most likely.
 *
 * Each row has, for each class, a few features: terms of a sum. The sum of class k is base + coefficients x features +
 * offset k, and its probability exp(sum k) / sum over all classes. The coefficients sought have the least
 *
 *   - sum over rows of weight x log probability of the row's class + ridge / 2 x squared distance from where they began.
 *
 * This is convex, so there is one such point; Newton's method finds it, its steps by conjugate gradients, so that no
 * matrix is formed. Coefficients may be held at or above zero. The same bits on every machine. */
#ifndef CRD_MATH_LOGISTIC_NEWTON_H
#define CRD_MATH_LOGISTIC_NEWTON_H

#include "base/context.h"

typedef struct crd_i_logistic {
    size_t rows, classes, features;
    const double *values;  /* finite: feature j of class k of a row at (row * classes + k) * features + j */
    const double *base;    /* rows x classes, finite; NULL: 0 */
    const int32_t *truths; /* the class of each row */
    const double *weights; /* of each row */
    bool has_offsets;
    bool holds_above_zero; /* the coefficients, not the offsets */
    double ridge;          /* above zero */
    double enough; /* fitting is over when a step promises to lower the objective by less than this part of it */
} crd_i_logistic;

/* coefficients and offsets (NULL where there are none) hold where to begin, and then where it ended; *loss is the sum
 * over rows alone there. *has_converged: no step made it less. false: out of memory. Where the context is cancelled it
 * ends within a pass over the rows, and where it ended means nothing: the caller asks the context. */
CRD_MUST_USE bool crd_i_logistic_fit(crd_context *context, const crd_i_logistic *problem, double *coefficients,
                                     double *offsets, double *loss, bool *has_converged);

#endif
