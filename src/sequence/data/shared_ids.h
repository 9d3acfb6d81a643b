/* SPDX-License-Identifier: MIT */
/* shared_ids.h - compares the ids of sequences that begin in the parts of several processes. An id that begins in two
 * parts is an error: its sequence continues after rows of other sequences. */
#ifndef CRD_SEQUENCE_DATA_SHARED_IDS_H
#define CRD_SEQUENCE_DATA_SHARED_IDS_H

#include "base/buffer.h"
#include "base/context.h"

/* Adds an id of this process and the position where it begins: a number that increases with the rows over all parts.
 * Returns false if out of memory. */
CRD_MUST_USE bool crd_i_shared_ids_add(crd_i_buffer *ids, crd_text id, uint64_t where);

/* The id whose sequence continues after other sequences. If there are several, the one with the first such row. */
typedef struct crd_i_returned_id {
    /* positions of its first row and of the row that continues it; begins is UINT64_MAX: no such id */
    uint64_t begins, returns;
    crd_i_buffer id; /* its context is set; the caller clears it */
} crd_i_returned_id;

/* Compares the ids of all processes of the group. Every process must make the call. `ids` is empty afterwards. `ended`
 * is the position from which on rows of this process could not be read and so do not count; UINT64_MAX: all rows were
 * read. */
CRD_MUST_USE crd_status crd_i_shared_ids_compare(crd_context *context, crd_i_buffer *ids, uint64_t ended,
                                                 crd_i_returned_id *out, crd_error *error);

/* ---- a hash table of sequence ids with a number for each id. Only 128-bit hashes are stored, so an id takes
 * 24 bytes however long it is. Collisions of 128-bit hashes are so improbable that they are ignored. */

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
