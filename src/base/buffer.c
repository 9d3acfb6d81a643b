/* SPDX-License-Identifier: MIT */
/* buffer.c - see buffer.h. */
#include "base/buffer.h"

#include "base/memory.h"

#include <string.h>

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
