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

/* Public structs that may grow begin with a size_t, the size that the caller was compiled with. These are the only ways
 * in which the library reads and writes them; `size` is the size of ours.
 *
 * In: the caller's fields, as many as there are, over the defaults that `to` holds. False where the caller's size does
 * not even cover itself, as that of a struct that was not initialised. */
CRD_MUST_USE bool crd_i_copy_in(const void *from, void *to, size_t size);
/* Out: our fields, as many as the caller has. Its size stays as it is. */
void crd_i_copy_out(const void *from, size_t size, void *to);
/* Whether a caller's struct, or the first of an array, was initialised with its size. */
bool crd_i_has_size(const void *sized);
/* The same into item `index` of a caller's array, whose first item has the size of all. */
void crd_i_copy_out_item(const void *from, size_t size, void *array, size_t index);

#endif
