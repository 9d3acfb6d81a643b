/* SPDX-License-Identifier: MIT */
/* sequence_reader.c - splits the rows of a reader into sequences, and reads their steps. See credence/sequence.h.
 *
 * Rows in order are split at the beginnings of sequences, and a batch ends at such a split. With a time column, rows
 * may be in any order, and all of them form one batch.
 *
 * If the reader reads only one part of the rows, each sequence belongs to exactly one part. Normally a part has the
 * sequences that begin in it, with all of their rows. If the rows of a sequence may be anywhere, a part has the
 * sequences whose id hash is assigned to it: see crd_i_reader_divide_sequences.
 *
 * Contents:
 *   1. Sequences of a reader
 *   2. Blocks of steps
 *   3. Step iterator */
#include "base/dictionary.h"
#include "base/error.h"
#include "base/memory.h"
#include "processes/group.h"
#include "sequence/data/sequences.h"
#include "table/read/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Sequences of a reader ======== */

enum { USUAL_BATCH_ROWS = 65536, USUAL_MEMORY = 64 * 1024 * 1024, LINE_BITS = 44 };

struct crd_sequence_reader {
    crd_context *context;
    crd_i_row_source rows;
    size_t next_row; /* the next row of the frame */
    size_t batch_rows;
    bool has_ids, has_blank_lines, has_times;
    double step;
    bool is_part;   /* the reader reads one part of the rows */
    bool has_zones; /* true: the part has the sequences that begin in it; false: assignment by hash */

    /* State of the current sequence. */
    bool has_sequence;
    bool is_foreign; /* it belongs to another part */
    bool is_over;    /* the part has no more sequences */
    bool is_stream;  /* rows are read as a stream */
    uint64_t begun;  /* number of sequences of this part so far */
    uint64_t met;    /* number of sequences of any part so far */
    size_t input;    /* the file of its latest row */
    crd_i_buffer id;
    bool has_latest;
    double latest; /* time of its latest row */
    crd_i_gap_sums gaps;
    size_t sequence; /* index in the batch, if rows may be mixed */
    crd_i_id_table ids;
    bool shares_ids; /* the processes of a group read all parts together and compare their ids */
    crd_i_buffer own_ids;
    uint64_t begun_at; /* file and line where the current sequence began */
    bool has_failed;   /* reading failed after that place */
};

/* ---- Creation ---- */

static crd_status sequence_reader_check_options(const crd_reader *reader, const crd_sequence_options *options,
                                                crd_error *error) {
    if (options->sequence.bytes != NULL && options->blank_lines)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "sequences can be separated by empty lines or by an id column, not by both");
    if (!(options->step >= 0) || !isfinite(options->step))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a step must be a number above zero");
    if (options->step > 0 && options->time.bytes == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "a step needs a time column");
    crd_i_column_format format;
    if (options->time_format.bytes != NULL && !crd_i_column_format_find_time(options->time_format, &format)) {
        char shown[CRD_I_QUOTED_ROOM];
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "unknown format of times '%s'",
                          crd_i_quote(options->time_format, shown));
    }
    if (crd_reader_weight(reader).bytes != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows of sequences cannot have weights");
    return CRD_OK;
}

static crd_status set_keys(crd_reader *reader, const crd_sequence_options *options, crd_error *error) {
    crd_status status = CRD_OK;
    const crd_i_column_format plain = {CRD_I_READING_PLAIN, CRD_I_PART_WHOLE};
    crd_i_column_format likely = plain;
    if (options->time_format.bytes != NULL && !crd_i_column_format_find_time(options->time_format, &likely))
        likely = plain;
    if (options->blank_lines) status = crd_i_reader_mark_empty_lines(reader, error);
    if (status == CRD_OK && options->sequence.bytes != NULL)
        status = crd_i_reader_set_key(reader, options->sequence, CRD_I_KEY_SEQUENCE, plain, error);
    if (status == CRD_OK && options->time.bytes != NULL)
        status = crd_i_reader_set_key(reader, options->time, CRD_I_KEY_TIME, likely, error);
    return status;
}

