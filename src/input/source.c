/* SPDX-License-Identifier: MIT */
/* source.c - reads bytes from files, standard input, memory and callbacks, decompresses them, and opens inputs. See
 * source.h.
 *
 * Files are read, not mapped: a file that is cut short while it is read must be an error, not a signal.
 *
 * Contents:
 *   1. Byte sources
 *   2. Decompression
 *   3. Inputs */
#include "input/source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

/* ======== 1. Byte sources ======== */

void crd_i_source_close(crd_i_source *source) {
    if (source != NULL) source->close(source);
}

/* ---- Files ---- */

typedef struct file_source {
    crd_i_source base;
    int descriptor;
    bool is_standard_input; /* the descriptor belongs to the process and is not closed */
    bool is_regular;
    uint64_t begin; /* position when opened: a part of standard input may already be read */
    uint64_t size;  /* when opened or rewound */
    uint64_t position;
} file_source;

/* Waits until a pipe or another stream has bytes. A signal interrupts only one thread, maybe another one. So the wait
 * ends from time to time to check whether reading was canceled. */
static void await_bytes(const file_source *file) {
    enum { MILLISECONDS = 100 };
    while (!crd_i_context_cancelled(file->base.context) && !crd_i_os_await(file->descriptor, MILLISECONDS)) continue;
}

static crd_status file_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                            crd_error *error) {
    file_source *file = (file_source *)source;
    *got = 0;
    int64_t count;
    do {
        if (!file->is_regular) await_bytes(file);
        if (crd_i_context_cancelled(source->context)) return crd_i_fail_cancelled(error);
        count = crd_i_os_read(file->descriptor, bytes, capacity);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return crd_i_fail_system(error, errno, "cannot be read");
    if (count == 0 && file->is_regular && file->position < file->size) {
        return crd_i_fail(error, CRD_ERROR_SYSTEM, "the file shrank while it was read: got %llu bytes, expected %llu",
                          (unsigned long long)file->position, (unsigned long long)file->size);
    }
    file->position += (uint64_t)count;
    source->taken += (uint64_t)count;
    *got = (size_t)count;
    return CRD_OK;
}

static crd_status file_seek(crd_i_source *source, uint64_t offset, crd_error *error) {
    file_source *file = (file_source *)source;
    crd_i_os_facts facts;
    uint64_t limit = file->begin + offset;
    if (!crd_i_os_seek(file->descriptor, limit) || !crd_i_os_facts_of_open(file->descriptor, &facts)) {
        return crd_i_fail_system(error, errno, offset == 0 ? "cannot be read again" : "cannot be read from the middle");
    }
    file->position = limit;
    source->taken = offset;
    file->size = facts.size;
    return CRD_OK;
}

static crd_status file_rewind(crd_i_source *source, crd_error *error) {
    return file_seek(source, 0, error);
}

static void file_close(crd_i_source *source) {
    file_source *file = (file_source *)source;
    if (!file->is_standard_input && file->descriptor >= 0) crd_i_os_close(file->descriptor);
    crd_free(source->context, file);
}

crd_status crd_i_source_open(crd_context *context, const char *path, crd_i_source **out, crd_error *error) {
    *out = NULL;
    file_source *file = crd_i_alloc_zeroed(context, 1, sizeof *file);
    if (file == NULL) return crd_i_fail_memory(error);
    file->base.context = context;
    file->base.read = file_read;
    file->base.close = file_close;
    file->is_standard_input = strcmp(path, "-") == 0;
    do {
        file->descriptor = file->is_standard_input ? CRD_I_STDIN : crd_i_os_open(path, CRD_I_OS_READ);
    } while (file->descriptor < 0 && errno == EINTR && !crd_i_context_cancelled(context));
    crd_i_os_facts facts;
    int fault = 0;
    if (file->descriptor < 0 || !crd_i_os_facts_of_open(file->descriptor, &facts)) {
        fault = errno;
    } else if (facts.kind == CRD_I_OS_FOLDER) {
        fault = EISDIR;
    }
    if (fault != 0) {
        file_close(&file->base);
        return crd_i_fail_system(error, fault, "cannot be opened");
    }
    file->is_regular = facts.kind == CRD_I_OS_FILE;
    if (file->is_regular) {
        int64_t index = crd_i_os_position(file->descriptor);
        file->begin = file->position = index < 0 ? 0 : (uint64_t)index;
        file->size = facts.size;
        file->base.rewind = file_rewind;
        file->base.seek = file_seek;
    }
    *out = &file->base;
    return CRD_OK;
}

/* ---- Memory ---- */

typedef struct memory_source {
    crd_i_source base;
    const unsigned char *bytes;
    size_t length, position;
} memory_source;

static crd_status memory_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                              crd_error *error) {
    (void)error;
    memory_source *memory = (memory_source *)source;
    size_t left = memory->length - memory->position;
    *got = left < capacity ? left : capacity;
    if (*got > 0) memcpy(bytes, memory->bytes + memory->position, *got);
    memory->position += *got;
    source->taken += *got;
    return CRD_OK;
}

