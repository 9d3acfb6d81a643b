/* SPDX-License-Identifier: MIT */
/* thread_pool.c - see thread_pool.h.
 *
 * Contents:
 *   1. Thread pool
 *   2. Parallel loops
 *   3. Ordered work */
#include "base/thread_pool.h"

#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

/* ======== 1. Thread pool ======== */

/* The state that all members share. */
typedef struct pool_crew {
    void (*work)(void *state, unsigned member);
    void *state;
    crd_i_call *call; /* the caller's bracket; NULL: none, and the members below are unused */
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    unsigned running;
} pool_crew;

typedef struct pool_member {
    pool_crew *crew;
    unsigned number;
    pthread_t thread;
} pool_member;

unsigned crd_i_thread_pool_size(unsigned requested) {
    if (requested == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        requested = processors < 1 ? 1 : processors > CRD_I_MOST_THREADS ? CRD_I_MOST_THREADS : (unsigned)processors;
    }
    return crd_i_call_threads(requested > CRD_I_MOST_THREADS ? CRD_I_MOST_THREADS : requested);
}

static void *thread_pool_begin(void *argument) {
    const pool_member *member = argument;
    pool_crew *all = member->crew;
    crd_i_call_adopt(all->call);
    all->work(all->state, member->number);
    if (all->call == NULL) return NULL;
    pthread_mutex_lock(&all->mutex);
    all->running--;
    pthread_cond_signal(&all->ended);
    pthread_mutex_unlock(&all->mutex);
    return NULL;
}

/* Initializes the crew. If the thread has no bracket, or a lock cannot be created, the caller waits for the members
 * without callbacks. */
static void thread_pool_form(pool_crew *all, void (*work)(void *state, unsigned member), void *state) {
    const pool_crew fresh = {.work = work, .state = state, .call = crd_i_call_current()};
    *all = fresh;
    if (all->call == NULL || pthread_mutex_init(&all->mutex, NULL) != 0) {
        all->call = NULL;
    } else if (pthread_cond_init(&all->ended, NULL) != 0) {
        pthread_mutex_destroy(&all->mutex);
        all->call = NULL;
    }
}

/* Starts up to `count` members with numbers from `first` on and stores them in `members`. Returns how many were
 * started. */
static unsigned thread_pool_start(pool_crew *all, pool_member *members, unsigned count, unsigned first) {
    unsigned started = 0;
    /* A new thread inherits the signal mask of the thread that starts it. */
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    for (; started < count; started++) {
        pool_member fresh = {.crew = all, .number = first + started};
        members[started] = fresh;
        if (all->call != NULL) {
            pthread_mutex_lock(&all->mutex);
            all->running++;
            pthread_mutex_unlock(&all->mutex);
        }
        if (pthread_create(&members[started].thread, NULL, thread_pool_begin, &members[started]) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (all->call != NULL && started < count) {
        pthread_mutex_lock(&all->mutex);
        all->running--;
        pthread_mutex_unlock(&all->mutex);
    }
    return started;
}

static void thread_pool_join(pool_crew *all, const pool_member *members, unsigned started) {
    if (all->call != NULL) {
        pthread_mutex_lock(&all->mutex);
        while (all->running > 0) crd_i_call_wait(&all->ended, &all->mutex);
        pthread_mutex_unlock(&all->mutex);
    }
    for (unsigned i = 0; i < started; i++) pthread_join(members[i].thread, NULL);
    if (all->call != NULL) {
        pthread_cond_destroy(&all->ended);
        pthread_mutex_destroy(&all->mutex);
    }
}

void crd_i_thread_pool_run(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                           void *state) {
    pool_crew all;
    size = crd_i_call_threads(size);
    /* If memory for more members runs out, there is only one member. */
    pool_member *others = size > 1 ? crd_i_alloc(context, size - 1, sizeof *others) : NULL;
    if (others == NULL) {
        work(state, 0);
        return;
    }
    thread_pool_form(&all, work, state);
    unsigned started = thread_pool_start(&all, others, size - 1, 1);
    work(state, 0);
    thread_pool_join(&all, others, started);
    crd_free(context, others);
}

void crd_i_thread_pool_lead(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                            void *state, void (*lead)(void *state, unsigned started)) {
    pool_crew all;
    pool_member *members = crd_i_alloc(context, size, sizeof *members);
    thread_pool_form(&all, work, state);
    unsigned started = members == NULL ? 0 : thread_pool_start(&all, members, size, 0);
    lead(state, started);
    thread_pool_join(&all, members, started);
    crd_free(context, members);
}

/* ======== 2. Parallel loops ======== */

typedef struct parallel_loop {
    crd_context *context;
    crd_i_item_function *work;
    void *state;
    atomic_size_t next;    /* the first item that no thread has taken */
    atomic_size_t end;     /* the number of items, or the first item that has failed */
    pthread_mutex_t mutex; /* guards the status and the error of the failed item */
    crd_status status;
    crd_error *error;
} parallel_loop;

unsigned crd_i_parallel_members(unsigned requested, size_t items) {
    const unsigned members = crd_i_thread_pool_size(requested);
    return items == 0 ? 1 : members > items ? (unsigned)items : members;
}

static void parallel_loop_fail(parallel_loop *loop, size_t item, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&loop->mutex);
    if (item < atomic_load(&loop->end)) {
        atomic_store(&loop->end, item);
        loop->status = status;
        if (loop->error != NULL) *loop->error = *error;
    }
    pthread_mutex_unlock(&loop->mutex);
}

/* Takes items until none are left. Items are taken in ascending order, so when an item fails, all items before it are
 * already taken. */
static void parallel_loop_take_part(void *state, unsigned member) {
    parallel_loop *loop = state;
    crd_error error;
    for (size_t item; (item = atomic_fetch_add(&loop->next, 1)) < atomic_load(&loop->end);) {
        crd_status status = crd_i_context_cancelled(loop->context) ? crd_i_fail_cancelled(&error)
                                                                   : loop->work(loop->state, member, item, &error);
        if (status != CRD_OK) parallel_loop_fail(loop, item, status, &error);
    }
}

crd_status crd_i_parallel_for(crd_context *context, unsigned members, size_t items, crd_i_item_function *work,
                              void *state, crd_error *error) {
    parallel_loop loop = {.context = context, .work = work, .state = state, .status = CRD_OK, .error = error};
    atomic_init(&loop.next, 0);
    atomic_init(&loop.end, items);
    pthread_mutex_init(&loop.mutex, NULL);
    crd_i_thread_pool_run(context, members, parallel_loop_take_part, &loop);
    pthread_mutex_destroy(&loop.mutex);
    return loop.status;
}

/* ======== 3. Ordered work ========
 *
 * Task t uses slot t % slots, so a thread that has picked task t waits until the
 * result of task t - slots has been consumed. */

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
