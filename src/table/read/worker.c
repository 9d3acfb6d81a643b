/* SPDX-License-Identifier: MIT */
/* worker.c - one thread's way from chunks to frames. See reader_internal.h and chunk_sequencer.h.
 *
 * A worker takes a chunk, collects rows as cells that point into its bytes, and converts them row by row, so that of
 * several faults the first in the file is reported. Chunks whose rows have nothing irregular, which are
 * nearly all, go the fast path of fast_parse.h instead. A chunk is one frame, or several where its rows have far more
 * columns than bytes. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum {
    FRAME_CELLS = 1024 * 1024, /* at most, but for a frame of one row */
    SPARSE_FRAME_ROWS = 1 << 16
};

/* ---- What chunks tell each other ---- */

/* The worker knows of kinds what the chunks before say, as far as they have; whether only kinds matter any more. */
static bool learn_kinds(crd_worker *lane) {
    crd_reader *reader = lane->reader;
    pthread_mutex_lock(&reader->order.mutex);
    if (lane->kinds_version != reader->order.kinds_version) {
        for (size_t i = 0; i < reader->column_count; i++) lane->columns[i].known = reader->columns[i].kind;
        lane->kinds_version = reader->order.kinds_version;
    }
    bool checks_kinds = reader->order.checks_kinds;
    pthread_mutex_unlock(&reader->order.mutex);
    return checks_kinds;
}

static bool has_new_kinds(const crd_worker *lane) {
    for (size_t i = 0; i < lane->reader->column_count; i++) {
        if (lane->columns[i].kind != lane->columns[i].known) return true;
    }
    return false;
}

/* The kinds of the rows at hand are everybody's. NONE, NUMBER and CATEGORY are in this order: a later one wins. */
static void tell_kinds(crd_worker *lane) {
    crd_reader *reader = lane->reader;
    bool is_new = false;
    pthread_mutex_lock(&reader->order.mutex);
    for (size_t i = 0; i < reader->column_count; i++) {
        if (lane->columns[i].kind <= reader->columns[i].kind) continue;
        reader->columns[i].kind = lane->columns[i].kind;
        is_new = true;
    }
    if (is_new) reader->order.kinds_version++;
    pthread_mutex_unlock(&reader->order.mutex);
}

/* In turn: the line of the file that is a line of the chunk, counted from 1; 0: it cannot be told. */
static uint64_t line_in_file(const crd_worker *lane, uint64_t line) {
    uint64_t unread;
    if (!crd_i_shard_lines_before(lane->reader, lane->entry, &unread)) return 0;
    return unread + lane->place.line_before + line;
}

/* An error of a chunk counts its lines from its own beginning, until all before it are known. */
static void place_error(const crd_worker *lane, crd_error *error) {
    if (lane->batch != NULL && error->place[0] != '\0') return; /* it has that of its own file */
    uint64_t line = error->line == 0 ? 0 : line_in_file(lane, error->line);
    crd_i_error_place(error, lane->reader->inputs[lane->entry->input].place, line, error->field);
}

/* Always false, as there is nothing more to come. */
static bool fail_in_turn(crd_worker *lane, crd_error *error) {
    if (!crd_i_sequencer_wait_turn(&lane->reader->order, &lane->place)) return false;
    const bool is_of_row = error->status == CRD_ERROR_SYNTAX && lane->batch == NULL &&
                           lane->entry->heading.format == &crd_i_format_delimited;
    if (is_of_row && error->hint[0] == '\0' && !lane->reader->options.line_rows && !crd_i_reader_skips(lane->reader))
        crd_i_error_hint(error, "leave out rows that cannot be read: bad_rows=skip");
    place_error(lane, error);
    crd_i_sequencer_fail(&lane->reader->order, &lane->place, error);
    return false;
}

static void settle_if_exhausted(crd_worker *lane) {
    if (!lane->is_exhausted || lane->fault.status != CRD_OK) return;
    uint64_t lines = lane->batch != NULL ? lane->batch_rows
                     : lane->is_swift    ? crd_i_fast_parse_lines_before(&lane->swift, lane->swift.rows)
                                         : lane->records.next_line - 1;
    crd_i_sequencer_settle(&lane->reader->order, &lane->place, lines);
}