crd_status crd_sequence_reader_create(crd_reader *reader, const crd_sequence_options *options,
                                      crd_sequence_reader **out, crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new sequence reader");
    *out = NULL;
    if (reader == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing reader");
    crd_sequence_options given = CRD_SEQUENCE_OPTIONS_INIT;
    if (options != NULL && !crd_i_copy_in(options, &given, sizeof given))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options are not initialized");
    crd_context *context = crd_i_reader_context(reader);
    crd_status status = sequence_reader_check_options(reader, &given, error);
    if (status != CRD_OK) return status;
    crd_sequence_reader *sequence_reader = crd_i_alloc_zeroed(context, 1, sizeof *sequence_reader);
    if (sequence_reader == NULL) return crd_i_fail_memory(error);
    sequence_reader->context = sequence_reader->rows.context = sequence_reader->id.context =
        sequence_reader->ids.context = sequence_reader->own_ids.context = context;
    sequence_reader->rows.reader = reader;
    sequence_reader->rows.memory_bytes = given.memory_bytes > 0 ? given.memory_bytes : USUAL_MEMORY;
    sequence_reader->batch_rows = given.batch_rows > 0 ? given.batch_rows : USUAL_BATCH_ROWS;
    sequence_reader->has_ids = given.sequence.bytes != NULL;
    sequence_reader->has_blank_lines = given.blank_lines != 0;
    sequence_reader->has_times = given.time.bytes != NULL;
    sequence_reader->step = given.step;
    sequence_reader->is_part = crd_i_reader_is_shard(reader);
    if (sequence_reader->is_part)
        sequence_reader->has_zones = crd_i_reader_divide_sequences(reader, sequence_reader->has_times);
    sequence_reader->shares_ids = sequence_reader->has_zones && sequence_reader->has_ids && context->group != NULL;
    status = set_keys(reader, &given, error);
    if (status != CRD_OK) {
        crd_sequence_reader_destroy(sequence_reader);
        return status;
    }
    sequence_reader->rows.source = given;
    sequence_reader->rows.source.sequence = crd_i_reader_key_name(reader, CRD_I_KEY_SEQUENCE);
    sequence_reader->rows.source.time = crd_i_reader_key_name(reader, CRD_I_KEY_TIME);
    sequence_reader->rows.source.time_format = crd_i_reader_time_format(reader);
    *out = sequence_reader;
    return CRD_OK;
}

void crd_sequence_reader_source(const crd_sequence_reader *reader, crd_sequence_options *out) {
    crd_i_copy_out(&reader->rows.source, sizeof reader->rows.source, out);
}

void crd_sequence_reader_destroy(crd_sequence_reader *reader) {
    if (reader == NULL) return;
    crd_i_row_source_clear(&reader->rows);
    crd_i_buffer_clear(&reader->id);
    crd_i_buffer_clear(&reader->own_ids);
    crd_i_id_table_clear(&reader->ids);
    crd_free(reader->context, reader);
}

void crd_i_sequence_reader_clear(crd_sequence_reader *reader) {
    crd_i_row_source_restart(&reader->rows);
    crd_i_id_table_clear(&reader->ids);
    reader->own_ids.length = 0;
    reader->has_sequence = reader->is_foreign = reader->is_over = reader->has_latest = false;
    reader->gaps = (crd_i_gap_sums){0, 0};
    reader->next_row = 0;
    reader->met = 0;
}

/* Reads the next frame; the frame is NULL at the end. */
static crd_status sequence_reader_next_frame(crd_sequence_reader *reader, crd_error *error) {
    crd_i_row_source *rows = &reader->rows;
    reader->next_row = 0;
    for (;;) {
        crd_status status = crd_i_row_source_next(rows, error);
        bool is_first = status == CRD_OK && rows->frame != NULL && reader->has_zones && reader->met == 0;
        if (!is_first || crd_i_reader_zone(rows->reader) != CRD_I_ROWS_OWN ||
            !crd_i_reader_reach_back(rows->reader, reader->has_ids))
            return status;
        crd_i_sequence_reader_clear(reader);
        status = crd_reader_begin_again(rows->reader, error);
        if (status != CRD_OK) return status;
    }
}

/* ---- Rows ---- */

/* Adds the place of a frame row to the error. Returns CRD_ERROR_SYNTAX. */
static crd_status sequence_reader_fail(const crd_sequence_reader *reader, size_t row, crd_error *error) {
    crd_i_row_source_place(&reader->rows, row, error);
    return CRD_ERROR_SYNTAX;
}

static crd_status fail_missing(const crd_sequence_reader *reader, size_t row, crd_i_key key, crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    size_t column = key == CRD_I_KEY_SEQUENCE ? reader->rows.id : reader->rows.time;
    crd_text name = reader->rows.frame->columns[column].name;
    crd_i_fail(error, CRD_ERROR_SYNTAX, "the row has no %s: its value in column '%s' is missing",
               key == CRD_I_KEY_SEQUENCE ? "id of a sequence" : "time", crd_i_quote(name, shown));
    crd_i_error_subject(error, name);
    return sequence_reader_fail(reader, row, error);
}

/* Gets the id of a row. Sets *is_other if it differs from the id of the previous row. */
static crd_status look_at_id(const crd_sequence_reader *reader, size_t row, crd_text *id, bool *is_other,
                             crd_error *error) {
    const crd_frame *frame = reader->rows.frame;
    const crd_i_column *column = &frame->columns[reader->rows.id];
    if (!crd_i_column_present(column, row)) return fail_missing(reader, row, CRD_I_KEY_SEQUENCE, error);
    *id = crd_i_dictionary_text(column->dictionary, (size_t)column->codes[row]);
    if (row > 0 && column->codes[row] == column->codes[row - 1]) *is_other = !reader->has_sequence;
    else {
        const crd_text before = {(const char *)reader->id.bytes, reader->id.length};
        *is_other = !reader->has_sequence || id->length != before.length ||
                    (id->length > 0 && memcmp(id->bytes, before.bytes, id->length) != 0);
    }
    return CRD_OK;
}

/* Sets *is_other if a row belongs to a different sequence than the previous row. */
static crd_status look_at_row(const crd_sequence_reader *reader, size_t row, crd_text *id, bool *is_other,
                              crd_error *error) {
    *id = (crd_text){NULL, 0};
    if (reader->has_ids) return look_at_id(reader, row, id, is_other, error);
    *is_other = !reader->has_sequence || reader->rows.input != reader->input ||
                (reader->has_blank_lines && crd_i_reader_breaks(reader->rows.reader)[row]);
    return CRD_OK;
}

static bool keep_id(crd_sequence_reader *reader, crd_text id) {
    reader->id.length = 0;
    return crd_i_buffer_append(&reader->id, id.bytes, id.length);
}

/* Returns a hash of the id or, without ids, of the sequence number. It is the same in every process. */
static uint64_t sequence_reader_key(const crd_sequence_reader *reader, crd_text id) {
    uint64_t key = crd_i_hash_scatter(reader->has_ids ? id.length : reader->met);
    for (size_t i = 0; i < id.length; i++) key = crd_i_hash_scatter(key ^ (unsigned char)id.bytes[i]);
    return key;
}

/* Returns whether the sequence that begins with a row of the frame belongs to this part. */
static bool is_own(const crd_sequence_reader *reader, crd_text id) {
    if (!reader->is_part) return true;
    const crd_reader *source_reader = reader->rows.reader;
    return reader->has_zones ? crd_i_reader_zone(source_reader) == CRD_I_ROWS_OWN
                             : crd_i_reader_has_key(source_reader, sequence_reader_key(reader, id));
}

/* Encodes the position where an id first occurred, its file and line, as one number. */
static uint64_t where_at(const crd_sequence_reader *reader, size_t row) {
    return (uint64_t)reader->rows.input << LINE_BITS | reader->rows.lines[row];
}

static uint64_t line_at(uint64_t where) {
    return where & ((UINT64_C(1) << LINE_BITS) - 1);
}

/* Reports a sequence that continues after rows of other sequences, given the positions of its first row and of the row
 * that continues it. */
static crd_status fail_back(const crd_sequence_reader *reader, crd_text id, uint64_t begins, uint64_t returns,
                            crd_error *error) {
    char shown[CRD_I_QUOTED_ROOM];
    const crd_reader *source_reader = reader->rows.reader;
    const size_t first = (size_t)(begins >> LINE_BITS), input = (size_t)(returns >> LINE_BITS);
    crd_i_fail(error, CRD_ERROR_SYNTAX,
               "the sequence '%s', which begins on line %llu%s%s, continues after rows of other sequences",
               crd_i_quote(id, shown), (unsigned long long)line_at(begins), first == input ? "" : " of ",
               first == input ? "" : crd_i_reader_input_place(source_reader, first));
    if (reader->is_stream)
        crd_i_error_hint(error, "send one sequence after the other, or each in its own stream; the sequences of a "
                                "whole table may be mixed if the rows have times");
    else
        crd_i_error_hint(error, "rows of a sequence must be adjacent: sort the table by its ids; or use time=COLUMN to "
                                "sort the rows of each sequence");
    crd_i_error_subject(error, id);
    crd_i_error_place(error, crd_i_reader_input_place(source_reader, input), line_at(returns), 0);
    return CRD_ERROR_SYNTAX;
}

/* Begins a sequence with a row of the frame. The rows of a sequence must be consecutive. */
static crd_status begin_sequence(crd_sequence_reader *reader, size_t row, crd_text id, bool is_foreign,
                                 crd_error *error) {
    reader->has_sequence = true;
    reader->has_latest = false;
    reader->is_foreign = is_foreign;
    reader->begun += !is_foreign;
    reader->met++;
    if (!reader->has_ids) return CRD_OK;
    bool is_new;
    const uint64_t *where = crd_i_id_table_find(&reader->ids, id, where_at(reader, row), &is_new);
    if (where == NULL || !keep_id(reader, id)) return crd_i_fail_memory(error);
    reader->begun_at = where_at(reader, row);
    if (!is_new) return fail_back(reader, id, *where, where_at(reader, row), error);
    if (reader->shares_ids && !is_foreign && !crd_i_shared_ids_add(&reader->own_ids, id, *where))
        return crd_i_fail_memory(error);
    return CRD_OK;
}

/* ---- Rows in order ---- */

/* Skips rows of other parts, from the next row of the frame. Sets reader->is_over if no rows of this part can
 * follow. */
static crd_status pass_foreign_rows(crd_sequence_reader *reader, crd_error *error) {
    crd_i_row_source *rows = &reader->rows;
    const bool is_behind = reader->has_zones && crd_i_reader_zone(rows->reader) == CRD_I_ROWS_BEHIND;
    for (; reader->is_part && reader->next_row < rows->frame->rows; reader->next_row++) {
        const size_t row = reader->next_row;
        crd_text id;
        bool is_other;
        crd_status status = look_at_row(reader, row, &id, &is_other, error);
        if (status != CRD_OK) return status;
        if (is_other ? is_own(reader, id) : !reader->is_foreign) return CRD_OK;
        reader->is_over = is_behind;
        if (is_behind) return CRD_OK;
        if (is_other) status = begin_sequence(reader, row, id, true, error);
        if (status != CRD_OK) return status;
        reader->input = rows->input;
    }
    return CRD_OK;
}

/* Makes sure that rows are left in the frame, reading the next frame if necessary. Sets *is_found to false at the
 * end. */
static crd_status sequence_reader_find_rows(crd_sequence_reader *reader, bool *is_found, crd_error *error) {
    const crd_i_row_source *rows = &reader->rows;
    crd_status status = CRD_OK;
    *is_found = false;
    while (status == CRD_OK && !*is_found && !reader->is_over) {
        if (rows->frame == NULL || reader->next_row == rows->frame->rows)
            status = sequence_reader_next_frame(reader, error);
        if (status != CRD_OK || rows->frame == NULL) break;
        status = pass_foreign_rows(reader, error);
        *is_found = status == CRD_OK && !reader->is_over && reader->next_row < rows->frame->rows;
    }
    return status;
}

/* Takes the time of a row, which must be after the time of the previous row. Sets *missing to the number of missing
 * steps between them. */
static crd_status sequence_reader_take_time(crd_sequence_reader *reader, size_t row, uint64_t *missing,
                                            crd_error *error) {
    const crd_i_column *times = &reader->rows.frame->columns[reader->rows.time];
    *missing = 0;
    if (!crd_i_column_present(times, row)) return fail_missing(reader, row, CRD_I_KEY_TIME, error);
    double time = times->numbers[row];
    crd_status status = CRD_OK;
    if (reader->has_latest && !(time > reader->latest)) {
        crd_i_fail(error, CRD_ERROR_SYNTAX,
                   "the time of the row is not after the time of the row before it, as streams require");
        return sequence_reader_fail(reader, row, error);
    }
    reader->gaps.rows++;
    if (reader->has_latest && reader->step > 0)
        status = crd_i_time_gap(&reader->gaps, reader->latest, time, reader->step, missing, error);
    if (status != CRD_OK) crd_i_row_source_place(&reader->rows, row, error);
    reader->has_latest = true;
    reader->latest = time;
    return status;
}

/* Takes rows of the frame up to its end, or up to a sequence of another part. Sets *is_full if it stops at a sequence
 * that belongs to the next batch. */
static crd_status sequence_reader_take_rows(crd_sequence_reader *reader, size_t most, crd_sequences *into,
                                            bool *is_full, crd_error *error) {
    crd_i_row_source *rows = &reader->rows;
    size_t first = reader->next_row, row = first;
    *is_full = false;
    for (; row < rows->frame->rows; row++) {
        crd_text id;
        bool is_other;
        uint64_t missing = 0;
        crd_status status = look_at_row(reader, row, &id, &is_other, error);
        if (status != CRD_OK) return status;
        if (is_other && !is_own(reader, id)) break;
        *is_full = is_other && into->count > 0 && into->store.steps + (row - first) >= most;
        if (*is_full) break;
        if (is_other) status = begin_sequence(reader, row, id, false, error);
        /* When streaming, a batch may begin in the middle of a sequence. */
        if (status == CRD_OK && (is_other || into->count == 0) &&
            !crd_i_sequences_add(into, into->store.steps + (row - first), id))
            status = crd_i_fail_memory(error);
        if (status == CRD_OK && reader->has_times) status = sequence_reader_take_time(reader, row, &missing, error);
        if (status == CRD_OK && missing > 0) {
            status = crd_i_row_source_add(rows, first, row, into, error);
            if (status == CRD_OK) status = crd_i_row_source_insert(into, missing, error);
            first = row;
        }
        if (status != CRD_OK) return status;
        reader->input = rows->input;
    }
    reader->next_row = row;
    return crd_i_row_source_add(rows, first, row, into, error);
}

/* Reads the next batch of rows in order: whole sequences with about `most` rows or, if `is_open`, the rows of one
 * frame. */
static crd_status next_in_order(crd_sequence_reader *reader, size_t most, bool is_open, crd_sequences **out,
                                crd_error *error) {
    crd_sequences *sequences = NULL;
    bool is_found = true, is_full = false;
    crd_status status = CRD_OK;
    const crd_i_extra_areas extra = {.row = reader->step > 0, .inserted = reader->step > 0};
    while (status == CRD_OK && !is_full && !(is_open && sequences != NULL)) {
        status = sequence_reader_find_rows(reader, &is_found, error);
        if (status != CRD_OK || !is_found) break;
        if (sequences == NULL) status = crd_i_row_source_begin(&reader->rows, extra, &sequences, error);
        if (status == CRD_OK) status = sequence_reader_take_rows(reader, most, sequences, &is_full, error);
    }
    if (status == CRD_OK && sequences != NULL) status = crd_i_row_source_end(sequences, error);
    if (status != CRD_OK) crd_sequences_destroy(sequences);
    else *out = sequences;
    return status;
}

/* ---- Rows in any order ---- */

/* Finds the sequence of a row among all sequences of the batch, or adds it. Sequences of other parts are not added. */
static crd_status find_sequence(crd_sequence_reader *reader, crd_text id, crd_sequences *into, bool *is_new,
                                crd_error *error) {
    *is_new = true;
    reader->is_foreign = !is_own(reader, id);
    reader->sequence = into->count;
    if (reader->has_ids && !keep_id(reader, id)) return crd_i_fail_memory(error);
    if (reader->has_ids && !reader->is_foreign) {
        const uint64_t *number = crd_i_id_table_find(&reader->ids, id, into->count, is_new);
        if (number == NULL) return crd_i_fail_memory(error);
        reader->sequence = (size_t)*number;
    }
    reader->has_sequence = true;
    reader->met++;
    if (reader->is_foreign || !*is_new) return CRD_OK;
    return crd_i_sequences_add(into, 0, id) ? CRD_OK : crd_i_fail_memory(error);
}

/* Takes the rows of a frame in any order, and records the sequence and the time of each row. */
static crd_status take_mixed_rows(crd_sequence_reader *reader, crd_i_time_order *order, crd_sequences *into,
                                  crd_error *error) {
    crd_i_row_source *rows = &reader->rows;
    const crd_i_column *times = &rows->frame->columns[rows->time];
    size_t first = 0; /* first row that is not yet added */
    for (size_t row = 0; row < rows->frame->rows; row++) {
        crd_text id;
        bool is_other, is_new;
        crd_status status = look_at_row(reader, row, &id, &is_other, error);
        if (status == CRD_OK && is_other) status = find_sequence(reader, id, into, &is_new, error);
        if (status == CRD_OK && reader->is_foreign) {
            status = crd_i_row_source_add(rows, first, row, into, error);
            first = row + 1;
        } else if (status == CRD_OK && is_other &&
                   !crd_i_time_order_begin_run(order, reader->context, into->rows_read + (row - first),
                                               reader->sequence, is_new))
            status = crd_i_fail_memory(error);
        if (status != CRD_OK) return status;
        reader->input = rows->input;
        if (reader->is_foreign) continue;
        if (!crd_i_column_present(times, row)) return fail_missing(reader, row, CRD_I_KEY_TIME, error);
        crd_i_time_order_add(order, times->numbers[row], reader->step);
    }
    return crd_i_row_source_add(rows, first, rows->frame->rows, into, error);
}

/* If rows are typically this many steps apart, the step is too short. Probably its unit is not the unit of the
 * times. */
static const double MANY_STEPS = 4;

/* Formats seconds as a multiple of the largest unit that divides them, for example 15m. */
static void show_seconds(double seconds, char *destination, size_t capacity) {
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'w', 604800}, {'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && fmod(seconds, units[i].seconds) != 0) i++;
    snprintf(destination, capacity, "%.10g%c", seconds / units[i].seconds, units[i].unit);
}

/* Warns if the step is too short. No warning for files that a model reads, because their step comes from the model. */
static void warn_of_short_step(const crd_sequence_reader *reader, const crd_sequences *read) {
    char distance[48];
    if (read->distance_steps < MANY_STEPS || crd_i_reader_is_bound(reader->rows.reader)) return;
    if (read->has_dates) show_seconds(read->distance, distance, sizeof distance);
    else snprintf(distance, sizeof distance, "%.10g", read->distance);
    crd_i_context_log(reader->context, CRD_LOG_WARNING, CRD_LOG_STEP_SHORT, crd_text_of(distance),
                      "rows are typically %.0f steps apart (%s%s): the step of %.10g%s may be too short",
                      read->distance_steps, distance, read->has_dates ? "" : " in the unit of the times", reader->step,
                      read->has_dates ? " seconds" : "");
}

/* Reads all rows as one batch and sorts each sequence by time. */
static crd_status next_by_time(crd_sequence_reader *reader, crd_sequences **out, crd_error *error) {
    crd_sequences *sequences = NULL;
    crd_i_time_order order = {0};
    crd_status status = CRD_OK;
    while (status == CRD_OK) {
        status = sequence_reader_next_frame(reader, error);
        if (status != CRD_OK || reader->rows.frame == NULL) break;
        if (sequences == NULL)
            status = crd_i_row_source_begin(&reader->rows, (crd_i_extra_areas){.time = true}, &sequences, error);
        if (status == CRD_OK) status = take_mixed_rows(reader, &order, sequences, error);
    }
    const bool is_empty = sequences == NULL || sequences->count == 0;
    if (status == CRD_OK && !is_empty) status = crd_i_row_source_end(sequences, error);
    if (status == CRD_OK && !is_empty) status = crd_i_time_order_apply(&order, reader->step, &sequences, error);
    crd_free(reader->context, order.runs);
    if (status != CRD_OK || is_empty) {
        crd_free(reader->context, order.latest_of);
        crd_sequences_destroy(sequences);
        return status;
    }
    sequences->latest = order.latest_of;
    sequences->has_dates = crd_i_reader_key_is_date(reader->rows.reader, CRD_I_KEY_TIME);
    warn_of_short_step(reader, sequences);
    *out = sequences;
    return CRD_OK;
}

/* ---- Reading ---- */

static crd_status next_batch(crd_sequence_reader *reader, size_t most, crd_sequences **out, crd_error *error) {
    *out = NULL;
    const crd_status status =
        reader->has_times ? next_by_time(reader, out, error) : next_in_order(reader, most, false, out, error);
    reader->has_failed = status != CRD_OK;
    return status;
}

crd_status crd_sequence_reader_next(crd_sequence_reader *reader, crd_sequences **out, crd_error *error) {
    return next_batch(reader, reader->batch_rows, out, error);
}

crd_status crd_sequence_reader_next_rows(crd_sequence_reader *reader, crd_sequences **out, int *continues,
                                         crd_error *error) {
    *out = NULL;
    *continues = 0;
    reader->is_stream = true;
    bool had_sequence = reader->has_sequence;
    uint64_t count = reader->begun;
    crd_status status = next_in_order(reader, SIZE_MAX, true, out, error);
    if (status == CRD_OK && *out != NULL) *continues = had_sequence && reader->begun - count < (*out)->count;
    return status;
}

crd_status crd_sequence_reader_compare(crd_sequence_reader *reader, crd_error *error) {
    crd_i_returned_id returned;
    if (!reader->shares_ids) return CRD_OK;
    const uint64_t ended = reader->has_failed ? reader->begun_at + 1 : UINT64_MAX;
    crd_status status = crd_i_shared_ids_compare(reader->context, &reader->own_ids, ended, &returned, error);
    const crd_text id = {(const char *)returned.id.bytes, returned.id.length};
    if (status == CRD_OK && returned.begins != UINT64_MAX)
        status = fail_back(reader, id, returned.begins, returned.returns, error);
    crd_i_buffer_clear(&returned.id);
    return status;
}

crd_status crd_i_sequence_reader_none(crd_sequence_reader *reader, crd_sequences **out, crd_error *error) {
    const crd_i_extra_areas no_more = {0};
    *out = NULL;
    if (!reader->is_part) return crd_i_fail(error, CRD_ERROR_EMPTY, "no rows");
    crd_status status = crd_i_row_source_take_columns(&reader->rows, error);
    if (status == CRD_OK) status = crd_i_row_source_begin(&reader->rows, no_more, out, error);
    return status == CRD_OK ? crd_i_row_source_end(*out, error) : status;
}

/* A pass that reads all sequences as one batch. */
typedef struct whole_pass {
    crd_sequence_reader *reader;
    crd_sequences *sequences;
} whole_pass;

static crd_status whole_pass_make(void *state, crd_error *error) {
    whole_pass *pass = state;
    crd_sequences_destroy(pass->sequences);
    crd_i_sequence_reader_clear(pass->reader);
    return next_batch(pass->reader, SIZE_MAX, &pass->sequences, error);
}

crd_status crd_sequences_read(crd_reader *reader, const crd_sequence_options *options, crd_sequences **out,
                              crd_error *error) {
    if (out == NULL) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing pointer for the new sequences");
    *out = NULL;
    crd_sequence_reader *sequences = NULL;
    crd_i_group *group = crd_i_reader_context(reader)->group;
    crd_status status = group != NULL ? crd_i_reader_read_whole(reader, error) : CRD_OK;
    if (status == CRD_OK) status = crd_sequence_reader_create(reader, options, &sequences, error);
    whole_pass pass = {sequences, NULL};
    if (status == CRD_OK) status = crd_i_reader_make_passes(reader, whole_pass_make, &pass, error);
    *out = pass.sequences;
    if (status == CRD_OK && *out == NULL) status = crd_i_sequence_reader_none(sequences, out, error);
    crd_sequence_reader_destroy(sequences);
    status = crd_i_group_end(group, status, error);
    if (status == CRD_OK) {
        (*out)->columns->is_shared = group != NULL;
        return CRD_OK;
    }
    crd_sequences_destroy(*out);
    *out = NULL;
    return status;
}

/* ======== 2. Blocks of steps ========
 *
 * Steps are read as blocks of columns. See sequences.h. */

void crd_i_observation_room_clear(crd_i_observation_room *workspace) {
    crd_free(workspace->context, workspace->numbers);
    crd_free(workspace->context, workspace->codes);
    crd_free(workspace->context, workspace->steps);
    crd_free(workspace->context, workspace->block);
    *workspace = (crd_i_observation_room){.context = workspace->context};
}

static bool sequence_blocks_make_room(crd_i_observation_room *workspace, size_t columns) {
    size_t capacity = workspace->column_capacity;
    if (columns <= capacity && workspace->numbers != NULL && workspace->codes != NULL) return true;
    if (!crd_i_reserve(workspace->context, &workspace->numbers, &capacity, columns + 1, sizeof *workspace->numbers))
        return false;
    capacity = workspace->column_capacity;
    if (!crd_i_reserve(workspace->context, &workspace->codes, &capacity, columns + 1, sizeof *workspace->codes))
        return false;
    workspace->column_capacity = columns;
    return true;
}

/* ---- Steps in frames ---- */

/* Copies values whose validity is stored separately. Missing values become NaN or -1. */
static void copy_valid(const crd_i_column *column, uint64_t source, size_t steps, void *into) {
    double *numbers = into;
    int32_t *codes = into;
    for (size_t i = 0; i < steps; i++) {
        bool is_present = crd_i_column_present(column, (size_t)source + i);
        if (column->type == CRD_TYPE_NUMERIC) numbers[i] = is_present ? column->numbers[source + i] : NAN;
        else codes[i] = is_present ? column->codes[source + i] : -1;
    }
}

/* Points the workspace at `steps` rows of the frame from row `origin`. Columns with a validity bitmap are copied. */
static crd_status read_frame(const crd_sequences *s, uint64_t origin, size_t steps, crd_i_observation_room *workspace,
                             crd_i_observation_block *out, crd_error *error) {
    const crd_i_sequence_columns *columns = s->columns;
    size_t copies = 0, used = 0;
    for (size_t i = 0; i < s->frame->column_count; i++) copies += s->frame->columns[i].validity != NULL;
    if (!crd_i_reserve(workspace->context, &workspace->steps, &workspace->steps_capacity, copies * steps + 1,
                       sizeof(double)))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i <= columns->count; i++) {
        size_t source = i < columns->count ? columns->sources[i] : columns->target;
        if (source == SIZE_MAX) continue;
        const crd_i_column *column = &s->frame->columns[source];
        const double *numbers = column->type == CRD_TYPE_NUMERIC ? column->numbers + origin : NULL;
        const int32_t *codes = column->type == CRD_TYPE_CATEGORICAL ? column->codes + origin : NULL;
        if (column->validity != NULL && column->type != CRD_TYPE_NONE) {
            void *into = workspace->steps + used++ * steps * sizeof(double);
            copy_valid(column, origin, steps, into);
            if (numbers != NULL) numbers = into;
            else codes = into;
        }
        if (i == columns->count) {
            out->labels = codes;
            continue;
        }
        workspace->numbers[i] = numbers;
        workspace->codes[i] = codes;
    }
    return CRD_OK;
}

