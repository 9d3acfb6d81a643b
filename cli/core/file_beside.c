/* SPDX-License-Identifier: MIT */
/* file_beside.c - see file_beside.h. */
#include "core/file_beside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool is_at(int descriptor, const char *name) {
    struct stat held, there;
    return fstat(descriptor, &held) == 0 && lstat(name, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

/* Removes what somebody left behind who was killed; false where its writer is alive, or it is none of ours. */
static bool remove_abandoned(const char *name) {
    struct stat facts;
    /* Somebody may have put a link or a pipe there. */
    int descriptor = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) return errno == ENOENT;
    bool removed = fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode) &&
                   flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_at(descriptor, name) && unlink(name) == 0;
    close(descriptor);
    return removed;
}

/* Another group than that of the file replaced is allowed no more than everybody. */
static void take_after(int descriptor, const struct stat *replaced) {
    mode_t mode = replaced->st_mode & 0777;
    if (fchown(descriptor, replaced->st_uid, replaced->st_gid) != 0 &&
        fchown(descriptor, (uid_t)-1, replaced->st_gid) != 0)
        mode &= ~(mode_t)070 | (mode & 07) << 3;
    (void)fchmod(descriptor, mode);
}

/* A new file, locked; -1 with EEXIST where there is one. */
static int create(const char *name, const struct stat *replaced) {
    /* Readable by those who may read what it replaces, and by nobody else before. */
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, replaced == NULL ? 0666 : 0600);
    if (descriptor < 0) return -1;
    /* Somebody who came before the lock has taken it for abandoned. Where files cannot be locked, nobody can. */
    bool lost = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (lost || !is_at(descriptor, name)) {
        close(descriptor);
        errno = EEXIST;
        return -1;
    }
    if (replaced != NULL) take_after(descriptor, replaced);
    return descriptor;
}

/* How much of a path to take where its last name with an ending would be too long: up to a whole character. */
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
        int descriptor = create(string_text(name), replaced);
        if (descriptor >= 0) return descriptor;
        if (errno == ENAMETOOLONG && short_length(path) < kept) kept = short_length(path);
        else if (errno != EEXIST) return -1;
        else if (!remove_abandoned(string_text(name))) number++;
    }
    errno = EEXIST;
    return -1;
}
