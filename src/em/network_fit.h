/* SPDX-License-Identifier: MIT */
/* network_fit.h - fits the CPTs of a network with known structure to rows with missing values or hidden nodes.
 *
 * The objective is the log posterior density of the CPTs, up to a constant:
 *
 *   F = sum over rows of log P(observed values) + sum over CPT entries of a log P(state | parents)
 *
 * where a are the pseudo-counts of the states (a Dirichlet prior with parameters 1 + a). Without pseudo-counts, F is
 * the log likelihood. No step decreases F.
 *
 * EM (Dempster, Laird and Rubin 1977; Lauritzen 1995) sets each CPT row to (n_v + a_v) / sum_v (n_v + a_v), where n are
 * the expected counts under the current CPTs. Gradient ascent (Binder, Koller, Russell and Kanazawa 1997): see
 * network_fit.c.
 *
 * Families without hidden members start from available-case counts. Families with hidden members start from random
 * CPTs, so that the states of a hidden node differ. Each of several starts runs until it gains little, and the best
 * continues until it converges. The states of a hidden node have no meaningful names, so they are finally sorted by
 * decreasing probability. A column without any value is treated as a hidden node. */
#ifndef CRD_EM_NETWORK_FIT_H
#define CRD_EM_NETWORK_FIT_H

#include "em/fit_run.h"

typedef struct crd_i_network_fit_options {
    bool by_gradient;
    size_t starts;     /* number of starts; 0: CRD_I_FIT_STARTS if a node is hidden, otherwise 1 */
    size_t iterations; /* maximum number of iterations, of each start and of the final run */
    double tolerance;  /* a run stops when the remaining gain is less than this, relative to F */
} crd_i_network_fit_options;

enum { CRD_I_FIT_STARTS = 10 };

/* Fits the network's CPTs and stores them in the network. The result depends only on the problem and the options and is
 * bit-identical for any number of threads. Returns CRD_ERROR_PROBABILITY if user-specified CPTs rule out some row. If
 * cancelled after the first step, the call succeeds with the best result so far. */
CRD_MUST_USE crd_status crd_i_network_fit(const crd_i_network_fit_problem *problem,
                                          const crd_i_network_fit_options *options, crd_i_fit_trace *trace,
                                          crd_error *error);

#endif
