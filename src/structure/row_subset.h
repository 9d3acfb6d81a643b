/* SPDX-License-Identifier: MIT */
/* row_subset.h - a table of some rows of a case table, which shares the names and states of the original. */
#ifndef CRD_STRUCTURE_ROW_SUBSET_H
#define CRD_STRUCTURE_ROW_SUBSET_H

#include "cases/case_table.h"

/* Creates a table of the given rows, in ascending order, with their weights. `table` must outlive it. Destroy it
 * only with crd_i_row_subset_destroy. */
CRD_MUST_USE crd_status crd_i_row_subset_create(const crd_i_case_table *table, const uint32_t *rows, size_t count,
                                                crd_i_case_table **out, crd_error *error);
void crd_i_row_subset_destroy(crd_i_case_table *subset); /* NULL is allowed */

/* Creates a table of the complete rows, if some rows are incomplete and the complete rows are at least half of all.
 * Otherwise sets *out to NULL.
 *
 * All families then use the same rows, and scores behave as for complete tables: equivalent structures have equal
 * scores. Differences between rows are not mistaken for differences between structures; such differences grow with
 * the square root of the number of rows, while penalties grow with its logarithm. If fewer rows are complete, too
 * many would be lost: see family_score.h. */
CRD_MUST_USE crd_status crd_i_row_subset_complete(const crd_i_case_table *table, crd_i_case_table **out,
                                                  crd_error *error);

#endif
