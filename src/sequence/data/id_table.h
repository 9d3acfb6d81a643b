/* SPDX-License-Identifier: MIT */
/* id_table.h - a hash table of sequence ids with a number for each id. Only 128-bit hashes are stored, so an id takes
 * 24 bytes however long it is. Collisions of 128-bit hashes are so improbable that they are ignored. */
#ifndef CRD_SEQUENCE_ID_TABLE_H
#define CRD_SEQUENCE_ID_TABLE_H

#include "base/context.h"

typedef struct crd_i_id_entry {
    uint64_t hash[2]; /* both 0: the entry is empty */
    uint64_t number;
} crd_i_id_entry;

/* Initialize to zero with `context` set. */
typedef struct crd_i_id_table {
    crd_context *context;
    uint64_t keys[2];
    crd_i_id_entry *entries;
    size_t capacity, count; /* the capacity is a power of two */
} crd_i_id_table;

void crd_i_id_table_clear(crd_i_id_table *table);
/* Returns the number of an id. A new id is added with the given number, and *is_new is set. Returns NULL if out of
 * memory. The caller may change the returned number until the next call. */
uint64_t *crd_i_id_table_find(crd_i_id_table *table, crd_text id, uint64_t number, bool *is_new);

#endif
