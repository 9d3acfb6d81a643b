/* SPDX-License-Identifier: MIT */
/* zstd.c - a source that decompresses zstd data of one or several frames. Truncated data is an error.
 *
 * The zstd library allocates its window itself, up to 128 MiB, the default limit of what a file may request. */
#include "base/error.h"
#include "base/memory.h"
#include "input/source.h"

#include <zstd.h>

enum { INPUT_ROOM = 1 << 16 };

typedef struct zstd_source {
    crd_i_source base;
    crd_i_source *inner;
    ZSTD_DStream *stream;
    ZSTD_inBuffer input;
    bool inside; /* a frame has begun but not ended */
    bool inner_ended;
    unsigned char buffer[INPUT_ROOM];
} zstd_source;

static crd_status zstd_read(crd_i_source *base, unsigned char *bytes, size_t capacity, size_t *got, crd_error *error) {
    zstd_source *source = (zstd_source *)base;
    ZSTD_outBuffer output = {bytes, capacity, 0};
    *got = 0;
    while (output.pos == 0) {
        if (source->input.pos == source->input.size && !source->inner_ended) {
            size_t now = 0;
            crd_status status = source->inner->read(source->inner, source->buffer, INPUT_ROOM, &now, error);
            if (status != CRD_OK) return status;
            source->inner_ended = now == 0;
            source->input.size = now;
            source->input.pos = 0;
        }
        bool starved = source->input.pos == source->input.size;
        if (starved && !source->inside) return CRD_OK;
        size_t taken = source->input.pos;
        /* A frame that is completely in the input takes a stricter path through the library. So its first byte is
         * passed separately, and no result depends on where the input was split. */
        ZSTD_inBuffer input = source->input;
        if (!source->inside && input.pos < input.size) input.size = input.pos + 1;
        size_t hint = ZSTD_decompressStream(source->stream, &output, &input);
        source->input.pos = input.pos;
        if (ZSTD_isError(hint))
            return crd_i_fail(error, CRD_ERROR_SYNTAX, "the zstd data is damaged: %s", ZSTD_getErrorName(hint));
        source->inside = hint != 0;
        if (starved && output.pos == 0 && source->input.pos == taken && source->inside)
            return crd_i_fail(error, CRD_ERROR_SYNTAX, "the zstd data is truncated");
    }
    *got = output.pos;
    return CRD_OK;
}

static crd_status zstd_rewind(crd_i_source *base, crd_error *error) {
    zstd_source *source = (zstd_source *)base;
    crd_status status = source->inner->rewind(source->inner, error);
    if (status != CRD_OK) return status;
    source->input.pos = source->input.size = 0;
    source->inside = source->inner_ended = false;
    if (ZSTD_isError(ZSTD_initDStream(source->stream))) return crd_i_fail_memory(error);
    return CRD_OK;
}

static void zstd_close(crd_i_source *base) {
    zstd_source *source = (zstd_source *)base;
    ZSTD_freeDStream(source->stream);
    crd_i_source_close(source->inner);
    crd_free(base->context, source);
}

crd_status crd_i_zstd_wrap(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    *out = NULL;
    zstd_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = zstd_read;
    source->base.rewind = inner->rewind == NULL ? NULL : zstd_rewind;
    source->base.close = zstd_close;
    source->inner = inner;
    source->input.src = source->buffer;
    source->stream = ZSTD_createDStream();
    if (source->stream == NULL) {
        zstd_close(&source->base);
        return crd_i_fail_memory(error);
    }
    *out = &source->base;
    return CRD_OK;
}
