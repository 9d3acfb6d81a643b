/* SPDX-License-Identifier: MIT */
/* spool.c - byte store in memory or in a temporary file. See sequences.h. */
#include "sequence/data/sequences.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <credence/temporary_file.h>

#include <errno.h>
#include <string.h>

/* Minimum sizes of writes to the file, and of sequential reads. */
enum { LEAST_WRITE = 1024 * 1024, LEAST_LOOK = 64 * 1024 };

void crd_i_spool_clear(crd_i_spool *spool) {
    if (spool->file != NULL) (void)fclose(spool->file);
    spool->file = NULL;
    spool->written = 0;
    crd_i_buffer_clear(&spool->tail);
}

static crd_status fail_file(crd_error *error, int fault, const char *description) {
    return crd_i_fail_system(error, fault, "rows that do not fit into memory cannot be %s a temporary file",
                             description);
}

static crd_status spool_open_file(crd_i_spool *spool, crd_error *error) {
    if (spool->file != NULL) return CRD_OK;
    spool->file = crd_temporary_file();
    return spool->file != NULL ? CRD_OK : fail_file(error, errno, "written to");
}

/* Writes the bytes in memory to the file. */
static crd_status spool_flush(crd_i_spool *spool, crd_error *error) {
    crd_status status = spool_open_file(spool, error);
    for (size_t done = 0; status == CRD_OK && done < spool->tail.length;) {
        int64_t got = crd_i_os_write_at(crd_i_os_descriptor(spool->file), spool->tail.bytes + done,
                                        spool->tail.length - done, spool->written + done);
        if (got > 0) done += (size_t)got;
        else if (got == 0 || errno != EINTR) status = fail_file(error, got == 0 ? ENOSPC : errno, "written to");
    }
    if (status != CRD_OK) return status;
    spool->written += spool->tail.length;
    crd_i_buffer_clear(&spool->tail);
    return CRD_OK;
}

unsigned char *crd_i_spool_room(crd_i_spool *spool, size_t length) {
    spool->tail.context = spool->context;
    return crd_i_buffer_room(&spool->tail, length);
}

crd_status crd_i_spool_add(crd_i_spool *spool, size_t length, crd_error *error) {
    spool->tail.length += length;
    size_t most = spool->file != NULL ? LEAST_WRITE : spool->memory_bytes;
    return spool->tail.length > most ? spool_flush(spool, error) : CRD_OK;
}

crd_status crd_i_spool_append(crd_i_spool *spool, const void *bytes, size_t length, crd_error *error) {
    if (length == 0) return CRD_OK;
    unsigned char *buffer = crd_i_spool_room(spool, length);
    if (buffer == NULL) return crd_i_fail_memory(error);
    memcpy(buffer, bytes, length);
    return crd_i_spool_add(spool, length, error);
}

const unsigned char *crd_i_spool_at(const crd_i_spool *spool, uint64_t offset) {
    return offset < spool->written ? NULL : spool->tail.bytes + (offset - spool->written);
}

crd_status crd_i_spool_read(const crd_i_spool *spool, uint64_t offset, void *into, size_t length, crd_error *error) {
    unsigned char *destination = into;
    while (length > 0 && offset < spool->written) {
        size_t most = spool->written - offset < length ? (size_t)(spool->written - offset) : length;
        int64_t got = crd_i_os_read_at(crd_i_os_descriptor(spool->file), destination, most, offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail_file(error, got == 0 ? EIO : errno, "read from");
        destination += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    if (length > 0) memcpy(destination, spool->tail.bytes + (offset - spool->written), length);
    return CRD_OK;
}

crd_status crd_i_spool_look(const crd_i_spool *spool, crd_i_spool_window *window, uint64_t offset, size_t length,
                            const unsigned char **out, crd_error *error) {
    *out = crd_i_spool_at(spool, offset);
    if (*out != NULL || length == 0) return CRD_OK;
    crd_i_buffer *held = &window->bytes;
    bool has = offset >= window->offset && offset - window->offset <= held->length &&
               held->length - (offset - window->offset) >= length;
    if (!has) {
        /* After a jump, another jump is likely, so do not read ahead. */
        bool goes_on = offset >= window->offset && offset - window->offset <= held->length;
        uint64_t left = crd_i_spool_length(spool) - offset;
        size_t wanted = !goes_on || length > LEAST_LOOK ? length : left < LEAST_LOOK ? (size_t)left : LEAST_LOOK;
        held->length = 0;
        unsigned char *buffer = crd_i_buffer_room(held, wanted);
        if (buffer == NULL) return crd_i_fail_memory(error);
        crd_status status = crd_i_spool_read(spool, offset, buffer, wanted, error);
        if (status != CRD_OK) return status;
        held->length = wanted;
        window->offset = offset;
    }
    *out = held->bytes + (offset - window->offset);
    return CRD_OK;
}

crd_status crd_i_spool_map(crd_i_spool *spool, const unsigned char **out, crd_error *error) {
    *out = spool->tail.bytes;
    if (spool->file == NULL) return CRD_OK;
    *out = NULL;
    crd_status status = spool->tail.length > 0 ? spool_flush(spool, error) : CRD_OK;
    if (status != CRD_OK) return status;
    *out = crd_i_os_map(crd_i_os_descriptor(spool->file), (size_t)spool->written, false);
    return *out == NULL ? fail_file(error, errno, "read from") : CRD_OK;
}

void crd_i_spool_unmap(crd_i_spool *spool, const unsigned char *mapped) {
    if (spool->file != NULL && mapped != NULL) crd_i_os_unmap((void *)(uintptr_t)mapped, (size_t)spool->written);
}
