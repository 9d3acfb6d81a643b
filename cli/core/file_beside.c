/* SPDX-License-Identifier: MIT */
/* file_beside.c - see file_beside.h. */
#include "core/file_beside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool file_beside_is(int descriptor, const char *name) {
    struct stat held, there;
    return fstat(descriptor, &held) == 0 && lstat(name, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

/* Removes a temporary file whose writer was killed. Returns false if the writer is still alive, or if the file is not a
 * regular file that we can lock. */
static bool file_beside_remove_abandoned(const char *name) {
    struct stat facts;
    /* The name may be a symbolic link or a pipe that somebody else created. */
    int descriptor = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    bool removed = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                   flock(descriptor, LOCK_EX | LOCK_NB) == 0 && file_beside_is(descriptor, name) && unlink(name) == 0;
    close(descriptor);
    return removed;
}

/* Gives the file the owner, group and permissions of the file that it replaces. If the group cannot be set, the group
 * gets no more access than everybody. */
static void copy_owner_and_mode(int descriptor, const struct stat *replaced) {
    mode_t mode = replaced->st_mode & 0777;
    if (fchown(descriptor, replaced->st_uid, replaced->st_gid) != 0 &&
        fchown(descriptor, (uid_t)-1, replaced->st_gid) != 0)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    (void)fchmod(descriptor, mode);
}

/* Creates and locks a new file. Returns -1, with errno EEXIST, if the file already exists. */
static int file_beside_create(const char *name, const struct stat *replaced) {
    /* Before its permissions are set, nobody but the owner may read a file that replaces another one. */
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced == NULL ? 0666 : 0600);
    if (descriptor < 0) return -1;
    /* Another process may have locked the file first because it looked abandoned. If the file system has no locks,
     * nobody can. */
    bool lost = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lost || !file_beside_is(descriptor, name)) {
        close(descriptor);
        errno = EEXIST;
        return -1;
    }
    if (replaced != NULL) copy_owner_and_mode(descriptor, replaced);
    return descriptor;
}

/* Returns how many bytes of the path to keep if its last name plus the suffix would be too long. Never splits a UTF-8
 * character. */
static size_t short_length(const char *path) {
    enum { KEPT = 64 };
    const char *slash = strrchr(path, '/');
    size_t folder = slash == NULL ? 0 : (size_t)(slash - path) + 1, length = strlen(path);
    if (length - folder <= KEPT) return length;
    length = folder + KEPT;
    while (length > folder + 1 && ((unsigned char)path[length] & 0xC0) == 0x80) length--;
    return length;
}

int file_beside_open(const char *path, const struct stat *replaced, string *name) {
    enum { MOST_WRITERS = 1000 };
    size_t kept = strlen(path);
    for (unsigned number = 0; number < MOST_WRITERS;) {
        string_clear(name);
        string_add(name, path, kept);
        string_format(name, ".writing-%u", number);
        int descriptor = file_beside_create(string_text(name), replaced);
        if (descriptor >= 0) return descriptor;
        if (errno == ENAMETOOLONG && short_length(path) < kept) kept = short_length(path);
        else if (errno != EEXIST) return -1;
        else if (!file_beside_remove_abandoned(string_text(name))) number++;
    }
    errno = EEXIST;
    return -1;
}
