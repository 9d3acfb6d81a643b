/* SPDX-License-Identifier: MIT */
/* network_fit.h - the CPTs of a network of known structure, fitted to rows in which cells or whole nodes are missing.
 *
 * What is maximised is the logarithm of the posterior of the tables, up to a constant,
 *     F = sum over rows of log P(what the row has) + sum over cells of a log P(state | parents),
 * with a pseudo-counts for a state (a Dirichlet prior of parameters 1 + a); without these it is the log likelihood. No step
 * makes it less.
 *
 * EM (Dempster, Laird and Rubin 1977; Lauritzen 1995): with n the expected counts of a row of a table under the tables so
 * far, the next ones are (n_v + a_v) / sum of these. Gradient ascent (Binder, Koller, Russell and Kanazawa 1997): see
 * gradient_ascent.h.
 *
 * Families without hidden members start at available-case counts, those with at random ones, so that the states of a hidden
 * node differ; of several starts, each of which goes on until it gains little, the best one goes on to its end. The states
 * of a hidden node are then sorted by their probability, the greatest first, as their names mean nothing. Columns without any
 * cell are hidden nodes, too. */
#ifndef CRD_EM_NETWORK_FIT_H
#define CRD_EM_NETWORK_FIT_H

#include "em/fit_run.h"

typedef struct crd_i_network_fit_options {
    bool by_gradient;
    size_t starts;     /* 0: one, or CRD_I_FIT_STARTS where a node is hidden */
    size_t iterations; /* at most, of each start and of the last run */
    double tolerance;  /* of F: a run ends where what is still to be gained is less, relative to F */
} crd_i_network_fit_options;

enum { CRD_I_FIT_STARTS = 10 };

/* The network's tables become the fitted ones. A function of the problem and the options: the same bits with any threads.
 * CRD_ERROR_PROBABILITY: stated tables rule out some row. A call that is cancelled once there is something keeps that. */
CRD_MUST_USE crd_status crd_i_network_fit(const crd_i_network_fit_problem *problem,
                                          const crd_i_network_fit_options *options, crd_i_fit_trace *trace,
                                          crd_error *error);

#endif
