/* SPDX-License-Identifier: MIT */
/* workers.c - creates the workers of a reader, restarts reading, and combines the workers' results. See
 * reader_internal.h.
 *
 * crd_reader_next uses the first worker, so there is one way to read for any number of threads. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"

#include <string.h>

/* ---- Making workers ---- */

crd_worker *crd_i_worker_create_bare(crd_reader *reader) {
    crd_worker *worker = crd_i_alloc_zeroed(reader->context, 1, sizeof *worker);
    if (worker == NULL) return NULL;
    worker->reader = reader;
    worker->records.context = worker->fast.context = worker->bad_texts.context = worker->converted.context =
        reader->context;
    return worker;
}

void crd_i_worker_destroy(crd_worker *worker) {
    if (worker == NULL) return;
    crd_context *context = worker->reader->context;
    for (size_t i = 0; worker->columns != NULL && i < worker->reader->column_count; i++) {
        crd_i_dictionary_destroy(worker->columns[i].dictionary);
        crd_i_column_room_clear(context, &worker->columns[i].workspace);
        crd_i_batches_clear_formed(context, &worker->columns[i]);
        crd_free(context, worker->columns[i].interval_codes);
        crd_free(context, worker->columns[i].texts);
    }
    crd_i_batch_leave(worker->batch);
    crd_i_worker_clear_evidence(worker);
    crd_free(context, worker->columns);
    crd_free(context, worker->wanted);
    crd_frame_destroy(worker->frame);
    crd_i_entry_release(context, worker->entry);
    crd_i_slow_parse_clear(&worker->records);
    crd_i_fast_parse_clear(&worker->fast);
    crd_free(context, worker->cells);
    crd_free(context, worker->lines);
    crd_free(context, worker->breaks);
    crd_free(context, worker->unlabeled);
    crd_free(context, worker->numbers);
    crd_i_sparse_rows_clear(&worker->sparse, context);
    crd_free(context, worker->bad);
    crd_i_buffer_clear(&worker->bad_texts);
    crd_i_buffer_clear(&worker->converted);
    crd_free(context, worker->zeros);
    crd_free(context, worker->ones);
    crd_free(context, worker);
}

void crd_i_simd_columns_destroy(crd_reader *reader) {
    for (unsigned i = 0; i < reader->lane_count; i++) crd_i_worker_destroy(reader->lanes[i]);
    crd_free(reader->context, reader->lanes);
    reader->lanes = NULL;
    reader->lane_count = 0;
}

/* Creates the worker's frame. All workers have the same information about the origin of columns: the information
 * known before the first row. */
static crd_status workers_make_frame(crd_worker *worker, crd_error *error) {
    const crd_reader *reader = worker->reader;
    crd_status status = crd_frame_create(reader->context, 0, &worker->frame, error);
    for (size_t i = 0; i < reader->column_count && status == CRD_OK; i++) {
        crd_i_column blank = {.kind = CRD_KIND_NONE};
        status = crd_i_frame_add(worker->frame, reader->columns[i].name, &blank, error);
    }
    if (status != CRD_OK) return status;
    if (reader->lane_count == 0) return crd_i_reader_schema(reader, &worker->frame->origin, error);
    worker->frame->origin = crd_i_schema_clone(reader->lanes[0]->frame->origin);
    return worker->frame->origin == NULL ? crd_i_fail_memory(error) : CRD_OK;
}

static crd_status make_lane(crd_reader *reader, crd_worker **out, crd_error *error) {
    crd_worker *worker = crd_i_worker_create_bare(reader);
    if (worker == NULL) return crd_i_fail_memory(error);
    worker->columns = crd_i_alloc_zeroed(reader->context, reader->column_count, sizeof *worker->columns);
    worker->wanted = crd_i_alloc(reader->context, reader->column_count, sizeof *worker->wanted);
    bool has_room = worker->columns != NULL && worker->wanted != NULL;
    crd_status status = has_room ? workers_make_frame(worker, error) : crd_i_fail_memory(error);
    if (status != CRD_OK) {
        crd_i_worker_destroy(worker);
        return status;
    }
    *out = worker;
    return CRD_OK;
}

