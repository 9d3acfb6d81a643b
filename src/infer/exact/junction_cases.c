/* SPDX-License-Identifier: MIT */
/* junction_cases.c - many cases side by side: see junction_tree.h. Every thread takes the next case that nobody has taken,
 * into a workspace of its own; answers do not depend on what a workspace was used for before.
 *
 * Threads share the memory allowed evenly. Cases that need more than such a share are put off until the threads are
 * done, and then asked one after the other with all of the memory, so that the number of threads does not decide which
 * cases have an answer. */
#include "infer/exact/junction_types.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct asking {
    const crd_i_junction *junction;
    const crd_i_junction_cases *cases;
    unsigned threads;
    bool *is_put_off; /* by case; NULL where no thread has to share */
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

/* Room for one case, and where its answer goes. */
typedef struct seat {
    crd_i_junction_work *work;
    double *all; /* posteriors at their starts, where only some are asked for */
} seat;

static void leave_seat(const asking *own, seat *at) {
    crd_i_junction_work_destroy(at->work);
    crd_free(own->junction->context, at->all);
}

static crd_status take_seat(const asking *own, double memory, unsigned threads, seat *at, crd_error *error) {
    const crd_i_junction *junction = own->junction;
    at->all = NULL;
    crd_status status = crd_i_junction_work_create(junction, &at->work, error);
    if (status != CRD_OK) return status;
    at->work->memory = memory;
    at->work->threads = threads;
    if (own->cases->nodes == NULL) return CRD_OK;
    at->all = crd_i_alloc(junction->context, junction->starts[junction->count], sizeof *at->all);
    if (at->all != NULL) return CRD_OK;
    leave_seat(own, at);
    at->work = NULL;
    return crd_i_fail_memory(error);
}

/* How many numbers the posteriors of a case are. */
static size_t answer_size(const asking *own) {
    const crd_i_junction *junction = own->junction;
    if (own->cases->nodes == NULL) return junction->starts[junction->count];
    size_t size = 0;
    for (size_t i = 0; i < own->cases->node_count; i++)
        size += junction->starts[own->cases->nodes[i] + 1] - junction->starts[own->cases->nodes[i]];
    return size;
}

static void hand_over(const asking *own, const seat *at, double *answer) {
    const crd_i_junction *junction = own->junction;
    for (size_t i = 0; i < own->cases->node_count; i++) {
        size_t begin = junction->starts[own->cases->nodes[i]], end = junction->starts[own->cases->nodes[i] + 1];
        memcpy(answer, at->all + begin, (end - begin) * sizeof *answer);
        answer += end - begin;
    }
}

static crd_status ask_one(const asking *own, const seat *at, size_t number, crd_error *error) {
    const crd_i_junction *junction = own->junction;
    const crd_i_junction_cases *cases = own->cases;
    const crd_i_evidence findings = {.states = cases->states + number * junction->count,
                                     .likelihoods = cases->likelihoods};
    double *answer = NULL, *posteriors = NULL, log_evidence = -INFINITY;
    if (cases->posteriors != NULL) {
        answer = cases->posteriors + number * answer_size(own);
        posteriors = at->all == NULL ? answer : at->all;
    }
    if (crd_i_context_cancelled(junction->context)) return crd_i_fail_cancelled(error);
    /* Without an error to fill in, nobody looks for what contradicts what. */
    crd_status status = crd_i_junction_ask(at->work, &findings, cases->wanted, posteriors, &log_evidence, NULL);
    if (status == CRD_ERROR_PROBABILITY) {
        log_evidence = -INFINITY;
        if (answer != NULL) memset(answer, 0, answer_size(own) * sizeof *answer);
    } else if (status != CRD_OK) {
        status = crd_i_junction_ask(at->work, &findings, cases->wanted, posteriors, &log_evidence, error);
        if (status != CRD_OK) return status;
    }
    if (status == CRD_OK && answer != posteriors) hand_over(own, at, answer);
    if (cases->log_evidence != NULL) cases->log_evidence[number] = log_evidence;
    return CRD_OK;
}

static void take_part(void *state, unsigned member) {
    asking *own = state;
    seat at;
    crd_error error;
    crd_status status = take_seat(own, own->junction->memory / own->threads, 1, &at, &error);
    /* A thread without memory leaves its share to the others, if it is not the caller's. */
    if (status != CRD_OK && member == 0) keep_error(own, 0, status, &error);
    if (status != CRD_OK) return;
    while (status == CRD_OK) {
        size_t number = atomic_fetch_add(&own->next, 1);
        if (number >= own->cases->count) break;
        status = ask_one(own, &at, number, &error);
        if (status == CRD_ERROR_LIMIT && own->is_put_off != NULL) {
            own->is_put_off[number] = true;
            status = CRD_OK;
        }
        if (status != CRD_OK) keep_error(own, number, status, &error);
    }
    leave_seat(own, &at);
}

/* Those that were put off, before the first case that failed. */
static void ask_rest(asking *own) {
    seat at;
    crd_error error;
    size_t number = 0;
    while (number < own->cases->count && !own->is_put_off[number]) number++;
    if (number == own->cases->count || number > own->failed_at) return;
    crd_status status = take_seat(own, own->junction->memory, own->threads, &at, &error);
    if (status != CRD_OK) {
        keep_error(own, number, status, &error);
        return;
    }
    for (; status == CRD_OK && number < own->cases->count && number < own->failed_at; number++) {
        if (!own->is_put_off[number]) continue;
        status = ask_one(own, &at, number, &error);
        if (status != CRD_OK) keep_error(own, number, status, &error);
    }
    leave_seat(own, &at);
}

crd_status crd_i_junction_ask_cases(const crd_i_junction *junction, const crd_i_junction_cases *cases,
                                    crd_error *error) {
    asking own = {.junction = junction, .cases = cases, .failed_at = SIZE_MAX, .error = error};
    own.threads = crd_i_thread_pool_size(cases->threads);
    atomic_init(&own.next, 0);
    if (own.threads > cases->count) own.threads = cases->count == 0 ? 1 : (unsigned)cases->count;
    if (own.threads > 1 && junction->memory > 0) {
        own.is_put_off = crd_i_alloc_zeroed(junction->context, cases->count, sizeof *own.is_put_off);
        if (own.is_put_off == NULL) return crd_i_fail_memory(error);
    }
    int refused = pthread_mutex_init(&own.lock, NULL);
    if (refused != 0) {
        crd_free(junction->context, own.is_put_off);
        return crd_i_fail_system(error, refused, "no lock for the threads");
    }
    crd_i_thread_pool_run(junction->context, own.threads, take_part, &own);
    if (own.is_put_off != NULL) ask_rest(&own);
    pthread_mutex_destroy(&own.lock);
    crd_free(junction->context, own.is_put_off);
    return own.status;
}
