/* SPDX-License-Identifier: MIT */
/* output_file.c - see credence/output_file.h and open_reader.h.
 *
 * The file is flushed to the disk before it is renamed, and its folder afterwards, so the rename itself survives a power
 * failure. If a name is so long that NAME.writing-0 would be too long, only its beginning is used. Several such names
 * may share the temporary files, and the locks keep their writers apart. */
#include "io/page_source.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/text.h"

#include <credence/output_file.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct crd_output_file {
    crd_context *context;
    int descriptor;
    bool is_complete;
    char *path;      /* as the caller named it, for messages */
    char *real;      /* the file that is replaced; NULL: the path is written directly */
    char *temporary; /* NULL: the path is written directly */
};

/* Reports the system error of a path. Returns CRD_ERROR_SYSTEM. */
static crd_status output_file_fail(crd_error *error, const char *path, int system_error, const char *description) {
    crd_status status = crd_i_fail_system(error, system_error, "%s", description);
    crd_i_error_place(error, path, 0, 0);
    return status;
}

/* Removes a temporary file whose writer was killed. false: its writer is alive, or it is not a temporary file of this
 * library. */
static bool output_file_remove_abandoned(const char *name) {
    crd_i_os_facts facts;
    /* Another user may have put a link or a pipe there. */
    int file = crd_i_os_open(name, CRD_I_OS_WRITE | CRD_I_OS_NO_LINK | CRD_I_OS_NO_WAIT);
    if (file < 0) return errno == ENOENT;
    bool removed = crd_i_os_facts_of_open(file, &facts) && facts.kind == CRD_I_OS_FILE && crd_i_os_lock(file) &&
                   crd_i_os_is_at(file, name) && crd_i_os_remove(name);
    crd_i_os_close(file);
    return removed;
}

/* Creates a new locked file. Returns -1 with errno EEXIST if it exists. */
static int create_locked(const char *name, const crd_i_os_facts *replaced) {
    /* Until then, only users who may read the replaced file can read it. */
    int file = crd_i_os_open(name, CRD_I_OS_WRITE | CRD_I_OS_NEW | (replaced == NULL ? 0U : CRD_I_OS_PRIVATE));
    if (file < 0) return -1;
    /* Another writer may have taken the file for abandoned before it was locked. If the file system has no locks, no
     * writer can. */
    bool lost = !crd_i_os_lock(file) && errno == EAGAIN;
    if (lost || !crd_i_os_is_at(file, name)) {
        crd_i_os_close(file);
        errno = EEXIST;
        return -1;
    }
    if (replaced != NULL) crd_i_os_take_after(file, replaced);
    return file;
}

size_t crd_i_output_file_short_name(const char *path) {
    enum { KEPT = 64 };
    size_t folder = (size_t)(crd_i_os_file_name(path) - path), length = strlen(path);
    if (length - folder <= KEPT) return length;
    length = folder + KEPT;
    /* Do not split a character: some file systems would reject the name. */
    while (length > folder + 1 && ((unsigned char)path[length] & 0xC0) == 0x80) length--;
    return length;
}

/* Creates a locked temporary file next to the path, and stores its path in `name`. Returns -1 and sets errno on
 * failure. */
static int output_file_create(char *name, size_t capacity, const char *path, const crd_i_os_facts *replaced) {
    enum { MAX_WRITERS = 1000 };
    size_t kept = strlen(path);
    for (unsigned number = 0; number < MAX_WRITERS; number++) {
        snprintf(name, capacity, "%.*s.writing-%u", (int)kept, path, number);
        int file = create_locked(name, replaced);
        if (file < 0 && errno == ENAMETOOLONG && crd_i_output_file_short_name(path) < kept) {
            kept = crd_i_output_file_short_name(path);
            snprintf(name, capacity, "%.*s.writing-%u", (int)kept, path, number);
            file = create_locked(name, replaced);
        }
        if (file >= 0 || errno != EEXIST) return file;
        if (!output_file_remove_abandoned(name)) continue;
        file = create_locked(name, replaced);
        if (file >= 0 || errno != EEXIST) return file;
    }
    errno = EEXIST;
    return -1;
}

static char *output_file_copy(crd_context *context, const char *path) {
    return (char *)crd_i_text_copy(context, crd_text_of(path)).bytes;
}

/* Returns the target of the link at `path`, relative to the folder of `path`. NULL: out of memory, or the link cannot
 * be read any more. */
static char *follow_link(crd_context *context, const char *path) {
    char target[CRD_I_OS_PATH_ROOM];
    if (!crd_i_os_read_link(path, target)) return NULL;
    const size_t folder = crd_i_os_is_absolute(target) ? 0 : (size_t)(crd_i_os_file_name(path) - path);
    char *next = crd_i_alloc(context, folder + strlen(target) + 1, 1);
    if (next == NULL) return NULL;
    memcpy(next, path, folder);
    strcpy(next + folder, target);
    return next;
}

