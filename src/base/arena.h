/* SPDX-License-Identifier: MIT */
/* arena.h - the memory of one object, or of one step of a computation, which is freed at once.
 *
 *     crd_i_tree *tree = crd_i_arena_object(context, sizeof *tree);       begins with `crd_i_arena *arena`
 *     if (tree == NULL) return crd_i_fail_memory(error);
 *     tree->parents = crd_i_arena_alloc(tree->arena, count, sizeof *tree->parents);
 *     tree->weights = crd_i_arena_alloc_zeroed(tree->arena, count, sizeof *tree->weights);
 *     crd_status status = crd_i_arena_check(tree->arena, error);          one check for all allocations before it
 *     ...
 *     crd_i_arena_destroy(tree->arena);                                   frees the tree and its arrays
 *
 * A failed allocation returns NULL, and all later ones of the arena fail too. NULL is an arena that has failed. So a
 * function can allocate everything first and check once before it uses the memory.
 *
 * Small allocations share blocks of the context, and a large one has its own block. Memory is freed only with the
 * arena: arrays that grow or that are replaced belong in crd_i_reserve and crd_i_alloc. One thread at a time may
 * allocate from an arena. */
#ifndef CRD_BASE_ARENA_H
#define CRD_BASE_ARENA_H

#include "base/context.h"

typedef struct crd_i_arena crd_i_arena;

/* Creates an arena. Returns NULL, an arena that has failed, if memory runs out. */
crd_i_arena *crd_i_arena_create(crd_context *context);
/* Creates an arena that contains a zeroed object of `size` bytes. The object begins with a pointer to its arena, which
 * is set. Returns NULL if memory runs out. */
void *crd_i_arena_object(crd_context *context, size_t size);
/* Frees all memory of the arena, and the arena itself. Accepts NULL. */
void crd_i_arena_destroy(crd_i_arena *arena);

/* Allocate `count` items, uninitialized or zeroed, at addresses that are multiples of 16. Return NULL if memory runs
 * out, or ran out before. Zero items give a pointer that is not NULL. */
void *crd_i_arena_alloc(crd_i_arena *arena, size_t count, size_t item_size);
void *crd_i_arena_alloc_zeroed(crd_i_arena *arena, size_t count, size_t item_size);
/* Allocates a copy of `count` items. `items` may be NULL if `count` is 0. */
void *crd_i_arena_copy(crd_i_arena *arena, const void *items, size_t count, size_t item_size);
/* Allocates a copy of a text, followed by a NUL. Returns an absent text if memory runs out. */
crd_text crd_i_arena_copy_text(crd_i_arena *arena, crd_text text);

/* Returns whether an allocation has failed. */
bool crd_i_arena_failed(const crd_i_arena *arena);
/* Returns CRD_OK, or CRD_ERROR_MEMORY with its message if an allocation has failed. */
CRD_MUST_USE crd_status crd_i_arena_check(const crd_i_arena *arena, crd_error *error);

#endif
