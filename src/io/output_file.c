/* SPDX-License-Identifier: MIT */
/* output_file.c - see credence/output_file.h and open_reader.h.
 *
 * The file is flushed to the disk before it is renamed, and its folder afterwards, so the rename itself survives a power
 * failure. If a name is so long that NAME.writing-0 would be too long, only its beginning is used. Several such names
 * may share the temporary files, and the locks keep their writers apart. */
#include "io/open_reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/output_file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Flushes the folder of a path. Truncates `path` to the folder. */
static void output_file_flush_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL) slash[slash == path ? 1 : 0] = '\0';
    int file = open(slash == NULL ? "." : path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    /* Some file systems do not support this; the file itself is safe by then. */
    (void)fsync(file);
    close(file);
}

/* Returns whether the path `name` leads to the open file. */
static bool output_file_is(int file, const char *name) {
    struct stat held, there;
    return fstat(file, &held) == 0 && lstat(name, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

/* Removes a temporary file whose writer was killed. false: its writer is alive, or it is not a temporary file of this
 * library. */
static bool output_file_remove_abandoned(const char *name) {
    struct stat facts;
    /* Another user may have put a link or a pipe there. */
    int file = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return errno == ENOENT;
    /* Unlike fcntl, flock also excludes the other threads of the same process. */
    bool removed = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0 &&
                   output_file_is(file, name) && unlink(name) == 0;
    close(file);
    return removed;
}

/* Copies the owner, the group and the permissions of the replaced file, as far as the system allows. If the group
 * cannot be set, the file's group gets no more permissions than everybody. */
static void output_file_take_after(int file, const struct stat *replaced) {
    mode_t mode = replaced->st_mode & 07777;
    bool has_owner = fchown(file, replaced->st_uid, replaced->st_gid) == 0;
    if (!has_owner) mode &= 0777;
    if (!has_owner && fchown(file, (uid_t)-1, replaced->st_gid) != 0) mode &= ~(mode_t)070 | (mode & 07) << 3;
    (void)fchmod(file, mode);
}

/* Creates a new locked file. Returns -1 with errno EEXIST if it exists. */
static int create_locked(const char *name, const struct stat *replaced) {
    /* Until then, only users who may read the replaced file can read it. */
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced == NULL ? 0666 : 0600);
    if (file < 0) return -1;
    /* Another writer may have taken the file for abandoned before it was locked. If the file system has no locks, no
     * writer can. */
    bool lost = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lost || !output_file_is(file, name)) {
        close(file);
        errno = EEXIST;
        return -1;
    }
    if (replaced != NULL) output_file_take_after(file, replaced);
    return file;
}

size_t crd_i_output_file_short_name(const char *path) {
    enum { KEPT = 64 };
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1, length = strlen(path);
    if (length - folder <= KEPT) return length;
    length = folder + KEPT;
    /* Do not split a character: some file systems would reject the name. */
    while (length > folder + 1 && ((unsigned char)path[length] & 0xC0) == 0x80) length--;
    return length;
}

/* Creates a locked temporary file next to the path, and stores its path in `name`. Returns -1 and sets errno on
 * failure. */
static int output_file_create(char *name, size_t capacity, const char *path, const struct stat *replaced) {
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
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    char *next = crd_i_alloc(context, folder + PATH_MAX + 1, 1);
    if (next == NULL) return NULL;
    memcpy(next, path, folder);
    ssize_t length = readlink(path, next + folder, PATH_MAX);
    if (length <= 0) {
        crd_free(context, next);
        return NULL;
    }
    next[folder + (size_t)length] = '\0';
    if (next[folder] == '/') memmove(next, next + folder, (size_t)length + 1);
    return next;
}

crd_status crd_i_output_file_real(crd_context *context, const char *path, char **out, crd_error *error) {
    enum { MAX_LINKS = 40 };
    char *cursor = output_file_copy(context, path);
    *out = NULL;
    for (unsigned links = 0; cursor != NULL; links++) {
        struct stat facts;
        char *real = realpath(cursor, NULL);
        int why = errno;
        if (real != NULL) {
            *out = output_file_copy(context, real);
            free(real);
            crd_free(context, cursor);
            return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
        }
        bool is_link = why == ENOENT && lstat(cursor, &facts) == 0 && S_ISLNK(facts.st_mode);
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
    file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->descriptor < 0 ? output_file_fail(error, file->path, errno, "cannot be written") : CRD_OK;
}

/* Opens the temporary file. `replaced` describes the file that will be replaced; NULL: there is none. */
static crd_status output_file_open_temporary(crd_output_file *file, const struct stat *replaced, crd_error *error) {
    crd_status status = crd_i_output_file_real(file->context, file->path, &file->real, error);
    if (status != CRD_OK) return status;
    size_t capacity = strlen(file->real) + 64;
    file->temporary = crd_i_alloc(file->context, capacity, 1);
    if (file->temporary == NULL) return crd_i_fail_memory(error);
    file->descriptor = output_file_create(file->temporary, capacity, file->real, replaced);
    return file->descriptor < 0 ? output_file_fail(error, file->path, errno, "cannot be written") : CRD_OK;
}

crd_status crd_output_file_open(crd_context *context, const char *path, crd_output_file **out, crd_error *error) {
    struct stat facts;
    bool there = stat(path, &facts) == 0;
    *out = NULL;
    if (there && S_ISDIR(facts.st_mode)) return output_file_fail(error, path, EISDIR, "cannot be written");
    /* A rename ignores the permissions of the file that it replaces. */
    if (there && S_ISREG(facts.st_mode) && access(path, W_OK) != 0)
        return output_file_fail(error, path, errno, "cannot be written");
    crd_output_file *file = crd_i_alloc_zeroed(context, 1, sizeof *file);
    if (file == NULL) return crd_i_fail_memory(error);
    file->context = context;
    file->descriptor = -1;
    file->path = output_file_copy(context, path);
    crd_status status = CRD_OK;
    if (file->path == NULL) status = crd_i_fail_memory(error);
    else if (there && !S_ISREG(facts.st_mode)) status = output_file_open_directly(file, error);
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
        return close(descriptor) == 0 ? CRD_OK : output_file_fail(error, file->path, errno, "cannot be written");
    }
    /* fsync also reports the errors of earlier writes. */
    if (fsync(descriptor) != 0 && errno != EINVAL)
        return output_file_fail(error, file->path, errno, "cannot be written");
    if (rename(file->temporary, file->real) != 0)
        return output_file_fail(error, file->path, errno, "cannot be replaced");
    file->is_complete = true;
    return CRD_OK;
}

void crd_output_file_destroy(crd_output_file *file) {
    if (file == NULL) return;
    /* Close the file last, because this unlocks it, and then another process may use its name. */
    if (file->descriptor >= 0 && file->temporary != NULL && !file->is_complete) (void)unlink(file->temporary);
    if (file->descriptor >= 0) close(file->descriptor);
    if (file->is_complete) output_file_flush_folder(file->real);
    crd_free(file->context, file->temporary);
    crd_free(file->context, file->real);
    crd_free(file->context, file->path);
    crd_free(file->context, file);
}
