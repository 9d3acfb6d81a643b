/* SPDX-License-Identifier: MIT */
/* gaussian_elimination.h - elimination of a part of the Gaussian nodes, given the states of its boundary and its
 * observed values.
 *
 * Each node X is a linear regression on its parents Z, X = a + b'Z + e with var(e) = s. To eliminate X, it is
 * exchanged with each child H = c + d X + f'Z + e', var(e') = t, parents before children (Lauritzen and Jensen 2001;
 * Cowell 2005; arc reversal of Shachter and Kenley 1989):
 *     v = t + d^2 s,   k = d s / v,   r = t / v,
 *     H | Z     = c + d a + (f + d b)'Z,                          variance v
 *     X | H, Z  = r a + k (h - c) + (r b - k f)'Z,                variance r s
 * Afterwards X occurs only in its own regression, which is on later nodes. An observed child contributes its value
 * h. When it has no parents left, it contributes its density. The algorithm never subtracts from a variance and
 * inverts no matrix. Zero variances are exact: if s = 0, X is unchanged; if t = 0, k = 1 / d and r = 0. Observations
 * of the same node that have no other parents are merged, so trees take time linear in the number of nodes.
 *
 * The backward pass starts at the last node and computes the posterior moments given the evidence: E X = a + b'E Z,
 * cov(X, Z) = b'cov(Z), var(X) = s + b'cov(Z) b. */
#ifndef CRD_INFER_EXACT_GAUSSIAN_ELIMINATION_H
#define CRD_INFER_EXACT_GAUSSIAN_ELIMINATION_H

#include "infer/exact/gaussian_parts.h"
#include "math/random.h"

typedef struct crd_i_gaussian_work crd_i_gaussian_work; /* workspace for any part, one per thread */

CRD_MUST_USE crd_status crd_i_gaussian_work_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_work **out,
                                                   crd_error *error);
void crd_i_gaussian_work_destroy(crd_i_gaussian_work *work);

/* Likelihood of the observed values. A value that is a function of others has a probability instead of a density. It
 * counts as a point mass, and is impossible if it differs by more than rounding error. */
typedef struct crd_i_gaussian_likelihood {
    double log; /* log density; -INFINITY if impossible */
    size_t points;
} crd_i_gaussian_likelihood;

/* Eliminates the hidden nodes of a part. `states` of discrete parents and `numbers` of observed Gaussian nodes are
 * indexed by node. */
crd_i_gaussian_likelihood crd_i_gaussian_eliminate(crd_i_gaussian_work *work, const crd_i_gaussian_part *part,
                                                   const crd_network *network, const int32_t *states,
                                                   const double *numbers);

/* Returns posterior means and variances by hidden position. Call it after crd_i_gaussian_eliminate; the arrays are
 * valid until the next call. */
void crd_i_gaussian_moments(crd_i_gaussian_work *work, const double **means, const double **variances);
/* Returns the covariance of two neighboring hidden nodes, or the variance of one. Call it after
 * crd_i_gaussian_moments. */
double crd_i_gaussian_covariance(const crd_i_gaussian_work *work, uint32_t a, uint32_t b);
/* Draws values of the hidden nodes, stored by node, from their joint posterior. Call it after
 * crd_i_gaussian_eliminate. */
void crd_i_gaussian_draw(const crd_i_gaussian_work *work, crd_i_random *random, double *numbers);

#endif
