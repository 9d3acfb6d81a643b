/* SPDX-License-Identifier: MIT */
/* parallel_map.c - processes frames in parallel and delivers the results in row order. See credence/data.h.
 *
 * Each member of a thread pool has a worker: it reads a frame and processes it. In chunk order, members put the slot
 * with the result of a frame into a queue, which the caller's thread empties. Therefore results are delivered in one
 * thread, the thread that receives interrupt signals. While it waits for a slow pipe, the others work on as long as
 * there are free slots. A member gets a slot before it requests a frame, so the member whose turn it is never waits
 * for a slot. The first frame is processed before the thread pool is created, because a small file is not worth a
 * thread.
 *
 * Each worker counts its own categories. As long as all workers together have no more than the limit of a column, a
 * single reader would not have reached the limit by the current frame. Otherwise one thread must decide, and
 * everything starts again. */
#include "table/read/reader_internal.h"

#include "base/memory.h"
#include "base/thread_pool.h"

enum { SLOTS_PER_THREAD = 3 }; /* enough that a thread need not wait until its frame is delivered */

typedef struct progress {
    crd_reader *reader;
    const crd_parallel_map *map;
    crd_worker **lanes;
    unsigned threads, slots;
    size_t *categories; /* per worker and column: the number that has been added to `together` */
    size_t *together;   /* per column: sum over all workers */

    pthread_mutex_t mutex; /* guards the members below */
    pthread_cond_t pushed, freed;
    unsigned *free, free_count;
    unsigned *queue, queue_first, queue_count;
    unsigned ended; /* number of members that have returned */
    uint64_t pushes, takes;
    bool takes_no_more; /* members must return */
    bool is_for_one;    /* the result must be decided by a single thread */
    int rank;           /* precedence of `status` */
    crd_status status;
    crd_error error;
} progress;

/* ---- Ends ---- */

/* Returns the precedence of a final status. The result is the one a single thread would have reached. The reader
 * reports the same status to all threads, except to those it stopped because another failed. Processing fails in
 * chunk order, so before the reader does. Delivery precedes processing. */
static int parallel_map_rank(crd_status status) {
    switch (status) {
    case CRD_OK: return 0;
    case CRD_RESTART: return 1;
    case CRD_ERROR_CANCELLED: return 2;
    default: return 3;
    }
}
enum { RANK_OF_WORK = 4, RANK_OF_TAKING = 5 };

static void tell_end(progress *p, int rank, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&p->mutex);
    if (rank > p->rank) {
        p->rank = rank;
        p->status = status;
        p->error = *error;
    }
    pthread_mutex_unlock(&p->mutex);
}

/* ---- Slots ---- */

/* Gets a free slot; false: results are no longer delivered. */
static bool get_slot(progress *p, unsigned *slot) {
    pthread_mutex_lock(&p->mutex);
    while (p->free_count == 0 && !p->takes_no_more) pthread_cond_wait(&p->freed, &p->mutex);
    bool goes_on = !p->takes_no_more;
    if (goes_on) *slot = p->free[--p->free_count];
    pthread_mutex_unlock(&p->mutex);
    return goes_on;
}

static void parallel_map_give_back(progress *p, unsigned slot) {
    pthread_mutex_lock(&p->mutex);
    p->free[p->free_count++] = slot;
    pthread_cond_broadcast(&p->freed);
    pthread_mutex_unlock(&p->mutex);
}