/* ---- Steps in the store ---- */

/* Finds a block of the store, in memory or read into the workspace. */
static crd_status sequence_blocks_find(const crd_sequences *s, uint64_t block, crd_i_observation_room *workspace,
                                       const unsigned char **out, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    uint64_t offset = crd_i_step_store_offset(store, block);
    *out = crd_i_spool_at(&store->spool, offset);
    if (*out != NULL) return CRD_OK;
    if (workspace->block_of != s->serial || workspace->block_index != block) {
        size_t bytes = crd_i_step_store_stride(store, block) * store->step_bytes;
        workspace->block_of = 0;
        if (!crd_i_reserve(workspace->context, &workspace->block, &workspace->block_capacity, bytes, 1))
            return crd_i_fail_memory(error);
        crd_status status = crd_i_spool_read(&store->spool, offset, workspace->block, bytes, error);
        if (status != CRD_OK) return status;
        workspace->block_of = s->serial;
        workspace->block_index = block;
    }
    *out = workspace->block;
    return CRD_OK;
}

/* Copies steps that lie in several blocks into the workspace, one after the other. */
static crd_status join_blocks(const crd_sequences *s, uint64_t source, size_t steps, size_t stride,
                              crd_i_observation_room *workspace, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    if (!crd_i_reserve(workspace->context, &workspace->steps, &workspace->steps_capacity,
                       stride * store->step_bytes + 1, 1))
        return crd_i_fail_memory(error);
    for (size_t done = 0; done < steps;) {
        uint64_t block = (source + done) / store->block_steps;
        size_t first = (size_t)((source + done) % store->block_steps), here = store->block_steps - first;
        size_t held = crd_i_step_store_stride(store, block);
        const unsigned char *bytes;
        crd_status status = sequence_blocks_find(s, block, workspace, &bytes, error);
        if (status != CRD_OK) return status;
        if (here > steps - done) here = steps - done;
        for (size_t i = 0; i < store->area_count; i++) {
            size_t width = crd_i_sequences_cell_bytes(s, i);
            memcpy(workspace->steps + store->offsets[i] * stride + done * width,
                   bytes + store->offsets[i] * held + first * width, here * width);
        }
        done += here;
    }
    return CRD_OK;
}

