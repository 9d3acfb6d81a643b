/* SPDX-License-Identifier: MIT */
/* whole_file.c - see open_reader.h.
 *
 * A file is written next to its path under a temporary name, flushed to the disk, and renamed to the path. Then the
 * folder is flushed, so the rename itself survives a power failure.
 *
 * A process that is killed does not remove its temporary file. To limit their number, the files are numbered,
 * NAME.saving-0 and so on, and each is locked by its writer. The next writer removes an abandoned file and uses the
 * first number that is free. If NAME is so long that NAME.saving-0 would be too long, only its beginning is used.
 * Several such names may share the temporary files, and the locks keep their writers apart. */
#include "io/open_reader.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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
    do file = open(path, O_RDONLY | O_CLOEXEC);
    while (file < 0 && errno == EINTR && !crd_i_context_cancelled(context));
    if (file < 0) return whole_file_fail(error, path, errno, "cannot be opened");
    struct stat facts;
    if (fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        close(file);
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
        ssize_t now = read(file, bytes + *got, capacity - *got);
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
    struct stat facts;
    return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
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
    close(file);
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
        close(*file);
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
    struct stat facts;
    *length = 0;
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)) return CRD_OK;
    crd_status status = open_to_read(context, path, &file, error);
    if (status != CRD_OK) return status;
    status = whole_file_read_up_to(context, file, path, bytes, capacity, length, error);
    close(file);
    return status;
}

static crd_status whole_file_write_all(crd_context *context, int file, const char *path, const unsigned char *bytes,
                                       size_t length, crd_error *error) {
    while (length > 0) {
        if (crd_i_context_cancelled(context)) return cancelled_at(error, path);
        ssize_t now = write(file, bytes, length);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return whole_file_fail(error, path, errno, "cannot be written");
        bytes += now;
        length -= (size_t)now;
    }
    return CRD_OK;
}

/* Writes to a device or a pipe, which must not be replaced by a file. */
static crd_status write_in_place(crd_context *context, const char *path, const unsigned char *bytes, size_t length,
                                 crd_error *error) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return whole_file_fail(error, path, errno, "cannot be opened to write");
    crd_status status = whole_file_write_all(context, file, path, bytes, length, error);
    if (close(file) != 0 && status == CRD_OK) status = whole_file_fail(error, path, errno, "cannot be written");
    return status;
}