static crd_status memory_rewind(crd_i_source *source, crd_error *error) {
    (void)error;
    ((memory_source *)source)->position = 0;
    source->taken = 0;
    return CRD_OK;
}

static void memory_close(crd_i_source *source) {
    crd_free(source->context, source);
}

crd_status crd_i_source_memory(crd_context *context, const void *bytes, size_t length, bool can_rewind,
                               crd_i_source **out, crd_error *error) {
    *out = NULL;
    memory_source *memory = crd_i_alloc_zeroed(context, 1, sizeof *memory);
    if (memory == NULL) return crd_i_fail_memory(error);
    memory->base.context = context;
    memory->base.read = memory_read;
    memory->base.rewind = can_rewind ? memory_rewind : NULL;
    memory->base.close = memory_close;
    memory->bytes = bytes;
    memory->length = length;
    *out = &memory->base;
    return CRD_OK;
}

/* ---- Callbacks ---- */

typedef struct callback_source {
    crd_i_source base;
    crd_input_callbacks callbacks;
} callback_source;

static crd_status callback_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                                crd_error *error) {
    const crd_input_callbacks *callbacks = &((callback_source *)source)->callbacks;
    *got = 0;
    if (crd_i_context_cancelled(source->context)) return crd_i_fail_cancelled(error);
    if (capacity > INT_MAX) capacity = INT_MAX;
    int64_t count = callbacks->read(callbacks->user, bytes, capacity);
    if (count < 0) {
        bool is_errno = count >= -INT_MAX && count < -1;
        return crd_i_fail_system(error, is_errno ? (int)-count : EIO, "cannot be read");
    }
    if ((uint64_t)count > capacity) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "the read function returned %lld bytes, but at most %zu were requested", (long long)count,
                          capacity);
    }
    *got = (size_t)count;
    source->taken += *got;
    return CRD_OK;
}

static crd_status callback_rewind(crd_i_source *source, crd_error *error) {
    const crd_input_callbacks *callbacks = &((callback_source *)source)->callbacks;
    int fault = callbacks->rewind(callbacks->user);
    if (fault != 0) return crd_i_fail_system(error, fault > 0 ? fault : EIO, "cannot be read again");
    source->taken = 0;
    return CRD_OK;
}

static void callback_close(crd_i_source *source) {
    const crd_input_callbacks *callbacks = &((callback_source *)source)->callbacks;
    if (callbacks->close != NULL) callbacks->close(callbacks->user);
    crd_free(source->context, source);
}

/* Creates a source over bytes that a caller's functions return. Calls callbacks->close even if it fails. */
static crd_status source_of_callbacks(crd_context *context, const crd_input_callbacks *callbacks, crd_i_source **out,
                                      crd_error *error) {
    *out = NULL;
    callback_source *source = crd_i_alloc_zeroed(context, 1, sizeof *source);
    if (source == NULL) {
        if (callbacks->close != NULL) callbacks->close(callbacks->user);
        return crd_i_fail_memory(error);
    }
    source->base.context = context;
    source->base.read = callback_read;
    source->base.rewind = callbacks->rewind == NULL ? NULL : callback_rewind;
    source->base.close = callback_close;
    source->callbacks = *callbacks;
    *out = &source->base;
    return CRD_OK;
}

/* ======== 2. Decompression ======== */

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

/* A source whose first bytes were inspected. They are returned again before the other bytes. */
typedef struct peeked_source {
    crd_i_source base;
    crd_i_source *inner;
    size_t length, position;
    unsigned char first[];
} peeked_source;

static crd_status peeked_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                              crd_error *error) {
    peeked_source *peeked = (peeked_source *)source;
    size_t left = peeked->length - peeked->position;
    if (left == 0) return peeked->inner->read(peeked->inner, bytes, capacity, got, error);
    *got = left < capacity ? left : capacity;
    memcpy(bytes, peeked->first + peeked->position, *got);
    peeked->position += *got;
    return CRD_OK;
}

static crd_status peeked_rewind(crd_i_source *source, crd_error *error) {
    peeked_source *peeked = (peeked_source *)source;
    crd_status status = peeked->inner->rewind(peeked->inner, error);
    if (status == CRD_OK) peeked->length = peeked->position = 0;
    return status;
}

