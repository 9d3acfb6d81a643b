/* SPDX-License-Identifier: MIT */
/* incomplete_cases.h - the E step for a network: expected counts from rows in which some nodes are unobserved.
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
#ifndef CRD_EM_INCOMPLETE_CASES_H
#define CRD_EM_INCOMPLETE_CASES_H

#include "cases/case_table.h"
#include "network/network_internal.h"

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

#endif
