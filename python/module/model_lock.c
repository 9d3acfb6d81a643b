/* SPDX-License-Identifier: MIT */
/* model_lock.c - the lock of a model: calls that read share it, a call that changes the model holds it exclusively.
 *
 * It differs from a pthread_rwlock_t in three ways. A callback of a call (progress, a file or a generator that rows are read from) gets
 * RuntimeError if it requests the model of that call in a way that would deadlock. A signal ends waiting. In a forked child, the locks
 * of threads that do not exist there are free. */
#include "module.h"

#include <time.h>

enum { HELD_ROOM = 12 }; /* small, because static thread-local memory is scarce */
static const long POLL_NANOSECONDS = 20 * 1000000L;

/* The locks that calls of this thread hold, the innermost last. */
typedef struct hold {
    model_object *model;
    bool is_alone;
} hold;
static _Thread_local hold held[HELD_ROOM];
static _Thread_local size_t held_count;

/* The list of all models. The GIL guards it, and a thread that calls os.fork() holds the GIL. */
static model_object *models;

/* ---- Forks: Windows has none ---- */

static int start(model_lock *lock) {
    if (pthread_mutex_init(&lock->mutex, NULL) != 0) return -1;
    if (pthread_cond_init(&lock->changed, NULL) == 0) return 0;
    pthread_mutex_destroy(&lock->mutex);
    return -1;
}

#ifndef _WIN32
/* Frees the locks of other threads in a forked child. The forking thread is the only thread of the child, so only its locks are held. A
 * model that another thread was changing is inconsistent. */
static void free_in_child(void) {
    for (model_object *model = models; model != NULL; model = model->lock.next) {
        model_lock *lock = &model->lock;
        bool was_alone = lock->is_alone;
        (void)start(lock);
        lock->readers = lock->writers_waiting = 0;
        lock->is_alone = false;
        for (size_t i = 0; i < held_count; i++) {
            if (held[i].model != model) continue;
            lock->readers += !held[i].is_alone;
            lock->is_alone = lock->is_alone || held[i].is_alone;
        }
        if (was_alone && !lock->is_alone) lock->is_torn = true;
    }
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, free_in_child);
}
#endif

/* ---- Models ---- */

int model_lock_begin(model_object *model) {
#ifndef _WIN32
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
#endif
    if (start(&model->lock) < 0) return -1;
    model->lock.next = models;
    if (models != NULL) models->lock.previous = model;
    models = model;
    return 0;
}

void model_lock_end(model_object *model) {
    model_lock *lock = &model->lock;
    if (lock->next != NULL) lock->next->lock.previous = lock->previous;
    if (lock->previous != NULL) lock->previous->lock.next = lock->next;
    if (models == model) models = lock->next;
    pthread_cond_destroy(&lock->changed);
    pthread_mutex_destroy(&lock->mutex);
}

/* ---- Calls ---- */

/* Returns how this thread holds the lock: 0 not at all, 1 shared, 2 exclusively. */
static int held_of(const model_object *model) {
    int most = 0;
    for (size_t i = 0; i < held_count; i++)
        if (held[i].model == model && most < 1 + held[i].is_alone) most = 1 + held[i].is_alone;
    return most;
}

/* Waits at most 20 ms for a change of the lock. */
static void wait_for_change(model_lock *lock) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += POLL_NANOSECONDS;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&lock->changed, &lock->mutex, &until);
}

/* Returns whether the lock is free. New readers wait for a waiting writer, unless their thread holds a model, which the writer may wait for. */
static bool is_free(const model_lock *lock, bool is_alone) {
    if (lock->is_alone) return false;
    return is_alone ? lock->readers == 0 : lock->writers_waiting == 0 || held_count > 0;
}

static crd_status take(model_object *model, bool is_alone) {
    model_lock *lock = &model->lock;
    const int before = held_of(model);
    const char *refusal =
        lock->is_torn ? "another thread was changing the model when this process was forked, so it is incomplete here: "
                        "pass a copy, or its bytes, to the child"
        : before == 2 ? "a call of this thread is changing the model, so a callback of that call cannot use it: pass a "
                        "copy to the callback"
        : before == 1 && is_alone
            ? "a call of this thread is reading the model, so a callback of that call cannot change it: change a copy"
        : held_count == HELD_ROOM ? "too many nested calls within callbacks"
                                  : NULL;
    if (refusal != NULL) {
        call_raise(PyExc_RuntimeError, refusal);
        return CRD_ERROR_CANCELLED;
    }
    crd_status status = CRD_OK;
    pthread_mutex_lock(&lock->mutex);
    lock->writers_waiting += is_alone;
    while (status == CRD_OK && !is_free(lock, is_alone)) {
        wait_for_change(lock);
        if (is_free(lock, is_alone)) break;
        pthread_mutex_unlock(&lock->mutex);
        if (call_poll()) status = CRD_ERROR_CANCELLED;
        pthread_mutex_lock(&lock->mutex);
    }
    lock->writers_waiting -= is_alone;
    if (status == CRD_OK) {
        lock->is_alone = is_alone;
        lock->readers += !is_alone;
        held[held_count++] = (hold){model, is_alone};
    } else {
        pthread_cond_broadcast(&lock->changed);
    }
    pthread_mutex_unlock(&lock->mutex);
    return status;
}

crd_status model_lock_read(model_object *model) {
    return take(model, false);
}

crd_status model_lock_write(model_object *model) {
    return take(model, true);
}

void model_unlock(model_object *model) {
    model_lock *lock = &model->lock;
    size_t i = held_count;
    while (i > 0 && held[i - 1].model != model) i--;
    if (i == 0) return;
    const bool was_alone = held[i - 1].is_alone;
    for (; i < held_count; i++) held[i - 1] = held[i];
    held_count--;
    pthread_mutex_lock(&lock->mutex);
    lock->is_alone = lock->is_alone && !was_alone;
    lock->readers -= !was_alone;
    pthread_cond_broadcast(&lock->changed);
    pthread_mutex_unlock(&lock->mutex);
}

int model_share(model_object *model) {
    core_call call;
    call_begin(&call, state_of(model));
    const crd_status status = model_lock_read(model);
    if (call_end(&call, status) == 0) return 0;
    if (status == CRD_OK) model_unlock(model);
    return -1;
}
