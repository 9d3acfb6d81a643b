/* SPDX-License-Identifier: MIT */
/* logistic_newton.h - ridge-penalized multinomial logistic regression with dense features (a conditional logit model).
 *
 * Each row has a few features for each class k. The score of class k is s_k = base_k + beta . x_k + offset_k, and its
 * probability is p_k = exp(s_k) / sum over j of exp(s_j). The fit minimizes
 *
 *   - sum over rows of w log p_y + ridge / 2 |theta - theta_0|^2,
 *
 * where y is the row's class, w its weight, theta the coefficients and offsets, and theta_0 their initial values.
 *
 * The objective is strictly convex, so it has one minimum. Newton's method finds it. Its steps are computed by
 * conjugate gradients, so no matrix is formed. Coefficients can be constrained to be nonnegative. Every machine
 * computes the same bits.
 *
 * Contents:
 *   1. Dense features
 *   2. Sparse features
 *   3. Vector sums */
#ifndef CRD_MATH_LOGISTIC_NEWTON_H
#define CRD_MATH_LOGISTIC_NEWTON_H

#include "base/context.h"

#include <stddef.h>

/* ======== 1. Dense features ======== */

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

/* ======== 2. Sparse features ========
 *
 * Ridge-penalized multinomial logistic regression for sparse rows, with one coefficient per feature and class. The
 * score of class k is s_k = base_k + sum over the row's features j of x_j beta_jk, and its probability is p_k =
 * exp(s_k) / sum over l of exp(s_l). The fit minimizes
 *
 *   - sum over rows of w log p_y + ridge / 2 sum of beta_jk^2,
 *
 * where y is the row's class and w its weight.
 *
 * The objective is convex. Limited-memory BFGS finds its minimum (J. Nocedal, Math. Comp. 35, 1980). Threads process
 * rows and features in pieces, and each piece is summed in a fixed order, so the bits do not depend on the number of
 * threads. */

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

/* ======== 3. Vector sums ========
 *
 * Sums over vectors of doubles, in a fixed number of lanes. The order of additions does not depend on the CPU. */

/* Returns the inner product. */
static inline double crd_i_dot(const double *a, const double *b, size_t count) {
    enum { LANES = 8 };
    double sums[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (size_t worker = 0; worker < LANES; worker++) sums[worker] += a[i + worker] * b[i + worker];
    for (; i < count; i++) sum += a[i] * b[i];
    for (size_t worker = 0; worker < LANES; worker++) sum += sums[worker];
    return sum;
}

/* Computes to += factor * from. */
static inline void crd_i_add_scaled(double *restrict destination, double factor, const double *restrict source,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) destination[i] += factor * source[i];
}

#endif
