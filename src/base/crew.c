/* crew.c - see crew.h. */
#include "base/crew.h"

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

unsigned crd_i_crew_size(unsigned asked) {
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

void crd_i_crew_run(crd_context *context, unsigned size, void (*work)(void *state, unsigned member), void *state) {
    /* Without memory for more there is a crew of one. */
    member *others = size > 1 ? crd_i_alloc(context, size - 1, sizeof *others) : NULL;
    unsigned started = 0;
    if (others != NULL) {
        /* A thread is born with its maker's mask. */
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        for (; started < size - 1; started++) {
            member fresh = {.work = work, .state = state, .number = started + 1};
            others[started] = fresh;
            if (pthread_create(&others[started].thread, NULL, begin, &others[started]) != 0) break;
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    work(state, 0);
    for (unsigned i = 0; i < started; i++) pthread_join(others[i].thread, NULL);
    crd_free(context, others);
}