/* In turn: a key that is no column of the first file is told of once. */
static void tell_stranger(crd_worker *lane) {
    crd_i_input *input = &lane->reader->inputs[lane->entry->input];
    if (!lane->has_stranger) return;
    lane->has_stranger = false;
    if (input->warned_of_more) return;
    input->warned_of_more = true;
    crd_i_context_log(lane->reader->context, CRD_LOG_WARNING, CRD_LOG_COLUMNS_IGNORED, crd_text_of(lane->stranger),
                      "%s:%llu: '%s' is not in the first file, and is left out, as are others like it", input->place,
                      (unsigned long long)line_in_file(lane, lane->stranger_line), lane->stranger);
}

/* ---- The rows of a chunk ---- */

static size_t most_rows(const crd_worker *lane) {
    size_t columns = lane->reader->column_count, width = lane->entry->heading.width;
    if (columns < width) columns = width;
    size_t most = columns > FRAME_CELLS ? 1 : FRAME_CELLS / columns, asked = lane->reader->frame_rows;
    return asked > 0 && asked < most ? asked : most;
}

/* Whether one more row may be too many: of sparse rows only those fields take room that some row has. */
static bool is_full(const crd_worker *lane) {
    if (lane->bad_count > 0 && lane->rows + lane->bad_count >= most_rows(lane)) return true;
    if (!lane->is_sparse) return lane->rows >= most_rows(lane);
    size_t asked = lane->reader->frame_rows, most = asked > 0 && asked < SPARSE_FRAME_ROWS ? asked : SPARSE_FRAME_ROWS;
    return lane->rows >= most || (lane->rows > 0 && lane->rows >= FRAME_CELLS / (lane->sparse.field_count + 1));
}

/* From the rows at hand on, the chunk is parsed the slow path. */
static void turn_careful(crd_worker *lane) {
    if (!lane->is_swift) return;
    uint32_t before =
        lane->swift.marks == NULL ? UINT32_MAX : lane->swift.marks[lane->next_row * lane->entry->heading.width];
    crd_i_fast_parse_restore(&lane->swift, lane->next_row);
    lane->is_swift = lane->is_exhausted = false;
    lane->records.next = lane->records.scan = (uint32_t)(before + 1);
    lane->records.next_line = lane->records.scan_line = crd_i_fast_parse_lines_before(&lane->swift, lane->next_row) + 1;
}

/* Whether the last field of all rows is empty. */
static bool end_with_nothing(const crd_worker *lane) {
    const size_t last = lane->entry->heading.width - 1;
    for (size_t row = 0; row < lane->swift.rows; row++)
        if (crd_i_fast_parse_text(&lane->swift, row, last).length > 0) return false;
    return true;
}

static void begin_chunk(crd_worker *lane) {
    crd_i_slow_parse *records = &lane->records;
    lane->has_chunk = true;
    lane->is_exhausted = false;
    lane->fault.status = CRD_OK;
    lane->has_stranger = false;
    crd_i_bad_rows_clear(lane);
    lane->next_row = 0;
    lane->swift.ran_out = false;
    lane->is_swift = lane->is_sparse = false;
    if (lane->batch != NULL) return;
    const crd_i_format *format = lane->entry->heading.format;
    lane->is_sparse = format->split_sparse != NULL && (format->split == NULL || format->is_sparse(lane));
    const crd_i_delimiters delimiters = {records->separator, records->quote};
    lane->is_swift = lane->entry->heading.format == &crd_i_format_delimited && records->separator != ' ' &&
                     crd_i_fast_parse_cut(&lane->swift, (char *)records->bytes, records->end, delimiters,
                                          lane->entry->heading.width, records->max_record);
    if (lane->is_swift && lane->entry->heading.has_end_separator && !end_with_nothing(lane)) turn_careful(lane);
    if (!lane->is_swift && lane->swift.ran_out) crd_i_fail_memory(&lane->fault);
    /* Who promised that there are none is told by the slow path. */
    if (lane->reader->options.line_rows && lane->swift.has_inner) turn_careful(lane);
}

