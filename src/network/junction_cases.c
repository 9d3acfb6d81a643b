/* junction_cases.c - many cases side by side: see junction.h. Every thread takes the next case that nobody has taken,
 * into a workspace of its own; answers do not depend on what a workspace was used for before. */
#include "network/junction_parts.h"

#include "base/crew.h"
#include "base/error.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct asking {
    const crd_i_junction *junction;
    const crd_i_junction_cases *cases;
    atomic_size_t next;
    pthread_mutex_t lock; /* of what follows */
    size_t failed_at;     /* the first case that failed, as far as known; SIZE_MAX: none */
    crd_status status;
    crd_error *error;
} asking;

/* Keeps the error of the first case. Those behind a failed one need not be asked, those before it must. */
static void keep_error(asking *own, size_t at, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&own->lock);
    if (own->failed_at == SIZE_MAX || at < own->failed_at) {
        own->failed_at = at;
        own->status = status;
        if (own->error != NULL) *own->error = *error;
    }
    pthread_mutex_unlock(&own->lock);
}

static crd_status ask_one(const asking *own, crd_i_junction_work *work, size_t at, crd_error *error) {
    const crd_i_junction *junction = own->junction;
    const crd_i_junction_cases *cases = own->cases;
    size_t numbers = junction->starts[junction->count];
    const crd_i_findings findings = {cases->states + at * junction->count, NULL};
    double *posteriors = cases->posteriors == NULL ? NULL : cases->posteriors + at * numbers, log_evidence = -INFINITY;
    if (crd_i_context_cancelled(junction->context)) return crd_i_fail(error, CRD_ERROR_CANCELLED, "cancelled");
    /* Without an error to fill in, nobody looks for what contradicts what. */
    crd_status status = crd_i_junction_ask(work, &findings, cases->wanted, posteriors, &log_evidence, NULL);
    if (status == CRD_ERROR_PROBABILITY) {
        log_evidence = -INFINITY;
        for (size_t i = 0; posteriors != NULL && i < numbers; i++) posteriors[i] = 0;
        status = CRD_OK;
    }
    if (status != CRD_OK) status = crd_i_junction_ask(work, &findings, cases->wanted, posteriors, &log_evidence, error);
    if (status != CRD_OK) return status;
    if (cases->log_evidence != NULL) cases->log_evidence[at] = log_evidence;
    return CRD_OK;
}

static void take_part(void *state, unsigned member) {
    asking *own = state;
    crd_i_junction_work *work = NULL;
    crd_error error;
    crd_status status = crd_i_junction_work_create(own->junction, &work, &error);
    /* A thread without memory leaves its share to the others, if it is not the caller's. */
    if (status != CRD_OK && member == 0) keep_error(own, 0, status, &error);
    while (status == CRD_OK) {
        size_t at = atomic_fetch_add(&own->next, 1);
        if (at >= own->cases->count) break;
        status = ask_one(own, work, at, &error);
        if (status != CRD_OK) keep_error(own, at, status, &error);
    }
    crd_i_junction_work_destroy(work);
}

crd_status crd_i_junction_ask_cases(const crd_i_junction *junction, const crd_i_junction_cases *cases,
                                    crd_error *error) {
    asking own = {.junction = junction, .cases = cases, .failed_at = SIZE_MAX, .error = error};
    unsigned threads = crd_i_crew_size(cases->threads);
    atomic_init(&own.next, 0);
    if (threads > cases->count) threads = cases->count == 0 ? 1 : (unsigned)cases->count;
    int refused = pthread_mutex_init(&own.lock, NULL);
    if (refused != 0) return crd_i_fail_system(error, refused, "no lock for the threads");
    crd_i_crew_run(junction->context, threads, take_part, &own);
    pthread_mutex_destroy(&own.lock);
    return own.status;
}
