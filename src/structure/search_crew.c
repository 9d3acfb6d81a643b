/* SPDX-License-Identifier: MIT */
/* search_crew.c - see structure_search.h.
 *
 * Batches take a fraction of a millisecond. Therefore a thread polls for the next batch for some microseconds before it
 * sleeps. */
#include "structure/structure_search.h"

#include "base/memory.h"
#include "base/thread_pool.h"

#include <pthread.h>

enum { LOOKS = 20000 };

struct crd_i_crew {
    pthread_mutex_t mutex;
    pthread_cond_t begun, done;
    unsigned threads;
    void (*lead)(void *state, crd_i_crew *crew);
    void *state;
    void (*work)(void *state, unsigned member, size_t task);
    void *work_state;
    size_t count, next;  /* protected by the mutex */
    atomic_size_t left;  /* tasks of the batch that are not finished */
    atomic_uint batches; /* number of batches that have begun */
    bool is_over;
};

/* Runs tasks until none is left. The caller holds the mutex. */
static void take_tasks(crd_i_crew *crew, unsigned member) {
    while (crew->next < crew->count) {
        const size_t task = crew->next++;
        pthread_mutex_unlock(&crew->mutex);
        crew->work(crew->work_state, member, task);
        pthread_mutex_lock(&crew->mutex);
        if (atomic_fetch_sub(&crew->left, 1) == 1) pthread_cond_signal(&crew->done);
    }
}

static void search_crew_follow(crd_i_crew *crew, unsigned member) {
    pthread_mutex_lock(&crew->mutex);
    for (;;) {
        take_tasks(crew, member);
        if (crew->is_over) break;
        const unsigned seen = atomic_load(&crew->batches);
        pthread_mutex_unlock(&crew->mutex);
        for (unsigned i = 0; i < LOOKS && atomic_load_explicit(&crew->batches, memory_order_relaxed) == seen; i++) {
        }
        pthread_mutex_lock(&crew->mutex);
        while (atomic_load(&crew->batches) == seen && !crew->is_over) pthread_cond_wait(&crew->begun, &crew->mutex);
    }
    pthread_mutex_unlock(&crew->mutex);
}

static void search_crew_take_part(void *state, unsigned member) {
    crd_i_crew *crew = state;
    if (member > 0) {
        search_crew_follow(crew, member);
        return;
    }
    crew->lead(crew->state, crew);
    pthread_mutex_lock(&crew->mutex);
    crew->is_over = true;
    atomic_fetch_add(&crew->batches, 1);
    pthread_cond_broadcast(&crew->begun);
    pthread_mutex_unlock(&crew->mutex);
}

void crd_i_crew_do(crd_i_crew *crew, size_t count, void (*work)(void *state, unsigned member, size_t task),
                   void *state) {
    if (count == 0) return;
    pthread_mutex_lock(&crew->mutex);
    crew->work = work;
    crew->work_state = state;
    crew->count = count;
    crew->next = 0;
    atomic_store(&crew->left, count);
    atomic_fetch_add(&crew->batches, 1);
    if (crew->threads > 1 && count > 1) pthread_cond_broadcast(&crew->begun);
    take_tasks(crew, 0);
    pthread_mutex_unlock(&crew->mutex);
    for (unsigned i = 0; i < LOOKS && atomic_load_explicit(&crew->left, memory_order_relaxed) > 0; i++) {
    }
    pthread_mutex_lock(&crew->mutex);
    while (atomic_load(&crew->left) > 0) pthread_cond_wait(&crew->done, &crew->mutex);
    pthread_mutex_unlock(&crew->mutex);
}

bool crd_i_crew_run(crd_context *context, unsigned threads, void (*lead)(void *state, crd_i_crew *crew), void *state) {
    crd_i_crew crew = {.threads = threads, .lead = lead, .state = state};
    if (pthread_mutex_init(&crew.mutex, NULL) != 0) return false;
    if (pthread_cond_init(&crew.begun, NULL) != 0) {
        pthread_mutex_destroy(&crew.mutex);
        return false;
    }
    if (pthread_cond_init(&crew.done, NULL) != 0) {
        pthread_cond_destroy(&crew.begun);
        pthread_mutex_destroy(&crew.mutex);
        return false;
    }
    crd_i_thread_pool_run(context, threads, search_crew_take_part, &crew);
    pthread_cond_destroy(&crew.done);
    pthread_cond_destroy(&crew.begun);
    pthread_mutex_destroy(&crew.mutex);
    return true;
}
