/* SPDX-License-Identifier: MIT */
/* parallel_map.c - makes passes over all rows, in one or several threads. See credence/data.h and reader.h.
 *
 * Column types are guessed from the first rows, because a separate pass that determines them would take as long as
 * training. A guess can turn out wrong: then the pass is repeated with the right types. Only this folder knows about
 * this. Callers pass a function that begins a pass by discarding all results, so they can be called again.
 *
 * Each worker counts its own categories. As long as all workers together have no more than the limit of a column, a
 * single reader would not have reached the limit by the current frame. Otherwise one thread must decide, and the pass
 * is repeated with a single worker.
 *
 * Contents:
 *   1. Repeated passes
 *   2. Parallel processing
 *   3. Scan of all rows
 *   4. Evidence of a part */
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "table/read/reader.h"
#include "table/read/reader_internal.h"

#include <math.h>
#include <string.h>

/* ======== 1. Repeated passes ======== */

/* The threads of one pass. */
typedef struct pass_threads {
    unsigned most, used;
    bool is_for_one; /* result: a single thread must decide the result of the pass */
} pass_threads;

/* Makes one pass. It discards the results of an earlier pass. */
typedef crd_status pass_function(void *state, pass_threads *threads, crd_error *error);

/* Returns whether a single worker must read all rows. Workers count categories separately, so near the limit only a
 * single worker can find whether and where it is exceeded, and whether an earlier error exists. */
static bool needs_single_worker(const crd_reader *reader, crd_status status) {
    if (status == CRD_OK || status == CRD_I_READ_AGAIN || status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status) ||
        crd_i_context_cancelled(reader->context) || !crd_i_reader_can_reread(reader))
        return false;
    return status == CRD_ERROR_LIMIT || crd_i_reader_check_categories(reader, NULL) != CRD_OK;
}

/* Begins another pass. If that fails because the bytes of a pipe could not be kept, reports the cell that changed a type. */
static crd_status begin_pass_again(crd_reader *reader, crd_error *error) {
    const crd_error suspect = reader->sequencer.suspect;
    crd_status status = crd_reader_begin_again(reader, error);
    if (status == CRD_ERROR_TYPE && suspect.status == status && error != NULL) *error = suspect;
    return status;
}

/* Repeats passes until one has read all rows with the right types. is_shared: if each process of a group reads a part
 * of the rows, all processes must have read them with the same types. */
static crd_status passes_make(crd_reader *reader, unsigned threads, bool is_shared, pass_function *pass, void *state,
                              crd_error *error) {
    crd_error fault = {.status = CRD_OK};
    crd_status status = CRD_OK;
    const bool is_inner = reader->pass.is_repeatable;
    if (!is_inner) crd_i_reader_keep_pipes(reader, crd_i_reader_may_change_types(reader));
    reader->pass.is_repeatable = true;
    for (bool is_again = false;;) {
        pass_threads run = {.most = threads, .used = 1};
        status = CRD_OK;
        if (is_again) status = begin_pass_again(reader, &fault);
        if (status == CRD_OK) {
            if (is_shared) crd_i_reader_begin_pass(reader);
            status = pass(state, &run, &fault);
        }
        const bool is_for_one = run.is_for_one || (run.used > 1 && needs_single_worker(reader, status));
        if (is_for_one) threads = 1;
        else if (is_shared) status = crd_i_reader_agree(reader, status, &fault);
        is_again = is_for_one || status == CRD_I_READ_AGAIN;
        if (!is_again) break;
    }
    reader->pass.is_repeatable = is_inner;
    if (status != CRD_OK && error != NULL) *error = fault;
    return status;
}

/* A pass of a caller that reads the frames itself. */
typedef struct pulling_pass {
    crd_i_reader_pass *pass;
    void *state;
} pulling_pass;

static crd_status pulling_pass_make(void *state, pass_threads *threads, crd_error *error) {
    const pulling_pass *pulling = state;
    (void)threads;
    return pulling->pass(pulling->state, error);
}

