/* SPDX-License-Identifier: MIT */
/* thread_pool.c - see thread_pool.h. */
#include "base/thread_pool.h"

#include "base/call.h"
#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

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