/* The record that was found last, as a row. */
static crd_status split_row(crd_worker *lane, crd_error *error) {
    crd_context *context = lane->reader->context;
    const crd_i_file_header *heading = &lane->entry->heading;
    /* Who only looks at cells has no columns. */
    bool is_checking = crd_i_reader_skips(lane->reader) && lane->columns != NULL;
    if (lane->is_sparse) {
        crd_status status = heading->format->split_sparse(lane, &lane->sparse, error);
        if (status == CRD_OK) crd_i_worker_clear_unlabeled_sparse(lane);
        if (status == CRD_OK && is_checking) status = crd_i_worker_check_row(lane, error);
        if (status != CRD_OK) crd_i_sparse_rows_drop_row(&lane->sparse);
        else if (!crd_i_sparse_rows_end_row(&lane->sparse, context)) status = crd_i_fail_memory(error);
        return status;
    }
    size_t used = lane->rows * heading->width;
    if (!crd_i_reserve(context, &lane->cells, &lane->cells_capacity, used + heading->width, sizeof *lane->cells))
        return crd_i_fail_memory(error);
    crd_status status = heading->format->split(lane, lane->cells + used, error);
    if (status == CRD_OK) crd_i_worker_clear_unlabeled(lane, lane->cells + used);
    return status == CRD_OK && is_checking ? crd_i_worker_check_row(lane, error) : status;
}

/* Whether an empty line precedes the record that was found last. */
static bool mark_break(crd_worker *lane) {
    if (!crd_i_worker_reserve_breaks(lane, lane->rows + 1)) return false;
    lane->breaks[lane->rows] = lane->has_break;
    return true;
}

/* The record that was found last is a row. */
static void take_row(crd_worker *lane) {
    lane->rows++;
    lane->has_break = false;
}

/* Cells of rows until the frame is full or the chunk ends. */
static crd_status collect(crd_worker *lane, crd_error *error) {
    crd_context *context = lane->reader->context;
    crd_i_slow_parse *records = &lane->records;
    if (lane->is_sparse && !crd_i_sparse_rows_begin(&lane->sparse, context, lane->entry->heading.width,
                                                    lane->reader->options.keep_text != 0))
        return crd_i_fail_memory(error);
    while (!is_full(lane)) {
        bool found = false, skips = crd_i_reader_skips(lane->reader);
        crd_status status = crd_i_slow_parse_next(records, &found, error);
        if (records->behind_empty) lane->has_break = true;
        if (skips && (found || status != CRD_OK) && !crd_i_bad_rows_remember(lane)) return crd_i_fail_memory(error);
        if (status != CRD_OK) {
            status = crd_i_bad_rows_add(lane, status, error);
            if (status != CRD_OK) return status;
            continue;
        }
        lane->is_exhausted = !found;
        if (!found) return CRD_OK;
        const unsigned char *record = records->bytes + records->start;
        if (lane->reader->options.line_rows && memchr(record, '\n', records->length) != NULL) {
            crd_i_fail(error, CRD_ERROR_SYNTAX, "a row of several lines, where each was promised to be one line");
            crd_i_error_place(error, NULL, records->line, 0);
            return CRD_ERROR_SYNTAX;
        }
        if (!crd_i_reserve(context, &lane->lines, &lane->lines_capacity, lane->rows + 1, sizeof *lane->lines))
            return crd_i_fail_memory(error);
        lane->lines[lane->rows] = (uint32_t)records->line;
        if (lane->reader->marks_empty_lines && !mark_break(lane)) return crd_i_fail_memory(error);
        status = split_row(lane, error);
        if (status == CRD_OK) take_row(lane);
        else status = crd_i_bad_rows_add(lane, status, error);
        if (status != CRD_OK) return status;
    }
    lane->is_exhausted = records->next == records->end;
    return CRD_OK;
}

/* What is wrong with a row is told after the rows before it. */
static void collect_carefully(crd_worker *lane) {
    turn_careful(lane);
    lane->rows = 0;
    crd_error fault = {.status = CRD_OK};
    crd_status status = collect(lane, &fault);
    if (status == CRD_OK) return;
    lane->is_exhausted = true;
    lane->fault = fault;
    if (status == CRD_ERROR_MEMORY) lane->rows = 0;
}

