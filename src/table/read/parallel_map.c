/* SPDX-License-Identifier: MIT */
/* parallel_map.c - frames worked on side by side, and what came of them taken in the order of rows. See credence/data.h.
 *
 * Members of a thread pool read a worker each and work. In turn, as the workers have it, they put the slot with what came of a
 * frame into a queue, which the caller's thread empties. So whoever takes does so in one thread, the one that signals
 * interrupt; and while it waits for a slow pipe, the others work on, as far as there are slots. A member has a slot
 * before it asks for a frame, so the one whose turn it is never waits for a slot. The first frame is worked on before
 * there is a thread pool: a small file is not worth a thread.
 *
 * Lanes count their categories each for itself. As long as all of them together have no more than one column may have,
 * one reader alone would not have reached the limit by the frame at hand; where they do, one alone has to tell, and all
 * begins again. */
#include "table/read/reader_internal.h"

#include "base/memory.h"
#include "base/thread_pool.h"

enum { SLOTS_PER_THREAD = 3 }; /* where a thread need not wait until its frame has been taken */

typedef struct progress {
    crd_reader *reader;
    const crd_parallel_map *process;
    crd_worker **lanes;
    unsigned threads, slots;
    size_t *categories; /* of each worker, of each column: as many as the others know of */
    size_t *together;   /* of each column: of all workers */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t pushed, freed;
    unsigned *free, free_count;
    unsigned *queue, queue_first, queue_count;
    unsigned ended; /* members that are back */
    uint64_t pushes, takes;
    bool takes_no_more; /* members are to come back */
    bool is_for_one;    /* one thread alone has to tell how it ends */
    int rank;           /* of how it ended */
    crd_status status;
    crd_error error;
} progress;

/* ---- Ends ---- */

/* Of several ends, the one that a single thread would have come to. What the reader says is the same for all, but that
 * it was stopped, which is told by those only who did not fail themselves. Work fails in turn: so before the reader
 * did, and what is taken comes before what is worked on. */
