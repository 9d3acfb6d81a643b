/* SPDX-License-Identifier: MIT */
/* page_source.c - see page_source.h. */
#include "io/page_source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

struct crd_i_page_source {
    crd_context *context;
    atomic_size_t references;
    uint64_t length;
    unsigned char *bytes; /* NULL: the bytes are in the file */
    int file;             /* -1: none */
    uint64_t begin;
    char *path;
};

static crd_i_page_source *page_source_create(crd_context *context, uint64_t length) {
    crd_i_page_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) return NULL;
    source->context = context;
    source->length = length;
    source->file = -1;
    atomic_init(&source->references, 1);
    return source;
}

crd_status crd_i_page_source_open(crd_context *context, int file, const char *path, uint64_t begin, uint64_t length,
                                  crd_i_page_source **out, crd_error *error) {
    crd_i_page_source *source = page_source_create(context, length);
    char *name = source == NULL ? NULL : (char *)crd_i_text_copy(context, crd_text_of(path)).bytes;
    *out = NULL;
    if (name == NULL) {
        crd_free(context, source);
        crd_i_os_close(file);
        return crd_i_fail_memory(error);
    }
    source->file = file;
    source->begin = begin;
    source->path = name;
    *out = source;
    return CRD_OK;
}

crd_i_page_source *crd_i_page_source_copy(crd_context *context, const unsigned char *bytes, size_t length) {
    crd_i_page_source *source = page_source_create(context, length);
    unsigned char *copy = source == NULL ? NULL : crd_i_alloc(context, length, 1);
    if (copy == NULL) {
        crd_free(context, source);
        return NULL;
    }
    if (length > 0) memcpy(copy, bytes, length);
    source->bytes = copy;
    return source;
}

crd_i_page_source *crd_i_page_source_take(crd_i_buffer *buffer) {
    crd_i_page_source *source = page_source_create(buffer->context, buffer->length);
    if (source == NULL) return NULL;
    source->bytes = buffer->bytes;
    buffer->bytes = NULL;
    buffer->length = buffer->capacity = 0;
    return source;
}

void crd_i_page_source_retain(crd_i_page_source *source) {
    atomic_fetch_add_explicit(&source->references, 1, memory_order_relaxed);
}

void crd_i_page_source_release(crd_i_page_source *source) {
    if (source == NULL || atomic_fetch_sub_explicit(&source->references, 1, memory_order_acq_rel) > 1) return;
    if (source->file >= 0) crd_i_os_close(source->file);
    crd_free(source->context, source->bytes);
    crd_free(source->context, source->path);
    crd_free(source->context, source);
}

uint64_t crd_i_page_source_length(const crd_i_page_source *source) {
    return source->length;
}

const unsigned char *crd_i_page_source_bytes(const crd_i_page_source *source) {
    return source->bytes;
}

crd_status crd_i_page_source_damaged(const crd_i_page_source *source, const char *description, crd_error *error) {
    crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
    if (source->path != NULL) crd_i_error_place(error, source->path, 0, 0);
    return CRD_ERROR_DAMAGED;
}

crd_status crd_i_page_source_read(const crd_i_page_source *source, uint64_t index, size_t length,
                                  unsigned char *destination, crd_error *error) {
    if (source->bytes != NULL) {
        memcpy(destination, source->bytes + index, length);
        return CRD_OK;
    }
    while (length > 0) {
        int64_t now = crd_i_os_read_at(source->file, destination, length, source->begin + index);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) {
            crd_i_fail_system(error, errno, "cannot be read");
            crd_i_error_place(error, source->path, 0, 0);
            return CRD_ERROR_SYSTEM;
        }
        if (now == 0) return crd_i_page_source_damaged(source, "it became shorter while it was read", error);
        destination += now;
        index += (uint64_t)now;
        length -= (size_t)now;
    }
    return CRD_OK;
}
