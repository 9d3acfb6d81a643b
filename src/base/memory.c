/* memory.c - see memory.h. */
#include "base/memory.h"

#include <string.h>

void *crd_i_alloc(crd_context *context, size_t count, size_t item_size) {
    if (item_size != 0 && count > SIZE_MAX / item_size) return NULL;
    size_t bytes = count * item_size;
    return context->resize(context->resize_user, NULL, bytes == 0 ? 1 : bytes);
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
    void *block;
    memcpy(&block, block_pointer, sizeof block);
    block = context->resize(context->resize_user, block, wanted * item_size);
    if (block == NULL) return false;
    memcpy(block_pointer, &block, sizeof block);
    *capacity = wanted;
    return true;
}

static size_t size_of(const void *sized) {
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

bool crd_i_has_size(const void *sized) {
    return size_of(sized) >= sizeof(size_t);
}

bool crd_i_copy_in(const void *from, void *to, size_t size) {
    size_t known = size_of(from);
    if (known < sizeof known) return false;
    if (known > size) known = size;
    memcpy((char *)to + sizeof known, (const char *)from + sizeof known, known - sizeof known);
    return true;
}

static void copy_fields(const void *from, size_t size, void *to, size_t known) {
    if (known > size) known = size;
    if (known > sizeof known)
        memcpy((char *)to + sizeof known, (const char *)from + sizeof known, known - sizeof known);
}

void crd_i_copy_out(const void *from, size_t size, void *to) {
    copy_fields(from, size, to, size_of(to));
}

void crd_i_copy_out_item(const void *from, size_t size, void *array, size_t index) {
    size_t stride = size_of(array);
    char *item = (char *)array + index * stride;
    if (stride < sizeof stride) return;
    memcpy(item, &stride, sizeof stride);
    copy_fields(from, size, item, stride);
}