static int rank_of(crd_status status) {
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

/* false: nothing is taken any more. */
static bool get_slot(progress *p, unsigned *slot) {
    pthread_mutex_lock(&p->mutex);
    while (p->free_count == 0 && !p->takes_no_more) pthread_cond_wait(&p->freed, &p->mutex);
    bool goes_on = !p->takes_no_more;
    if (goes_on) *slot = p->free[--p->free_count];
    pthread_mutex_unlock(&p->mutex);
    return goes_on;
}

static void give_back(progress *p, unsigned slot) {
    pthread_mutex_lock(&p->mutex);
    p->free[p->free_count++] = slot;
    pthread_cond_broadcast(&p->freed);
    pthread_mutex_unlock(&p->mutex);
}

static void push(progress *p, unsigned slot) {
    pthread_mutex_lock(&p->mutex);
    p->queue[(p->queue_first + p->queue_count++) % p->slots] = slot;
    uint64_t number = p->pushes++;
    pthread_cond_signal(&p->pushed);
    while (p->process->holds_frames != 0 && p->takes <= number && !p->takes_no_more) {
        pthread_cond_wait(&p->freed, &p->mutex);
    }
    pthread_mutex_unlock(&p->mutex);
}

static void finish_take(progress *p, unsigned slot) {
    pthread_mutex_lock(&p->mutex);
    p->takes++;
    pthread_mutex_unlock(&p->mutex);
    give_back(p, slot);
}

/* Waits for the next slot; false: all `members` are back, and nothing is left. */
static bool pop(progress *p, unsigned members, unsigned *slot) {
    pthread_mutex_lock(&p->mutex);
    while (p->queue_count == 0 && p->ended < members) crd_i_call_wait(&p->pushed, &p->mutex);
    bool found = p->queue_count > 0;
    if (found) {
        *slot = p->queue[p->queue_first];
        p->queue_first = (p->queue_first + 1) % p->slots;
        p->queue_count--;
    }
    pthread_mutex_unlock(&p->mutex);
    return found;
}

/* ---- Categories ---- */

/* In turn: whether the limit of categories may have been reached, now that a worker has those of its latest frame. */
static bool may_reach_limit(progress *p, unsigned member) {
    const crd_worker *lane = p->lanes[member];
    size_t columns = p->reader->column_count, *own = p->categories + member * columns;
    bool may_reach = false;
    for (size_t i = 0; i < columns; i++) {
        const crd_i_dictionary *dictionary = lane->columns[i].dictionary;
        size_t size = dictionary == NULL ? 0 : crd_i_dictionary_size(dictionary);
        p->together[i] += size - own[i];
        own[i] = size;
        may_reach = may_reach || p->together[i] > p->reader->options.max_categories;
    }
    return may_reach;
}

/* ---- Members, and who leads them ---- */

/* A frame, from the worker to the queue. false: the member is to come back. */
static bool pass_frame(progress *p, unsigned member, unsigned slot) {
    crd_worker *lane = p->lanes[member];
    const crd_frame *frame;
    crd_error error = {.status = CRD_OK};
    crd_status status = crd_worker_next(lane, &frame, &error);
    if (status != CRD_OK || frame == NULL) {
        tell_end(p, rank_of(status), status, &error);
        return false;
    }
    status = p->process->work(p->process->user, slot, lane, frame, &error);
    if (!crd_worker_wait_turn(lane)) {
        /* It is over before these rows: the worker will say why. */
        give_back(p, slot);
        return true;
    }
    if (status != CRD_OK) {
        tell_end(p, RANK_OF_WORK, status, &error);
        crd_reader_stop(p->reader); /* nobody is to wait for one who reads no further */
        return false;
    }
    if (may_reach_limit(p, member) && crd_i_reader_can_reread(p->reader)) {
        pthread_mutex_lock(&p->mutex);
        p->is_for_one = true;
        pthread_mutex_unlock(&p->mutex);
        crd_reader_stop(p->reader);
        return false;
    }
    push(p, slot);
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

/* The next frame in the caller's own thread. false: there is none, or it failed. */
static bool do_alone(progress *p) {
    const crd_frame *frame;
    crd_error error = {.status = CRD_OK};
    crd_status status = crd_worker_next(p->lanes[0], &frame, &error);
    bool found = status == CRD_OK && frame != NULL;
    if (found) status = p->process->work(p->process->user, 0, p->lanes[0], frame, &error);
    if (found && status == CRD_OK) status = p->process->take(p->process->user, 0, &error);
    if (status != CRD_OK) tell_end(p, rank_of(status), status, &error);
    return found && status == CRD_OK;
}

static void stop_taking(progress *p) {
    pthread_mutex_lock(&p->mutex);
    p->takes_no_more = true;
    pthread_cond_broadcast(&p->freed);
    pthread_mutex_unlock(&p->mutex);
    crd_reader_stop(p->reader);
}

static void take_all(void *state, unsigned members) {
    progress *p = state;
    if (members == 0) {
        while (do_alone(p)) {
        }
        return;
    }
    unsigned slot;
    for (bool takes = true; pop(p, members, &slot);) {
        crd_error error = {.status = CRD_OK};
        crd_status status = takes ? p->process->take(p->process->user, slot, &error) : CRD_OK;
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

/* Whether one thread alone has to tell how it ended. */
static bool is_for_one(const progress *p) {
    if (p->takes_no_more || p->status == CRD_ERROR_MEMORY || crd_i_context_cancelled(p->reader->context) ||
        !crd_i_reader_can_reread(p->reader)) {
        return false;
    }
    if (p->is_for_one || p->status == CRD_ERROR_LIMIT) return true;
    return p->rank > rank_of(CRD_ERROR_CANCELLED) && !crd_i_is_cancelled(p->status) &&
           crd_i_reader_check_categories(p->reader, NULL) != CRD_OK;
}

/* One pass over the input. */
static crd_status pass(progress *p, crd_error *error) {
    begin_pass(p);
    crd_status status = crd_reader_make_workers(p->reader, 1, p->lanes, error);
    if (status != CRD_OK) return status;
    bool has_more = do_alone(p);
    if (has_more && p->threads > 1 && crd_i_reader_has_more(p->reader)) {
        status = crd_reader_make_workers(p->reader, p->threads, p->lanes, error);
        if (status != CRD_OK) return status;
        (void)may_reach_limit(p, 0);
        crd_i_thread_pool_lead(p->reader->context, p->threads, work_on_lane, p, take_all);
    } else if (has_more) {
        take_all(p, 0);
    }
    *error = p->error;
    return p->status;
}

static crd_status process(progress *p, crd_error *error) {
    for (;;) {
        crd_status status = pass(p, error);
        bool alone = p->threads > 1 && is_for_one(p);
        if (!alone && status != CRD_RESTART) return status;
        if (alone) p->threads = 1;
        status = crd_reader_begin_again(p->reader, error);
        if (status != CRD_OK) return status;
        if (p->process->restart != NULL) p->process->restart(p->process->user);
    }
}

static bool copy_in(const crd_parallel_map *given, crd_parallel_map *own) {
    const crd_parallel_map fresh = CRD_PARALLEL_MAP_INIT;
    *own = fresh;
    return crd_i_copy_in(given, own, sizeof *own);
}

static unsigned threads_of(const crd_parallel_map *process, const crd_reader *reader) {
    return process->threads == 0 ? crd_reader_threads(reader) : crd_i_thread_pool_size(process->threads);
}

static unsigned slots_of(const crd_parallel_map *process, const crd_reader *reader) {
    unsigned threads = threads_of(process, reader);
    return threads == 1 || process->holds_frames != 0 ? threads : threads * SLOTS_PER_THREAD;
}

unsigned crd_parallel_map_slots(const crd_parallel_map *given, const crd_reader *reader) {
    crd_parallel_map own;
    return copy_in(given, &own) ? slots_of(&own, reader) : 1;
}

static crd_status make_locks(progress *p, crd_error *error) {
    int fault = pthread_mutex_init(&p->mutex, NULL);
    if (fault != 0) return crd_i_fail_system(error, fault, "no lock can be made");
    fault = pthread_cond_init(&p->pushed, NULL);
    if (fault == 0) {
        fault = pthread_cond_init(&p->freed, NULL);
        if (fault == 0) return CRD_OK;
        pthread_cond_destroy(&p->pushed);
    }
    pthread_mutex_destroy(&p->mutex);
    return crd_i_fail_system(error, fault, "no lock can be made");
}

static crd_status make_room(progress *p, crd_error *error) {
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
    crd_parallel_map own;
    if (!copy_in(given, &own)) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the call has no size");
    progress p = {.reader = reader, .process = &own};
    p.threads = threads_of(&own, reader);
    p.slots = slots_of(&own, reader);
    crd_status status = make_locks(&p, &fault);
    if (status == CRD_OK) {
        status = make_room(&p, &fault);
        if (status == CRD_OK) status = process(&p, &fault);
        free_room(&p);
        pthread_cond_destroy(&p.freed);
        pthread_cond_destroy(&p.pushed);
        pthread_mutex_destroy(&p.mutex);
    }
    if (status != CRD_OK && error != NULL) *error = fault;
    return status;
}
