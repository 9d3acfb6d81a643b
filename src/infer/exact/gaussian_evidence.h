/* SPDX-License-Identifier: MIT */
/* gaussian_evidence.h - what observed numbers are for the discrete nodes: virtual evidence for each part's boundary; and
 * posteriors of hidden Gaussian nodes, as mixtures over the combinations of states of that boundary.
 *
 *   create, of parts;  fill with a case;  ask a junction tree of the parts' sets;  mixtures, of its joint posteriors */
#ifndef CRD_INFER_EXACT_GAUSSIAN_EVIDENCE_H
#define CRD_INFER_EXACT_GAUSSIAN_EVIDENCE_H

#include "infer/exact/gaussian_elimination.h"

typedef struct crd_i_gaussian_evidence {
    const crd_i_gaussian_parts *parts;
    crd_i_gaussian_work *work;
    double **logs;   /* by part, as crd_i_evidence has them; NULL where it has no observed numbers */
    int32_t *states; /* room, by node */
    size_t lacking;  /* point masses that a combination may have less than another one, in all parts */
} crd_i_gaussian_evidence;

CRD_MUST_USE crd_status crd_i_gaussian_evidence_create(const crd_i_gaussian_parts *parts, crd_i_gaussian_evidence **out,
                                                       crd_error *error);
void crd_i_gaussian_evidence_destroy(crd_i_gaussian_evidence *evidence);

/* Computes the logs. By node: states observed, or -1, and numbers. */
CRD_MUST_USE crd_status crd_i_gaussian_evidence_fill(crd_i_gaussian_evidence *evidence, const int32_t *states,
                                                     const double *numbers, crd_error *error);

/* The log evidence that a junction tree found with these logs, which count point masses as far larger than any density:
 * without that, where what fits more point masses is impossible for other reasons. `evidence` may be NULL. */
double crd_i_gaussian_log_evidence(const crd_i_gaussian_evidence *evidence, double found);

/* A normal distribution of a mixture. */
typedef struct crd_i_normal_component {
    double weight, mean, variance;
} crd_i_normal_component;

/* The components of a hidden node of a part, for each combination of its boundary's states that has a weight, as its
 * joint posterior has it; those that are alike are one. Ascending by mean, then by variance. *out, for crd_free, has
 * *count of them. */
CRD_MUST_USE crd_status crd_i_gaussian_mixtures(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                                const int32_t *states, const double *numbers, const uint32_t *nodes,
                                                size_t node_count, crd_i_normal_component **out, size_t *counts,
                                                crd_error *error);
/* The mean of each of some hidden nodes of a part, which are neighbours, and their covariance matrix, over all
 * combinations of its boundary's states: sum of w m, and sum of w (cov + (m - mean)(m - mean)'). */
CRD_MUST_USE crd_status crd_i_gaussian_joint_moments(crd_i_gaussian_evidence *evidence, size_t part,
                                                     const double *weights, const int32_t *states,
                                                     const double *numbers, const uint32_t *nodes, size_t node_count,
                                                     double *means, double *covariance, crd_error *error);
/* The mean, sum of w m, and the variance, sum of w (v + (m - mean)^2), of a mixture. */
void crd_i_mixture_moments(const crd_i_normal_component *components, size_t count, double *mean, double *variance);

#endif
