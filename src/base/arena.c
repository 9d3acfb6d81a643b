/* SPDX-License-Identifier: MIT */
/* arena.c - see arena.h. */
#include "base/arena.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdalign.h>
#include <stddef.h>
#include <string.h>

enum { ALIGNMENT = 16 };

typedef struct arena_block {
    alignas(ALIGNMENT) struct arena_block *next;
} arena_block;

struct crd_i_arena {
    crd_context *context;
    arena_block *blocks; /* all blocks but the first, which contains the arena */
    char *free;          /* in the current block */
    size_t left, block_size;
    bool has_failed;
};

/* Blocks double in size, so a small object costs little and a large one needs few blocks. With NDEBUG undefined, each
 * allocation is a block. Then tests that fail each allocation in turn reach all of them, and sanitizers see the bounds
 * of each. */
#ifdef NDEBUG
enum { FIRST_BLOCK = 512, MAX_BLOCK = 1 << 16 };
#else
enum { FIRST_BLOCK = 1, MAX_BLOCK = 1 };
#endif

/* Rounds up to the alignment. The caller checks for overflow. */
static size_t aligned_size(size_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static crd_i_arena *arena_create(crd_context *context, size_t room) {
    const size_t head = aligned_size(sizeof(crd_i_arena));
    size_t bytes = head + room < FIRST_BLOCK ? FIRST_BLOCK : head + room;
    crd_i_arena *arena = crd_i_alloc(context, 1, bytes);
    if (arena == NULL) return NULL;
    *arena = (crd_i_arena){context, NULL, (char *)arena + head, bytes - head, FIRST_BLOCK, false};
    return arena;
}

crd_i_arena *crd_i_arena_create(crd_context *context) {
    return arena_create(context, 0);
}

void *crd_i_arena_object(crd_context *context, size_t size) {
    crd_i_arena *arena = arena_create(context, aligned_size(size));
    if (arena == NULL) return NULL;
    void *object = arena->free;
    memset(object, 0, size);
    memcpy(object, &arena, sizeof arena);
    arena->free += aligned_size(size);
    arena->left -= aligned_size(size);
    return object;
}

void crd_i_arena_destroy(crd_i_arena *arena) {
    if (arena == NULL) return;
    crd_context *context = arena->context;
    for (arena_block *block = arena->blocks, *next; block != NULL; block = next) {
        next = block->next;
        crd_free(context, block);
    }
    crd_free(context, arena);
}

/* Adds a block with room for `bytes`. Returns the room, or NULL. */
static char *arena_add_block(crd_i_arena *arena, size_t bytes) {
    arena_block *block = crd_i_alloc(arena->context, 1, sizeof *block + bytes);
    arena->has_failed = block == NULL;
    if (block == NULL) return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    return (char *)(block + 1);
}

void *crd_i_arena_alloc(crd_i_arena *arena, size_t count, size_t item_size) {
    if (crd_i_arena_failed(arena)) return NULL;
    if (item_size != 0 && count > (SIZE_MAX - sizeof(arena_block) - ALIGNMENT) / item_size) {
        arena->has_failed = true;
        return NULL;
    }
    size_t bytes = aligned_size(count * item_size);
    if (bytes == 0) bytes = ALIGNMENT;
    if (bytes > arena->left) {
        size_t room = arena->block_size < MAX_BLOCK ? 2 * arena->block_size : MAX_BLOCK;
        /* The rest of the current block stays usable if the new one would waste more. */
        if (bytes > room / 4) return arena_add_block(arena, bytes);
        char *block = arena_add_block(arena, room);
        if (block == NULL) return NULL;
        arena->free = block;
        arena->left = arena->block_size = room;
    }
    void *items = arena->free;
    arena->free += bytes;
    arena->left -= bytes;
    return items;
}

void *crd_i_arena_alloc_zeroed(crd_i_arena *arena, size_t count, size_t item_size) {
    void *items = crd_i_arena_alloc(arena, count, item_size);
    if (items != NULL) memset(items, 0, count * item_size);
    return items;
}

void *crd_i_arena_copy(crd_i_arena *arena, const void *items, size_t count, size_t item_size) {
    void *copy = crd_i_arena_alloc(arena, count, item_size);
    if (copy != NULL && count > 0) memcpy(copy, items, count * item_size);
    return copy;
}

crd_text crd_i_arena_copy_text(crd_i_arena *arena, crd_text text) {
    char *copy = crd_i_arena_alloc(arena, text.length + 1, 1);
    if (copy == NULL) return (crd_text){NULL, 0};
    if (text.length > 0) memcpy(copy, text.bytes, text.length);
    copy[text.length] = '\0';
    return (crd_text){copy, text.length};
}

bool crd_i_arena_failed(const crd_i_arena *arena) {
    return arena == NULL || arena->has_failed;
}

crd_status crd_i_arena_check(const crd_i_arena *arena, crd_error *error) {
    return crd_i_arena_failed(arena) ? crd_i_fail_memory(error) : CRD_OK;
}
