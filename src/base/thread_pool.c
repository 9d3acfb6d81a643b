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
#include "base/os.h"

#include <pthread.h>
#include <stdatomic.h>

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
        requested = crd_i_os_processors();
        if (requested == 0) requested = 1;
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
    for (; started < count; started++) {
        pool_member fresh = {.crew = all, .number = first + started};
        members[started] = fresh;
        if (all->call != NULL) {
            pthread_mutex_lock(&all->mutex);
            all->running++;
            pthread_mutex_unlock(&all->mutex);
        }
        if (crd_i_os_thread_create(&members[started].thread, thread_pool_begin, &members[started]) != 0) break;
    }
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

typedef struct loop_run {
    crd_context *context;
    const crd_i_parallel_loop *loop;
    char *workspaces;
    atomic_size_t next;    /* the first item that no member has taken */
    atomic_size_t end;     /* the number of items, or the first item that has failed */
    pthread_mutex_t mutex; /* protects the members below */
    crd_status status;
    crd_error *error;
} loop_run;

unsigned crd_i_parallel_members(unsigned threads, size_t items) {
    const unsigned members = crd_i_thread_pool_size(threads);
    return items == 0 ? 1 : members > items ? (unsigned)items : members;
}

static void loop_run_fail(loop_run *run, size_t item, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&run->mutex);
    if (item < atomic_load(&run->end)) {
        atomic_store(&run->end, item);
        run->status = status;
        if (run->error != NULL) *run->error = *error;
    }
    pthread_mutex_unlock(&run->mutex);
}

/* Takes items until none are left. When an item fails, all items before it are already taken. */
static void loop_run_take_part(void *state, unsigned member) {
    loop_run *run = state;
    const crd_i_parallel_loop *loop = run->loop;
    void *workspace = loop->workspace_size == 0 ? NULL : run->workspaces + member * loop->workspace_size;
    crd_error error = {.status = CRD_OK};
    for (size_t item; (item = atomic_fetch_add(&run->next, 1)) < atomic_load(&run->end);) {
        crd_status status = crd_i_context_cancelled(run->context) ? crd_i_fail_cancelled(&error)
                                                                  : loop->work(loop->state, workspace, item, &error);
        if (status != CRD_OK) loop_run_fail(run, item, status, &error);
    }
}

crd_status crd_i_parallel_for(crd_context *context, crd_i_parallel_loop *loop, crd_error *error) {
    const unsigned members = crd_i_parallel_members(loop->threads, loop->items);
    const bool allocates = loop->workspace_size > 0 && loop->workspaces == NULL;
    loop_run run = {.context = context, .loop = loop, .workspaces = loop->workspaces, .error = error};
    if (allocates) run.workspaces = crd_i_alloc_zeroed(context, members, loop->workspace_size);
    if (loop->workspace_size > 0 && run.workspaces == NULL) return crd_i_fail_memory(error);
    atomic_init(&run.next, 0);
    atomic_init(&run.end, loop->items);
    pthread_mutex_init(&run.mutex, NULL);
    crd_i_thread_pool_run(context, members, loop_run_take_part, &run);
    pthread_mutex_destroy(&run.mutex);
    for (unsigned i = 0; allocates && loop->clear != NULL && i < members; i++)
        loop->clear(loop->state, run.workspaces + i * loop->workspace_size);
    if (allocates) crd_free(context, run.workspaces);
    loop->failed = atomic_load(&run.end);
    return run.status;
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
