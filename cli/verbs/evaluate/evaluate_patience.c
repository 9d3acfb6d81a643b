/* evaluate_patience.c - see evaluate_patience.h. A thread sleeps until the time is over, or the work is done. */
#include "verbs/evaluate/evaluate_patience.h"

#include <math.h>
#include <time.h>

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double patience_now(void) {
    return read_clock(CLOCK_MONOTONIC);
}

/* Not every system lets a condition wait by the clock that nobody sets, so that this one is asked again each second. */
static void sleep_for(patience *p, double seconds) {
    double end = read_clock(CLOCK_REALTIME) + fmin(seconds, 1);
    struct timespec until = {.tv_sec = (time_t)end};
    until.tv_nsec = (long)((end - floor(end)) * 1e9);
    pthread_cond_timedwait(&p->change, &p->guard, &until);
}

static void *watch(void *state) {
    patience *p = state;
    pthread_mutex_lock(&p->guard);
    while (!p->has_ended && !p->is_over) {
        double left = p->until - patience_now();
        if (left > 0) {
            sleep_for(p, left);
        } else {
            p->is_over = true;
            crd_context_cancel(p->context);
        }
    }
    pthread_mutex_unlock(&p->guard);
    return NULL;
}

void patience_begin(patience *p, crd_context *context, double seconds) {
    *p = (patience){.context = context, .until = patience_now() + seconds};
    pthread_mutex_init(&p->guard, NULL);
    pthread_cond_init(&p->change, NULL);
    p->is_watched = pthread_create(&p->watcher, NULL, watch, p) == 0;
}

bool patience_end(patience *p) {
    pthread_mutex_lock(&p->guard);
    p->has_ended = true;
    pthread_cond_signal(&p->change);
    pthread_mutex_unlock(&p->guard);
    if (p->is_watched) pthread_join(p->watcher, NULL);
    if (p->is_over) crd_context_resume(p->context);
    /* In this order: a signal that came before the last line is not forgotten. */
    if (p->is_over && invocation_interrupted()) crd_context_cancel(p->context);
    pthread_cond_destroy(&p->change);
    pthread_mutex_destroy(&p->guard);
    return p->is_over;
}
