/* SPDX-License-Identifier: MIT */
/* ordered_work.c - see ordered_work.h. Task t uses slot t % slots, so a thread that has picked task t waits until the
 * result of task t - slots has been consumed. */
#include "base/ordered_work.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <pthread.h>

/* The outcome of the task that occupies the slot. */
typedef struct work_slot {
    bool is_done;
    crd_status status;
    crd_error error;
} work_slot;

typedef struct progress {
    const crd_i_ordered_work *work;
    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t done, taken;
    work_slot *slots;
    size_t slot_count;
    size_t next, first; /* the next task to work on, and the next to consume */
    bool is_over;       /* no more results are consumed */
    crd_status status;
    crd_error error;
} progress;

/* Picks the next task and waits until its slot is free. Returns false if there is no task left. */
static bool get_task(progress *p, size_t *task) {
    pthread_mutex_lock(&p->mutex);
    while (!p->is_over && p->next < p->work->tasks && p->next - p->first >= p->slot_count)
        crd_i_call_wait(&p->taken, &p->mutex);
    const bool is_any = !p->is_over && p->next < p->work->tasks;
    if (is_any) *task = p->next++;
    pthread_mutex_unlock(&p->mutex);
    return is_any;
}

static void work_on(void *state, unsigned member) {
    progress *p = state;
    size_t task;
    while (get_task(p, &task)) {
        work_slot *slot = &p->slots[task % p->slot_count];
        slot->status = p->work->work(p->work->user, member, task, (unsigned)(task % p->slot_count), &slot->error);
        pthread_mutex_lock(&p->mutex);
        slot->is_done = true;
        pthread_cond_signal(&p->done);
        pthread_mutex_unlock(&p->mutex);
    }
}

static crd_status ordered_work_run_alone(const crd_i_ordered_work *work, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t task = 0; task < work->tasks && status == CRD_OK; task++) {
        status = work->work(work->user, 0, task, 0, error);
        if (status == CRD_OK) status = work->take(work->user, task, 0, error);
    }
    return status;
}

static void ordered_work_take_all(void *state, unsigned started) {
    progress *p = state;
    if (started == 0) {
        p->status = ordered_work_run_alone(p->work, &p->error);
        return;
    }
    for (size_t task = 0; task < p->work->tasks && p->status == CRD_OK; task++) {
        const unsigned index = (unsigned)(task % p->slot_count);
        pthread_mutex_lock(&p->mutex);
        while (!p->slots[index].is_done) crd_i_call_wait(&p->done, &p->mutex);
        p->slots[index].is_done = false;
        pthread_mutex_unlock(&p->mutex);
        p->status = p->slots[index].status;
        p->error = p->slots[index].error;
        if (p->status == CRD_OK) p->status = p->work->take(p->work->user, task, index, &p->error);
        pthread_mutex_lock(&p->mutex);
        p->first = task + 1;
        p->is_over = p->status != CRD_OK;
        pthread_cond_broadcast(&p->taken);
        pthread_mutex_unlock(&p->mutex);
    }
}

crd_status crd_i_ordered_work_run(crd_context *context, const crd_i_ordered_work *work, crd_error *error) {
    if (work->threads <= 1 || work->tasks <= 1) return ordered_work_run_alone(work, error);
    progress p = {.work = work, .slot_count = (size_t)work->threads * CRD_I_SLOTS_OF_THREAD};
    p.slots = crd_i_alloc_zeroed(context, p.slot_count, sizeof *p.slots);
    if (p.slots == NULL) return crd_i_fail_memory(error);
    pthread_mutex_init(&p.mutex, NULL);
    pthread_cond_init(&p.done, NULL);
    pthread_cond_init(&p.taken, NULL);
    crd_i_thread_pool_lead(context, work->threads, work_on, &p, ordered_work_take_all);
    pthread_cond_destroy(&p.taken);
    pthread_cond_destroy(&p.done);
    pthread_mutex_destroy(&p.mutex);
    crd_free(context, p.slots);
    if (p.status != CRD_OK && error != NULL) *error = p.error;
    return p.status;
}