/* Flushes the folder of a path. Truncates `path` to the folder. */
static void whole_file_flush_folder(char *path) {
    char *slash = strrchr(path, '/');
    if (slash != NULL) slash[slash == path ? 1 : 0] = '\0';
    int file = open(slash == NULL ? "." : path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    /* Some file systems do not support this; the file itself is safe by then. */
    (void)fsync(file);
    close(file);
}

/* Returns whether the path `name` leads to the open file. */
static bool whole_file_is(int file, const char *name) {
    struct stat held, there;
    return fstat(file, &held) == 0 && lstat(name, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

/* Removes a temporary file whose writer was killed. false: its writer is alive, or it is not a temporary file of this
 * library. */
static bool whole_file_remove_abandoned(const char *name) {
    struct stat facts;
    /* Another user may have put a link or a pipe there. */
    int file = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return errno == ENOENT;
    /* Unlike fcntl, flock also excludes the other threads of the same process. */
    bool removed = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0 &&
                   whole_file_is(file, name) && unlink(name) == 0;
    close(file);
    return removed;
}

/* Copies the owner, the group and the permissions of the replaced file, as far as the system allows. If the group
 * cannot be set, the file's group gets no more permissions than everybody. */
static void whole_file_take_after(int file, const struct stat *replaced) {
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
    if (lost || !whole_file_is(file, name)) {
        close(file);
        errno = EEXIST;
        return -1;
    }
    if (replaced != NULL) whole_file_take_after(file, replaced);
    return file;
}

size_t crd_i_file_short_name(const char *path) {
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
static int create_beside(char *name, size_t capacity, const char *path, const struct stat *replaced) {
    enum { MOST_WRITERS = 1000 };
    size_t kept = strlen(path);
    for (unsigned number = 0; number < MOST_WRITERS; number++) {
        snprintf(name, capacity, "%.*s.saving-%u", (int)kept, path, number);
        int file = create_locked(name, replaced);
        if (file < 0 && errno == ENAMETOOLONG && crd_i_file_short_name(path) < kept) {
            kept = crd_i_file_short_name(path);
            snprintf(name, capacity, "%.*s.saving-%u", (int)kept, path, number);
            file = create_locked(name, replaced);
        }
        if (file >= 0 || errno != EEXIST) return file;
        if (!whole_file_remove_abandoned(name)) continue;
        file = create_locked(name, replaced);
        if (file >= 0 || errno != EEXIST) return file;
    }
    errno = EEXIST;
    return -1;
}

/* Writes the bytes to a temporary file and renames it to the path. */
static crd_status whole_file_replace(crd_context *context, char *path, const struct stat *replaced,
                                     const unsigned char *bytes, size_t length, crd_error *error) {
    size_t capacity = strlen(path) + 64;
    char *name = crd_i_alloc(context, capacity, 1);
    if (name == NULL) return crd_i_fail_memory(error);
    crd_status status;
    int file = create_beside(name, capacity, path, replaced);
    if (file < 0) {
        status = whole_file_fail(error, path, errno, "cannot be written");
        goto done;
    }
    status = whole_file_write_all(context, file, path, bytes, length, error);
    if (status == CRD_OK && fsync(file) != 0 && errno != EINVAL)
        status = whole_file_fail(error, path, errno, "cannot be written");
    if (status == CRD_OK && crd_i_context_cancelled(context)) status = cancelled_at(error, path);
    /* Close the file last, because this unlocks it. fsync has already reported write errors. */
    if (status == CRD_OK && rename(name, path) != 0) status = whole_file_fail(error, path, errno, "cannot be replaced");
    if (status != CRD_OK) (void)unlink(name);
    close(file);
    if (status == CRD_OK) whole_file_flush_folder(path);
done:
    crd_free(context, name);
    return status;
}

static char *whole_file_copy(crd_context *context, const char *path) {
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

crd_status crd_i_file_real(crd_context *context, const char *path, char **out, crd_error *error) {
    enum { MOST_LINKS = 40 };
    char *cursor = whole_file_copy(context, path);
    *out = NULL;
    for (unsigned links = 0; cursor != NULL; links++) {
        struct stat facts;
        char *real = realpath(cursor, NULL);
        int why = errno;
        if (real != NULL) {
            *out = whole_file_copy(context, real);
            free(real);
            crd_free(context, cursor);
            return *out == NULL ? crd_i_fail_memory(error) : CRD_OK;
        }
        bool is_link = why == ENOENT && lstat(cursor, &facts) == 0 && S_ISLNK(facts.st_mode);
        if (why == ENOENT && !is_link) {
            *out = cursor;
            return CRD_OK;
        }
        char *next = is_link && links < MOST_LINKS ? follow_link(context, cursor) : NULL;
        crd_free(context, cursor);
        if (!is_link || links == MOST_LINKS)
            return whole_file_fail(error, path, is_link ? ELOOP : why, "cannot be reached");
        cursor = next;
    }
    return crd_i_fail_memory(error);
}

bool crd_i_file_is_regular(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

crd_status crd_i_file_write(crd_context *context, const char *path, const unsigned char *bytes, size_t length,
                            crd_error *error) {
    struct stat facts;
    bool there = stat(path, &facts) == 0;
    if (there && S_ISDIR(facts.st_mode)) return whole_file_fail(error, path, EISDIR, "cannot be written");
    if (there && !S_ISREG(facts.st_mode)) return write_in_place(context, path, bytes, length, error);
    /* A rename ignores the permissions of the file that it replaces. */
    if (there && access(path, W_OK) != 0) return whole_file_fail(error, path, errno, "cannot be written");
    /* A link stays a link; the file that it leads to is replaced. */
    char *real = NULL;
    crd_status status = crd_i_file_real(context, path, &real, error);
    if (status != CRD_OK) return status;
    status = whole_file_replace(context, real, there ? &facts : NULL, bytes, length, error);
    crd_free(context, real);
    if (status != CRD_OK && status != CRD_ERROR_MEMORY) crd_i_error_place(error, path, 0, 0);
    return status;
}
