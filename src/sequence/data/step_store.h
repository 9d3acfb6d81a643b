/* SPDX-License-Identifier: MIT */
/* step_store.h - steps of sequences column by column, in blocks over a spool.
 *
 * A column here is an area of each block: the cells of its steps one behind the other. A block has block_steps steps, the last one
 * as many as are left, rounded up to a multiple of 8, so that every area begins at a multiple of 8 bytes. */
#ifndef CRD_SEQUENCE_STEP_STORE_H
#define CRD_SEQUENCE_STEP_STORE_H

#include "sequence/data/spool.h"

/* Zero-initialised. */
typedef struct crd_i_step_store {
    crd_context *context;
    size_t area_count;
    size_t *widths, *offsets; /* bytes of a cell; of all cells of a step before it */
    size_t step_bytes;
    size_t block_steps;
    uint64_t steps;
    unsigned char *current; /* the block that is being filled; NULL: it has no room yet, or all is done */
    size_t current_steps;
    crd_i_spool spool;
} crd_i_step_store;

/* The widths are 1, 4 or 8. */
CRD_MUST_USE crd_status crd_i_step_store_begin(crd_i_step_store *store, crd_context *context, const size_t *widths,
                                               size_t area_count, size_t memory_bytes, crd_error *error);
void crd_i_step_store_clear(crd_i_step_store *store);

/* How many of `wanted` steps fit into the current block, at least one of one: *got. crd_i_step_store_advance makes them steps once their
 * cells are written. */
CRD_MUST_USE crd_status crd_i_step_store_room(crd_i_step_store *store, uint64_t wanted, size_t *got, crd_error *error);
CRD_MUST_USE crd_status crd_i_step_store_advance(crd_i_step_store *store, size_t steps, crd_error *error);
/* No more steps come. */
CRD_MUST_USE crd_status crd_i_step_store_end(crd_i_step_store *store, crd_error *error);

/* Once it has ended: how many steps a block has room for, and where it begins in the spool. */
static inline size_t crd_i_step_store_stride(const crd_i_step_store *store, uint64_t block) {
    uint64_t left = store->steps - block * store->block_steps;
    return left >= store->block_steps ? store->block_steps : ((size_t)left + 7) / 8 * 8;
}

static inline uint64_t crd_i_step_store_offset(const crd_i_step_store *store, uint64_t block) {
    return block * store->block_steps * store->step_bytes;
}

#endif
