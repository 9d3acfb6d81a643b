/* SPDX-License-Identifier: MIT */
/* contingency_counts.h - contingency tables of two categorical columns x and y of a case table, one table for each
 * configuration z of other columns, and their test statistics for the independence of x and y given z:
 *
 *   X^2 = sum_xyz (N_xyz - E_xyz)^2 / E_xyz,   G^2 = 2 sum_xyz N_xyz log(N_xyz / E_xyz),   E_xyz = N_xz N_yz / N_z
 *
 * with (|X_z| - 1)(|Y_z| - 1) degrees of freedom for each z, where only rows and columns with a positive total count.
 *
 * A row counts if no value is missing in x, y and the other columns. There are three counting methods, chosen by
 * estimated cost: intersecting bit sets of rows for small tables; one pass over the rows for larger tables; and
 * hashing of the combinations that occur if the tables would have far more entries than there are rows. */
#ifndef CRD_STRUCTURE_CONTINGENCY_COUNTS_H
#define CRD_STRUCTURE_CONTINGENCY_COUNTS_H

#include "math/independence_tests.h"
#include "structure/counted_rows.h"

/* Work memory of one thread. Initialize it with zeros and free it with crd_i_contingency_room_clear. */
typedef struct crd_i_contingency_room {
    double *cells;
    uint64_t *masks;
    uint32_t *ids; /* numbers of the combinations that the rows have */
    size_t cell_capacity, mask_capacity, id_capacity;
} crd_i_contingency_room;
void crd_i_contingency_room_clear(crd_context *context, crd_i_contingency_room *workspace);

/* Computes the row count, X^2, G^2 and the degrees of freedom for columns x and y given the columns `given`. All
 * columns must be categorical and distinct. The other members of *out are not meaningful. */
CRD_MUST_USE crd_status crd_i_contingency_of(const crd_i_counted_rows *counted, crd_i_contingency_room *workspace,
                                             size_t x, size_t y, const uint32_t *given, size_t given_count,
                                             crd_i_contingency *out, crd_error *error);

#endif
