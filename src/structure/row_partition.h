/* SPDX-License-Identifier: MIT */
/* row_partition.h - partitions of the rows of a case table by the states of categorical columns. */
#ifndef CRD_STRUCTURE_ROW_PARTITION_H
#define CRD_STRUCTURE_ROW_PARTITION_H

#include "cases/case_table.h"

#define CRD_I_NO_PART UINT32_MAX

/* ids[row] is the part of a row; CRD_I_NO_PART if a value is missing. */
typedef struct crd_i_row_partition {
    uint32_t *ids;
    size_t parts;
} crd_i_row_partition;

/* Returns the number of hash table slots for the parts of `rows` rows. */
size_t crd_i_row_partition_slots(size_t rows);
/* Divides the parts of `partition` by the states of one more column. The result, in row_partition, numbers the parts
 * in the order of their first rows. `slots` has room for crd_i_row_partition_slots numbers, `keys` for one number
 * per row. `partition` and `row_partition` must not share their ids. */
void crd_i_row_partition_divide(const crd_i_case_table *table, const crd_i_row_partition *partition, size_t column,
                                crd_i_row_partition *row_partition, uint64_t *keys, uint32_t *slots);

#endif
