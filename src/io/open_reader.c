/* SPDX-License-Identifier: MIT */
/* open_reader.c - opens inputs, and readers of paths and memory, with the decompressors of this module. Also pages:
 * bytes that any thread can read piece by piece.
 *
 * Contents:
 *   1. Inputs and readers
 *   2. Page source */
#include "io/open_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"
#include "table/formats/document_batches.h"
#include "table/read/reader.h"

#include <errno.h>
#include <string.h>

/* ======== 1. Inputs and readers ======== */

/* Replaces a decompressor that is not part of this build. */
#if !CRD_I_HAS_ZLIB || !CRD_I_HAS_ZSTD
static crd_status refuse_compressed(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    (void)context;
    *out = NULL;
    crd_i_source_close(inner);
    return crd_i_fail(error, CRD_ERROR_SYNTAX,
                      "the compression format is not supported by this build: decompress the file first");
}
#endif
#if !CRD_I_HAS_ZLIB
#define crd_i_gzip_wrap refuse_compressed
#endif
#if !CRD_I_HAS_ZSTD
#define crd_i_zstd_wrap refuse_compressed
#endif

const crd_i_decoder crd_i_decoders[] = {
    {"gzip", "\x1f\x8b", 2, crd_i_gzip_wrap},
    {"zstd", "\x28\xb5\x2f\xfd", 4, crd_i_zstd_wrap},
    {NULL, NULL, 0, NULL},
};

crd_status crd_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                           const crd_reader_options *options, crd_reader **out, crd_error *error) {
    return crd_i_reader_open(context, paths, path_count, options, crd_i_decoders, out, error);
}

crd_status crd_reader_open_documents(crd_context *context, const crd_document_source *sources, size_t count,
                                     const crd_document_options *document, const crd_reader_options *options,
                                     crd_reader **out, crd_error *error) {
    crd_document_options names = CRD_DOCUMENT_OPTIONS_INIT;
    if (document != NULL && !crd_i_copy_in(document, &names, sizeof names))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    if (names.text_name.bytes == NULL) names.text_name = crd_text_of("text");
    if (names.class_name.bytes == NULL) names.class_name = crd_text_of("class");
    return crd_i_documents_open(context, sources, count, &crd_i_text_documents, &names.text_name, names.class_name,
                                crd_i_decoders, options, out, error);
}

/* ---- Inputs ---- */

enum { BEGINNING_BYTES = 64 * 1024 };

/* Reads the first bytes of a source. Takes over the source, even on failure. A source that can be rewound is
 * rewound. */
static crd_status open_reader_look(crd_input *input, crd_i_source *bytes, crd_error *error) {
    crd_i_source *decoded;
    crd_status status = crd_i_source_decode(input->context, bytes, crd_i_decoders, &decoded, error);
    if (status == CRD_OK)
        status = crd_i_source_peek(input->context, decoded, BEGINNING_BYTES, &input->first, &input->source, error);
    if (status == CRD_OK) input->file = bytes;
    if (status == CRD_OK && input->source->rewind != NULL) status = input->source->rewind(input->source, error);
    return status;
}

/* Creates an input. Takes over the source, even on failure. */
static crd_status make_input(crd_context *context, crd_i_source *bytes, const char *place, crd_input **out,
                             crd_error *error) {
    crd_status status = CRD_ERROR_MEMORY;
    crd_input *input = crd_i_alloc_zeroed(context, 1, sizeof *input);
    if (input != NULL) {
        input->context = context;
        input->place = crd_i_text_copy(context, crd_text_of(place)).bytes;
    }
    if (input == NULL || input->place == NULL) {
        crd_i_source_close(bytes);
        crd_i_fail_memory(error);
    } else {
        status = open_reader_look(input, bytes, error);
    }
    if (status != CRD_OK) {
        crd_i_error_place(error, place, 0, 0);
        crd_input_close(input);
        return status;
    }
    *out = input;
    return CRD_OK;
}

crd_status crd_input_open(crd_context *context, const char *path, crd_input **out, crd_error *error) {
    *out = NULL;
    const char *place = strcmp(path, "-") == 0 ? "standard input" : path;
    crd_i_source *file;
    crd_status status = crd_i_source_open(context, path, &file, error);
    if (status == CRD_OK) return make_input(context, file, place, out, error);
    crd_i_error_place(error, place, 0, 0);
    return status;
}

crd_status crd_input_from_memory(crd_context *context, const void *bytes, size_t length, const char *name,
                                 crd_input **out, crd_error *error) {
    *out = NULL;
    crd_i_source *memory;
    if (bytes == NULL && length > 0)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing bytes, but the length is not 0");
    crd_status status = crd_i_source_memory(context, bytes, length, true, &memory, error);
    if (status == CRD_OK) status = make_input(context, memory, name == NULL ? "memory" : name, out, error);
    if (status == CRD_OK) (*out)->bytes = length;
    return status;
}

crd_status crd_input_from_callbacks(crd_context *context, const crd_input_callbacks *given, crd_input **out,
                                    crd_error *error) {
    *out = NULL;
    crd_input_callbacks callbacks = CRD_INPUT_CALLBACKS_INIT;
    if (!crd_i_copy_in(given, &callbacks, sizeof callbacks))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the callbacks are not initialized");
    if (callbacks.read == NULL) {
        if (callbacks.close != NULL) callbacks.close(callbacks.user);
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing read function");
    }
    crd_i_source *source;
    crd_status status = crd_i_source_callbacks(context, &callbacks, &source, error);
    if (status != CRD_OK) return status;
    return make_input(context, source, callbacks.name == NULL ? "input" : callbacks.name, out, error);
}

crd_status crd_reader_open_memory(crd_context *context, const void *bytes, size_t length, const char *name,
                                  const crd_reader_options *options, crd_reader **out, crd_error *error) {
    crd_input *input;
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new reader");
    *out = NULL;
    if (context == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing context");
    crd_status status = crd_input_from_memory(context, bytes, length, name, &input, error);
    if (status == CRD_OK) status = crd_reader_open_inputs(context, &input, 1, options, out, error);
    crd_input_close(input);
    return status;
}

crd_text crd_input_beginning(const crd_input *input) {
    const crd_text none = {"", 0};
    return input->source == NULL ? none : input->first;
}

void crd_input_close(crd_input *input) {
    if (input == NULL) return;
    crd_i_source_close(input->source);
    crd_free(input->context, (void *)input->place);
    crd_free(input->context, input);
}

/* ======== 2. Page source ========
 *
 * The interface is in open_reader.h. */

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
