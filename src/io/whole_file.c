/* SPDX-License-Identifier: MIT */
/* whole_file.c - see open_reader.h. */
#include "io/page_source.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <credence/output_file.h>

#include <errno.h>
#include <string.h>

static crd_status whole_file_fail(crd_error *error, const char *path, int system_error, const char *description) {
    crd_status status = crd_i_fail_system(error, system_error, "%s", description);
    crd_i_error_place(error, path, 0, 0);
    return status;
}

static crd_status cancelled_at(crd_error *error, const char *path) {
    crd_status status = crd_i_fail_cancelled(error);
    crd_i_error_place(error, path, 0, 0);
    return status;
}

static crd_status open_to_read(crd_context *context, const char *path, int *out, crd_error *error) {
    int file;
    do file = crd_i_os_open(path, CRD_I_OS_READ);
    while (file < 0 && errno == EINTR && !crd_i_context_cancelled(context));
    if (file < 0) return whole_file_fail(error, path, errno, "cannot be opened");
    crd_i_os_facts facts;
    if (crd_i_os_facts_of_open(file, &facts) && facts.kind == CRD_I_OS_FOLDER) {
        crd_i_os_close(file);
        return whole_file_fail(error, path, EISDIR, "cannot be read");
    }
    *out = file;
    return CRD_OK;
}

/* Reads until `capacity` bytes are read or the file ends. */
static crd_status whole_file_read_up_to(crd_context *context, int file, const char *path, unsigned char *bytes,
                                        size_t capacity, size_t *got, crd_error *error) {
    *got = 0;
    while (*got < capacity) {
        if (crd_i_context_cancelled(context)) return cancelled_at(error, path);
        int64_t now = crd_i_os_read(file, bytes + *got, capacity - *got);
        if (now == 0) break;
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return whole_file_fail(error, path, errno, "cannot be read");
        *got += (size_t)now;
    }
    return CRD_OK;
}

/* Appends the remainder of the file, probably `expected` bytes, to the content. */
static crd_status read_rest(crd_context *context, int file, const char *path, size_t expected, crd_i_buffer *content,
                            crd_error *error) {
    enum { STEP = 1 << 20 };
    /* One more byte shows whether the file has ended. */
    size_t got = 0, step = expected > 0 && expected < SIZE_MAX ? expected + 1 : STEP;
    crd_status status = CRD_OK;
    for (bool more = true; more && status == CRD_OK; more = got == step, content->length += got, step = STEP) {
        unsigned char *buffer = crd_i_buffer_room(content, step);
        status = buffer == NULL ? crd_i_fail_memory(error)
                                : whole_file_read_up_to(context, file, path, buffer, step, &got, error);
    }
    return status;
}

/* Returns the size of a file in bytes; 0: it is not a regular file, or it is empty. */
static uint64_t whole_file_size(int file) {
    crd_i_os_facts facts;
    return crd_i_os_facts_of_open(file, &facts) && facts.kind == CRD_I_OS_FILE ? facts.size : 0;
}

crd_status crd_i_file_read(crd_context *context, const char *path, unsigned char **bytes, size_t *length,
                           crd_error *error) {
    *bytes = NULL;
    *length = 0;
    int file = -1;
    crd_status status = open_to_read(context, path, &file, error);
    if (status != CRD_OK) return status;
    crd_i_buffer content = {context, NULL, 0, 0};
    const uint64_t size = whole_file_size(file);
    /* With 32-bit addresses, a file may not fit in memory. */
    status = size > SIZE_MAX ? crd_i_fail_memory(error) : read_rest(context, file, path, (size_t)size, &content, error);
    crd_i_os_close(file);
    if (status != CRD_OK) {
        crd_i_buffer_clear(&content);
        return status;
    }
    *bytes = content.bytes;
    *length = content.length;
    return CRD_OK;
}

/* Reads in large pieces until all needed bytes are read, or the file ends. */
static crd_status read_needed(crd_context *context, int file, const char *path, crd_i_bytes_needed needed,
                              uint64_t size, crd_i_buffer *content, crd_error *error) {
    enum { PIECE = 1 << 16 };
    uint64_t want = 0;
    do {
        uint64_t least = content->length + (uint64_t)PIECE, end = want > least ? want : least;
        size_t step = (size_t)((end < size ? end : size) - content->length), got = 0;
        unsigned char *buffer = crd_i_buffer_room(content, step);
        crd_status status = buffer == NULL ? crd_i_fail_memory(error)
                                           : whole_file_read_up_to(context, file, path, buffer, step, &got, error);
        if (status != CRD_OK) return status;
        content->length += got;
        /* A file that has become shorter is rejected by the code that reads its content. */
        if (got < step || content->length == size) return CRD_OK;
        want = needed(content->bytes, content->length, size);
    } while (want > content->length);
    content->length = (size_t)want;
    return CRD_OK;
}

crd_status crd_i_file_read_needed(crd_context *context, const char *path, crd_i_bytes_needed needed,
                                  unsigned char **bytes, size_t *length, int *file, uint64_t *size, crd_error *error) {
    crd_i_buffer content = {context, NULL, 0, 0};
    *bytes = NULL;
    *length = 0;
    *file = -1;
    crd_status status = open_to_read(context, path, file, error);
    if (status != CRD_OK) return status;
    *size = whole_file_size(*file);
    if (*size > 0) status = read_needed(context, *file, path, needed, *size, &content, error);
    else status = read_rest(context, *file, path, 0, &content, error);
    if (status != CRD_OK || content.length >= *size) {
        crd_i_os_close(*file);
        *file = -1;
    }
    if (status != CRD_OK) {
        crd_i_buffer_clear(&content);
        return status;
    }
    *bytes = content.bytes;
    *length = content.length;
    return CRD_OK;
}

crd_status crd_i_file_peek(crd_context *context, const char *path, unsigned char *bytes, size_t capacity,
                           size_t *length, crd_error *error) {
    int file = -1;
    crd_i_os_facts facts;
    *length = 0;
    if (crd_i_os_facts_of(path, &facts) && facts.kind != CRD_I_OS_FILE && facts.kind != CRD_I_OS_FOLDER) return CRD_OK;
    crd_status status = open_to_read(context, path, &file, error);
    if (status != CRD_OK) return status;
    status = whole_file_read_up_to(context, file, path, bytes, capacity, length, error);
    crd_i_os_close(file);
    return status;
}

static crd_status whole_file_write_all(crd_context *context, int file, const char *path, const unsigned char *bytes,
                                       size_t length, crd_error *error) {
    while (length > 0) {
        if (crd_i_context_cancelled(context)) return cancelled_at(error, path);
        int64_t now = crd_i_os_write(file, bytes, length);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return whole_file_fail(error, path, errno, "cannot be written");
        bytes += now;
        length -= (size_t)now;
    }
    return CRD_OK;
}

bool crd_i_file_is_regular(const char *path) {
    crd_i_os_facts facts;
    return crd_i_os_facts_of(path, &facts) && facts.kind == CRD_I_OS_FILE;
}

crd_status crd_i_file_write(crd_context *context, const char *path, const unsigned char *bytes, size_t length,
                            crd_error *error) {
    crd_output_file *file = NULL;
    crd_status status = crd_output_file_open(context, path, &file, error);
    if (status != CRD_OK) return status;
    status = whole_file_write_all(context, crd_output_file_descriptor(file), path, bytes, length, error);
    if (status == CRD_OK && crd_i_context_cancelled(context)) status = cancelled_at(error, path);
    if (status == CRD_OK) status = crd_output_file_complete(file, error);
    crd_output_file_destroy(file);
    return status;
}
