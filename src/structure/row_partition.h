/* SPDX-License-Identifier: MIT */
/* row_partition.h - the rows of a case table, parted by the states of categories. */
#ifndef CRD_STRUCTURE_ROW_PARTITION_H
#define CRD_STRUCTURE_ROW_PARTITION_H

#include "cases/case_table.h"

#define CRD_I_NO_PART UINT32_MAX

/* ids[row] is the part of a row, CRD_I_NO_PART where a cell is missing. */
typedef struct crd_i_row_partition {
    uint32_t *ids;
    size_t parts;
} crd_i_row_partition;

/* Slots of a hash table for the parts of so many rows. */
size_t crd_i_row_partition_slots(size_t rows);
/* Divides the parts by the states of a further column; numbered in the order of their first rows. `slots` is room for
 * as many numbers as above, `keys` for one for each row. `from` and `to` are not the same. */
void crd_i_row_partition_divide(const crd_i_case_table *table, const crd_i_row_partition *partition, size_t column,
                                crd_i_row_partition *row_partition, uint64_t *keys, uint32_t *slots);

#endif
