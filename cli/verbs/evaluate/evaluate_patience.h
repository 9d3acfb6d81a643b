/* evaluate_patience.h - work of the library that is stopped when its time is over. */
#ifndef CREDENCE_CLI_EVALUATE_PATIENCE_H
#define CREDENCE_CLI_EVALUATE_PATIENCE_H

#include "core/invocation.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct patience {
    crd_context *context;
    double until; /* on the clock of patience_now */
    bool is_watched, is_over, has_ended;
    pthread_t watcher;
    pthread_mutex_t guard;
    pthread_cond_t change;
} patience;

/* Seconds since some time in the past. */
double patience_now(void);

/* From here on the calls of the context end with CRD_ERROR_CANCELLED when the seconds have passed. Where there is no
 * thread to be had for that, they take as long as they take. */
void patience_begin(patience *p, crd_context *context, double seconds);
/* The context works again, unless the command was interrupted. Whether the time was over before. */
bool patience_end(patience *p);

#endif