void crd_i_worker_begin_look(crd_worker *lane) {
    begin_chunk(lane);
}

bool crd_i_worker_look(crd_worker *lane) {
    if (lane->is_exhausted || lane->fault.status != CRD_OK) return false;
    if (lane->is_swift) {
        lane->rows = lane->swift.rows;
        lane->first_row = 0;
        lane->is_exhausted = true;
    } else {
        crd_i_bad_rows_clear(lane); /* they are reported when rows are read */
        collect_carefully(lane);
    }
    return lane->rows > 0;
}

/* The next rows the fast path; false: they need the careful one, unless that failed. */
static bool take_swiftly(crd_worker *lane) {
    if (!lane->is_swift) return false;
    size_t left = lane->swift.rows - lane->next_row, most = most_rows(lane);
    bool done;
    lane->rows = left < most ? left : most;
    lane->first_row = lane->next_row;
    if (crd_i_worker_convert_swiftly(lane, &done, &lane->fault) != CRD_OK || !done) return false;
    if (lane->reader->marks_empty_lines) {
        if (!crd_i_worker_reserve_breaks(lane, lane->rows + 1)) {
            crd_i_fail_memory(&lane->fault);
            return false;
        }
        /* No empty line is among rows that have nothing irregular. */
        memset(lane->breaks, 0, lane->rows + 1);
        lane->breaks[0] = lane->has_break;
        if (lane->rows > 0) lane->has_break = false;
    }
    lane->next_row += lane->rows;
    lane->is_exhausted = lane->next_row == lane->swift.rows;
    return true;
}

/* How a look at kinds alone ends: with another reading, or with what made it necessary. Under the order's mutex. */
static crd_status end_check(crd_reader *reader, crd_error *error) {
    const crd_i_sequencer *order = &reader->order;
    crd_i_reader_column *suspect = &reader->columns[order->suspect_column];
    if (suspect->kind == CRD_KIND_CATEGORY) return CRD_RESTART;
    if (crd_i_reader_skips(reader)) {
        suspect->refuses_infinite = true;
        return CRD_RESTART;
    }
    *error = order->suspect;
    return order->suspect.status;
}

/* What is wrong behind the rows at hand. Among rows that only show their kinds it is as good as the end of the input:
 * to the next reading it is one fault among others, and the first of them is told. */
static bool fail_with_fault(crd_worker *lane) {
    crd_i_sequencer *order = &lane->reader->order;
    if (lane->fault.status == CRD_ERROR_MEMORY) return fail_in_turn(lane, &lane->fault);
    if (!crd_i_sequencer_lock_turn(order, &lane->place)) return false;
    crd_error end = {.status = CRD_OK};
    if (order->checks_kinds) end.status = end_check(lane->reader, &end);
    pthread_mutex_unlock(&order->mutex);
    if (end.status == CRD_OK) return fail_in_turn(lane, &lane->fault);
    crd_i_sequencer_fail(order, &lane->place, &end);
    return false;
}

/* The rows at hand, which went no further than to show their kinds. */
static bool check_part(crd_worker *lane) {
    crd_i_bad_rows_clear(lane);
    crd_i_worker_check_kinds(lane);
    /* In turn: rows behind a fault say nothing. */
    if (has_new_kinds(lane) && !crd_i_sequencer_wait_turn(&lane->reader->order, &lane->place)) return false;
    tell_kinds(lane);
    if (lane->fault.status != CRD_OK) return fail_with_fault(lane);
    settle_if_exhausted(lane);
    return true;
}

/* A column is not what it went out as. The rest of the input is looked at for its kinds only, so that any number of
 * columns that turn over cost one more pass. */
static bool begin_check(crd_worker *lane, crd_error *suspect, size_t suspect_column) {
    crd_i_sequencer *order = &lane->reader->order;
    if (!crd_i_reader_can_reread(lane->reader)) return fail_in_turn(lane, suspect);
    place_error(lane, suspect);
    pthread_mutex_lock(&order->mutex);
    order->checks_kinds = true;
    order->suspect = *suspect;
    order->suspect_column = suspect_column;
    pthread_mutex_unlock(&order->mutex);
    return check_part(lane);
}

