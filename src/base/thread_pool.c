/* thread_pool.c - see thread_pool.h. */
#include "base/thread_pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

typedef struct member {
    void (*work)(void *state, unsigned member);
    void *state;
    unsigned number;
    pthread_t thread;
} member;

unsigned crd_i_thread_pool_size(unsigned asked) {
    if (asked == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        asked = processors < 1 ? 1 : processors > CRD_I_MOST_THREADS ? CRD_I_MOST_THREADS : (unsigned)processors;
    }
    return asked > CRD_I_MOST_THREADS ? CRD_I_MOST_THREADS : asked;
}

static void *begin(void *argument) {
    const member *own = argument;
    own->work(own->state, own->number);
    return NULL;
}

/* Members from `first` on, up to `count` of them, into room for so many; how many there are. */
static unsigned start(member *members, unsigned count, unsigned first, void (*work)(void *state, unsigned member),
                      void *state) {
    unsigned started = 0;
    /* A thread is born with its maker's mask. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; started < count; started++) {
        member fresh = {.work = work, .state = state, .number = first + started};
        members[started] = fresh;
        if (pthread_create(&members[started].thread, NULL, begin, &members[started]) != 0) break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void join(const member *members, unsigned started) {
    for (unsigned i = 0; i < started; i++) pthread_join(members[i].thread, NULL);
}

void crd_i_thread_pool_run(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                           void *state) {
    /* Without memory for more there is a crew of one. */
    member *others = size > 1 ? crd_i_alloc(context, size - 1, sizeof *others) : NULL;
    unsigned started = others == NULL ? 0 : start(others, size - 1, 1, work, state);
    work(state, 0);
    join(others, started);
    crd_free(context, others);
}

void crd_i_thread_pool_lead(crd_context *context, unsigned size, void (*work)(void *state, unsigned member),
                            void *state, void (*lead)(void *state, unsigned started)) {
    member *members = crd_i_alloc(context, size, sizeof *members);
    unsigned started = members == NULL ? 0 : start(members, size, 0, work, state);
    lead(state, started);
    join(members, started);
    crd_free(context, members);
}
