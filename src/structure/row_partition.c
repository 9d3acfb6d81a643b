/* SPDX-License-Identifier: MIT */
/* row_partition.c - see row_partition.h. Hash collisions depend only on the codes and affect only the time. */
#include "structure/row_partition.h"

#include "base/hash_key.h"

#include <string.h>

size_t crd_i_row_partition_slots(size_t rows) {
    size_t slots = 16;
    while (slots < 2 * rows) slots *= 2;
    return slots;
}

void crd_i_row_partition_divide(const crd_i_case_table *table, const crd_i_row_partition *partition, size_t column,
                                crd_i_row_partition *row_partition, uint64_t *keys, uint32_t *slots) {
    const crd_i_case_column *case_column = &table->columns[column];
    size_t mask = crd_i_row_partition_slots(table->rows) - 1;
    memset(slots, 0xff, (mask + 1) * sizeof *slots);
    row_partition->parts = 0;
    for (size_t row = 0; row < table->rows; row++) {
        uint32_t part = partition->ids[row], code = crd_i_case_code(case_column, row);
        if (part == CRD_I_NO_PART || code == CRD_I_CASE_MISSING32) {
            row_partition->ids[row] = CRD_I_NO_PART;
            continue;
        }
        uint64_t key = (uint64_t)part << 32 | code;
        size_t slot = (size_t)crd_i_hash_scatter(key) & mask;
        while (slots[slot] != CRD_I_NO_PART && keys[slots[slot]] != key) slot = (slot + 1) & mask;
        if (slots[slot] == CRD_I_NO_PART) {
            slots[slot] = (uint32_t)row_partition->parts;
            keys[row_partition->parts++] = key;
        }
        row_partition->ids[row] = slots[slot];
    }
}
