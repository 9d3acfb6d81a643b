/* SPDX-License-Identifier: MIT */
/* worker.c - converts chunks to frames in one thread. See reader_internal.h and chunk_sequencer.h.
 *
 * A worker takes a chunk, collects rows as cells that point into its bytes, and converts them row by row. Therefore
 * the first of several faults in the file is reported. Nearly all chunks are regular and use the fast path of
 * fast_parse.h instead. A chunk becomes one frame, or several if its rows have far more columns than bytes.
 *
 * Contents:
 *   1. Workers of a reader
 *   2. Frames from chunks */
#include "base/error.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "table/read/reader_internal.h"

#include <string.h>

/* ======== 1. Workers of a reader ========
 *
 * crd_reader_next uses the first worker, so there is one way to read for any number of threads. */

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
        crd_i_column blank = {.type = CRD_TYPE_NONE};
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

crd_status crd_i_reader_make_workers(crd_reader *reader, unsigned count, crd_worker **lanes, crd_error *error) {
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

void crd_i_reader_stop(crd_reader *reader) {
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
            worker->columns[column].checked = (crd_i_fast_parse_checked){0, false};
        }
    }
    for (unsigned i = 0; i < reader->lane_count; i++) crd_i_bad_rows_clear(reader->lanes[i]);
    /* A process that begins again on its own has learned nothing new about types. */
    const bool is_together = reader->pass.begins_together || crd_i_reader_group(reader) == NULL;
    reader->pass.begins_together = false;
    crd_status status = is_together ? crd_i_reader_detect_late_formats(reader, &fault) : CRD_OK;
    crd_i_sequencer_begin(&reader->sequencer);
    if (status == CRD_OK) status = crd_i_chunks_enter(reader, 0, &fault);
    if (status == CRD_OK) return CRD_OK;
    /* An input that cannot be entered has no chunks. */
    reader->position.is_drained = true;
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
    reader->pass.is_shared = reader->pass.has_final_types = false;
    return reader->has_begun ? enter_again(reader, error) : CRD_OK;
}

bool crd_i_reader_may_change_types(const crd_reader *reader) {
    if (reader->pass.has_final_types || reader->batches.source != NULL) return false;
    bool may_change = false;
    for (size_t i = 0; i < reader->column_count && !may_change; i++) {
        const crd_i_reader_column *column = &reader->columns[i];
        const bool is_guessed = column->type == CRD_TYPE_NONE || column->type == CRD_TYPE_NUMERIC;
        may_change = (!column->is_fixed && is_guessed) || crd_i_reader_may_have_late_truth(reader, i);
    }
    return may_change;
}

/* Determines the column types before the first frame is delivered, by reading all rows. A failure that a row causes is
 * reported when its frame is requested. */
static crd_status settle_types(crd_reader *reader, crd_error *error) {
    const crd_i_sequencer *sequencer = &reader->sequencer;
    const bool has_begun = sequencer->taken > 0 || sequencer->failure.status != CRD_OK;
    if (reader->pass.is_repeatable || has_begun) return CRD_OK;
    crd_i_reader_keep_pipes(reader, false);
    if (!crd_i_reader_can_reread(reader) || !crd_i_reader_may_change_types(reader)) return CRD_OK;
    crd_status status = crd_i_reader_scan(reader, error);
    if (status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status)) return status;
    reader->pass.has_final_types = true;
    return crd_reader_begin_again(reader, error);
}

crd_status crd_reader_next(crd_reader *reader, const crd_frame **out, crd_error *error) {
    *out = NULL;
    crd_error fault = {.status = CRD_OK};
    crd_status status = reader->lane_count == 0 ? make_lanes(reader, 1, &fault) : CRD_OK;
    if (status == CRD_OK) status = settle_types(reader, &fault);
    if (status == CRD_OK) status = crd_i_worker_next(reader->lanes[0], out, &fault);
    if (status == CRD_I_READ_AGAIN && !reader->pass.is_repeatable) {
        status = crd_i_fail(&fault, CRD_ERROR_SCHEMA_DIFFERS, "the rows changed while they were read");
        crd_i_reader_place_error(reader, &fault);
    }
    if (status != CRD_OK && error != NULL) *error = fault;
    return status;
}

crd_text crd_i_reader_cell(const crd_reader *reader, size_t row, size_t column) {
    crd_text none = {"", 0};
    return reader->lane_count == 0 ? none : crd_worker_cell(reader->lanes[0], row, column);
}