/* Points the workspace at `steps` steps of the store. Steps that lie in several blocks are copied. */
static crd_status read_store(const crd_sequences *s, uint64_t source, size_t steps, crd_i_observation_room *workspace,
                             crd_i_observation_block *out, crd_error *error) {
    const crd_i_step_store *store = &s->store;
    uint64_t block = source / store->block_steps;
    size_t first = (size_t)(source % store->block_steps), stride = crd_i_step_store_stride(store, block);
    const unsigned char *bytes;
    crd_status status;
    if (first + steps <= store->block_steps) {
        status = sequence_blocks_find(s, block, workspace, &bytes, error);
    } else {
        stride = (steps + 7) / 8 * 8;
        first = 0;
        status = join_blocks(s, source, steps, stride, workspace, error);
        bytes = workspace->steps;
    }
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < store->area_count; i++) {
        const void *cells = bytes + store->offsets[i] * stride + first * crd_i_sequences_cell_bytes(s, i);
        if (i == s->label_area) out->labels = cells;
        else if (i == s->inserted_area) out->is_inserted = cells;
        else if (i < s->columns->count) {
            workspace->numbers[i] = s->types[i] == CRD_TYPE_NUMERIC ? cells : NULL;
            workspace->codes[i] = s->types[i] == CRD_TYPE_CATEGORICAL ? cells : NULL;
        }
    }
    return CRD_OK;
}

