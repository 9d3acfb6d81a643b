/* SPDX-License-Identifier: MIT */
/* memory.h - allocation through the context, with overflow checks. Every allocation can fail. Free blocks with
 * crd_free.
 *
 * Contents:
 *   1. Allocation
 *   2. Available memory */
#ifndef CRD_BASE_MEMORY_H
#define CRD_BASE_MEMORY_H

#include "base/call.h"
#include "base/context.h"
#include "base/struct_size.h"

/* ======== 1. Allocation ======== */

/* Allocate `count` items, uninitialized or zeroed. Return NULL if memory runs out. Zero items give a block that can be
 * freed. */
void *crd_i_alloc(crd_context *context, size_t count, size_t item_size);
void *crd_i_alloc_zeroed(crd_context *context, size_t count, size_t item_size);

/* Makes room for at least `count` items in *block by doubling its capacity. If memory runs out, returns false and
 * leaves *block and *capacity unchanged. New room is not initialized. */
CRD_MUST_USE bool crd_i_reserve(crd_context *context, void *block_pointer, size_t *capacity, size_t count,
                                size_t item_size);

/* ======== 2. Available memory ======== */

/* Returns the number of bytes that can be allocated without swapping: the system's estimate of available memory,
 * limited by the resource limits of this process. Returns a small fixed amount if neither can be determined. */
double crd_i_free_memory(void);

#endif