static crd_status peeked_seek(crd_i_source *source, uint64_t offset, crd_error *error) {
    peeked_source *peeked = (peeked_source *)source;
    crd_status status = peeked->inner->seek(peeked->inner, offset, error);
    if (status == CRD_OK) peeked->length = peeked->position = 0;
    return status;
}

static void peeked_close(crd_i_source *source) {
    crd_i_source_close(((peeked_source *)source)->inner);
    crd_free(source->context, source);
}

/* Takes over `inner`, and reads its first bytes, or all bytes if there are fewer. */
static crd_status source_peek(crd_context *context, crd_i_source *inner, size_t wanted, peeked_source **out,
                              crd_error *error) {
    peeked_source *peeked = crd_i_alloc_zeroed(context, 1, sizeof *peeked + wanted);
    *out = NULL;
    if (peeked == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    peeked->base.context = context;
    peeked->base.read = peeked_read;
    peeked->base.rewind = inner->rewind == NULL ? NULL : peeked_rewind;
    peeked->base.seek = inner->seek == NULL ? NULL : peeked_seek;
    peeked->base.close = peeked_close;
    peeked->base.is_decompressed = inner->is_decompressed;
    peeked->inner = inner;
    while (peeked->length < wanted) {
        size_t got;
        crd_status status =
            peeked->inner->read(peeked->inner, peeked->first + peeked->length, wanted - peeked->length, &got, error);
        if (status != CRD_OK) {
            crd_i_source_close(&peeked->base);
            return status;
        }
        if (got == 0) break;
        peeked->length += got;
    }
    *out = peeked;
    return CRD_OK;
}

crd_status crd_i_source_peek(crd_context *context, crd_i_source *inner, size_t wanted, crd_text *first,
                             crd_i_source **out, crd_error *error) {
    peeked_source *peeked;
    *out = NULL;
    crd_status status = source_peek(context, inner, wanted, &peeked, error);
    if (status != CRD_OK) return status;
    *first = (crd_text){(const char *)peeked->first, peeked->length};
    *out = &peeked->base;
    return CRD_OK;
}

crd_status crd_i_source_decode(crd_context *context, crd_i_source *inner, const crd_i_decoder *decoders,
                               crd_i_source **out, crd_error *error) {
    *out = NULL;
    if (decoders == NULL) {
        *out = inner;
        return CRD_OK;
    }
    peeked_source *peeked;
    size_t longest = 0;
    for (const crd_i_decoder *decoder = decoders; decoder->name != NULL; decoder++) {
        if (decoder->magic_length > longest) longest = decoder->magic_length;
    }
    crd_status status = source_peek(context, inner, longest, &peeked, error);
    if (status != CRD_OK) return status;
    for (const crd_i_decoder *decoder = decoders; decoder->name != NULL; decoder++) {
        if (decoder->magic_length <= peeked->length &&
            memcmp(peeked->first, decoder->magic, decoder->magic_length) == 0) {
            status = decoder->wrap(context, &peeked->base, out, error);
            if (status == CRD_OK) (*out)->is_decompressed = true;
            return status;
        }
    }
    *out = &peeked->base;
    return CRD_OK;
}

/* ======== 3. Inputs ======== */

enum { BEGINNING_BYTES = 64 * 1024 };

/* Reads the first bytes of a source. Takes over the source, even on failure. A source that can be rewound is
 * rewound. */
static crd_status input_look(crd_input *input, crd_i_source *bytes, crd_error *error) {
    crd_i_source *decoded;
    crd_status status = crd_i_source_decode(input->context, bytes, crd_i_decoders, &decoded, error);
    if (status == CRD_OK)
        status = crd_i_source_peek(input->context, decoded, BEGINNING_BYTES, &input->first, &input->source, error);
    if (status == CRD_OK) input->file = bytes;
    if (status == CRD_OK && input->source->rewind != NULL) status = input->source->rewind(input->source, error);
    return status;
}

/* Creates an input. Takes over the source, even on failure. */
static crd_status input_create(crd_context *context, crd_i_source *bytes, const char *place, crd_input **out,
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
        status = input_look(input, bytes, error);
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
    if (status == CRD_OK) return input_create(context, file, place, out, error);
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
    if (status == CRD_OK) status = input_create(context, memory, name == NULL ? "memory" : name, out, error);
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
    crd_status status = source_of_callbacks(context, &callbacks, &source, error);
    if (status != CRD_OK) return status;
    return input_create(context, source, callbacks.name == NULL ? "input" : callbacks.name, out, error);
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