static void parallel_map_push(progress *p, unsigned slot) {
    pthread_mutex_lock(&p->mutex);
    p->queue[(p->queue_first + p->queue_count++) % p->slots] = slot;
    uint64_t number = p->pushes++;
    pthread_cond_signal(&p->pushed);
    while (p->map->holds_frames != 0 && p->takes <= number && !p->takes_no_more) {
        pthread_cond_wait(&p->freed, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
}

static void finish_take(progress *p, unsigned slot) {
    pthread_mutex_lock(&p->mutex);
    p->takes++;
    pthread_mutex_unlock(&p->mutex);
    parallel_map_give_back(p, slot);
}

/* Waits for the next slot; false: all `members` have returned, and the queue is empty. */
static bool parallel_map_pop(progress *p, unsigned members, unsigned *slot) {
    pthread_mutex_lock(&p->mutex);
    while (p->queue_count == 0 && p->ended < members) crd_i_call_wait(&p->pushed, &p->mutex);
    bool is_found = p->queue_count > 0;
    if (is_found) {
        *slot = p->queue[p->queue_first];
        p->queue_first = (p->queue_first + 1) % p->slots;
        p->queue_count--;
    }
    pthread_mutex_unlock(&p->mutex);
    return is_found;
}

/* ---- Categories ---- */

/* Returns whether the category limit may be reached after the worker's latest frame. Called in chunk order. */
static bool may_reach_limit(progress *p, unsigned member) {
    const crd_worker *worker = p->lanes[member];
    size_t columns = p->reader->column_count, *entries = p->categories + member * columns;
    bool may_reach = false;
    for (size_t i = 0; i < columns; i++) {
        const crd_i_dictionary *dictionary = worker->columns[i].dictionary;
        size_t size = dictionary == NULL ? 0 : crd_i_dictionary_size(dictionary);
        p->together[i] += size - entries[i];
        entries[i] = size;
        may_reach = may_reach || p->together[i] > p->reader->options.max_categories;
    }
    return may_reach;
}

/* ---- Pool members and the caller's thread ---- */

/* Moves a frame from the worker to the queue. false: the member must return. */
static bool pass_frame(progress *p, unsigned member, unsigned slot) {
    crd_worker *worker = p->lanes[member];
    const crd_frame *frame;
    crd_error error = {.status = CRD_OK};
    crd_status status = crd_worker_next(worker, &frame, &error);
    if (status != CRD_OK || frame == NULL) {
        tell_end(p, parallel_map_rank(status), status, &error);
        return false;
    }
    status = p->map->work(p->map->user, slot, worker, frame, &error);
    if (!crd_worker_wait_turn(worker)) {
        /* Reading ended before these rows: the worker will report the reason. */
        parallel_map_give_back(p, slot);
        return true;
    }
    if (status != CRD_OK) {
        tell_end(p, RANK_OF_WORK, status, &error);
        crd_reader_stop(p->reader); /* no thread may wait for a worker that reads no further */
        return false;
    }
    if (may_reach_limit(p, member) && crd_i_reader_can_reread(p->reader)) {
        pthread_mutex_lock(&p->mutex);
        p->is_for_one = true;
        pthread_mutex_unlock(&p->mutex);
        crd_reader_stop(p->reader);
        return false;
    }
    parallel_map_push(p, slot);
    return true;
}

static void work_on_lane(void *state, unsigned member) {
    progress *p = state;
    unsigned slot;
    while (get_slot(p, &slot) && pass_frame(p, member, slot)) {
    }
    pthread_mutex_lock(&p->mutex);
    p->ended++;
    pthread_cond_signal(&p->pushed);
    pthread_mutex_unlock(&p->mutex);
}

/* Processes the next frame in the caller's own thread. false: there is none, or it failed. */
static bool do_alone(progress *p) {
    const crd_frame *frame;
    crd_error error = {.status = CRD_OK};
    crd_status status = crd_worker_next(p->lanes[0], &frame, &error);
    bool is_found = status == CRD_OK && frame != NULL;
    if (is_found) status = p->map->work(p->map->user, 0, p->lanes[0], frame, &error);
    if (is_found && status == CRD_OK) status = p->map->take(p->map->user, 0, &error);
    if (status != CRD_OK) tell_end(p, parallel_map_rank(status), status, &error);
    return is_found && status == CRD_OK;
}

static void stop_taking(progress *p) {
    pthread_mutex_lock(&p->mutex);
    p->takes_no_more = true;
    pthread_cond_broadcast(&p->freed);
    pthread_mutex_unlock(&p->mutex);
    crd_reader_stop(p->reader);
}

static void parallel_map_take_all(void *state, unsigned members) {
    progress *p = state;
    if (members == 0) {
        while (do_alone(p)) {
        }
        return;
    }
    unsigned slot;
    for (bool takes = true; parallel_map_pop(p, members, &slot);) {
        crd_error error = {.status = CRD_OK};
        crd_status status = takes ? p->map->take(p->map->user, slot, &error) : CRD_OK;
        if (status != CRD_OK) {
            takes = false;
            tell_end(p, RANK_OF_TAKING, status, &error);
            stop_taking(p);
        }
        finish_take(p, slot);
    }
}

/* ---- Passes ---- */

static void begin_pass(progress *p) {
    p->rank = 0;
    p->status = CRD_OK;
    p->ended = p->queue_first = p->queue_count = 0;
    p->pushes = p->takes = 0;
    p->takes_no_more = p->is_for_one = false;
    p->free_count = p->slots;
    for (unsigned i = 0; i < p->slots; i++) p->free[i] = p->slots - 1 - i;
    for (size_t i = 0; i < p->reader->column_count; i++) p->together[i] = 0;
    for (size_t i = 0; i < p->threads * p->reader->column_count; i++) p->categories[i] = 0;
}

/* Returns whether a single thread must decide the result. */
static bool parallel_map_is_for_one(const progress *p) {
    if (p->takes_no_more || p->status == CRD_ERROR_MEMORY || crd_i_context_cancelled(p->reader->context) ||
        !crd_i_reader_can_reread(p->reader)) {
        return false;
    }
    if (p->is_for_one || p->status == CRD_ERROR_LIMIT) return true;
    return p->rank > parallel_map_rank(CRD_ERROR_CANCELLED) && !crd_i_is_cancelled(p->status) &&
           crd_i_reader_check_categories(p->reader, NULL) != CRD_OK;
}

/* Makes one pass over the input. */
static crd_status parallel_map_pass(progress *p, crd_error *error) {
    begin_pass(p);
    crd_status status = crd_reader_make_workers(p->reader, 1, p->lanes, error);
    if (status != CRD_OK) return status;
    bool has_more = do_alone(p);
    if (has_more && p->threads > 1 && crd_i_reader_has_more(p->reader)) {
        status = crd_reader_make_workers(p->reader, p->threads, p->lanes, error);
        if (status != CRD_OK) return status;
        (void)may_reach_limit(p, 0);
        crd_i_thread_pool_lead(p->reader->context, p->threads, work_on_lane, p, parallel_map_take_all);
    } else if (has_more) {
        parallel_map_take_all(p, 0);
    }
    *error = p->error;
    return p->status;
}

static crd_status parallel_map_process(progress *p, crd_error *error) {
    for (;;) {
        crd_status status = parallel_map_pass(p, error);
        bool alone = p->threads > 1 && parallel_map_is_for_one(p);
        if (!alone && status != CRD_RESTART) return status;
        if (alone) p->threads = 1;
        status = crd_reader_begin_again(p->reader, error);
        if (status != CRD_OK) return status;
        if (p->map->restart != NULL) p->map->restart(p->map->user);
    }
}

static bool copy_in(const crd_parallel_map *given, crd_parallel_map *map) {
    const crd_parallel_map fresh = CRD_PARALLEL_MAP_INIT;
    *map = fresh;
    return crd_i_copy_in(given, map, sizeof *map);
}

static unsigned threads_of(const crd_parallel_map *map, const crd_reader *reader) {
    return map->threads == 0 ? crd_reader_threads(reader) : crd_i_thread_pool_size(map->threads);
}

static unsigned parallel_map_slots(const crd_parallel_map *map, const crd_reader *reader) {
    unsigned threads = threads_of(map, reader);
    return threads == 1 || map->holds_frames != 0 ? threads : threads * SLOTS_PER_THREAD;
}

unsigned crd_parallel_map_slots(const crd_parallel_map *given, const crd_reader *reader) {
    crd_parallel_map map;
    return copy_in(given, &map) ? parallel_map_slots(&map, reader) : 1;
}

static crd_status make_locks(progress *p, crd_error *error) {
    int fault = pthread_mutex_init(&p->mutex, NULL);
    if (fault != 0) return crd_i_fail_system(error, fault, "cannot create a lock");
    fault = pthread_cond_init(&p->pushed, NULL);
    if (fault == 0) {
        fault = pthread_cond_init(&p->freed, NULL);
        if (fault == 0) return CRD_OK;
        pthread_cond_destroy(&p->pushed);
    }
    pthread_mutex_destroy(&p->mutex);
    return crd_i_fail_system(error, fault, "cannot create a lock");
}

static crd_status parallel_map_make_room(progress *p, crd_error *error) {
    crd_context *context = p->reader->context;
    size_t columns = p->reader->column_count;
    p->lanes = crd_i_alloc(context, p->threads, sizeof *p->lanes);
    p->free = crd_i_alloc(context, p->slots, sizeof *p->free);
    p->queue = crd_i_alloc(context, p->slots, sizeof *p->queue);
    p->together = crd_i_alloc(context, columns, sizeof *p->together);
    p->categories = crd_i_alloc(context, columns, p->threads * sizeof *p->categories);
    bool is_made =
        p->lanes != NULL && p->free != NULL && p->queue != NULL && p->together != NULL && p->categories != NULL;
    return is_made ? CRD_OK : crd_i_fail_memory(error);
}

static void free_room(progress *p) {
    crd_context *context = p->reader->context;
    crd_free(context, p->lanes);
    crd_free(context, p->free);
    crd_free(context, p->queue);
    crd_free(context, p->together);
    crd_free(context, p->categories);
}

crd_status crd_reader_parallel_map(crd_reader *reader, const crd_parallel_map *given, crd_error *error) {
    crd_error fault = {.status = CRD_OK};
    crd_parallel_map map;
    if (!copy_in(given, &map)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the call is not initialized");
    progress p = {.reader = reader, .map = &map};
    p.threads = threads_of(&map, reader);
    p.slots = parallel_map_slots(&map, reader);
    crd_status status = make_locks(&p, &fault);
    if (status == CRD_OK) {
        status = parallel_map_make_room(&p, &fault);
        if (status == CRD_OK) status = parallel_map_process(&p, &fault);
        free_room(&p);
        pthread_cond_destroy(&p.freed);
        pthread_cond_destroy(&p.pushed);
        pthread_mutex_destroy(&p.mutex);
    }
    if (status != CRD_OK && error != NULL) *error = fault;
    return status;
}
