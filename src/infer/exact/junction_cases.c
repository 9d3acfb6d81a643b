/* SPDX-License-Identifier: MIT */
/* junction_cases.c - many cases in parallel: see junction_tree.h. Each thread takes the next open case into its own
 * workspace. Results do not depend on earlier uses of a workspace.
 *
 * Threads share the memory limit equally. Cases that need more than their share are postponed until the threads are
 * done, and then run one after the other with all the memory. So the number of threads does not decide which cases
 * succeed. */
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
    bool *is_put_off; /* by case; NULL if no thread has to share memory */
    atomic_size_t next;
    pthread_mutex_t lock; /* protects the members below */
    size_t failed_at;     /* the first failed case so far; SIZE_MAX: none */
    crd_status status;
    crd_error *error;
} asking;

/* Keeps the error of the first failed case. Cases after a failed one are skipped; cases before it must still run. */
static void junction_cases_keep_error(asking *query, size_t index, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&query->lock);
    if (query->failed_at == SIZE_MAX || index < query->failed_at) {
        query->failed_at = index;
        query->status = status;
        if (query->error != NULL) *query->error = *error;
    }
    pthread_mutex_unlock(&query->lock);
}

/* Scratch space for one case, and the destination of its results. */
typedef struct cases_seat {
    crd_i_junction_work *work;
    double *all; /* posteriors at their starts, used if only some are wanted */
} cases_seat;

static void leave_seat(const asking *query, cases_seat *seat) {
    crd_i_junction_work_destroy(seat->work);
    crd_free(query->junction->context, seat->all);
}

static crd_status take_seat(const asking *query, double memory, unsigned threads, cases_seat *seat, crd_error *error) {
    const crd_i_junction *junction = query->junction;
    seat->all = NULL;
    crd_status status = crd_i_junction_work_create(junction, &seat->work, error);
    if (status != CRD_OK) return status;
    seat->work->memory = memory;
    seat->work->threads = threads;
    if (query->cases->nodes == NULL) return CRD_OK;
    seat->all = crd_i_alloc(junction->context, junction->starts[junction->count], sizeof *seat->all);
    if (seat->all != NULL) return CRD_OK;
    leave_seat(query, seat);
    seat->work = NULL;
    return crd_i_fail_memory(error);
}

/* Returns the number of posterior values per case. */
static size_t junction_cases_answer_size(const asking *query) {
    const crd_i_junction *junction = query->junction;
    if (query->cases->nodes == NULL) return junction->starts[junction->count];
    size_t size = 0;
    for (size_t i = 0; i < query->cases->node_count; i++)
        size += junction->starts[query->cases->nodes[i] + 1] - junction->starts[query->cases->nodes[i]];
    return size;
}

static void junction_cases_hand_over(const asking *query, const cases_seat *seat, double *answer) {
    const crd_i_junction *junction = query->junction;
    for (size_t i = 0; i < query->cases->node_count; i++) {
        size_t begin = junction->starts[query->cases->nodes[i]], end = junction->starts[query->cases->nodes[i] + 1];
        memcpy(answer, seat->all + begin, (end - begin) * sizeof *answer);
        answer += end - begin;
    }
}

static crd_status ask_one(const asking *query, const cases_seat *seat, size_t number, crd_error *error) {
    const crd_i_junction *junction = query->junction;
    const crd_i_junction_cases *cases = query->cases;
    const crd_i_evidence findings = {.states = cases->states + number * junction->count,
                                     .likelihoods = cases->likelihoods};
    double *answer = NULL, *posteriors = NULL, log_evidence = -INFINITY;
    if (cases->posteriors != NULL) {
        answer = cases->posteriors + number * junction_cases_answer_size(query);
        posteriors = seat->all == NULL ? answer : seat->all;
    }
    if (crd_i_context_cancelled(junction->context)) return crd_i_fail_cancelled(error);
    /* Without an error struct, no search for contradictory findings is made. */
    crd_status status = crd_i_junction_ask(seat->work, &findings, cases->wanted, posteriors, &log_evidence, NULL);
    if (status == CRD_ERROR_PROBABILITY) {
        log_evidence = -INFINITY;
        if (answer != NULL) memset(answer, 0, junction_cases_answer_size(query) * sizeof *answer);
    } else if (status != CRD_OK) {
        status = crd_i_junction_ask(seat->work, &findings, cases->wanted, posteriors, &log_evidence, error);
        if (status != CRD_OK) return status;
    }
    if (status == CRD_OK && answer != posteriors) junction_cases_hand_over(query, seat, answer);
    if (cases->log_evidence != NULL) cases->log_evidence[number] = log_evidence;
    return CRD_OK;
}

static void junction_cases_take_part(void *state, unsigned member) {
    asking *own = state;
    cases_seat seat;
    crd_error error;
    crd_status status = take_seat(own, own->junction->memory / own->threads, 1, &seat, &error);
    /* A thread that runs out of memory leaves its share to the others, unless it is the caller's thread. */
    if (status != CRD_OK && member == 0) junction_cases_keep_error(own, 0, status, &error);
    if (status != CRD_OK) return;
    while (status == CRD_OK) {
        size_t number = atomic_fetch_add(&own->next, 1);
        if (number >= own->cases->count) break;
        status = ask_one(own, &seat, number, &error);
        if (status == CRD_ERROR_LIMIT && own->is_put_off != NULL) {
            own->is_put_off[number] = true;
            status = CRD_OK;
        }
        if (status != CRD_OK) junction_cases_keep_error(own, number, status, &error);
    }
    leave_seat(own, &seat);
}

/* Runs the postponed cases before the first failed one. */
static void ask_rest(asking *query) {
    cases_seat seat;
    crd_error error;
    size_t number = 0;
    while (number < query->cases->count && !query->is_put_off[number]) number++;
    if (number == query->cases->count || number > query->failed_at) return;
    crd_status status = take_seat(query, query->junction->memory, query->threads, &seat, &error);
    if (status != CRD_OK) {
        junction_cases_keep_error(query, number, status, &error);
        return;
    }
    for (; status == CRD_OK && number < query->cases->count && number < query->failed_at; number++) {
        if (!query->is_put_off[number]) continue;
        status = ask_one(query, &seat, number, &error);
        if (status != CRD_OK) junction_cases_keep_error(query, number, status, &error);
    }
    leave_seat(query, &seat);
}

crd_status crd_i_junction_ask_cases(const crd_i_junction *junction, const crd_i_junction_cases *cases,
                                    crd_error *error) {
    asking query = {.junction = junction, .cases = cases, .failed_at = SIZE_MAX, .error = error};
    query.threads = crd_i_thread_pool_size(cases->threads);
    atomic_init(&query.next, 0);
    if (query.threads > cases->count) query.threads = cases->count == 0 ? 1 : (unsigned)cases->count;
    if (query.threads > 1 && junction->memory > 0) {
        query.is_put_off = crd_i_alloc_zeroed(junction->context, cases->count, sizeof *query.is_put_off);
        if (query.is_put_off == NULL) return crd_i_fail_memory(error);
    }
    int refused = pthread_mutex_init(&query.lock, NULL);
    if (refused != 0) {
        crd_free(junction->context, query.is_put_off);
        return crd_i_fail_system(error, refused, "cannot create a lock");
    }
    crd_i_thread_pool_run(junction->context, query.threads, junction_cases_take_part, &query);
    if (query.is_put_off != NULL) ask_rest(&query);
    pthread_mutex_destroy(&query.lock);
    crd_free(junction->context, query.is_put_off);
    return query.status;
}