/* In turn: rows that were left out among those at hand. false: it is over. */
static bool report_bad_rows(crd_worker *lane) {
    crd_error fault = {.status = CRD_OK};
    if (lane->zone != CRD_I_ROWS_OWN) crd_i_bad_rows_clear(lane); /* another part reports them */
    if (crd_i_bad_rows_report(lane, place_error, &fault)) return true;
    crd_i_sequencer_fail(&lane->reader->order, &lane->place, &fault);
    return false;
}

/* No row at hand is whole. */
static bool leave_part_out(crd_worker *lane) {
    if (lane->bad_count > 0) {
        if (!crd_i_sequencer_wait_turn(&lane->reader->order, &lane->place)) return false;
        if (learn_kinds(lane)) return check_part(lane);
        if (!report_bad_rows(lane)) return false;
    }
    if (lane->fault.status != CRD_OK) return fail_with_fault(lane);
    settle_if_exhausted(lane);
    return true;
}

/* The rows at hand, collected the slow path, into the frame; *goes_out if that is to be seen. false: it is over. */
static bool convert_part(crd_worker *lane, bool *goes_out) {
    crd_error suspect = {.status = CRD_OK}, fault = {.status = CRD_OK};
    size_t suspect_column = 0;
    crd_status status = crd_i_worker_convert(lane, &suspect, &suspect_column, &fault);
    if (status != CRD_OK || lane->has_stranger || lane->bad_count > 0 || has_new_kinds(lane)) {
        /* Others may be concerned: in turn, and by what the chunks before have said. */
        if (!crd_i_sequencer_wait_turn(&lane->reader->order, &lane->place)) return false;
        if (status == CRD_ERROR_MEMORY) return fail_in_turn(lane, &fault);
        uint64_t version = lane->kinds_version;
        if (learn_kinds(lane)) return check_part(lane);
        if (version != lane->kinds_version) {
            status = crd_i_worker_convert(lane, &suspect, &suspect_column, &fault);
        }
        if (status == CRD_RESTART) return begin_check(lane, &suspect, suspect_column);
        if (status != CRD_OK) return fail_in_turn(lane, &fault);
        tell_kinds(lane);
        tell_stranger(lane);
        if (!report_bad_rows(lane)) return false;
    }
    *goes_out = true;
    settle_if_exhausted(lane);
    return true;
}

/* A slice of a batch, which is one frame. */
static bool take_slice(crd_worker *lane, bool *goes_out) {
    crd_error fault = {.status = CRD_OK};
    lane->is_exhausted = true;
    if (crd_i_worker_convert_batch(lane, &fault) != CRD_OK) return fail_in_turn(lane, &fault);
    lane->rows = lane->batch_rows;
    *goes_out = true;
    settle_if_exhausted(lane);
    return true;
}

/* The next rows of the chunk, as far as a frame holds. false: it is over. */
static bool take_part(crd_worker *lane, bool *goes_out) {
    *goes_out = false;
    lane->rows = 0;
    if (lane->fault.status != CRD_OK) return fail_with_fault(lane);
    if (lane->batch != NULL) return take_slice(lane, goes_out);
    bool checks_kinds = learn_kinds(lane);
    if (!checks_kinds && take_swiftly(lane)) {
        *goes_out = lane->rows > 0;
        settle_if_exhausted(lane);
        return true;
    }
    if (lane->fault.status != CRD_OK) return fail_with_fault(lane);
    collect_carefully(lane);
    if (checks_kinds) return check_part(lane);
    return lane->rows > 0 ? convert_part(lane, goes_out) : leave_part_out(lane);
}

/* ---- Frames ---- */

/* When a worker finds no more rows: why. */
static crd_status end_rows(crd_reader *reader, crd_error *error) {
    crd_i_sequencer *order = &reader->order;
    if (!crd_i_sequencer_wait_end(order, error)) return error->status;
    pthread_mutex_lock(&order->mutex);
    crd_status status = order->checks_kinds ? end_check(reader, error) : CRD_OK;
    if (status == CRD_OK && crd_i_reader_has_late_truth(reader)) status = CRD_RESTART;
    pthread_mutex_unlock(&order->mutex);
    return status;
}