crd_status crd_i_reader_make_passes(crd_reader *reader, crd_i_reader_pass *pass, void *state, crd_error *error) {
    pulling_pass pulling = {pass, state};
    return passes_make(reader, 1, true, pulling_pass_make, &pulling, error);
}

/* ======== 2. Parallel processing ========
 *
 * Each member of a thread pool has a worker: it reads a frame and processes it. If results are taken in row order,
 * members put the slot with the result of a frame into a queue in chunk order, and the caller's thread empties it.
 * Therefore results are taken in one thread, the thread that receives interrupt signals. While it waits for a slow
 * pipe, the others work on as long as there are free slots. A member gets a slot before it requests a frame, so the
 * member whose turn it is never waits for a slot. Otherwise each member has one slot for the whole pass.
 *
 * The first frame is processed before the thread pool is created, because a small file is not worth a thread. */

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
    if (status == CRD_OK) return 0;
    if (status == CRD_I_READ_AGAIN) return 1;
    return status == CRD_ERROR_CANCELLED ? 2 : 3;
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
    crd_status status = crd_i_worker_next(worker, &frame, &error);
    if (status != CRD_OK || frame == NULL) {
        tell_end(p, parallel_map_rank(status), status, &error);
        return false;
    }
    status = p->map->work(p->map->user, slot, worker, frame, &error);
    if (!crd_i_worker_wait_turn(worker)) {
        /* Reading ended before these rows: the worker will report the reason. */
        parallel_map_give_back(p, slot);
        return true;
    }
    if (status != CRD_OK) {
        tell_end(p, RANK_OF_WORK, status, &error);
        crd_i_reader_stop(p->reader); /* no thread may wait for a worker that reads no further */
        return false;
    }
    if (may_reach_limit(p, member) && crd_i_reader_can_reread(p->reader)) {
        pthread_mutex_lock(&p->mutex);
        p->is_for_one = true;
        pthread_mutex_unlock(&p->mutex);
        crd_i_reader_stop(p->reader);
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

/* Lets the call report its progress, and returns whether it was cancelled. If results are taken, the reader and `take`
 * detect this. */
static bool is_cancelled(const progress *p) {
    return crd_i_context_cancelled(p->reader->context) && p->map->take == NULL;
}

/* Processes the member's next frame and takes its result. The member has a slot of its own. false: there is no frame,
 * or it failed. */
static bool do_alone(progress *p, unsigned member) {
    const crd_frame *frame = NULL;
    crd_error error = {.status = CRD_OK};
    crd_status status =
        is_cancelled(p) ? crd_i_fail_cancelled(&error) : crd_i_worker_next(p->lanes[member], &frame, &error);
    const bool is_found = status == CRD_OK && frame != NULL;
    if (is_found) status = p->map->work(p->map->user, member, p->lanes[member], frame, &error);
    if (is_found && status == CRD_OK && p->map->take != NULL) status = p->map->take(p->map->user, member, &error);
    if (status != CRD_OK) tell_end(p, parallel_map_rank(status), status, &error);
    return is_found && status == CRD_OK;
}

/* Processes the frames of a member whose results stay in its slot. */
static void work_on_slot(void *state, unsigned member) {
    progress *p = state;
    while (do_alone(p, member)) {
    }
    pthread_mutex_lock(&p->mutex);
    const bool has_failed = p->rank > parallel_map_rank(CRD_I_READ_AGAIN);
    pthread_mutex_unlock(&p->mutex);
    if (has_failed) crd_i_reader_stop(p->reader); /* no thread may wait for a worker that reads no further */
}

static void stop_taking(progress *p) {
    pthread_mutex_lock(&p->mutex);
    p->takes_no_more = true;
    pthread_cond_broadcast(&p->freed);
    pthread_mutex_unlock(&p->mutex);
    crd_i_reader_stop(p->reader);
}

static void parallel_map_take_all(void *state, unsigned members) {
    progress *p = state;
    if (members == 0) {
        while (do_alone(p, 0)) {
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
        (void)is_cancelled(p); /* while results keep coming, nothing else reports progress */
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
}

/* Processes all rows after the first frame with several threads. */
static crd_status parallel_map_share(progress *p, crd_error *error) {
    crd_context *context = p->reader->context;
    const size_t columns = p->reader->column_count;
    crd_status status = crd_i_reader_make_workers(p->reader, p->threads, p->lanes, error);
    if (status != CRD_OK) return status;
    if (p->map->take == NULL) {
        crd_i_thread_pool_run(context, p->threads, work_on_slot, p);
        return p->status == CRD_OK ? crd_i_reader_check_categories(p->reader, error) : CRD_OK;
    }
    p->together = crd_i_alloc_zeroed(context, columns, sizeof *p->together);
    p->categories = crd_i_alloc_zeroed(context, columns, p->threads * sizeof *p->categories);
    if (p->together != NULL && p->categories != NULL) {
        (void)may_reach_limit(p, 0);
        crd_i_thread_pool_lead(context, p->threads, work_on_lane, p, parallel_map_take_all);
    } else {
        status = crd_i_fail_memory(error);
    }
    crd_free(context, p->together);
    crd_free(context, p->categories);
    return status;
}

static crd_status parallel_map_pass(void *state, pass_threads *threads, crd_error *error) {
    progress *p = state;
    p->threads = threads->most;
    begin_pass(p);
    if (is_cancelled(p)) return crd_i_fail_cancelled(error);
    crd_status status = p->map->begin == NULL ? CRD_OK : p->map->begin(p->map->user, error);
    if (status == CRD_OK) status = crd_i_reader_make_workers(p->reader, 1, p->lanes, error);
    if (status != CRD_OK) return status;
    const bool has_more = do_alone(p, 0);
    if (has_more && p->threads > 1 && crd_i_reader_has_more(p->reader)) {
        threads->used = p->threads;
        status = parallel_map_share(p, error);
    } else if (has_more) {
        parallel_map_take_all(p, 0);
    }
    if (p->status != CRD_OK) {
        *error = p->error;
        status = p->status;
    }
    if (status == CRD_OK && p->map->finish != NULL)
        status = p->map->finish(p->map->user, p->map->take == NULL ? threads->used : p->slots, error);
    /* The failure of the caller's function is final. */
    if (p->takes_no_more) threads->used = 1;
    else
        threads->is_for_one =
            p->is_for_one && status != CRD_ERROR_MEMORY && !crd_i_context_cancelled(p->reader->context);
    return status;
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
    return threads == 1 || map->holds_frames != 0 || map->take == NULL ? threads : threads * SLOTS_PER_THREAD;
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
    p->lanes = crd_i_alloc(context, p->threads, sizeof *p->lanes);
    p->free = crd_i_alloc(context, p->slots, sizeof *p->free);
    p->queue = crd_i_alloc(context, p->slots, sizeof *p->queue);
    return p->lanes != NULL && p->free != NULL && p->queue != NULL ? CRD_OK : crd_i_fail_memory(error);
}

static void free_room(progress *p) {
    crd_context *context = p->reader->context;
    crd_free(context, p->lanes);
    crd_free(context, p->free);
    crd_free(context, p->queue);
}

/* See passes_make. */
static crd_status parallel_map_run(crd_reader *reader, const crd_parallel_map *given, bool is_shared,
                                   crd_error *error) {
    crd_error fault = {.status = CRD_OK};
    crd_parallel_map map;
    if (!copy_in(given, &map) || map.work == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the call is not initialized");
    progress p = {.reader = reader, .map = &map};
    p.threads = threads_of(&map, reader);
    p.slots = parallel_map_slots(&map, reader);
    const crd_status made = make_locks(&p, &fault);
    crd_status status = made == CRD_OK ? parallel_map_make_room(&p, &fault) : made;
    if (status == CRD_OK) status = passes_make(reader, p.threads, is_shared, parallel_map_pass, &p, &fault);
    else if (is_shared) status = crd_i_reader_agree(reader, status, &fault);
    free_room(&p);
    if (made == CRD_OK) {
        pthread_cond_destroy(&p.freed);
        pthread_cond_destroy(&p.pushed);
        pthread_mutex_destroy(&p.mutex);
    }
    if (status != CRD_OK && error != NULL) *error = fault;
    return status;
}

crd_status crd_reader_parallel_map(crd_reader *reader, const crd_parallel_map *map, crd_error *error) {
    return parallel_map_run(reader, map, map->take == NULL, error);
}

/* ======== 3. Scan of all rows ========
 *
 * The scan determines the types, formats and values of the columns. The frames are dropped; the reader keeps the
 * evidence. */

static crd_status drop_frame(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame,
                             crd_error *error) {
    (void)user, (void)slot, (void)worker, (void)frame, (void)error;
    return CRD_OK;
}

static crd_status reader_scan(crd_reader *reader, bool is_shared, crd_error *error) {
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.work = drop_frame;
    return parallel_map_run(reader, &map, is_shared, error);
}

crd_status crd_i_reader_scan(crd_reader *reader, crd_error *error) {
    return reader_scan(reader, false, error);
}

crd_status crd_i_reader_read_all(crd_reader *reader, crd_error *error) {
    return reader_scan(reader, true, error);
}

/* ======== 4. Evidence of a part ========
 *
 * A plain category needs only its values, and a column that fits no format is not inspected further. So collecting
 * takes time only for numbers, dates and other formatted values. It is cheaper while rows are learned too: in
 * delimited text, the values of categories are inspected once, after all rows are read. The decimal mark of numbers
 * stays undecided if no column of the first rows may have decimal commas. */

bool crd_i_reader_is_part(const crd_reader *reader) {
    return crd_i_reader_is_shard(reader) && reader->context->group == NULL;
}

void crd_i_reader_collect(crd_reader *reader, crd_i_collection collection) {
    reader->inspection.collects = !reader->has_begun;
    reader->inspection.collects_texts = collection == CRD_I_COLLECT_TEXTS;
    reader->inspection.collects_beside = collection == CRD_I_COLLECT_BESIDE;
}

bool crd_i_reader_collects(const crd_reader *reader) {
    return reader->inspection.collects;
}

void crd_i_reader_mark_open(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        bool is_shown = !column->is_fixed && column->declared == NULL && reader->batches.source == NULL;
        column->is_open = (column->is_open || is_shown) && !column->is_ignored && column->key == CRD_I_KEY_NONE;
    }
}

/* Returns whether the texts of the column's cells must be stored. A plain category stores them as its values anyway. */
static bool needs_texts(const crd_worker *worker, size_t index) {
    const bool is_category = worker->columns[index].type == CRD_TYPE_CATEGORICAL &&
                             crd_i_column_format_is_plain(worker->reader->columns[index].format);
    return worker->reader->inspection.collects_texts && !is_category;
}

/* Adds the text of a cell. A cell that is missing as a number may be a value of a category. */
static bool part_collection_add_text(const crd_worker *worker, crd_i_field_evidence *field, crd_text text,
                                     bool is_quoted, bool is_text, bool with_texts) {
    const crd_reader *reader = worker->reader;
    const char point = reader->options.decimal == ',' ? ',' : '\0';
    if (crd_i_missing_has(&reader->missing, text, is_quoted)) {
        if (crd_i_missing_has_category(&reader->missing, text, is_quoted)) return true;
        field->has_words = true;
    } else if (is_text || !crd_i_column_format_evidence_has_settled(&field->formats, text, point)) {
        crd_i_column_format_evidence_add(&field->formats, text, point, is_text);
    }
    if (!with_texts || field->has_more_texts) return true;
    return crd_i_field_evidence_add_text(reader->context, field, text, CRD_I_MOST_PART_TEXTS);
}

static bool part_collection_add_cell(const crd_worker *worker, crd_i_field_evidence *field, crd_i_cell cell,
                                     bool with_texts) {
    if (cell.form == CRD_I_CELL_MISSING) return true;
    return part_collection_add_text(worker, field, crd_i_worker_cell_text(worker, cell),
                                    cell.form != CRD_I_CELL_PLAIN && cell.form < CRD_I_CELL_MISSING,
                                    cell.form == CRD_I_CELL_TEXT, with_texts);
}

/* Adds the cells of one column of the current rows. */
static bool part_collection_add_column(const crd_worker *worker, size_t index, size_t file_field,
                                       crd_i_field_evidence *field) {
    bool done = true;
    const bool with_texts = needs_texts(worker, index);
    for (size_t row = 0; done && row < worker->rows; row++) {
        if (!crd_i_column_format_evidence_is_open(&field->formats) && (!with_texts || field->has_more_texts)) break;
        if (crd_i_worker_leaves_row(worker, row)) continue;
        if (worker->is_fast) {
            bool quoted;
            crd_text text = crd_i_fast_parse_cell(&worker->fast, worker->first_row + row, file_field, &quoted);
            done = part_collection_add_text(worker, field, text, quoted, false, with_texts);
        } else {
            done = part_collection_add_cell(worker, field, crd_i_worker_cell(worker, row, file_field), with_texts);
        }
    }
    return done;
}

/* Adds the present cells of sparse rows. An omitted cell is missing, or has the default of its file. */
static bool add_sparse_column(const crd_worker *worker, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_i_cell left_out = crd_i_file_header_left_out(&worker->entry->header, file_field);
    const bool with_texts = needs_texts(worker, index);
    size_t count = 0;
    bool done = true;
    for (size_t position = worker->sparse.latest[file_field]; done && position != 0; count++) {
        done = part_collection_add_cell(worker, field, worker->sparse.cells[position - 1].cell, with_texts);
        position = worker->sparse.cells[position - 1].before;
    }
    if (done && count < worker->rows) done = part_collection_add_cell(worker, field, left_out, with_texts);
    return done;
}

/* Returns whether rows are learned too, and the texts of the column have no format. */
static bool is_plain_beside(const crd_reader *reader, size_t index) {
    return reader->inspection.collects_beside && reader->batches.source == NULL &&
           crd_i_column_format_is_plain(reader->columns[index].format) &&
           reader->first.format->code == CRD_FORMAT_DELIMITED;
}

/* Returns whether the decimal mark of the column's numbers stays undecided. */
static bool leaves_marks(const crd_reader *reader, size_t index) {
    return is_plain_beside(reader, index) && reader->inspection.finds_formats && !reader->inspection.may_prove_comma;
}

/* Looks in a numeric column for a cell that is missing as a number but is a category value. */
static void look_for_words(const crd_worker *worker, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_i_missing *missing = &worker->reader->missing;
    const double *numbers = crd_i_worker_numbers(worker, index);
    for (size_t row = 0; row < worker->rows && !field->has_words; row++) {
        if (!isnan(numbers[row]) || crd_i_worker_leaves_row(worker, row)) continue;
        bool is_quoted = false;
        crd_text text;
        if (worker->is_fast) {
            text = crd_i_fast_parse_cell(&worker->fast, worker->first_row + row, file_field, &is_quoted);
        } else {
            const crd_i_cell cell = crd_i_worker_cell(worker, row, file_field);
            if (cell.form >= CRD_I_CELL_MISSING) continue;
            text = crd_i_worker_cell_text(worker, cell);
            is_quoted = cell.form != CRD_I_CELL_PLAIN;
        }
        field->has_words = !crd_i_missing_has_category(missing, text, is_quoted);
    }
}

/* Returns whether further numbers of a column give no new evidence about the decimal mark. */
static bool are_marks_settled(const crd_i_column_format_evidence *formats) {
    return crd_i_column_format_evidence_is_plain(formats) && !crd_i_column_format_evidence_may_be_grouped(formats) &&
           formats->has_mark;
}

/* Collects the evidence that is needed while rows are learned too; true: nothing else is needed. */
static bool collect_beside(const crd_worker *worker, size_t index, size_t file_field, crd_i_field_evidence *field) {
    const crd_reader *reader = worker->reader;
    if (!is_plain_beside(reader, index)) return false;
    const crd_column_type type = worker->columns[index].type;
    if (type == CRD_TYPE_NUMERIC) look_for_words(worker, index, file_field, field);
    return type != CRD_TYPE_NUMERIC || leaves_marks(reader, index) || !reader->inspection.finds_formats ||
           are_marks_settled(&field->formats);
}

/* Returns whether the column is the first of its field. Columns of one field are adjacent, and the first one
 * collects. */
static bool is_first_of_field(const crd_reader *reader, size_t index) {
    return index == 0 || reader->columns[index].position != reader->columns[index - 1].position;
}

bool crd_i_worker_collect(crd_worker *worker) {
    const crd_reader *reader = worker->reader;
    if (reader->batches.source != NULL) return true;
    if (worker->evidence == NULL)
        worker->evidence = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *worker->evidence);
    bool done = worker->evidence != NULL && crd_i_worker_mark_unlabeled(worker);
    for (size_t i = 0; done && i < reader->column_count; i++) {
        const size_t field = worker->entry->fields[i];
        if (!reader->columns[i].is_open || field == SIZE_MAX || !is_first_of_field(reader, i)) continue;
        if (collect_beside(worker, i, field, &worker->evidence[i])) continue;
        done = worker->is_sparse ? add_sparse_column(worker, i, field, &worker->evidence[i])
                                 : part_collection_add_column(worker, i, field, &worker->evidence[i]);
    }
    return done;
}

void crd_i_worker_clear_evidence(crd_worker *worker) {
    for (size_t i = 0; worker->evidence != NULL && i < worker->reader->column_count; i++)
        crd_i_dictionary_destroy(worker->evidence[i].texts);
    crd_free(worker->reader->context, worker->evidence);
}

/* Adds the category values found by all workers to the evidence. None is not a formatted value, because it means
 * missing there. */
static void part_collection_add_values(const crd_reader *reader, size_t index, crd_i_column_format_evidence *formats) {
    const char point = reader->options.decimal == ',' ? ',' : '\0';
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *values = reader->lanes[i]->columns[index].dictionary;
        for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
            const crd_text text = crd_i_dictionary_text(values, code);
            if (!crd_i_column_format_evidence_is_open(formats)) return;
            if (!crd_i_missing_is_category(text)) crd_i_column_format_evidence_add(formats, text, point, false);
        }
    }
}

