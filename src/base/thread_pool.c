/* SPDX-License-Identifier: MIT */
/* thread_pool.c - see thread_pool.h. */
#include "base/thread_pool.h"

#include "base/call.h"
#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

/* What the members have in common. */
typedef struct crew {
    void (*work)(void *state, unsigned member);
    void *state;
    crd_i_call *call; /* of the caller's thread; NULL: none, and nothing below is used */
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    unsigned running;
} crew;

typedef struct member {
    crew *crew;
    unsigned number;
    pthread_t thread;
} member;

unsigned crd_i_thread_pool_size(unsigned asked) {
    if (asked == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        asked = processors < 1 ? 1 : processors > CRD_I_MOST_THREADS ? CRD_I_MOST_THREADS : (unsigned)processors;
    }
    return crd_i_call_threads(asked > CRD_I_MOST_THREADS ? CRD_I_MOST_THREADS : asked);
}

static void *begin(void *argument) {
    const member *own = argument;
    crew *all = own->crew;
    crd_i_call_adopt(all->call);
    all->work(all->state, own->number);
    if (all->call == NULL) return NULL;
    pthread_mutex_lock(&all->mutex);
    all->running--;
    pthread_cond_signal(&all->ended);
    pthread_mutex_unlock(&all->mutex);
    return NULL;
}

/* Where the thread has no bracket, or there is no lock to be had, members are waited for without callbacks. */
static void form(crew *all, void (*work)(void *state, unsigned member), void *state) {
    const crew fresh = {.work = work, .state = state, .call = crd_i_call_current()};
    *all = fresh;
    if (all->call == NULL || pthread_mutex_init(&all->mutex, NULL) != 0) {
        all->call = NULL;
    } else if (pthread_cond_init(&all->ended, NULL) != 0) {
        pthread_mutex_destroy(&all->mutex);
        all->call = NULL;
    }
}

/* Members from `first` on, up to `count` of them, into room for so many; how many there are. */
static unsigned start(crew *all, member *members, unsigned count, unsigned first) {
    unsigned started = 0;
    /* A thread is born with its maker's mask. */
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    for (; started < count; started++) {
        member fresh = {.crew = all, .number = first + started};
        members[started] = fresh;
        if (all->call != NULL) {
            pthread_mutex_lock(&all->mutex);
            all->running++;
            pthread_mutex_unlock(&all->mutex);
        }
        if (pthread_create(&members[started].thread, NULL, begin, &members[started]) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (all->call != NULL && started < count) {
        pthread_mutex_lock(&all->mutex);
        all->running--;
        pthread_mutex_unlock(&all->mutex);
    }
    return started;
}

static void join(crew *all, const member *members, unsigned started) {
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
    crew all;
    size = crd_i_call_threads(size);
    /* Without memory for more there is one member. */
    member *others = size > 1 ? crd_i_alloc(context, size - 1, sizeof *others) : NULL;
    if (others == NULL) {
        work(state, 0);
        return;
    }
    form(&all, work, state);
    unsigned started = start(&all, others, size - 1, 1);
    work(state, 0);
    join(&all, others, started);
    crd_free(context, others);
}

void crd_i_thread_pool_lead(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                            void *state, void (*lead)(void *state, unsigned started)) {
    crew all;
    member *members = crd_i_alloc(context, size, sizeof *members);
    form(&all, work, state);
    unsigned started = members == NULL ? 0 : start(&all, members, size, 0);
    lead(state, started);
    join(&all, members, started);
    crd_free(context, members);
}
