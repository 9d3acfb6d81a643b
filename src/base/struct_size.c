/* SPDX-License-Identifier: MIT */
/* struct_size.c - see struct_size.h. */
#include "base/struct_size.h"

#include <string.h>

static size_t stated_struct_size(const void *sized) {
    size_t size;
    memcpy(&size, sized, sizeof size);
    return size;
}

bool crd_i_has_size(const void *sized) {
    return stated_struct_size(sized) >= sizeof(size_t);
}

bool crd_i_copy_in(const void *source, void *destination, size_t size) {
    size_t known = stated_struct_size(source);
    if (known < sizeof known) return false;
    if (known > size) known = size;
    memcpy((char *)destination + sizeof known, (const char *)source + sizeof known, known - sizeof known);
    return true;
}

static void copy_fields(const void *source, size_t size, void *destination, size_t known) {
    if (known > size) known = size;
    if (known > sizeof known)
        memcpy((char *)destination + sizeof known, (const char *)source + sizeof known, known - sizeof known);
}

void crd_i_copy_out(const void *source, size_t size, void *destination) {
    copy_fields(source, size, destination, stated_struct_size(destination));
}

void crd_i_copy_out_item(const void *source, size_t size, void *array, size_t index) {
    size_t stride = stated_struct_size(array);
    char *item = (char *)array + index * stride;
    if (stride < sizeof stride) return;
    memcpy(item, &stride, sizeof stride);
    copy_fields(source, size, item, stride);
}