/* Fills in the evidence of a column if rows were learned too. */
static bool derive_formats_while_learning(const crd_reader *reader, size_t index, crd_i_field_evidence *evidence) {
    const crd_column_type type = reader->columns[index].type;
    crd_i_field_evidence field = {.type = CRD_TYPE_NONE};
    if (!is_plain_beside(reader, index) || !reader->inspection.finds_formats) return true;
    if (type == CRD_TYPE_CATEGORICAL) {
        part_collection_add_values(reader, index, &field.formats);
    } else if (type == CRD_TYPE_NUMERIC && leaves_marks(reader, index)) {
        field.formats.cells = 1;
        field.formats.fits = 1U << CRD_I_READING_PLAIN;
        field.has_unread_marks = true;
    } else {
        return true;
    }
    evidence->formats = (crd_i_column_format_evidence){.cells = 0};
    return crd_i_field_evidence_combine(reader->context, evidence, &field, CRD_I_MOST_PART_TEXTS);
}

/* Returns whether no cell is present in a column in memory that got its type from its storage type, or in the target. */
static bool is_unshown(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    bool is_shown = reader->batches.source == NULL || !(column->is_found || index == reader->target) ||
                    column->declared != NULL || !crd_i_column_format_is_plain(column->format);
    for (unsigned i = 0; !is_shown && i < reader->lane_count; i++)
        is_shown = reader->lanes[i]->columns[index].has_cells;
    return !is_shown;
}

