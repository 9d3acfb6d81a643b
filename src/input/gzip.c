/* SPDX-License-Identifier: MIT */
/* gzip.c - a source that decompresses gzip data of one or several members. Truncated data is an error, so half a file
 * is never mistaken for a complete one. */
#include "base/error.h"
#include "base/memory.h"
#include "input/source.h"

#include <string.h>
#include <zlib.h>

enum { INPUT_ROOM = 1 << 16, GZIP_WINDOW = 15 + 16 };

typedef struct gzip_source {
    crd_i_source base;
    crd_i_source *inner;
    z_stream stream;
    bool inside; /* a member has begun but not ended */
    bool inner_ended;
    unsigned char input[INPUT_ROOM];
} gzip_source;

static void *zlib_alloc(void *context, unsigned count, unsigned size) {
    return crd_i_alloc(context, count, size);
}

static void zlib_free(void *context, void *block) {
    crd_free(context, block);
}

static crd_status gzip_refill(gzip_source *source, crd_error *error) {
    size_t got = 0;
    crd_status status = source->inner->read(source->inner, source->input, INPUT_ROOM, &got, error);
    if (status != CRD_OK) return status;
    source->inner_ended = got == 0;
    source->stream.next_in = source->input;
    source->stream.avail_in = (uInt)got;
    return CRD_OK;
}

static crd_status inflate_some(gzip_source *source, crd_error *error) {
    int result = inflate(&source->stream, Z_NO_FLUSH);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return CRD_OK;
    case Z_STREAM_END:
        source->inside = false;
        return inflateReset(&source->stream) == Z_OK ? CRD_OK : crd_i_fail_memory(error);
    case Z_MEM_ERROR: return crd_i_fail_memory(error);
    default:
        return crd_i_fail(error, CRD_ERROR_SYNTAX, "the gzip data is damaged%s%s",
                          source->stream.msg == NULL ? "" : ": ", source->stream.msg == NULL ? "" : source->stream.msg);
    }
}

static crd_status gzip_read(crd_i_source *base, unsigned char *bytes, size_t capacity, size_t *got, crd_error *error) {
    gzip_source *source = (gzip_source *)base;
    *got = 0;
    if (capacity > UINT32_MAX / 2) capacity = UINT32_MAX / 2;
    source->stream.next_out = bytes;
    source->stream.avail_out = (uInt)capacity;
    while (source->stream.avail_out == capacity) {
        if (source->stream.avail_in == 0 && !source->inner_ended) {
            crd_status status = gzip_refill(source, error);
            if (status != CRD_OK) return status;
        }
        if (source->stream.avail_in == 0 && source->inner_ended) {
            if (source->inside) return crd_i_fail(error, CRD_ERROR_SYNTAX, "the gzip data is truncated");
            return CRD_OK;
        }
        source->inside = true;
        crd_status status = inflate_some(source, error);
        if (status != CRD_OK) return status;
    }
    *got = capacity - source->stream.avail_out;
    return CRD_OK;
}

static crd_status gzip_rewind(crd_i_source *base, crd_error *error) {
    gzip_source *source = (gzip_source *)base;
    crd_status status = source->inner->rewind(source->inner, error);
    if (status != CRD_OK) return status;
    source->inside = source->inner_ended = false;
    source->stream.avail_in = 0;
    return inflateReset(&source->stream) == Z_OK ? CRD_OK : crd_i_fail_memory(error);
}

static void gzip_close(crd_i_source *base) {
    gzip_source *source = (gzip_source *)base;
    inflateEnd(&source->stream);
    crd_i_source_close(source->inner);
    crd_free(base->context, source);
}

crd_status crd_i_gzip_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    *out = NULL;
    gzip_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = gzip_read;
    source->base.rewind = inner->rewind == NULL ? NULL : gzip_rewind;
    source->base.close = gzip_close;
    source->inner = inner;
    source->stream.zalloc = zlib_alloc;
    source->stream.zfree = zlib_free;
    source->stream.opaque = context;
    if (inflateInit2(&source->stream, GZIP_WINDOW) != Z_OK) {
        gzip_close(&source->base);
        return crd_i_fail_memory(error);
    }
    *out = &source->base;
    return CRD_OK;
}