static crd_status make_lanes(crd_reader *reader, unsigned count, crd_error *error) {
    if (!reader->has_begun) {
        crd_status status = crd_i_reader_begin(reader, error);
        crd_i_sequencer_begin(&reader->sequencer);
        if (status != CRD_OK) {
            crd_i_chunk_place none = {0, 0};
            crd_i_sequencer_fail(&reader->sequencer, &none, error);
            return status;
        }
    }
    if (count <= reader->lane_count) return CRD_OK;
    crd_worker **lanes = crd_i_alloc(reader->context, count, sizeof *lanes);
    if (lanes == NULL) return crd_i_fail_memory(error);
    if (reader->lane_count > 0) memcpy(lanes, reader->lanes, reader->lane_count * sizeof *lanes);
    crd_free(reader->context, reader->lanes);
    reader->lanes = lanes;
    while (reader->lane_count < count) {
        crd_status status = make_lane(reader, &lanes[reader->lane_count], error);
        if (status != CRD_OK) return status;
        reader->lane_count++;
    }
    return CRD_OK;
}

crd_status crd_reader_make_workers(crd_reader *reader, unsigned count, crd_worker **lanes, crd_error *error) {
    if (count == 0) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "at least one worker is required");
    crd_error fault = {.status = CRD_OK};
    crd_status status = make_lanes(reader, count, &fault);
    if (status != CRD_OK && error != NULL) *error = fault;
    for (unsigned i = 0; i < count; i++) lanes[i] = status == CRD_OK ? reader->lanes[i] : NULL;
    return status;
}

unsigned crd_reader_threads(const crd_reader *reader) {
    return crd_i_thread_pool_size(reader->options.threads);
}

/* ---- Reading ---- */

void crd_reader_stop(crd_reader *reader) {
    crd_i_sequencer_stop(&reader->sequencer);
}

/* Starts reading all rows again. */
static crd_status enter_again(crd_reader *reader, crd_error *error) {
    crd_error fault = {.status = CRD_OK};
    crd_i_reader_take_late_truth(reader);
    for (unsigned i = 0; i < reader->lane_count; i++) {
        crd_worker *worker = reader->lanes[i];
        worker->has_chunk = worker->has_break = false;
        worker->rows = 0;
        crd_i_batch_leave(worker->batch);
        worker->batch = NULL;
        for (size_t column = 0; column < reader->column_count; column++) {
            worker->columns[column].workspace.map_of = 0;
            crd_i_batches_forget_formed(&worker->columns[column]);
            if (worker->columns[column].dictionary != NULL) crd_i_dictionary_empty(worker->columns[column].dictionary);
        }
    }
    for (unsigned i = 0; i < reader->lane_count; i++) crd_i_bad_rows_clear(reader->lanes[i]);
    /* A process that begins again on its own has learned nothing new about kinds. */
    const bool is_together = reader->begins_together || !crd_i_reader_is_divided(reader);
    reader->begins_together = false;
    crd_status status = is_together ? crd_i_reader_find_late_forms(reader, &fault) : CRD_OK;
    crd_i_sequencer_begin(&reader->sequencer);
    if (status == CRD_OK) status = crd_i_chunks_enter(reader, 0, &fault);
    if (status == CRD_OK) return CRD_OK;
    /* An input that cannot be entered has no chunks. */
    reader->is_drained = true;
    crd_i_chunk_place first = {0, 0};
    crd_i_sequencer_fail(&reader->sequencer, &first, &fault);
    if (error != NULL) *error = fault;
    return status;
}

crd_status crd_reader_begin_again(crd_reader *reader, crd_error *error) {
    if (!reader->has_begun) return CRD_OK; /* it is at the first row */
    crd_i_bad_rows_restart(reader);
    return enter_again(reader, error);
}

/* Starts reading all rows of all parts. Skipped rows of all parts have been reported. */
crd_status crd_reader_begin_whole(crd_reader *reader, crd_error *error) {
    reader->options.shard = reader->options.shard_count = 0;
    reader->is_pass_shared = false;
    return reader->has_begun ? enter_again(reader, error) : CRD_OK;
}

crd_status crd_reader_next(crd_reader *reader, const crd_frame **out, crd_error *error) {
    *out = NULL;
    crd_error fault = {.status = CRD_OK};
    crd_status status = reader->lane_count == 0 ? make_lanes(reader, 1, &fault) : CRD_OK;
    if (status == CRD_OK) status = crd_worker_next(reader->lanes[0], out, &fault);
    /* A group of processes begins again together, once each process knows where the others began and ended. Entering
     * the rows earlier would lose this information. */
    const bool is_alone = !reader->shard.assumes_lines;
    if (status == CRD_RESTART && is_alone && crd_reader_begin_again(reader, &fault) != CRD_OK) status = fault.status;
    if (status != CRD_OK && status != CRD_RESTART && error != NULL) *error = fault;
    return status;
}

