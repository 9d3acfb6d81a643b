/* SPDX-License-Identifier: MIT */
/* row_subset.h - some rows of a case table as a table of their own, which has the names and states of the other in common. */
#ifndef CRD_STRUCTURE_ROW_SUBSET_H
#define CRD_STRUCTURE_ROW_SUBSET_H

#include "cases/case_table.h"

/* Rows in ascending order, with their weights, by the row of the table; the table outlives it. Destroyed by
 * crd_i_row_subset_destroy alone. */
CRD_MUST_USE crd_status crd_i_row_subset_create(const crd_i_case_table *table, const uint32_t *rows, size_t count,
                                                crd_i_case_table **out, crd_error *error);
void crd_i_row_subset_destroy(crd_i_case_table *subset); /* NULL is fine */

/* The rows that lack no cell, where some lack one, and these are at least half of all; else *out is NULL.
 *
 * All families have the same rows then, so that scores are what they are of complete tables: equivalent structures score
 * alike, and no difference of rows is taken for one of structures, which grows with the square root of their number while
 * penalties grow with its logarithm. Where fewer rows are complete, too much would be lost: see family_score.h. */
CRD_MUST_USE crd_status crd_i_row_subset_complete(const crd_i_case_table *table, crd_i_case_table **out,
                                                  crd_error *error);

#endif
