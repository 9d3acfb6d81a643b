/* SPDX-License-Identifier: MIT */
/* block.c - Block: memory that was allocated without the GIL, for numpy.frombuffer. */
#include "module.h"

#include <stdlib.h>

void block_free(core_block *block) {
    free(block->bytes);
    *block = (core_block){0};
}

void *block_grow(core_block *block, size_t bytes) {
    if (bytes > block->capacity - block->length) {
        size_t capacity = block->capacity + block->capacity / 2;
        if (capacity < block->length + bytes) capacity = block->length + bytes;
        char *moved = realloc(block->bytes, capacity);
        if (moved == NULL) return NULL;
        block->bytes = moved;
        block->capacity = capacity;
    }
    void *destination = block->bytes + block->length;
    block->length += bytes;
    return destination;
}

PyObject *block_wrap(module_state *state, core_block *block) {
    block_object *self = new_object(state, CORE_BLOCK);
    if (self == NULL) {
        block_free(block);
        return NULL;
    }
    if (block->length > 0 && block->length < block->capacity) {
        char *moved = realloc(block->bytes, block->length);
        if (moved != NULL) block->bytes = moved;
    }
    self->block = *block;
    *block = (core_block){0};
    return (PyObject *)self;
}

static void block_dealloc(PyObject *object) {
    block_free(&((block_object *)object)->block);
    free_object(object);
}

static int block_get_buffer(PyObject *object, Py_buffer *view, int flags) {
    static char empty[1];
    core_block *block = &((block_object *)object)->block;
    return PyBuffer_FillInfo(view, object, block->length > 0 ? block->bytes : empty, (Py_ssize_t)block->length, 0,
                             flags);
}

const core_type_facts block_type = {CORE_BLOCK,
                                    "credence._core.Block",
                                    sizeof(block_object),
                                    block_dealloc,
                                    NULL,
                                    "Bytes of an array with the buffer protocol; writable.",
                                    block_get_buffer};
