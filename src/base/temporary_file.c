/* SPDX-License-Identifier: MIT */
/* temporary_file.c - see credence/temporary_file.h. This code does not use tmpfile(), which always uses /tmp; /tmp may
 * be small. */
#include <credence/temporary_file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

FILE *crd_temporary_file(void) {
    static const char name[] = "/credence-XXXXXX";
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    const size_t length = strlen(folder);
    char *path = malloc(length + sizeof name);
    if (path == NULL) return NULL;
    memcpy(path, folder, length);
    memcpy(path + length, name, sizeof name);
    const int file = mkstemp(path);
    FILE *stream = NULL;
    if (file >= 0) {
        (void)unlink(path);
        (void)fcntl(file, F_SETFD, FD_CLOEXEC);
        stream = fdopen(file, "w+b");
        const int reason = errno;
        if (stream == NULL) (void)close(file);
        errno = reason;
    }
    free(path);
    return stream;
}
