/* lock.c - crd_model_lock: a file beside the model, locked while somebody loads, changes and saves it. Links to one
 * model share its lock: the file stands beside what would be replaced.
 *
 * The lock is the kernel's (fcntl), so a process that dies lets go of it. It is advisory and held by a process:
 * threads of one process must agree among themselves. The file is removed when the lock is released; one who waited for
 * it meanwhile notices that the file is no longer the one at the path, and begins again. */
#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#include <credence/model.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct crd_model_lock {
    crd_context *context;
    int file;
    char path[];
};

/* Waits for the whole file. false with errno EINTR when cancelled. */
static bool wait_for(crd_context *context, int file) {
    struct flock whole;
    memset(&whole, 0, sizeof whole);
    whole.l_type = F_WRLCK;
    whole.l_whence = SEEK_SET;
    while (fcntl(file, F_SETLKW, &whole) != 0) {
        if (errno != EINTR || crd_i_context_cancelled(context)) return false;
    }
    return true;
}

static bool still_at(int file, const char *path) {
    struct stat held, there;
    return fstat(file, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
           held.st_dev == there.st_dev;
}

crd_status crd_model_lock_take(crd_context *context, const char *path, crd_model_lock **out, crd_error *error) {
    *out = NULL;
    char *real = NULL;
    crd_status status = crd_i_file_real(context, path, &real, error);
    if (status != CRD_OK) return status;
    size_t room = strlen(real) + sizeof ".lock";
    crd_model_lock *lock = crd_i_alloc(context, 1, sizeof *lock + room);
    if (lock != NULL) snprintf(lock->path, room, "%s.lock", real);
    crd_free(context, real);
    if (lock == NULL) return crd_i_fail_memory(error);
    lock->context = context;
    for (;;) {
        lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (lock->file < 0) break;
        if (!wait_for(context, lock->file)) break;
        if (still_at(lock->file, lock->path)) {
            *out = lock;
            return CRD_OK;
        }
        close(lock->file);
    }
    int why = errno;
    if (lock->file >= 0) close(lock->file);
    status = why == EINTR ? crd_i_fail(error, CRD_ERROR_CANCELLED, "stopped while waiting for the lock")
                          : crd_i_fail_system(error, why, "cannot be locked");
    crd_i_error_place(error, lock->path, 0, 0);
    crd_free(context, lock);
    return status;
}

void crd_model_lock_release(crd_model_lock *lock) {
    if (lock == NULL) return;
    /* Somebody may have removed ours, and another have made one since. */
    if (still_at(lock->file, lock->path)) (void)unlink(lock->path);
    close(lock->file);
    crd_free(lock->context, lock);
}