/* Combines the evidence of all workers about a column. */
static bool part_collection_fill_field(const crd_reader *reader, size_t index, crd_i_field_evidence *field) {
    const crd_i_reader_column *column = &reader->columns[index];
    const crd_i_field_evidence looked = {.formats = column->shown};
    bool done = reader->batches.source == NULL ||
                crd_i_field_evidence_combine(reader->context, field, &looked, CRD_I_MOST_PART_TEXTS);
    for (unsigned i = 0; done && i < reader->lane_count; i++)
        if (reader->lanes[i]->evidence != NULL)
            done = crd_i_field_evidence_combine(reader->context, field, &reader->lanes[i]->evidence[index],
                                                CRD_I_MOST_PART_TEXTS);
    done = done && derive_formats_while_learning(reader, index, field);
    /* Other formats that fit depend on how many cells were inspected, and do not change any decision while learning. */
    if (done && is_plain_beside(reader, index) && are_marks_settled(&field->formats))
        field->formats.fits = 1U << CRD_I_READING_PLAIN;
    for (unsigned i = 0; i < reader->lane_count; i++)
        field->has_infinite = field->has_infinite || reader->lanes[i]->columns[index].has_infinite;
    field->is_open = true;
    const bool is_plain = crd_i_column_format_is_plain(column->format);
    field->type = is_plain                                                 ? column->type
                  : crd_i_column_format_evidence_is_plain(&field->formats) ? CRD_TYPE_NUMERIC
                                                                           : CRD_TYPE_CATEGORICAL;
    if (is_unshown(reader, index)) field->type = CRD_TYPE_NONE;
    /* For columns in memory, only categories store their texts. */
    const bool is_category = column->type == CRD_TYPE_CATEGORICAL && is_plain;
    /* Rows skipped because of an infinite number have a word there if the column is categorical after all. */
    field->has_words =
        (field->has_words || (reader->inspection.collects_beside && column->refuses_infinite)) && !is_category;
    field->has_more_texts =
        field->has_more_texts || (reader->batches.source != NULL && reader->inspection.collects_texts && !is_category &&
                                  field->formats.cells > 0);
    return done;
}