crd_status crd_i_sequences_block(const crd_sequences *sequences, size_t sequence, uint64_t source, size_t steps,
                                 crd_i_observation_room *workspace, crd_i_observation_block *out, crd_error *error) {
    /* A selection may have dropped the labels. */
    const bool has_target = crd_sequences_has_target(sequences) != 0;
    sequences = crd_i_sequences_whole(sequences, &sequence);
    uint64_t length = crd_sequences_length(sequences, sequence);
    if (steps > CRD_I_BLOCK_STEPS) steps = CRD_I_BLOCK_STEPS;
    if (source >= length) steps = 0;
    else if (steps > length - source) steps = (size_t)(length - source);
    *out = (crd_i_observation_block){.steps = steps};
    if (!sequence_blocks_make_room(workspace, sequences->columns->count)) return crd_i_fail_memory(error);
    out->numbers = workspace->numbers;
    out->codes = workspace->codes;
    if (steps == 0) return CRD_OK;
    uint64_t start = sequences->starts[sequence] + source;
    crd_status status = sequences->frame != NULL ? read_frame(sequences, start, steps, workspace, out, error)
                                                 : read_store(sequences, start, steps, workspace, out, error);
    if (!has_target) out->labels = NULL;
    return status;
}

crd_status crd_sequences_rows_of(const crd_sequences *sequences, size_t sequence, uint64_t *out, crd_error *error) {
    const uint64_t length = crd_sequences_length(sequences, sequence);
    crd_i_observation_room workspace = {.context = sequences->context};
    size_t of = sequence;
    crd_status status = CRD_OK;
    *out = length;
    if (crd_i_sequences_whole(sequences, &of)->inserted_area == SIZE_MAX) return CRD_OK;
    for (uint64_t source = 0; source < length && status == CRD_OK;) {
        crd_i_observation_block block;
        status = crd_i_sequences_block(sequences, sequence, source, CRD_I_BLOCK_STEPS, &workspace, &block, error);
        if (status == CRD_OK) *out -= crd_i_block_inserted(&block);
        source += block.steps;
    }
    crd_i_observation_room_clear(&workspace);
    return status;
}

