/* SPDX-License-Identifier: MIT */
/* incomplete_cases.h - rows of a table as evidence on a network, of whose nodes some are not observed: the E step.
 *
 * Of a row only the nodes count that are observed, and their ancestors: the other ones are barren, and say nothing of any
 * parameter. A family that is complete in a row is counted once, when the cases are made. The nodes of a row that are not
 * observed fall apart into parts that no family joins; given the observed members of the families that it is in, a part is
 * independent of all else in the row. So parts with the same nodes and the same observed neighbours, of whatever rows, are
 * gathered, and each is added up over the combinations of its states:
 *     P(part, seen) = product of P(x | parents) over the families that have a member in it.
 * Rows with a part that has too many combinations go through a junction tree, compiled once.
 *
 * All is added up in blocks that do not depend on threads, and the blocks in their order: so are all bits the same. */
#ifndef CRD_EM_INCOMPLETE_CASES_H
#define CRD_EM_INCOMPLETE_CASES_H

#include "cases/case_table.h"
#include "network/network_internal.h"

typedef struct crd_i_incomplete_cases crd_i_incomplete_cases;

/* columns: of each node its column of the table, whose states are those of the node; SIZE_MAX: it is hidden. The network,
 * the table and columns must outlive the cases. CRD_ERROR_LIMIT: tables of more than 2^31 cells. */
CRD_MUST_USE crd_status crd_i_incomplete_cases_create(crd_network *network, const crd_i_case_table *table,
                                                      const size_t *columns, crd_i_incomplete_cases **out,
                                                      crd_error *error);
void crd_i_incomplete_cases_destroy(crd_i_incomplete_cases *cases); /* NULL is fine */

/* Where the table of a node begins among those of all nodes, one after the other; for the number of nodes, how many cells
 * there are. */
const size_t *crd_i_incomplete_cases_starts(const crd_i_incomplete_cases *cases);
/* Whether every family is complete wherever it counts: then expected counts do not depend on parameters. */
bool crd_i_incomplete_cases_are_complete(const crd_i_incomplete_cases *cases);
/* Counts of the families that are complete in a row: available-case counts. */
const double *crd_i_incomplete_cases_available_counts(const crd_i_incomplete_cases *cases);

/* Expected counts of all families, and the logarithm of the likelihood of what was observed, under these tables, whose rows
 * add up to 1. CRD_ERROR_PROBABILITY: some row is impossible. A cancelled call leaves counts as they may be. */
CRD_MUST_USE crd_status crd_i_incomplete_cases_expect(crd_i_incomplete_cases *cases, const double *tables,
                                                      double *counts, double *log_likelihood, crd_error *error);

#endif
