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

#include "base/arena.h"
#include "infer/exact/junction_tree.h"
#include "math/random.h"

/* ======== Division into parts ========
 *
 * The Gaussian nodes of a query are divided into parts that are independent given the discrete nodes.
 *
 * An observed Gaussian node is a constant in the regressions of its children. The remaining nodes are connected if
 * they occur in the same regression. A connected part depends only on the discrete parents of its members, its
 * boundary. In a strong junction tree (Leimer 1989; Lauritzen 1992), which eliminates continuous nodes before
 * discrete ones, the boundary of every part is complete. So each part is summed out separately for each combination
 * of its boundary states. The result is the likelihood of its observed numbers, which is joint virtual evidence on
 * the boundary nodes. */

/* A discrete parent, and the distance of its states in rows of the table. */
typedef struct crd_i_row_step {
    uint32_t node;
    size_t stride;
} crd_i_row_step;

/* A continuous parent and the column of its coefficient in a row. A hidden parent is given by its position among the
 * hidden nodes of the part, an observed one by its node. */
typedef struct crd_i_slope {
    uint32_t index, column;
} crd_i_slope;

/* Members are the hidden nodes in elimination order, followed by the observed ones. */
typedef struct crd_i_gaussian_part {
    uint32_t *nodes;
    size_t hidden_count, count;
    uint32_t *ranks;      /* by member: parents have lower ranks */
    size_t *step_starts;  /* by member: start in `steps` */
    size_t *known_starts; /* by member: start of the slopes of observed parents; hidden parents follow */
    /* by member: start of the slopes of hidden parents, ascending; the known slopes of the next member follow */
    size_t *slope_starts;
    crd_i_row_step *steps;
    crd_i_slope *slopes;
    /* By hidden position: its neighbors when it is eliminated, as later positions in ascending order. */
    size_t *later_starts;
    uint32_t *later;
    size_t width;       /* the largest number of these neighbors */
    crd_i_node_set set; /* the boundary, ascending, without nodes that every case observes */
    size_t combinations;
    bool is_asked;
} crd_i_gaussian_part;

typedef struct crd_i_gaussian_parts {
    crd_i_arena *arena;
    crd_context *context;
    const crd_network *network;
    size_t count;
    crd_i_gaussian_part *parts;
    crd_i_node_set *sets; /* the boundary sets of the parts, which own their nodes */
    uint32_t *part_of;    /* by node; UINT32_MAX if the node is not relevant */
    uint32_t *member_of;  /* by node: its index among the members */
    size_t most_members, most_width, most_later;
} crd_i_gaussian_parts;

/* Creates the parts of the observed or queried Gaussian nodes, and of their ancestors through unobserved nodes. By
 * node: `observed` Gaussian nodes have numbers, and `observed` discrete nodes are observed in every case. `asked`
 * may be NULL. If `together` is true, the queried nodes are in one part and are eliminated last, as neighbors of
 * each other. Returns CRD_ERROR_LIMIT, with the required bytes, if a boundary has too many state combinations for
 * the memory limit. */
CRD_MUST_USE crd_status crd_i_gaussian_parts_create(const crd_network *network, const bool *observed, const bool *asked,
                                                    bool together, double memory, crd_i_gaussian_parts **out,
                                                    crd_error *error);
void crd_i_gaussian_parts_destroy(crd_i_gaussian_parts *parts);

typedef struct crd_i_gaussian_work crd_i_gaussian_work; /* workspace for any part, one per thread */

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

/* Draws values of the hidden nodes, stored by node, from their joint posterior. Call it after
 * crd_i_gaussian_eliminate. */
void crd_i_gaussian_draw(const crd_i_gaussian_work *work, crd_i_random *random, double *numbers);

/* ======== Observed numbers ========
 *
 * Observed numbers are virtual evidence on the boundary of each part. The posteriors of hidden Gaussian nodes are
 * mixtures over the state combinations of that boundary.
 *
 * Usage: create it from parts; fill it with a case; query a junction tree with the sets of the parts; compute
 * mixtures from its joint posteriors. */

typedef struct crd_i_gaussian_evidence {
    crd_i_arena *arena;
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

/* Computes the mixture components of a hidden node of a part, one per boundary combination with positive weight in
 * the joint posterior. Equal components are merged. Components are sorted by mean, then by variance. Sets *out to
 * *count components; free it with crd_free. */
CRD_MUST_USE crd_status crd_i_gaussian_mixtures(crd_i_gaussian_evidence *evidence, size_t part, const double *weights,
                                                const int32_t *states, const double *numbers, const uint32_t *nodes,
                                                size_t node_count, crd_normal_component **out, size_t *counts,
                                                crd_error *error);
/* Computes the means and the covariance matrix of some hidden nodes of a part, over all combinations of its
 * boundary's states: sum of w m, and sum of w (cov + (m - mean)(m - mean)'). The nodes must be neighbors. */
CRD_MUST_USE crd_status crd_i_gaussian_joint_moments(crd_i_gaussian_evidence *evidence, size_t part,
                                                     const double *weights, const int32_t *states,
                                                     const double *numbers, const uint32_t *nodes, size_t node_count,
                                                     double *means, double *covariance, crd_error *error);
/* Computes the mean, sum of w m, and the variance, sum of w (v + (m - mean)^2), of a mixture. */
void crd_i_mixture_moments(const crd_normal_component *components, size_t count, double *mean, double *variance);

#endif