uint64_t crd_reader_line(const crd_reader *reader, size_t row) {
    return reader->lane_count == 0 ? 0 : crd_i_worker_line(reader->lanes[0], row);
}

const char *crd_reader_place(const crd_reader *reader) {
    return reader->lane_count == 0 ? reader->inputs[reader->position.current].place
                                   : crd_i_worker_place(reader->lanes[0]);
}

/* ---- For callers that read all rows ---- */

bool crd_i_reader_has_more(crd_reader *reader) {
    pthread_mutex_lock(&reader->cutting);
    const crd_i_slow_parse *slow = &reader->position.records;
    bool is_over = reader->position.is_drained;
    if (reader->batches.source != NULL)
        is_over = is_over || reader->batches.rows_before == reader->batches.source->rows;
    else
        is_over =
            is_over || (reader->position.current + 1 == reader->input_count && slow->at_end && slow->next == slow->end);
    pthread_mutex_unlock(&reader->cutting);
    return !is_over;
}

bool crd_i_reader_is_missing(const crd_reader *reader, crd_text cell) {
    return crd_i_missing_has(&reader->missing, cell, false);
}

crd_column_type crd_i_reader_column_type(const crd_reader *reader, size_t column) {
    return column < reader->column_count ? reader->columns[column].type : CRD_TYPE_NONE;
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

/* ======== 2. Frames from chunks ======== */

enum {
    FRAME_CELLS = 1024 * 1024, /* maximum, except for a frame of one row */
    SPARSE_FRAME_ROWS = 1 << 16
};

/* ---- Information shared between chunks ---- */

/* Updates the worker's types from earlier chunks. Returns whether only types matter from now on. */
static bool learn_types(crd_worker *worker) {
    crd_reader *reader = worker->reader;
    pthread_mutex_lock(&reader->sequencer.mutex);
    if (worker->types_version != reader->sequencer.types_version) {
        for (size_t i = 0; i < reader->column_count; i++) worker->columns[i].known = reader->columns[i].type;
        worker->types_version = reader->sequencer.types_version;
    }
    bool checks_types = reader->sequencer.checks_types;
    pthread_mutex_unlock(&reader->sequencer.mutex);
    return checks_types;
}

static bool has_new_types(const crd_worker *worker) {
    for (size_t i = 0; i < worker->reader->column_count; i++) {
        if (worker->columns[i].type != worker->columns[i].known) return true;
    }
    return false;
}

/* Publishes the types of the current rows. The types are ordered NONE < NUMBER < CATEGORY, and the larger one wins. */
static void report_types(crd_worker *worker) {
    crd_reader *reader = worker->reader;
    bool is_new = false;
    pthread_mutex_lock(&reader->sequencer.mutex);
    for (size_t i = 0; i < reader->column_count; i++) {
        if (worker->columns[i].type <= reader->columns[i].type) continue;
        reader->columns[i].type = worker->columns[i].type;
        is_new = true;
    }
    if (is_new) reader->sequencer.types_version++;
    pthread_mutex_unlock(&reader->sequencer.mutex);
}

/* Converts a line of the chunk, from 1, to a line of the file; 0: unknown. Call it during the chunk's turn. */
static uint64_t line_in_file(const crd_worker *worker, uint64_t line) {
    uint64_t unread;
    if (!crd_i_shard_lines_before(worker->reader, worker->entry, &unread)) return 0;
    return unread + worker->place.line_before + line;
}

/* Adds the location to an error, whose line is relative to the chunk until all earlier lines are counted. */
static void worker_place_error(const crd_worker *worker, crd_error *error) {
    if (worker->batch != NULL && error->place[0] != '\0') return; /* it has the location in its own file */
    uint64_t line = error->line == 0 ? 0 : line_in_file(worker, error->line);
    crd_i_error_place(error, worker->reader->inputs[worker->entry->input].place, line, error->field);
}

/* Waits for the chunk's turn and records the failure. Always returns false, because reading is over. */
static bool fail_in_turn(crd_worker *worker, crd_error *error) {
    if (!crd_i_sequencer_wait_turn(&worker->reader->sequencer, &worker->place)) return false;
    const bool is_of_row = error->status == CRD_ERROR_SYNTAX && worker->batch == NULL &&
                           worker->entry->header.format == &crd_i_format_delimited;
    if (is_of_row && error->hint[0] == '\0' && !worker->reader->options.no_multiline_fields &&
        !crd_i_reader_skips(worker->reader))
        crd_i_error_hint(error, "skip invalid rows with bad_rows=skip");
    worker_place_error(worker, error);
    crd_i_sequencer_fail(&worker->reader->sequencer, &worker->place, error);
    return false;
}

static void settle_if_exhausted(crd_worker *worker) {
    if (!worker->is_exhausted || worker->fault.status != CRD_OK) return;
    uint64_t lines = worker->batch != NULL ? worker->batch_rows
                     : worker->is_fast     ? crd_i_fast_parse_lines_before(&worker->fast, worker->fast.rows)
                                           : worker->records.next_line - 1;
    crd_i_sequencer_settle(&worker->reader->sequencer, &worker->place, lines);
}

/* Warns once about a key that is not a column of the first file. Call it during the chunk's turn. */
static void tell_stranger(crd_worker *worker) {
    crd_i_input *input = &worker->reader->inputs[worker->entry->input];
    if (!worker->has_stranger) return;
    worker->has_stranger = false;
    if (input->warned_of_more) return;
    input->warned_of_more = true;
    crd_i_context_log(worker->reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_IGNORED, crd_text_of(worker->stranger),
                      "%s:%llu: '%s' is not in the first file and is ignored, as are all such columns", input->place,
                      (unsigned long long)line_in_file(worker, worker->stranger_line), worker->stranger);
}

/* ---- The rows of a chunk ---- */

static size_t worker_most_rows(const crd_worker *worker) {
    size_t columns = worker->reader->column_count, width = worker->entry->header.width;
    if (columns < width) columns = width;
    size_t most = columns > FRAME_CELLS ? 1 : FRAME_CELLS / columns, requested = worker->reader->frame_rows;
    return requested > 0 && requested < most ? requested : most;
}

/* Returns whether one more row may exceed the frame's size. For sparse rows, only fields that occur use memory. */
static bool is_full(const crd_worker *worker) {
    if (worker->bad_count > 0 && worker->rows + worker->bad_count >= worker_most_rows(worker)) return true;
    if (!worker->is_sparse) return worker->rows >= worker_most_rows(worker);
    size_t requested = worker->reader->frame_rows,
           most = requested > 0 && requested < SPARSE_FRAME_ROWS ? requested : SPARSE_FRAME_ROWS;
    return worker->rows >= most || (worker->rows > 0 && worker->rows >= FRAME_CELLS / (worker->sparse.field_count + 1));
}

/* Switches to the slow parser for the rest of this chunk, from the current rows on. */
static void switch_to_slow(crd_worker *worker) {
    if (!worker->is_fast) return;
    uint32_t before =
        worker->fast.marks == NULL ? UINT32_MAX : worker->fast.marks[worker->next_row * worker->entry->header.width];
    crd_i_fast_parse_restore(&worker->fast, worker->next_row);
    worker->is_fast = worker->is_exhausted = false;
    worker->records.next = worker->records.scan = (uint32_t)(before + 1);
    worker->records.next_line = worker->records.scan_line =
        crd_i_fast_parse_lines_before(&worker->fast, worker->next_row) + 1;
}

/* Returns whether the last field of all rows is empty. */
static bool end_with_nothing(const crd_worker *worker) {
    const size_t last = worker->entry->header.width - 1;
    for (size_t row = 0; row < worker->fast.rows; row++)
        if (crd_i_fast_parse_text(&worker->fast, row, last).length > 0) return false;
    return true;
}

static void begin_chunk(crd_worker *worker) {
    crd_i_slow_parse *records = &worker->records;
    worker->has_chunk = true;
    worker->is_exhausted = false;
    worker->fault.status = CRD_OK;
    worker->has_stranger = false;
    crd_i_bad_rows_clear(worker);
    worker->next_row = 0;
    worker->fast.ran_out = false;
    worker->is_fast = worker->is_sparse = false;
    if (worker->batch != NULL) return;
    const crd_i_format *format = worker->entry->header.format;
    worker->is_sparse = format->split_sparse != NULL && (format->split == NULL || format->is_sparse(worker));
    const crd_i_delimiters delimiters = {records->separator, records->quote};
    worker->is_fast = worker->entry->header.format == &crd_i_format_delimited && records->separator != ' ' &&
                      crd_i_fast_parse_cut(&worker->fast, (char *)records->bytes, records->end, delimiters,
                                           worker->entry->header.width, records->max_record);
    if (worker->is_fast && worker->entry->header.has_end_separator && !end_with_nothing(worker)) switch_to_slow(worker);
    if (!worker->is_fast && worker->fast.ran_out) crd_i_fail_memory(&worker->fault);
    /* The caller promised one line per row; the slow path reports the violation. */
    if (worker->reader->options.no_multiline_fields && worker->fast.has_inner) switch_to_slow(worker);
}

/* Splits the latest record into a row. */
static crd_status worker_split_row(crd_worker *worker, crd_error *error) {
    crd_context *context = worker->reader->context;
    const crd_i_file_header *header = &worker->entry->header;
    /* A worker that only inspects cells has no columns. */
    bool is_checking = crd_i_reader_skips(worker->reader) && worker->columns != NULL;
    if (worker->is_sparse) {
        crd_status status = header->format->split_sparse(worker, &worker->sparse, error);
        if (status == CRD_OK) crd_i_worker_clear_unlabeled_sparse(worker);
        if (status == CRD_OK && is_checking) status = crd_i_worker_check_row(worker, error);
        if (status != CRD_OK) crd_i_sparse_rows_drop_row(&worker->sparse);
        else if (!crd_i_sparse_rows_end_row(&worker->sparse, context)) status = crd_i_fail_memory(error);
        return status;
    }
    size_t used = worker->rows * header->width;
    if (!crd_i_reserve(context, &worker->cells, &worker->cells_capacity, used + header->width, sizeof *worker->cells))
        return crd_i_fail_memory(error);
    crd_status status = header->format->split(worker, worker->cells + used, error);
    if (status == CRD_OK) crd_i_worker_clear_unlabeled(worker, worker->cells + used);
    return status == CRD_OK && is_checking ? crd_i_worker_check_row(worker, error) : status;
}

/* Stores whether an empty line precedes the latest record. */
static bool mark_break(crd_worker *worker) {
    if (!crd_i_worker_reserve_breaks(worker, worker->rows + 1)) return false;
    worker->breaks[worker->rows] = worker->has_break;
    return true;
}

/* Accepts the latest record as a row. */
static void worker_take_row(crd_worker *worker) {
    worker->rows++;
    worker->has_break = false;
}

/* Collects the cells of rows until the frame is full or the chunk ends. */
static crd_status worker_collect(crd_worker *worker, crd_error *error) {
    crd_context *context = worker->reader->context;
    crd_i_slow_parse *records = &worker->records;
    if (worker->is_sparse && !crd_i_sparse_rows_begin(&worker->sparse, context, worker->entry->header.width,
                                                      worker->reader->options.keep_text != 0))
        return crd_i_fail_memory(error);
    while (!is_full(worker)) {
        bool is_found = false, skips = crd_i_reader_skips(worker->reader);
        crd_status status = crd_i_slow_parse_next(records, &is_found, error);
        if (records->behind_empty) worker->has_break = true;
        if (skips && (is_found || status != CRD_OK) && !crd_i_bad_rows_remember(worker))
            return crd_i_fail_memory(error);
        if (status != CRD_OK) {
            status = crd_i_bad_rows_add(worker, status, error);
            if (status != CRD_OK) return status;
            continue;
        }
        worker->is_exhausted = !is_found;
        if (!is_found) return CRD_OK;
        const unsigned char *record = records->bytes + records->start;
        if (worker->reader->options.no_multiline_fields && memchr(record, '\n', records->length) != NULL) {
            crd_i_fail(error, CRD_ERROR_SYNTAX,
                       "a field contains a line break, but the options promise one line per row");
            crd_i_error_place(error, NULL, records->line, 0);
            return CRD_ERROR_SYNTAX;
        }
        if (!crd_i_reserve(context, &worker->lines, &worker->lines_capacity, worker->rows + 1, sizeof *worker->lines))
            return crd_i_fail_memory(error);
        worker->lines[worker->rows] = (uint32_t)records->line;
        if (worker->reader->marks_empty_lines && !mark_break(worker)) return crd_i_fail_memory(error);
        status = worker_split_row(worker, error);
        if (status == CRD_OK) worker_take_row(worker);
        else status = crd_i_bad_rows_add(worker, status, error);
        if (status != CRD_OK) return status;
    }
    worker->is_exhausted = records->next == records->end;
    return CRD_OK;
}

/* Collects rows on the slow path. The fault of a row is reported after the rows before it. */
static void collect_carefully(crd_worker *worker) {
    switch_to_slow(worker);
    worker->rows = 0;
    crd_error fault = {.status = CRD_OK};
    crd_status status = worker_collect(worker, &fault);
    if (status == CRD_OK) return;
    worker->is_exhausted = true;
    worker->fault = fault;
    if (status == CRD_ERROR_MEMORY) worker->rows = 0;
}

void crd_i_worker_begin_look(crd_worker *worker) {
    begin_chunk(worker);
}

bool crd_i_worker_look(crd_worker *worker) {
    if (worker->is_exhausted || worker->fault.status != CRD_OK) return false;
    if (worker->is_fast) {
        worker->rows = worker->fast.rows;
        worker->first_row = 0;
        worker->is_exhausted = true;
    } else {
        crd_i_bad_rows_clear(worker); /* they are reported when rows are read */
        collect_carefully(worker);
    }
    return worker->rows > 0;
}

/* Takes the next rows on the fast path; false: they need the slow path, or the conversion failed. */
static bool take_fast_rows(crd_worker *worker) {
    if (!worker->is_fast) return false;
    size_t left = worker->fast.rows - worker->next_row, most = worker_most_rows(worker);
    bool done;
    worker->rows = left < most ? left : most;
    worker->first_row = worker->next_row;
    if (crd_i_worker_convert_fast(worker, &done, &worker->fault) != CRD_OK || !done) return false;
    if (worker->reader->marks_empty_lines) {
        if (!crd_i_worker_reserve_breaks(worker, worker->rows + 1)) {
            crd_i_fail_memory(&worker->fault);
            return false;
        }
        /* Regular rows contain no empty line. */
        memset(worker->breaks, 0, worker->rows + 1);
        worker->breaks[0] = worker->has_break;
        if (worker->rows > 0) worker->has_break = false;
    }
    worker->next_row += worker->rows;
    worker->is_exhausted = worker->next_row == worker->fast.rows;
    return true;
}

/* Ends a pass that only determined types: either the input is read again, or the error that caused the pass is
 * returned. Call it under the mutex of `order`. */
static crd_status end_check(crd_reader *reader, crd_error *error) {
    const crd_i_sequencer *sequencer = &reader->sequencer;
    crd_i_reader_column *suspect = &reader->columns[sequencer->suspect_column];
    if (suspect->type == CRD_TYPE_CATEGORICAL) return CRD_I_READ_AGAIN;
    if (crd_i_reader_skips(reader)) {
        suspect->refuses_infinite = true;
        return CRD_I_READ_AGAIN;
    }
    *error = sequencer->suspect;
    return sequencer->suspect.status;
}

/* Fails with the fault after the current rows. If rows are only inspected for types, a fault acts like the end of
 * the input: the next pass reports the first fault of all. */
static bool fail_with_fault(crd_worker *worker) {
    crd_i_sequencer *sequencer = &worker->reader->sequencer;
    if (worker->fault.status == CRD_ERROR_MEMORY) return fail_in_turn(worker, &worker->fault);
    if (!crd_i_sequencer_lock_turn(sequencer, &worker->place)) return false;
    crd_error end = {.status = CRD_OK};
    if (sequencer->checks_types) end.status = end_check(worker->reader, &end);
    pthread_mutex_unlock(&sequencer->mutex);
    if (end.status == CRD_OK) return fail_in_turn(worker, &worker->fault);
    crd_i_sequencer_fail(sequencer, &worker->place, &end);
    return false;
}

/* Determines the types of the current rows without converting them. */
static bool check_part(crd_worker *worker) {
    crd_i_bad_rows_clear(worker);
    crd_i_worker_check_types(worker);
    /* Wait for the turn: rows after a fault do not count. */
    if (has_new_types(worker) && !crd_i_sequencer_wait_turn(&worker->reader->sequencer, &worker->place)) return false;
    report_types(worker);
    if (worker->fault.status != CRD_OK) return fail_with_fault(worker);
    settle_if_exhausted(worker);
    return true;
}

/* Starts inspecting types only, because a column has another type than it was delivered with. The rest of the input
 * is inspected for types only, so any number of changed columns cost one more pass. */
static bool begin_check(crd_worker *worker, crd_error *suspect, size_t suspect_column) {
    crd_i_sequencer *sequencer = &worker->reader->sequencer;
    if (!crd_i_reader_can_reread(worker->reader)) return fail_in_turn(worker, suspect);
    worker_place_error(worker, suspect);
    pthread_mutex_lock(&sequencer->mutex);
    sequencer->checks_types = true;
    sequencer->suspect = *suspect;
    sequencer->suspect_column = suspect_column;
    pthread_mutex_unlock(&sequencer->mutex);
    return check_part(worker);
}

/* Reports the skipped rows among the current ones, during the chunk's turn. false: reading is over. */
static bool report_bad_rows(crd_worker *worker) {
    crd_error fault = {.status = CRD_OK};
    if (worker->zone != CRD_I_ROWS_OWN) crd_i_bad_rows_clear(worker); /* another part reports them */
    if (crd_i_bad_rows_report(worker, worker_place_error, &fault)) return true;
    crd_i_sequencer_fail(&worker->reader->sequencer, &worker->place, &fault);
    return false;
}

/* Handles a part of a chunk in which no row is valid. */
static bool leave_part_out(crd_worker *worker) {
    if (worker->bad_count > 0) {
        if (!crd_i_sequencer_wait_turn(&worker->reader->sequencer, &worker->place)) return false;
        if (learn_types(worker)) return check_part(worker);
        if (!report_bad_rows(worker)) return false;
    }
    if (worker->fault.status != CRD_OK) return fail_with_fault(worker);
    settle_if_exhausted(worker);
    return true;
}

/* Converts the current rows, collected on the slow path, into the frame. *goes_out: the frame must be delivered.
 * false: reading is over. */
static bool convert_part(crd_worker *worker, bool *goes_out) {
    crd_error suspect = {.status = CRD_OK}, fault = {.status = CRD_OK};
    size_t suspect_column = 0;
    crd_status status = crd_i_worker_convert(worker, &suspect, &suspect_column, &fault);
    if (status != CRD_OK || worker->has_stranger || worker->bad_count > 0 || has_new_types(worker)) {
        /* Other chunks may be affected: wait for the turn and use the types of all earlier chunks. */
        if (!crd_i_sequencer_wait_turn(&worker->reader->sequencer, &worker->place)) return false;
        if (status == CRD_ERROR_MEMORY) return fail_in_turn(worker, &fault);
        uint64_t version = worker->types_version;
        if (learn_types(worker)) return check_part(worker);
        if (version != worker->types_version) {
            status = crd_i_worker_convert(worker, &suspect, &suspect_column, &fault);
        }
        if (status == CRD_I_READ_AGAIN) return begin_check(worker, &suspect, suspect_column);
        if (status != CRD_OK) return fail_in_turn(worker, &fault);
        report_types(worker);
        tell_stranger(worker);
        if (!report_bad_rows(worker)) return false;
    }
    *goes_out = true;
    settle_if_exhausted(worker);
    return true;
}

/* Converts a slice of a batch, which is one frame. */
static bool take_slice(crd_worker *worker, bool *goes_out) {
    crd_error fault = {.status = CRD_OK};
    worker->is_exhausted = true;
    if (crd_i_worker_convert_batch(worker, &fault) != CRD_OK) return fail_in_turn(worker, &fault);
    worker->rows = worker->batch_rows;
    *goes_out = true;
    settle_if_exhausted(worker);
    return true;
}

/* Converts the next rows of the chunk, up to one frame. false: reading is over. */
static bool worker_take_part(crd_worker *worker, bool *goes_out) {
    *goes_out = false;
    worker->rows = 0;
    if (worker->fault.status != CRD_OK) return fail_with_fault(worker);
    if (worker->batch != NULL) return take_slice(worker, goes_out);
    bool checks_types = learn_types(worker);
    if (!checks_types && take_fast_rows(worker)) {
        *goes_out = worker->rows > 0;
        settle_if_exhausted(worker);
        return true;
    }
    if (worker->fault.status != CRD_OK) return fail_with_fault(worker);
    collect_carefully(worker);
    if (checks_types) return check_part(worker);
    return worker->rows > 0 ? convert_part(worker, goes_out) : leave_part_out(worker);
}

/* ---- Frames ---- */

/* Returns why a worker finds no more rows. */
static crd_status end_rows(crd_reader *reader, crd_error *error) {
    crd_i_sequencer *sequencer = &reader->sequencer;
    if (!crd_i_sequencer_wait_end(sequencer, error)) return error->status;
    pthread_mutex_lock(&sequencer->mutex);
    crd_status status = sequencer->checks_types ? end_check(reader, error) : CRD_OK;
    if (status == CRD_OK && crd_i_reader_has_late_truth(reader)) status = CRD_I_READ_AGAIN;
    if (status == CRD_OK) reader->pass.has_final_types = true;
    pthread_mutex_unlock(&sequencer->mutex);
    return status;
}

static void leave_chunk(crd_worker *worker) {
    if (worker->has_chunk) crd_i_sequencer_leave(&worker->reader->sequencer, &worker->place);
    worker->has_chunk = false;
}

static crd_status worker_next_frame(crd_worker *worker, const crd_frame **out, crd_error *error) {
    crd_reader *reader = worker->reader;
    for (bool goes_out = false; !goes_out;) {
        if (!worker->has_chunk || (worker->is_exhausted && worker->fault.status == CRD_OK)) {
            bool is_found;
            crd_error fault = {.status = CRD_OK};
            worker->rows = 0;
            leave_chunk(worker);
            crd_status status = crd_i_chunk_take(worker, &is_found, &fault);
            if (is_found && status != CRD_OK && crd_i_sequencer_wait_turn(&reader->sequencer, &worker->place)) {
                crd_i_sequencer_fail(&reader->sequencer, &worker->place, &fault);
            }
            if (!is_found || status != CRD_OK) return end_rows(reader, error);
            begin_chunk(worker);
        }
        if (!worker_take_part(worker, &goes_out)) {
            worker->rows = 0;
            return end_rows(reader, error);
        }
    }
    if (reader->inspection.collects && !crd_i_worker_collect(worker)) return crd_i_fail_memory(error);
    if (worker->batch == NULL) crd_i_worker_fill_frame(worker);
    if (reader->has_intervals && crd_i_worker_make_intervals(worker, error) != CRD_OK) return CRD_ERROR_MEMORY;
    if (reader->has_texts && crd_i_worker_make_texts_valid(worker, error) != CRD_OK) return CRD_ERROR_MEMORY;
    *out = worker->frame;
    return CRD_OK;
}

crd_status crd_i_worker_next(crd_worker *worker, const crd_frame **out, crd_error *error) {
    *out = NULL;
    crd_error fault = {.status = CRD_OK};
    crd_status status = worker_next_frame(worker, out, &fault);
    if (status == CRD_I_READ_AGAIN) (void)crd_i_fail(&fault, status, "the column types have changed");
    if (status != CRD_OK && error != NULL) *error = fault;
    return status;
}

bool crd_i_worker_wait_turn(crd_worker *worker) {
    return worker->has_chunk && crd_i_sequencer_wait_left(&worker->reader->sequencer, &worker->place);
}

/* ---- Inspecting the current rows ---- */

crd_text crd_worker_cell(const crd_worker *worker, size_t row, size_t column) {
    crd_text none = {"", 0};
    const crd_reader *reader = worker->reader;
    if (!reader->options.keep_text || row >= worker->rows || column >= reader->first.width) return none;
    if (reader->batches.source != NULL)
        return worker->batch == NULL || worker->batch->text == NULL
                   ? none
                   : worker->batch->text(worker->batch, column, worker->batch_from + row);
    size_t field = worker->entry->first_fields == NULL ? column : worker->entry->first_fields[column];
    return field == SIZE_MAX ? none : crd_i_worker_text(worker, row, field);
}

crd_text crd_i_worker_text_at(const crd_worker *worker, size_t row, size_t column) {
    const crd_text none = {"", 0};
    if (worker->batch != NULL || row >= worker->rows || column >= worker->reader->column_count) return none;
    size_t field = worker->entry->fields[column];
    return field == SIZE_MAX ? none : crd_i_worker_text(worker, row, field);
}

uint64_t crd_i_worker_line(const crd_worker *worker, size_t row) {
    uint64_t before; /* also stored in the place by then */
    if (row >= worker->rows || !crd_i_sequencer_wait_line(&worker->reader->sequencer, &worker->place, &before))
        return 0;
    uint64_t line = row + 1;
    if (worker->is_fast) line = crd_i_fast_parse_lines_before(&worker->fast, worker->first_row + row) + 1;
    else if (worker->batch == NULL) line = worker->lines[row];
    return line_in_file(worker, line);
}

const char *crd_i_worker_place(const crd_worker *worker) {
    return worker->reader->inputs[worker->has_chunk ? worker->entry->input : worker->reader->position.current].place;
}
