/* SPDX-License-Identifier: MIT */
/* logistic_newton.h - ridge-penalized multinomial logistic regression with dense features (a conditional logit model).
 *
 * Each row has a few features for each class k. The score of class k is s_k = base_k + beta . x_k + offset_k, and its
 * probability is p_k = exp(s_k) / sum over j of exp(s_j). The fit minimizes
 *
 *
 *   - sum over rows of w log p_y + ridge / 2 |theta - theta_0|^2,
 *
 * where y is the row's class, w its weight, theta the coefficients and offsets, and theta_0 their initial values.
 *
 * The objective is strictly convex, so it has one minimum. Newton's method finds it. Its steps are computed by
 * conjugate gradients, so no matrix is formed. Coefficients can be constrained to be nonnegative. Every machine
 * computes the same bits. */
#ifndef CRD_MATH_LOGISTIC_NEWTON_H
#define CRD_MATH_LOGISTIC_NEWTON_H

#include "base/context.h"

typedef struct crd_i_logistic {
    size_t rows, classes, features;
    const double *values;  /* finite: feature j of class k of a row at (row * classes + k) * features + j */
    const double *base;    /* rows x classes, finite; NULL: 0 */
    const int32_t *truths; /* class of each row */
    const double *weights; /* weight of each row */
    bool has_offsets;
    bool holds_above_zero; /* constrains the coefficients, not the offsets, to be >= 0 */
    double ridge;          /* above zero */
    double enough; /* the fit stops when a step is predicted to lower the objective by less than this fraction of it */
} crd_i_logistic;

/* Fits the model. `coefficients` and `offsets` (NULL if there are none) hold the initial values, and then the result.
 * *loss is the sum over rows at the result, without the penalty. *has_converged is true if no step lowers the objective
 * further. Returns false if memory runs out. If the context is canceled, the fit ends within one pass over the rows and
 * the result is meaningless; the caller checks the context. */
CRD_MUST_USE bool crd_i_logistic_fit(crd_context *context, const crd_i_logistic *problem, double *coefficients,
                                     double *offsets, double *loss, bool *has_converged);

#endif
