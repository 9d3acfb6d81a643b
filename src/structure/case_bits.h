/* SPDX-License-Identifier: MIT */
/* case_bits.h - the cells of a case table as bit rows: one for each state of a category, with a bit for each row as often
 * as its weight has it. Counts of combinations are then bits that rows have in common, 64 table rows a step.
 *
 * A missing cell is in none of the rows of its column, so that counts are those of the complete rows. */
#ifndef CRD_STRUCTURE_CASE_BITS_H
#define CRD_STRUCTURE_CASE_BITS_H

#include "cases/case_table.h"

typedef struct crd_i_case_bits {
    crd_context *context;
    size_t column_count;
    size_t words;       /* of a bit row */
    uint64_t **columns; /* state s of a column: words from s * words on; NULL: the column has too many states, or is a
                         * number */
} crd_i_case_bits;

/* *out is NULL where bits are of no use: weights are not whole numbers, few distinct rows have great weights, or the bits
 * would take more memory than CRD_I_MOST_CASE_BITS bytes. */
#define CRD_I_MOST_CASE_BITS ((size_t)1 << 28)
CRD_MUST_USE crd_status crd_i_case_bits_create(const crd_i_case_table *table, crd_i_case_bits **out, crd_error *error);
void crd_i_case_bits_destroy(crd_i_case_bits *bits);

#endif
