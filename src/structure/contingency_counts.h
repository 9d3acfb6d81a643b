/* SPDX-License-Identifier: MIT */
/* contingency_counts.h - contingency tables of two categories of a case table, one for each combination of states of
 * others, and what they have to say about independence.
 *
 * Rows count that are complete in the columns of the table. There are three ways of counting, chosen by what they cost:
 * common bits of the sets of rows for small tables, one pass over the rows for larger ones, and hashing of the combinations
 * that occur where a table would have far more cells than there are rows. */
#ifndef CRD_STRUCTURE_CONTINGENCY_COUNTS_H
#define CRD_STRUCTURE_CONTINGENCY_COUNTS_H

#include "math/independence_tests.h"
#include "structure/counted_rows.h"

/* What a thread counts in. Zero-initialise; crd_i_contingency_room_clear frees. */
typedef struct crd_i_contingency_room {
    double *cells;
    uint64_t *masks;
    uint32_t *ids; /* of the combination of each row */
    size_t cell_capacity, mask_capacity, id_capacity;
} crd_i_contingency_room;
void crd_i_contingency_room_clear(crd_context *context, crd_i_contingency_room *workspace);

/* Computes the rows, both statistics and the degrees of freedom of columns x and y given the columns `given`, all of them
 * categories and different. The other members of *out have no meaning. */
CRD_MUST_USE crd_status crd_i_contingency_of(const crd_i_counted_rows *counted, crd_i_contingency_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count,
                                             crd_i_contingency *out, crd_error *error);

#endif
