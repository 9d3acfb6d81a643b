/* SPDX-License-Identifier: MIT */
/* gaussian_elimination.h - a part of the Gaussian nodes, given the states of its boundary and its observed numbers.
 *
 * Each node X is a regression on its parents Z, X = a + b'Z + e with var(e) = s. To eliminate X, it is exchanged with
 * each child H = c + d X + f'Z + e', var(e') = t, parents before children (Lauritzen and Jensen 2001; Cowell 2005; arc
 * reversal of Shachter and Kenley 1989):
 *     v = t + d^2 s,   k = d s / v,   r = t / v,
 *     H | Z     = c + d a + (f + d b)'Z,                          variance v
 *     X | H, Z  = r a + k (h - c) + (r b - k f)'Z,                variance r s
 * Then no regression but its own has X, which is one on later nodes. An observed child has a number for h, and once it
 * has no parents left, its density. Nothing is subtracted from a variance, no matrix is inverted, and variances of 0 are
 * exact: where s = 0, X is not changed; where t = 0, k = 1 / d and r = 0. Observations of the same node alone are
 * merged, so that trees take time linear in their nodes.
 *
 * Going back from the last node, E X = a + b'E Z, cov(X, Z) = b'cov(Z), var(X) = s + b'cov(Z) b: posteriors given the
 * evidence. */
#ifndef CRD_INFER_EXACT_GAUSSIAN_ELIMINATION_H
#define CRD_INFER_EXACT_GAUSSIAN_ELIMINATION_H

#include "infer/exact/gaussian_parts.h"
#include "math/random.h"

typedef struct crd_i_gaussian_work crd_i_gaussian_work; /* room for any part, one a thread */

CRD_MUST_USE crd_status crd_i_gaussian_work_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_work **out,
                                                   crd_error *error);
void crd_i_gaussian_work_destroy(crd_i_gaussian_work *work);

/* How likely the observed numbers are. A number that is a function of others has a probability, not a density: it
 * counts as a point mass, and is impossible where it differs by more than rounding. */
typedef struct crd_i_gaussian_likelihood {
    double log; /* of the density; -INFINITY: impossible */
    size_t points;
} crd_i_gaussian_likelihood;

/* Eliminates the hidden nodes of a part. By node: states of discrete parents, numbers of observed Gaussian nodes. */
crd_i_gaussian_likelihood crd_i_gaussian_eliminate(crd_i_gaussian_work *work, const crd_i_gaussian_part *part,
                                                   const crd_network *network, const int32_t *states,
                                                   const double *numbers);

/* Thereafter: posterior means and variances, by hidden position; valid until the next call. */
void crd_i_gaussian_moments(crd_i_gaussian_work *work, const double **means, const double **variances);
/* Thereafter: the covariance of two of them that are neighbours, or of one with itself. */
double crd_i_gaussian_covariance(const crd_i_gaussian_work *work, uint32_t a, uint32_t b);
/* Thereafter: numbers of the hidden nodes, by node, drawn from their joint posterior. */
void crd_i_gaussian_draw(const crd_i_gaussian_work *work, crd_i_random *random, double *numbers);

#endif
