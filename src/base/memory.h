/* memory.h - allocation through the context: overflow-checked, able to fail. Freed with crd_free. */
#ifndef CRD_BASE_MEMORY_H
#define CRD_BASE_MEMORY_H

#include "base/context.h"

/* Uninitialised, or zeroed; NULL on failure. Zero items give a block that can be freed. */
void *crd_i_alloc(crd_context *context, size_t count, size_t item_size);
void *crd_i_alloc_zeroed(crd_context *context, size_t count, size_t item_size);

/* Makes room for at least `count` items in *block, doubling; on failure *block and *capacity are as they were. Fresh
 * room is not initialised. */
CRD_MUST_USE bool crd_i_reserve(crd_context *context, void *block_pointer, size_t *capacity, size_t count,
                                size_t item_size);

/* Fills in a caller's struct that may be an older, shorter one. Both begin with a size_t: the caller's says how long it
 * is and stays as it is; `known` is the size of ours. */
void crd_i_hand_over(const void *from, size_t known, void *to);
/* The other way round: takes what a caller's struct, which may be an older, shorter one, has; `to` is ours, of the size
 * `known`, with the defaults of what it has not. */
void crd_i_hand_in(const void *from, size_t known, void *to);

#endif
