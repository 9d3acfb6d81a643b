/* SPDX-License-Identifier: MIT */
/* spool.c - a byte store in memory or in a temporary file, and sources that keep their bytes in one. See source.h. */
#include "input/source.h"

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

/* ======== Kept bytes ======== */

/* Limits of what is kept of one pipe, in memory and in total. */
#define KEPT_IN_MEMORY ((size_t)64 << 20)
#define KEPT_MOST ((uint64_t)4 << 30)

typedef struct keeping_source {
    crd_i_source base;
    crd_i_source *inner;
    crd_i_spool spool;
    uint64_t position; /* of the next byte to read; the spool ends at the last byte that was read from `inner` */
    bool is_kept;
} keeping_source;

static crd_status keeping_read(crd_i_source *source, unsigned char *bytes, size_t capacity, size_t *got,
                               crd_error *error) {
    keeping_source *keeping = (keeping_source *)source;
    const uint64_t kept = crd_i_spool_length(&keeping->spool);
    if (keeping->is_kept && keeping->position < kept) {
        *got = kept - keeping->position < capacity ? (size_t)(kept - keeping->position) : capacity;
        crd_status status = crd_i_spool_read(&keeping->spool, keeping->position, bytes, *got, error);
        if (status == CRD_OK) keeping->position += *got;
        return status;
    }
    crd_status status = keeping->inner->read(keeping->inner, bytes, capacity, got, error);
    if (status != CRD_OK || !keeping->is_kept) return status;
    keeping->position += *got;
    status = keeping->position > KEPT_MOST ? CRD_ERROR_LIMIT : crd_i_spool_append(&keeping->spool, bytes, *got, error);
    if (status == CRD_OK || status == CRD_ERROR_MEMORY) return status;
    crd_i_source_stop_keeping(source); /* reading goes on, and only rewinding fails */
    return CRD_OK;
}

static crd_status keeping_rewind(crd_i_source *source, crd_error *error) {
    keeping_source *keeping = (keeping_source *)source;
    if (!keeping->is_kept) return crd_i_fail(error, CRD_ERROR_TYPE, "cannot be read again");
    keeping->position = 0;
    return CRD_OK;
}

static void keeping_close(crd_i_source *source) {
    keeping_source *keeping = (keeping_source *)source;
    crd_i_source_close(keeping->inner);
    crd_i_spool_clear(&keeping->spool);
    crd_free(source->context, keeping);
}

crd_status crd_i_source_keep(crd_context *context, crd_i_source *inner, crd_i_source **out, crd_error *error) {
    keeping_source *keeping = crd_i_alloc_zeroed(context, 1, sizeof *keeping);
    *out = NULL;
    if (keeping == NULL) {
        crd_i_source_close(inner);
        return crd_i_fail_memory(error);
    }
    keeping->base = (crd_i_source){.context = context,
                                   .read = keeping_read,
                                   .rewind = keeping_rewind,
                                   .close = keeping_close,
                                   .is_decompressed = inner->is_decompressed};
    keeping->inner = inner;
    keeping->spool = (crd_i_spool){.context = context, .memory_bytes = KEPT_IN_MEMORY};
    keeping->is_kept = true;
    *out = &keeping->base;
    return CRD_OK;
}

void crd_i_source_stop_keeping(crd_i_source *source) {
    keeping_source *keeping = (keeping_source *)source;
    keeping->is_kept = false;
    crd_i_spool_clear(&keeping->spool);
}
