/* SPDX-License-Identifier: MIT */
/* memory.c - see memory.h and buffer.h.
 *
 * Contents:
 *   1. Allocation
 *   2. Available memory
 *   3. Growing buffers */
#include "base/memory.h"

#include "base/buffer.h"
#include "base/os.h"

#include <string.h>

/* ======== 1. Allocation ======== */

void *crd_i_alloc(crd_context *context, size_t count, size_t item_size) {
    if (item_size != 0 && count > SIZE_MAX / item_size) return NULL;
    size_t bytes = count * item_size;
    void *block = context->resize(context->resize_user, NULL, bytes == 0 ? 1 : bytes);
    if (block != NULL) crd_i_context_hold(context);
    return block;
}

void *crd_i_alloc_zeroed(crd_context *context, size_t count, size_t item_size) {
    void *block = crd_i_alloc(context, count, item_size);
    if (block != NULL) memset(block, 0, count * item_size);
    return block;
}

bool crd_i_reserve(crd_context *context, void *block_pointer, size_t *capacity, size_t count, size_t item_size) {
    if (count <= *capacity) return true;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < count) {
        if (wanted > SIZE_MAX / 2) return false;
        wanted *= 2;
    }
    if (wanted > SIZE_MAX / item_size) return false;
    void *before, *block;
    memcpy(&before, block_pointer, sizeof before);
    block = context->resize(context->resize_user, before, wanted * item_size);
    if (block == NULL) return false;
    if (before == NULL) crd_i_context_hold(context);
    memcpy(block_pointer, &block, sizeof block);
    *capacity = wanted;
    return true;
}

/* ======== 2. Available memory ======== */

/* The result if the system reports nothing. */
static const double LEAST = 64.0 * 1024 * 1024;

double crd_i_free_memory(void) {
    const double bytes = crd_i_os_available_memory();
    return bytes > LEAST ? bytes : LEAST;
}

/* ======== 3. Growing buffers ======== */

unsigned char *crd_i_buffer_room(crd_i_buffer *buffer, size_t length) {
    if (length > SIZE_MAX - buffer->length) return NULL;
    if (!crd_i_reserve(buffer->context, &buffer->bytes, &buffer->capacity, buffer->length + length, 1)) return NULL;
    return buffer->bytes + buffer->length;
}

bool crd_i_buffer_append(crd_i_buffer *buffer, const void *bytes, size_t length) {
    if (length == 0) return true;
    unsigned char *space = crd_i_buffer_room(buffer, length);
    if (space == NULL) return false;
    memcpy(space, bytes, length);
    buffer->length += length;
    return true;
}

void crd_i_buffer_clear(crd_i_buffer *buffer) {
    crd_free(buffer->context, buffer->bytes);
    buffer->bytes = NULL;
    buffer->length = buffer->capacity = 0;
}
