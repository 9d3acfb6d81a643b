/* SPDX-License-Identifier: MIT */
/* model_lock.c - crd_model_lock: a lock file next to the model, held while a program loads, changes and saves the
 * model. Links to the same model share its lock, because the lock file is next to the file that would be replaced.
 *
 * The lock is a flock. It belongs to the open file, not to the process. So it also excludes other threads of the same
 * process. Closing another descriptor of the file does not release it, as it would with fcntl's F_SETLK. (F_OFD_SETLK
 * has these properties, too, but flock exists on more systems, and output_file.c uses it.) If a process dies, its lock
 * is released, and the next process takes over the file that is left. A child process after fork shares the open file.
 * Therefore the lock is released by an explicit unlock, and a child that keeps the descriptor open blocks nobody. The
 * file is removed when the lock is released. A process that opened it before notices that it is no longer the file at
 * the path, and starts again.
 *
 * A waiting process tries again every few milliseconds. A blocking wait in the kernel could miss a cancellation by
 * another thread, or one that comes just before it. It could not report after a while that it is waiting. */
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "io/page_source.h"

#include <credence/model.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct crd_model_lock {
    crd_context *context;
    int file;
    bool is_short; /* the path contains only the beginning of the model's name */
    char path[];
};

static const char ENDING[] = ".lock";
enum { HASH_ROOM = 18 }; /* a period, 16 digits, and the terminator */

/* Shortens a path that is too long with the ending: keeps the beginning of the name and adds a hash of the whole name,
 * so another model has another lock. false: the path is short already. */
static bool model_lock_shorten(crd_model_lock *lock) {
    size_t length = strlen(lock->path) - (sizeof ENDING - 1);
    if (lock->is_short) return false;
    lock->is_short = true;
    lock->path[length] = '\0';
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)lock->path[i]) * UINT64_C(0x100000001b3);
    size_t kept = crd_i_output_file_short_name(lock->path);
    snprintf(lock->path + kept, length - kept + HASH_ROOM + sizeof ENDING, ".%016llx%s", (unsigned long long)hash,
             ENDING);
    return true;
}

static int open_lock(crd_model_lock *lock) {
    /* Do not follow a link: it could make us create a file that another user has chosen. */
    enum { HOW = CRD_I_OS_READ | CRD_I_OS_WRITE | CRD_I_OS_CREATE | CRD_I_OS_NO_LINK };
    int file = crd_i_os_open(lock->path, HOW);
    return file < 0 && errno == ENAMETOOLONG && model_lock_shorten(lock) ? crd_i_os_open(lock->path, HOW) : file;
}

/* Tries to take the lock. false: another process or thread has it (errno EAGAIN), or a system error occurred. */
static bool try_to_take(crd_model_lock *lock) {
    lock->file = open_lock(lock);
    if (lock->file < 0) {
        if (errno == EINTR) errno = EAGAIN;
        return false;
    }
    bool taken = crd_i_os_lock(lock->file);
    int why = taken ? EAGAIN : errno;
    if (taken && crd_i_os_is_at(lock->file, lock->path)) return true;
    crd_i_os_close(lock->file);
    errno = why;
    return false;
}

static crd_status model_lock_wait_for(crd_model_lock *lock, const char *path, crd_error *error) {
    enum { PAUSE_MILLISECONDS = 3, PAUSES_UNTIL_TOLD = 1000 / PAUSE_MILLISECONDS };
    for (unsigned pauses = 0; !try_to_take(lock); pauses++) {
        if (errno != EAGAIN) return crd_i_fail_system(error, errno, "cannot be locked");
        if (pauses == PAUSES_UNTIL_TOLD)
            crd_i_context_log(lock->context, CRD_LOG_NOTE, CRD_LOG_LOCK_WAITING, crd_text_of(path),
                              "%s is locked by another process or thread: waiting", path);
        if (crd_i_context_cancelled(lock->context)) return crd_i_fail_cancelled(error);
        crd_i_os_sleep(PAUSE_MILLISECONDS);
    }
    return CRD_OK;
}

crd_status crd_model_lock_take(crd_context *context, const char *path, crd_model_lock **out, crd_error *error) {
    *out = NULL;
    char *real = NULL;
    crd_status status = crd_i_output_file_real(context, path, &real, error);
    if (status != CRD_OK) return status;
    size_t capacity = strlen(real) + HASH_ROOM + sizeof ENDING;
    crd_model_lock *lock = crd_i_alloc(context, 1, sizeof *lock + capacity);
    if (lock != NULL) snprintf(lock->path, capacity, "%s%s", real, ENDING);
    crd_free(context, real);
    if (lock == NULL) return crd_i_fail_memory(error);
    lock->context = context;
    lock->is_short = false;
    status = model_lock_wait_for(lock, path, error);
    if (status == CRD_OK) {
        *out = lock;
        return CRD_OK;
    }
    crd_i_error_place(error, lock->path, 0, 0);
    crd_free(context, lock);
    return status;
}

void crd_model_lock_release(crd_model_lock *lock) {
    if (lock == NULL) return;
    /* Our lock file may have been removed, and another one created since. Unlink it only if it is still ours and
     * empty. */
    crd_i_os_facts facts;
    if (crd_i_os_is_at(lock->file, lock->path) && crd_i_os_facts_of_open(lock->file, &facts) && facts.size == 0)
        (void)crd_i_os_remove(lock->path);
    crd_i_os_unlock(lock->file);
    crd_i_os_close(lock->file);
    crd_free(lock->context, lock);
}
