/* SPDX-License-Identifier: MIT */
/* source.c - bytes from files, standard input, memory and callbacks, and the choice of a decompressor. See source.h.
 *
 * Files are read, not mapped: a file that is cut short while it is read must be an error, not a signal. */
#include "table/source.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void crd_i_source_close(crd_i_source *source) {
    if (source != NULL) source->close(source);
}

/* ---- Files ---- */

typedef struct file_source {
    crd_i_source base;
    int descriptor;
    bool is_standard_input; /* its descriptor is the process's, not ours to close */
    bool is_regular;
    off_t begin; /* where it was when opened: standard input may be handed over half read */
    off_t size;  /* when opened or rewound */
    off_t position;
} file_source;

/* Waits until a pipe, or the like, has something. A signal interrupts one thread only, which may be another than this:
 * so the wait ends now and then to see whether all is cancelled. */
static void await_bytes(const file_source *file) {
    enum { MILLISECONDS = 100 };
    struct pollfd wanted = {.fd = file->descriptor, .events = POLLIN};
    int ready = 0;
    while (ready == 0 && !crd_i_context_cancelled(file->base.context)) {
        ready = poll(&wanted, 1, MILLISECONDS);
        if (ready < 0 && errno == EINTR) ready = 0;
    }
}

static crd_status file_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                            crd_error *error) {
    file_source *file = (file_source *)source;
    *got = 0;
    if (capacity > SSIZE_MAX) capacity = SSIZE_MAX;
    ssize_t count;
    do {
        if (!file->is_regular) await_bytes(file);
        if (crd_i_context_cancelled(source->context)) return crd_i_fail_cancelled(error);
        count = read(file->descriptor, bytes, capacity);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return crd_i_fail_system(error, errno, "cannot be read");
    if (count == 0 && file->is_regular && file->position < file->size) {
        return crd_i_fail(error, CRD_ERROR_SYSTEM, "the file shrank while it was read: got %lld bytes, expected %lld",
                          (long long)file->position, (long long)file->size);
    }
    file->position += count;
    source->taken += (uint64_t)count;
    *got = (size_t)count;
    return CRD_OK;
}

static crd_status file_seek(crd_i_source *source, uint64_t offset, crd_error *error) {
    file_source *file = (file_source *)source;
    struct stat facts;
    off_t limit = file->begin + (off_t)offset;
    if (lseek(file->descriptor, limit, SEEK_SET) < 0 || fstat(file->descriptor, &facts) < 0) {
        return crd_i_fail_system(error, errno, offset == 0 ? "cannot be read again" : "cannot be read from the middle");
    }
    file->position = limit;
    source->taken = offset;
    file->size = facts.st_size;
    return CRD_OK;
}

static crd_status file_rewind(crd_i_source *source, crd_error *error) {
    return file_seek(source, 0, error);
}

static void file_close(crd_i_source *source) {
    file_source *file = (file_source *)source;
    if (!file->is_standard_input && file->descriptor >= 0) close(file->descriptor);
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
        file->descriptor = file->is_standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    } while (file->descriptor < 0 && errno == EINTR && !crd_i_context_cancelled(context));
    struct stat facts;
    int fault = 0;
    if (file->descriptor < 0 || fstat(file->descriptor, &facts) < 0) {
        fault = errno;
    } else if (S_ISDIR(facts.st_mode)) {
        fault = EISDIR;
    }
    if (fault != 0) {
        file_close(&file->base);
        return crd_i_fail_system(error, fault, "cannot be opened");
    }
    file->is_regular = S_ISREG(facts.st_mode);
    if (file->is_regular) {
        off_t index = lseek(file->descriptor, 0, SEEK_CUR);
        file->begin = file->position = index < 0 ? 0 : index;
        file->size = facts.st_size;
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

crd_status crd_i_source_callbacks(crd_context *context, const crd_input_callbacks *callbacks, crd_i_source **out,
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

/* ---- Decoding ---- */

/* A source whose first bytes were looked at, and are given again before the rest. */
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

/* Takes over `inner`, and reads its first bytes, unless it ends before. */
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
