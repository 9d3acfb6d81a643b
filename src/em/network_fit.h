/* SPDX-License-Identifier: MIT */
/* network_fit.h - fits of the CPTs of a network: the E step, and EM or gradient ascent.
 *
 * Contents:
 *   1. The E step
 *   2. Network fits */
#ifndef CRD_EM_NETWORK_FIT_H
#define CRD_EM_NETWORK_FIT_H

#include "base/context.h"
#include "cases/case_builder.h"
#include "math/em.h"
#include "network/network_internal.h"

#include <credence/base.h>

/* ======== 1. The E step ========
 *
 * In each row, only the observed nodes and their ancestors matter; all other nodes are barren and carry no information
 * about any parameter (Shachter 1986). A family (a node and its parents) that is complete in a row is counted once,
 * when the cases are created. The unobserved nodes of a row split into parts that no family connects. Given the
 * observed members of its families, a part is independent of the rest of the row. So parts with the same nodes and the
 * same observed neighbors are merged over all rows, and each distinct part is summed once over the combinations of its
 * states:
 *
 *   P(part, observed) = product of P(x | parents) over the families with a member in the part.
 *
 * Rows with a part that has too many combinations use a junction tree, which is compiled once (Lauritzen and
 * Spiegelhalter 1988; Lauritzen 1995).
 *
 * Counts are summed in blocks that do not depend on the number of threads, and the blocks are added in order. So
 * results are bit-identical for any number of threads. */

typedef struct crd_i_incomplete_cases crd_i_incomplete_cases;

/* Creates the cases from the rows of `table`. `columns` gives for each node its column, whose states must equal the
 * node's states; SIZE_MAX: the node is hidden. The network, the table and `columns` must outlive the cases. Returns
 * CRD_ERROR_LIMIT if the CPTs have more than 2^31 entries. */
CRD_MUST_USE crd_status crd_i_incomplete_cases_create(crd_network *network, const crd_i_case_table *table,
                                                      const size_t *columns, crd_i_incomplete_cases **out,
                                                      crd_error *error);
void crd_i_incomplete_cases_destroy(crd_i_incomplete_cases *cases); /* NULL is allowed */

/* Returns, for each node, the index of its CPT's first entry when all CPTs are stored one after the other. The entry
 * after the last node is the total number of entries. */
const size_t *crd_i_incomplete_cases_starts(const crd_i_incomplete_cases *cases);
/* Returns whether every family that matters is complete in every row. Then the expected counts do not depend on the
 * parameters. */
bool crd_i_incomplete_cases_are_complete(const crd_i_incomplete_cases *cases);
/* Returns the available-case counts: for each family, the counts over the rows in which it is complete. */
const double *crd_i_incomplete_cases_available_counts(const crd_i_incomplete_cases *cases);

/* Computes the expected counts of all families and the log likelihood of the observed values under `tables`, whose rows
 * must sum to 1. Returns CRD_ERROR_PROBABILITY if some row is impossible. If cancelled, `counts` is undefined. */
CRD_MUST_USE crd_status crd_i_incomplete_cases_expect(crd_i_incomplete_cases *cases, const double *tables,
                                                      double *counts, double *log_likelihood, crd_error *error);

/* ======== 2. Network fits ========
 *
 * Fits the CPTs of a network with known structure to rows with missing values or hidden nodes.
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

typedef struct crd_i_network_fit_problem {
    crd_network *network; /* finished network; fixed tables are kept, the others are overwritten */
    const crd_i_case_table *table;
    const size_t *columns;        /* for each node: its column of the table; SIZE_MAX: the node is hidden */
    const double *const *assumed; /* for each node: the pseudo-counts of its states, for every row of its CPT */
    const bool *is_fixed;         /* for each node: its CPT is specified by the user and is not learned */
} crd_i_network_fit_problem;

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
                                          const crd_i_network_fit_options *options, crd_fit *fit, crd_error *error);

#endif
