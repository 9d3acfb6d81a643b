/* SPDX-License-Identifier: MIT */
/* step_store.h - stores the steps of sequences column by column, in blocks in a spool.
 *
 * A column is called an area here. Each block contains, for each area in turn, the values of its steps. A block has
 * block_steps steps. The last block has the remaining steps, rounded up to a multiple of 8, so every area begins at a
 * multiple of 8 bytes. */
#ifndef CRD_SEQUENCE_STEP_STORE_H
#define CRD_SEQUENCE_STEP_STORE_H

#include "sequence/data/spool.h"

/* Initialize to zero. */
typedef struct crd_i_step_store {
    crd_context *context;
    size_t area_count;
    size_t *widths, *offsets; /* bytes per value of each area; bytes per step of all areas before it */
    size_t step_bytes;
    size_t block_steps;
    uint64_t steps;
    unsigned char *current; /* the block that is being filled; NULL: not yet allocated, or finished */
    size_t current_steps;
    crd_i_spool spool;
} crd_i_step_store;

/* Begins a store with the given areas. The widths must be 1, 4 or 8. */
CRD_MUST_USE crd_status crd_i_step_store_begin(crd_i_step_store *store, crd_context *context, const size_t *widths,
                                               size_t area_count, size_t memory_bytes, crd_error *error);
void crd_i_step_store_clear(crd_i_step_store *store);

/* Sets *got to the number of steps, at most `wanted`, that fit into the current block; at least 1 if wanted > 0. After
 * writing their values, call crd_i_step_store_advance to add the steps. */
CRD_MUST_USE crd_status crd_i_step_store_room(crd_i_step_store *store, uint64_t wanted, size_t *got, crd_error *error);
CRD_MUST_USE crd_status crd_i_step_store_advance(crd_i_step_store *store, size_t steps, crd_error *error);
/* Finishes the store. No steps may be added afterwards. */
CRD_MUST_USE crd_status crd_i_step_store_end(crd_i_step_store *store, crd_error *error);

/* After the store is finished: return the number of steps that a block has room for, and its offset in the spool. */
static inline size_t crd_i_step_store_stride(const crd_i_step_store *store, uint64_t block) {
    uint64_t left = store->steps - block * store->block_steps;
    return left >= store->block_steps ? store->block_steps : ((size_t)left + 7) / 8 * 8;
}

static inline uint64_t crd_i_step_store_offset(const crd_i_step_store *store, uint64_t block) {
    return block * store->block_steps * store->step_bytes;
}

#endif
