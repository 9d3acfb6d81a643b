/* SPDX-License-Identifier: MIT */
/* gaussian_evidence.h - the effect of observed numbers on the discrete nodes: virtual evidence on the boundary of
 * each part. Also the posteriors of hidden Gaussian nodes, as mixtures over the state combinations of that boundary.
 *
 * Usage: create it from parts; fill it with a case; query a junction tree with the sets of the parts; compute
 * mixtures from its joint posteriors. */
#ifndef CRD_INFER_EXACT_GAUSSIAN_EVIDENCE_H
#define CRD_INFER_EXACT_GAUSSIAN_EVIDENCE_H

#include "infer/exact/gaussian_elimination.h"

typedef struct crd_i_gaussian_evidence {
    const crd_i_gaussian_parts *parts;
    crd_i_gaussian_work *work;
    double **logs;   /* by part, in the layout of crd_i_evidence; NULL if the part has no observed numbers */
    int32_t *states; /* scratch, by node */
    size_t lacking;  /* over all parts: largest difference in point masses between combinations */
} crd_i_gaussian_evidence;

CRD_MUST_USE crd_status crd_i_gaussian_evidence_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_evidence **out,
                                                       crd_error *error);
void crd_i_gaussian_evidence_destroy(crd_i_gaussian_evidence *evidence);

/* Computes the logs. `states` (observed, or -1) and `numbers` are indexed by node. */
CRD_MUST_USE crd_status crd_i_gaussian_evidence_fill(crd_i_gaussian_evidence *evidence, const int32_t *states,
                                                     const double *numbers, crd_error *error);

/* Converts the log evidence that a junction tree computed with these logs. The logs count a point mass as far larger
 * than any density. This removes that offset if combinations with more point masses are impossible for other
 * reasons. `evidence` may be NULL. */
double crd_i_gaussian_log_evidence(const crd_i_gaussian_evidence *evidence, double result);

/* A normal component of a mixture. */
typedef struct crd_i_normal_component {
    double weight, mean, variance;
} crd_i_normal_component;

/* Computes the mixture components of a hidden node of a part, one per boundary combination with positive weight in
 * the joint posterior. Equal components are merged. Components are sorted by mean, then by variance. Sets *out to
 * *count components; free it with crd_free. */
CRD_MUST_USE crd_status crd_i_gaussian_mixtures(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                                const int32_t *states, const double *numbers, const uint32_t *nodes,
                                                size_t node_count, crd_i_normal_component **out, size_t *counts,
                                                crd_error *error);
/* Computes the means and the covariance matrix of some hidden nodes of a part, over all combinations of its
 * boundary's states: sum of w m, and sum of w (cov + (m - mean)(m - mean)'). The nodes must be neighbors. */
CRD_MUST_USE crd_status crd_i_gaussian_joint_moments(crd_i_gaussian_evidence *evidence, size_t part,
                                                     const double *weights, const int32_t *states,
                                                     const double *numbers, const uint32_t *nodes, size_t node_count,
                                                     double *means, double *covariance, crd_error *error);
/* Computes the mean, sum of w m, and the variance, sum of w (v + (m - mean)^2), of a mixture. */
void crd_i_mixture_moments(const crd_i_normal_component *components, size_t count, double *mean, double *variance);

#endif