crd_text crd_reader_cell(const crd_reader *reader, size_t row, size_t column) {
    crd_text none = {"", 0};
    return reader->lane_count == 0 ? none : crd_worker_cell(reader->lanes[0], row, column);
}

uint64_t crd_reader_line(const crd_reader *reader, size_t row) {
    return reader->lane_count == 0 ? 0 : crd_worker_line(reader->lanes[0], row);
}

const char *crd_reader_place(const crd_reader *reader) {
    return reader->lane_count == 0 ? reader->inputs[reader->current].place : crd_worker_place(reader->lanes[0]);
}

/* ---- For callers that read all rows ---- */

bool crd_i_reader_has_more(crd_reader *reader) {
    pthread_mutex_lock(&reader->cutting);
    const crd_i_slow_parse *slow = &reader->records;
    bool is_over = reader->is_drained;
    if (reader->batches != NULL) is_over = is_over || reader->rows_before == reader->batches->rows;
    else is_over = is_over || (reader->current + 1 == reader->input_count && slow->at_end && slow->next == slow->end);
    pthread_mutex_unlock(&reader->cutting);
    return !is_over;
}

bool crd_i_reader_is_missing(const crd_reader *reader, crd_text cell) {
    return crd_i_missing_has(&reader->missing, cell, false);
}

crd_kind crd_i_reader_column_kind(const crd_reader *reader, size_t column) {
    return column < reader->column_count ? reader->columns[column].kind : CRD_KIND_NONE;
}

bool crd_i_reader_can_reread(const crd_reader *reader) {
    for (size_t i = 0; i < reader->input_count; i++) {
        if (!reader->inputs[i].can_reread) return false;
    }
    return true;
}

/* Returns the number of categories that all workers found together; SIZE_MAX: out of memory. Stops counting after
 * `most`. */
static size_t workers_count_categories(const crd_reader *reader, size_t column, size_t most) {
    crd_i_dictionary *all = crd_i_dictionary_create(reader->context);
    if (all == NULL) return SIZE_MAX;
    size_t count = 0;
    for (unsigned i = 0; i < reader->lane_count && count <= most; i++) {
        const crd_i_dictionary *own_dictionary = reader->lanes[i]->columns[column].dictionary;
        for (size_t code = 0; own_dictionary != NULL && code < crd_i_dictionary_size(own_dictionary) && count <= most;
             code++) {
            if (crd_i_dictionary_add(all, crd_i_dictionary_text(own_dictionary, code)) < 0) count = SIZE_MAX;
            else count = crd_i_dictionary_size(all);
        }
    }
    crd_i_dictionary_destroy(all);
    return count;
}

bool crd_i_reader_each_value(const crd_reader *reader, crd_text column, bool (*see)(void *user, crd_text value),
                             void *user) {
    size_t index = 0;
    while (index < reader->column_count && !crd_text_equal(reader->columns[index].name, column)) index++;
    for (unsigned i = 0; index < reader->column_count && i < reader->lane_count; i++) {
        const crd_i_dictionary *own_dictionary = reader->lanes[i]->columns[index].dictionary;
        for (size_t code = 0; own_dictionary != NULL && code < crd_i_dictionary_size(own_dictionary); code++)
            if (!see(user, crd_i_dictionary_text(own_dictionary, code))) return false;
    }
    return true;
}

crd_status crd_i_reader_check_count(const crd_reader *reader, crd_text name, size_t count, crd_error *error) {
    const size_t most = reader->options.max_categories;
    if (count <= most) return CRD_OK;
    crd_i_fail(error, CRD_ERROR_LIMIT, "more than %zu different values in one column: is it an identifier?", most);
    crd_i_error_subject(error, name);
    return CRD_ERROR_LIMIT;
}

crd_status crd_i_reader_check_categories(const crd_reader *reader, crd_error *error) {
    size_t most = reader->options.max_categories;
    for (size_t column = 0; column < reader->column_count; column++) {
        size_t bound = 0;
        for (unsigned i = 0; i < reader->lane_count; i++) {
            const crd_i_dictionary *own_dictionary = reader->lanes[i]->columns[column].dictionary;
            bound += own_dictionary == NULL ? 0 : crd_i_dictionary_size(own_dictionary);
        }
        size_t count = bound <= most ? bound : workers_count_categories(reader, column, most);
        if (count == SIZE_MAX) return crd_i_fail_memory(error);
        if (count > most) return crd_i_reader_check_count(reader, reader->columns[column].name, count, error);
    }
    return CRD_OK;
}