static void leave_chunk(crd_worker *lane) {
    if (lane->has_chunk) crd_i_sequencer_leave(&lane->reader->order, &lane->place);
    lane->has_chunk = false;
}

static crd_status next_frame(crd_worker *lane, const crd_frame **out, crd_error *error) {
    crd_reader *reader = lane->reader;
    for (bool goes_out = false; !goes_out;) {
        if (!lane->has_chunk || (lane->is_exhausted && lane->fault.status == CRD_OK)) {
            bool found;
            crd_error fault = {.status = CRD_OK};
            lane->rows = 0;
            leave_chunk(lane);
            crd_status status = crd_i_chunk_take(lane, &found, &fault);
            if (found && status != CRD_OK && crd_i_sequencer_wait_turn(&reader->order, &lane->place)) {
                crd_i_sequencer_fail(&reader->order, &lane->place, &fault);
            }
            if (!found || status != CRD_OK) return end_rows(reader, error);
            begin_chunk(lane);
        }
        if (!take_part(lane, &goes_out)) {
            lane->rows = 0;
            return end_rows(reader, error);
        }
    }
    if (reader->collects && !crd_i_worker_collect(lane)) return crd_i_fail_memory(error);
    if (lane->batch == NULL) crd_i_worker_fill_frame(lane);
    if (reader->has_intervals && crd_i_worker_make_intervals(lane, error) != CRD_OK) return CRD_ERROR_MEMORY;
    if (reader->has_texts && crd_i_worker_make_texts_valid(lane, error) != CRD_OK) return CRD_ERROR_MEMORY;
    *out = lane->frame;
    return CRD_OK;
}

crd_status crd_worker_next(crd_worker *lane, const crd_frame **out, crd_error *error) {
    *out = NULL;
    crd_error fault = {.status = CRD_OK};
    crd_status status = next_frame(lane, out, &fault);
    if (status != CRD_OK && status != CRD_RESTART && error != NULL) *error = fault;
    return status;
}

int crd_worker_wait_turn(crd_worker *lane) {
    return lane->has_chunk && crd_i_sequencer_wait_left(&lane->reader->order, &lane->place);
}

/* ---- Looking at the rows at hand ---- */

crd_text crd_worker_cell(const crd_worker *lane, size_t row, size_t column) {
    crd_text none = {"", 0};
    const crd_reader *reader = lane->reader;
    if (!reader->options.keep_text || row >= lane->rows || column >= reader->first.width) return none;
    if (reader->batches != NULL)
        return lane->batch == NULL || lane->batch->text == NULL
                   ? none
                   : lane->batch->text(lane->batch, column, lane->batch_from + row);
    size_t field = lane->entry->first_fields == NULL ? column : lane->entry->first_fields[column];
    return field == SIZE_MAX ? none : crd_i_worker_text(lane, row, field);
}

crd_text crd_i_worker_text_at(const crd_worker *lane, size_t row, size_t column) {
    const crd_text none = {"", 0};
    if (lane->batch != NULL || row >= lane->rows || column >= lane->reader->column_count) return none;
    size_t field = lane->entry->fields[column];
    return field == SIZE_MAX ? none : crd_i_worker_text(lane, row, field);
}

uint64_t crd_worker_line(const crd_worker *lane, size_t row) {
    uint64_t before; /* part of the place, too, by then */
    if (row >= lane->rows || !crd_i_sequencer_wait_line(&lane->reader->order, &lane->place, &before)) return 0;
    uint64_t line = row + 1;
    if (lane->is_swift) line = crd_i_fast_parse_lines_before(&lane->swift, lane->first_row + row) + 1;
    else if (lane->batch == NULL) line = lane->lines[row];
    return line_in_file(lane, line);
}

const char *crd_worker_place(const crd_worker *lane) {
    return lane->reader->inputs[lane->has_chunk ? lane->entry->input : lane->reader->current].place;
}