void crd_i_reader_drop_unshown_types(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        if (!is_unshown(reader, i)) continue;
        if (i == reader->target) reader->columns[i].is_open = true;
        else reader->columns[i].type = CRD_TYPE_NONE;
    }
}

crd_status crd_i_reader_part(const crd_reader *reader, crd_i_part_evidence **out, crd_error *error) {
    crd_i_part_evidence *part = crd_i_part_evidence_create(reader->context, reader->binding.width);
    bool done = part != NULL;
    for (size_t i = 0; done && i < reader->column_count; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        if (!column->is_open || !is_first_of_field(reader, i) || column->position >= reader->binding.width) continue;
        done = part_collection_fill_field(reader, i, &part->fields[column->position]);
    }
    *out = part;
    if (!done) {
        crd_i_part_evidence_destroy(part);
        *out = NULL;
        return crd_i_fail_memory(error);
    }
    part->finds_formats = reader->inspection.is_explicit;
    part->splits_dates = reader->inspection.splits_dates;
    part->has_values = reader->inspection.collects_texts;
    part->is_file = reader->batches.source == NULL;
    part->by_name =
        reader->first.format->code == CRD_FORMAT_JSON_LINES || reader->first.format->code == CRD_FORMAT_JSON;
    part->point = reader->options.decimal == ',' ? ',' : '\0';
    part->states_comma = part->point == ',' && reader->dialect.has_decimal_mark && !reader->binding.has_schema &&
                         reader->first.format->code == CRD_FORMAT_DELIMITED;
    return CRD_OK;
}