/* ======== 3. Step iterator ======== */

struct crd_sequence_cursor {
    const crd_sequences *sequences; /* the sequences that own the steps */
    /* the selection that the caller passed; the same as `sequences` if it is not a selection */
    const crd_sequences *selection;
    crd_i_observation_room workspace;
    crd_i_observation_block block;
    size_t sequence;
    uint64_t first, step; /* the first step of the block, and the current step */
    uint64_t row;
    crd_i_spool_window rows, texts, text_ends;
    crd_text *cells; /* one text per stored text column */
};

crd_status crd_sequence_cursor_create(const crd_sequences *sequences, crd_sequence_cursor **out, crd_error *error) {
    *out = NULL;
    crd_context *context = sequences->context;
    crd_sequence_cursor *cursor = crd_i_alloc_zeroed(context, 1, sizeof *cursor);
    if (cursor == NULL) return crd_i_fail_memory(error);
    cursor->sequences = sequences->whole != NULL ? sequences->whole : sequences;
    cursor->selection = sequences;
    cursor->workspace.context = cursor->rows.bytes.context = context;
    cursor->texts.bytes.context = cursor->text_ends.bytes.context = context;
    cursor->cells = crd_i_alloc_zeroed(context, sequences->columns->text_columns, sizeof *cursor->cells);
    if (cursor->cells == NULL) {
        crd_sequence_cursor_destroy(cursor);
        return crd_i_fail_memory(error);
    }
    *out = cursor;
    return CRD_OK;
}

