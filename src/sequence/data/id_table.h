/* SPDX-License-Identifier: MIT */
/* id_table.h - which ids have been met, and a number for each: hashes of 128 bits, which no two ids that anybody will ever have
 * share, so that ids by the million take 24 bytes each, however long. */
#ifndef CRD_SEQUENCE_ID_TABLE_H
#define CRD_SEQUENCE_ID_TABLE_H

#include "base/context.h"

typedef struct crd_i_id_entry {
    uint64_t hash[2]; /* both 0: none */
    uint64_t number;
} crd_i_id_entry;

/* Zero-initialise but for the context. */
typedef struct crd_i_id_table {
    crd_context *context;
    uint64_t keys[2];
    crd_i_id_entry *entries;
    size_t capacity, count; /* the capacity is a power of two */
} crd_i_id_table;

void crd_i_id_table_clear(crd_i_id_table *table);
/* The number of an id; of one that is new, the one that is given. *is_new says which. NULL: out of memory. What is returned may be
 * changed, until the next call. */
uint64_t *crd_i_id_table_find(crd_i_id_table *table, crd_text id, uint64_t number, bool *is_new);

#endif