crd_status crd_i_output_file_real(crd_context *context, const char *path, char **out, crd_error *error) {
    enum { MAX_LINKS = 40 };
    char *cursor = output_file_copy(context, path);
    *out = NULL;
    for (unsigned links = 0; cursor != NULL; links++) {
        crd_i_os_facts facts;
        char *real = crd_i_os_real_path(cursor);
        int why = errno;
        if (real != NULL) {
            *out = output_file_copy(context, real);
            free(real);
            crd_free(context, cursor);
            return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
        }
        bool is_link = why == ENOENT && crd_i_os_facts_of_link(cursor, &facts) && facts.kind == CRD_I_OS_LINK;
        if (why == ENOENT && !is_link) {
            *out = cursor;
            return CRD_OK;
        }
        char *next = is_link && links < MAX_LINKS ? follow_link(context, cursor) : NULL;
        crd_free(context, cursor);
        if (!is_link || links == MAX_LINKS)
            return output_file_fail(error, path, is_link ? ELOOP : why, "cannot be reached");
        cursor = next;
    }
    return crd_i_fail_memory(error);
}

/* Opens a device or a pipe, which must not be replaced by a file. */
static crd_status output_file_open_directly(crd_output_file *file, crd_error *error) {
    file->descriptor = crd_i_os_open(file->path, CRD_I_OS_WRITE);
    return file->descriptor < 0 ? output_file_fail(error, file->path, errno, "cannot be written") : CRD_OK;
}

/* Opens the temporary file. `replaced` describes the file that will be replaced; NULL: there is none. */
static crd_status output_file_open_temporary(crd_output_file *file, const crd_i_os_facts *replaced, crd_error *error) {
    crd_status status = crd_i_output_file_real(file->context, file->path, &file->real, error);
    if (status != CRD_OK) return status;
    size_t capacity = strlen(file->real) + 64;
    file->temporary = crd_i_alloc(file->context, capacity, 1);
    if (file->temporary == NULL) return crd_i_fail_memory(error);
    file->descriptor = output_file_create(file->temporary, capacity, file->real, replaced);
    return file->descriptor < 0 ? output_file_fail(error, file->path, errno, "cannot be written") : CRD_OK;
}

crd_status crd_output_file_open(crd_context *context, const char *path, crd_output_file **out, crd_error *error) {
    crd_i_os_facts facts;
    bool there = crd_i_os_facts_of(path, &facts);
    *out = NULL;
    if (there && facts.kind == CRD_I_OS_FOLDER) return output_file_fail(error, path, EISDIR, "cannot be written");
    /* A rename ignores the permissions of the file that it replaces. */
    if (there && facts.kind == CRD_I_OS_FILE && !crd_i_os_may_write(path))
        return output_file_fail(error, path, errno, "cannot be written");
    crd_output_file *file = crd_i_alloc_zeroed(context, 1, sizeof *file);
    if (file == NULL) return crd_i_fail_memory(error);
    file->context = context;
    file->descriptor = -1;
    file->path = output_file_copy(context, path);
    crd_status status = CRD_OK;
    if (file->path == NULL) status = crd_i_fail_memory(error);
    else if (there && facts.kind != CRD_I_OS_FILE) status = output_file_open_directly(file, error);
    else status = output_file_open_temporary(file, there ? &facts : NULL, error);
    if (status == CRD_OK) *out = file;
    else crd_output_file_destroy(file);
    return status;
}

int crd_output_file_descriptor(const crd_output_file *file) {
    return file->descriptor;
}

const char *crd_output_file_temporary(const crd_output_file *file) {
    return file->temporary;
}

crd_status crd_output_file_complete(crd_output_file *file, crd_error *error) {
    int descriptor = file->descriptor;
    if (file->temporary == NULL) {
        file->descriptor = -1;
        return crd_i_os_close_written(descriptor) ? CRD_OK
                                                  : output_file_fail(error, file->path, errno, "cannot be written");
    }
    /* Flushing also reports the errors of earlier writes. */
    if (!crd_i_os_flush(descriptor)) return output_file_fail(error, file->path, errno, "cannot be written");
    if (!crd_i_os_replace(file->temporary, file->real))
        return output_file_fail(error, file->path, errno, "cannot be replaced");
    file->is_complete = true;
    return CRD_OK;
}

void crd_output_file_destroy(crd_output_file *file) {
    if (file == NULL) return;
    /* Close the file last, because this unlocks it, and then another process may use its name. */
    if (file->descriptor >= 0 && file->temporary != NULL && !file->is_complete) (void)crd_i_os_remove(file->temporary);
    if (file->descriptor >= 0) crd_i_os_close(file->descriptor);
    if (file->is_complete) crd_i_os_flush_folder(file->real);
    crd_free(file->context, file->temporary);
    crd_free(file->context, file->real);
    crd_free(file->context, file->path);
    crd_free(file->context, file);
}