void crd_sequence_cursor_destroy(crd_sequence_cursor *cursor) {
    if (cursor == NULL) return;
    crd_context *context = cursor->workspace.context;
    crd_i_observation_room_clear(&cursor->workspace);
    crd_i_buffer_clear(&cursor->rows.bytes);
    crd_i_buffer_clear(&cursor->texts.bytes);
    crd_i_buffer_clear(&cursor->text_ends.bytes);
    crd_free(context, cursor->cells);
    crd_free(context, cursor);
}

/* Finds the row of a step, in reading order. */
static crd_status sequence_cursor_find_row(const crd_sequences *s, uint64_t step, crd_i_spool_window *window,
                                           uint64_t *row, crd_error *error) {
    *row = step;
    if (s->row_area == SIZE_MAX) return CRD_OK;
    const crd_i_step_store *store = &s->store;
    const unsigned char *cursor;
    uint64_t block = step / store->block_steps;
    uint64_t offset = crd_i_step_store_offset(store, block) +
                      store->offsets[s->row_area] * crd_i_step_store_stride(store, block) +
                      step % store->block_steps * sizeof *row;
    crd_status status = crd_i_spool_look(&store->spool, window, offset, sizeof *row, &cursor, error);
    if (status == CRD_OK) memcpy(row, cursor, sizeof *row);
    return status;
}

/* Finds the end of the texts of the previous row and of the current row. */
static crd_status sequence_cursor_find_texts(crd_sequence_cursor *cursor, uint64_t bounds[2], crd_error *error) {
    const unsigned char *position;
    size_t first = cursor->row == 0 ? 1 : 0, length = (2 - first) * sizeof *bounds;
    bounds[0] = 0;
    crd_status status = crd_i_spool_look(&cursor->sequences->text_ends, &cursor->text_ends,
                                         (cursor->row + first - 1) * sizeof *bounds, length, &position, error);
    if (status == CRD_OK) memcpy(bounds + first, position, length);
    return status;
}

/* Reads the original cell texts of the current row. They are empty for inserted steps. */
static crd_status sequence_cursor_read_texts(crd_sequence_cursor *cursor, crd_error *error) {
    size_t count = cursor->sequences->columns->text_columns;
    uint64_t bounds[2];
    const unsigned char *position;
    for (size_t i = 0; i < count; i++) cursor->cells[i] = (crd_text){"", 0};
    if (count == 0 || cursor->row == UINT64_MAX) return CRD_OK;
    crd_status status = sequence_cursor_find_texts(cursor, bounds, error);
    if (status == CRD_OK)
        status = crd_i_spool_look(&cursor->sequences->texts, &cursor->texts, bounds[0], (size_t)(bounds[1] - bounds[0]),
                                  &position, error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        uint32_t bytes;
        memcpy(&bytes, position, sizeof bytes);
        cursor->cells[i] = (crd_text){(const char *)position + sizeof bytes, bytes};
        position += sizeof bytes + bytes;
    }
    return status;
}

crd_status crd_sequence_cursor_move(crd_sequence_cursor *cursor, size_t sequence, uint64_t step, crd_error *error) {
    const crd_sequences *s = cursor->selection;
    if (sequence >= s->count || step >= crd_sequences_length(s, sequence))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the step of the sequence does not exist");
    s = crd_i_sequences_whole(s, &sequence);
    bool is_held = cursor->block.steps > 0 && sequence == cursor->sequence && step >= cursor->first &&
                   step - cursor->first < cursor->block.steps;
    crd_status status = CRD_OK;
    if (!is_held) {
        cursor->first = step;
        cursor->sequence = sequence;
        status = crd_i_sequences_block(s, sequence, step, CRD_I_BLOCK_STEPS, &cursor->workspace, &cursor->block, error);
    }
    cursor->step = step;
    if (status == CRD_OK)
        status = sequence_cursor_find_row(s, s->starts[sequence] + step, &cursor->rows, &cursor->row, error);
    if (status == CRD_OK) status = sequence_cursor_read_texts(cursor, error);
    if (status != CRD_OK) cursor->block.steps = 0;
    return status;
}

crd_value crd_sequence_cursor_value(const crd_sequence_cursor *cursor, size_t column) {
    crd_value value = {.type = CRD_TYPE_NONE, .number = NAN};
    size_t index = (size_t)(cursor->step - cursor->first);
    const double *numbers = cursor->block.numbers[column];
    const int32_t *codes = cursor->block.codes[column];
    if (numbers != NULL && numbers[index] == numbers[index]) {
        value.type = CRD_TYPE_NUMERIC;
        value.number = numbers[index];
    } else if (codes != NULL && codes[index] >= 0) {
        value.type = CRD_TYPE_CATEGORICAL;
        value.text = crd_sequences_value(cursor->sequences, column, (size_t)codes[index]);
    }
    return value;
}

int32_t crd_sequence_cursor_code(const crd_sequence_cursor *cursor, size_t column) {
    const int32_t *codes = cursor->block.codes[column];
    return codes == NULL ? -1 : codes[cursor->step - cursor->first];
}

int32_t crd_sequence_cursor_label(const crd_sequence_cursor *cursor) {
    return cursor->block.labels == NULL ? -1 : cursor->block.labels[cursor->step - cursor->first];
}

int crd_sequence_cursor_is_inserted(const crd_sequence_cursor *cursor) {
    return cursor->row == UINT64_MAX;
}

uint64_t crd_sequence_cursor_row(const crd_sequence_cursor *cursor) {
    return cursor->row;
}

static const crd_i_line_run *sequence_cursor_run(const crd_sequence_cursor *cursor) {
    return cursor->row == UINT64_MAX ? NULL : crd_i_sequences_find_run(cursor->sequences, cursor->row);
}

uint64_t crd_sequence_cursor_line(const crd_sequence_cursor *cursor) {
    const crd_i_line_run *run = sequence_cursor_run(cursor);
    return run == NULL ? 0 : run->line + (cursor->row - run->row);
}

const char *crd_sequence_cursor_place(const crd_sequence_cursor *cursor) {
    const crd_i_line_run *run = sequence_cursor_run(cursor);
    return run == NULL ? "" : cursor->sequences->columns->places[run->place];
}

crd_text crd_sequence_cursor_cell(const crd_sequence_cursor *cursor, size_t column) {
    const crd_text none = {"", 0};
    return column < cursor->sequences->columns->text_columns ? cursor->cells[column] : none;
}

void crd_i_sequences_place_error(const crd_sequences *sequences, size_t sequence, uint64_t step, crd_error *error) {
    crd_i_spool_window window = {.bytes = {.context = sequences->context}};
    uint64_t row;
    sequences = crd_i_sequences_whole(sequences, &sequence);
    crd_status status = sequence_cursor_find_row(sequences, sequences->starts[sequence] + step, &window, &row, NULL);
    crd_i_buffer_clear(&window.bytes);
    if (status != CRD_OK || row == UINT64_MAX) return;
    const crd_i_line_run *run = crd_i_sequences_find_run(sequences, row);
    if (run == NULL) return;
    crd_i_error_place(error, sequences->columns->places[run->place], run->line + (row - run->row), 0);
}
