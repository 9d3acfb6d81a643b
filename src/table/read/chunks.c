/* SPDX-License-Identifier: MIT */
/* chunks.c - cuts the bytes of the files into chunks of whole records. See reader_internal.h.
 *
 * The thread that calls next gets the next chunk, read into its own memory. A chunk is about as long as requested
 * and is cut after the last record that ends in it. The remaining bytes begin the next chunk. Therefore chunk ends
 * depend only on the input bytes, not on thread timing or on how the bytes arrived, unless the caller wants rows
 * promptly. While one thread reads or decompresses, the others parse their chunks. Chunks do not span files.
 *
 * If only a part of the rows is wanted (shard.c), the bytes before the part are cut in the same way and dropped.
 *
 * Contents:
 *   1. Ends of records
 *   2. Chunks */
#include "base/error.h"
#include "base/memory.h"
#include "table/parse/scan_delimiters.h"
#include "table/read/reader_internal.h"

#include <string.h>

/* ======== 1. Ends of records ========
 *
 * The rules are the same as in slow_parse.c, but the search needs only the last line end that ends a record. If all
 * quotes are in regular places, they are only counted, with the fast delimiter scanner. Otherwise the search goes
 * from quote to quote instead of from byte to byte: between two quotes, only the bytes just before the second one
 * matter. Other threads wait during the search, so it must be fast. */

enum { PIECE = 16384 }; /* bytes to scan between checks for more work */

/* Returns the offset after the last line end in bytes[from .. to), 0 if there is none. */
static size_t last_line_end(const char *bytes, size_t first, size_t limit) {
    while (limit > first && bytes[limit - 1] != '\n') limit--;
    return limit > first ? limit : 0;
}

/* Returns whether the quote at `index` opens a cell, that is, only spaces separate it from the end of the previous
 * cell. No quote is open since `first`, which begins a record if `at_start`, and otherwise follows a closing quote. */
static bool opens_cell(const crd_i_slow_parse *slow, const char *bytes, size_t first, size_t index, bool at_start) {
    if (slow->separator == ' ' && index > first && crd_i_slow_parse_is_blank(slow, bytes[index - 1])) return true;
    while (index > first && crd_i_slow_parse_is_blank(slow, bytes[index - 1])) index--;
    if (index == first) return at_start;
    return bytes[index - 1] == slow->separator || bytes[index - 1] == '\n';
}

/* Returns the offset after the line end of the first record in `bytes`, which begin with a record; 0 if it does not
 * end there. */
static size_t cut_first(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    if (slow->resyncs) return crd_i_slow_parse_record_bytes(slow, bytes, length, false);
    crd_i_scan_state state = CRD_I_SCAN_CELL_START;
    bool quotes_count = crd_i_slow_parse_has_quotes(slow);
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] == '\n' && state != CRD_I_SCAN_QUOTED) return i + 1;
        if (!quotes_count) continue;
        state = crd_i_scan_step(state, bytes[i], slow->quote, crd_i_slow_parse_separates(slow, bytes[i]),
                                crd_i_slow_parse_is_blank(slow, bytes[i]));
    }
    return 0;
}

/* Returns whether every quote opens or closes a cell at its ends, or is one of a doubled pair inside. *inside is
 * then whether the end is inside quotes. */
static bool are_quotes_plain(const crd_i_slow_parse *slow, const char *bytes, size_t length, bool *inside) {
    const crd_i_marker *marker = crd_i_marker_best();
    crd_i_marked marked = crd_i_marked_begin();
    const crd_i_delimiters delimiters = {slow->separator, slow->quote};
    for (size_t index = 0; index < length && !marked.has_odd; index += PIECE) {
        (void)marker->find(bytes + index, length - index < PIECE ? length - index : PIECE, delimiters, 0, NULL,
                           &marked);
    }
    *inside = marked.is_inside;
    return !marked.has_odd;
}

/* Returns the offset after the last line end outside quotes, 0 if there is none. */
static size_t last_outer_line_end(const char *bytes, size_t length, char quote, bool inside) {
    for (size_t index = length; index > 0; index--) {
        if (bytes[index - 1] == '\n' && !inside) return index;
        inside ^= bytes[index - 1] == quote;
    }
    return 0;
}

/* Finds the cut by going from quote to quote. */
static size_t cut_carefully(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    size_t cut = 0, first = 0;
    bool at_start = true;
    for (;;) {
        const char *quote = first == length ? NULL : memchr(bytes + first, slow->quote, length - first);
        if (quote == NULL) break;
        size_t index = (size_t)(quote - bytes), looked = first;
        while (!opens_cell(slow, bytes, first, index, at_start)) {
            quote = index + 1 == length ? NULL : memchr(bytes + index + 1, slow->quote, length - index - 1);
            if (quote == NULL) break;
            index = (size_t)(quote - bytes);
        }
        if (quote == NULL) break;
        size_t end = last_line_end(bytes, looked, index);
        if (end > 0) cut = end;
        /* Find the closing quote; a doubled quote is an escaped one. */
        for (first = index + 1;; first += 2) {
            quote = first >= length ? NULL : memchr(bytes + first, slow->quote, length - first);
            if (quote == NULL) return cut;
            first = (size_t)(quote - bytes);
            if (first + 1 == length || bytes[first + 1] != slow->quote) break;
        }
        first++;
        at_start = false;
    }
    size_t end = last_line_end(bytes, first, length);
    return end > 0 ? end : cut;
}

static size_t cut_record_by_record(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    size_t cut = 0;
    for (size_t record; (record = crd_i_slow_parse_record_bytes(slow, bytes + cut, length - cut, false)) > 0;)
        cut += record;
    return cut;
}

size_t crd_i_cut(const crd_i_slow_parse *slow, const char *bytes, size_t length) {
    if (!crd_i_slow_parse_has_quotes(slow) || length == 0 || memchr(bytes, slow->quote, length) == NULL) {
        return last_line_end(bytes, 0, length);
    }
    bool inside;
    if (are_quotes_plain(slow, bytes, length, &inside)) return last_outer_line_end(bytes, length, slow->quote, inside);
    return slow->resyncs ? cut_record_by_record(slow, bytes, length) : cut_carefully(slow, bytes, length);
}

/* ======== 2. Chunks ======== */

enum {
#ifdef __EMSCRIPTEN__
    LEAST_CHUNK = 1024 * 1024, /* in a browser, each file read is a message to another process and a reply */
#else
    LEAST_CHUNK = 256 * 1024, /* reading is cheap compared with parsing, which then finds its bytes in the cache */
#endif
    MOST_CHUNK = 8 * 1024 * 1024,
    CHUNK_ROWS = 256, /* minimum if rows are long, so the cost of a frame is shared by many rows */
    USUAL_FIELD = 8   /* typical bytes per field */
};

/* Returns the chunk size. It depends only on the options and the file's header. */
static size_t chunk_bytes(const crd_reader *reader) {
    if (reader->options.block_bytes > 0) return reader->options.block_bytes;
    size_t width = reader->position.entry->header.width;
    if (width > MOST_CHUNK / (CHUNK_ROWS * USUAL_FIELD)) return MOST_CHUNK;
    size_t wanted = width * CHUNK_ROWS * USUAL_FIELD;
    return wanted < LEAST_CHUNK ? LEAST_CHUNK : wanted;
}

bool crd_i_reader_begins_early(const crd_reader *reader) {
    const uint64_t first = reader->shard.start;
    return crd_i_reader_group(reader) == NULL || reader->batches.source != NULL || first == 0 ||
           (first < chunk_bytes(reader) && first < reader->inputs[0].end);
}

/* Reserves memory for `bytes` bytes and the padding that the fast parser may read. */
static bool chunks_make_room(crd_i_slow_parse *into, crd_context *context, size_t bytes) {
    return crd_i_reserve(context, &into->bytes, &into->capacity, bytes + CRD_I_FAST_PARSE_PADDING, 1);
}

/* Returns whether there is already a whole record, if one record is enough. */
static bool has_record(const crd_reader *reader, const crd_i_slow_parse *in, size_t length) {
    return reader->options.prompt != 0 && length > 0 &&
           crd_i_cut(&reader->position.records, (const char *)in->bytes, length) > 0;
}

/* Reads until there are `wanted` bytes, or until the file ends. */
static crd_status chunks_read_up_to(crd_reader *reader, crd_i_slow_parse *into, size_t *length, size_t wanted,
                                    crd_error *error) {
    crd_i_slow_parse *slow = &reader->position.records;
    while (*length < wanted && !slow->at_end && !has_record(reader, into, *length)) {
        size_t got;
        crd_status status = slow->source->read(slow->source, into->bytes + *length, wanted - *length, &got, error);
        if (status != CRD_OK) return status;
        *length += got;
        slow->at_end = got == 0;
    }
    return CRD_OK;
}

/* Keeps the bytes after a cut for the next chunk. */
static bool keep_rest(crd_reader *reader, const crd_i_slow_parse *slow, size_t cut, size_t length) {
    crd_i_slow_parse *slow_parse = &reader->position.records;
    size_t left = length - cut;
    if (!crd_i_reserve(reader->context, &slow_parse->bytes, &slow_parse->capacity, left + 1, 1)) return false;
    if (left > 0) memcpy(slow_parse->bytes, slow->bytes + cut, left);
    slow_parse->next = 0;
    slow_parse->end = left;
    return true;
}

/* Returns where to cut: after the last record that ends before `limit`; otherwise after the first record that ends,
 * unless it begins at or after `limit`. 0: more bytes are needed. */
static size_t find_cut(const crd_i_slow_parse *slow, const char *bytes, size_t length, uint64_t limit, bool is_last) {
    if (length <= limit) return is_last ? length : crd_i_cut(slow, bytes, length);
    size_t cut = crd_i_cut(slow, bytes, (size_t)limit);
    if (cut == limit) return cut;
    size_t across = cut_first(slow, bytes + cut, length - cut);
    return across > 0 ? cut + across : is_last ? length : cut;
}

/* Reads the next records of the current file that begin less than `limit` bytes from here. *cut is their length in
 * bytes, 0 at the end of the file. */
static crd_status cut_off(crd_reader *reader, crd_i_slow_parse *into, uint64_t limit, size_t *cut, crd_error *error) {
    crd_i_slow_parse *slow = &reader->position.records;
    size_t wanted = chunk_bytes(reader), length = 0;
    for (;; wanted *= 2) {
        if (crd_i_context_cancelled(reader->context)) return crd_i_fail_cancelled(error);
        if (!chunks_make_room(into, reader->context, wanted)) return crd_i_fail_memory(error);
        size_t held = slow->end - slow->next;
        if (held > 0 && length < wanted) {
            size_t taken = held < wanted - length ? held : wanted - length;
            memcpy(into->bytes + length, slow->bytes + slow->next, taken);
            slow->next += taken;
            length += taken;
        }
        crd_status status = chunks_read_up_to(reader, into, &length, wanted, error);
        if (status != CRD_OK) return status;
        bool is_last = slow->at_end && slow->next == slow->end;
        *cut = find_cut(slow, (const char *)into->bytes, length, limit, is_last);
        if (*cut > 0 || is_last) break;
        if (length > slow->max_record && slow->resyncs) {
            /* A quote is never closed, or too late: report its line as invalid and start a new record at the next
             * line. */
            const unsigned char *line_end = memchr(into->bytes, '\n', length);
            if (line_end != NULL) {
                *cut = (size_t)(line_end - into->bytes) + 1;
                break;
            }
        }
        if (length > slow->max_record) {
            /* The record is too long. The worker that parses it reports the error, and nothing follows it. */
            *cut = length;
            reader->position.is_drained = true;
            break;
        }
    }
    reader->shard.offset += *cut;
    if (*cut == length) return CRD_OK;
    if (slow->next == slow->end) return keep_rest(reader, into, *cut, length) ? CRD_OK : crd_i_fail_memory(error);
    slow->next -= length - *cut; /* all of it came from there, and is still there */
    return CRD_OK;
}

static void chunks_report_progress(crd_reader *reader, uint64_t done, uint64_t total) {
    crd_i_stage_report("reading", done, total);
    if (reader->options.progress != NULL) reader->options.progress(reader->options.progress_user, done, total);
}

static void tell_progress(crd_reader *reader) {
    if (reader->options.progress == NULL && crd_i_call_current() == NULL) return;
    if (reader->batches.source != NULL) {
        chunks_report_progress(reader, reader->batches.rows_before, reader->batches.source->rows);
        return;
    }
    const crd_i_source *file = reader->inputs[reader->position.current].file;
    uint64_t done = reader->position.bytes_before + (file == NULL ? 0 : file->taken);
    uint64_t total = reader->position.total_bytes;
    if (reader->options.shard_count > 0 && total > 0) {
        done -= reader->position.bytes_passed;
        total = done + crd_i_shard_bytes_left(reader);
    }
    if (done > total && total > 0) done = total;
    chunks_report_progress(reader, done, total);
}

crd_status crd_i_chunks_enter(crd_reader *reader, size_t input, crd_error *error) {
    const crd_i_source *left = reader->inputs[reader->position.current].file;
    reader->position.bytes_before = input == 0 ? 0 : reader->position.bytes_before + (left == NULL ? 0 : left->taken);
    if (input == 0) reader->position.bytes_passed = 0;
    if (input == 0) reader->shard.begun = reader->shard.ended = CRD_I_NOWHERE;
    reader->position.is_drained = false;
    crd_status status = crd_i_reader_enter(reader, input, error);
    if (status == CRD_OK) status = crd_i_reader_meet(reader, error);
    if (status == CRD_OK) status = crd_i_entry_settle(reader, error);
    return status;
}

/* Moves to a byte offset in the current file. */
static crd_status chunks_jump(crd_reader *reader, uint64_t offset, crd_error *error) {
    crd_i_slow_parse *slow = &reader->position.records;
    crd_i_shard *shard = &reader->shard;
    uint64_t read = reader->inputs[reader->position.current].file->taken;
    crd_status status = slow->source->seek(slow->source, offset, error);
    if (status != CRD_OK) return status;
    slow->next = slow->end = 0;
    slow->at_end = false;
    shard->offset = offset;
    if (shard->offset > read) reader->position.bytes_passed += shard->offset - read;
    return CRD_OK;
}

/* Returns whether no row of the current file is needed. */
static bool is_file_outside_part(const crd_i_shard *shard) {
    return shard->division == CRD_I_DIVIDE_SEQUENCES ? shard->first == UINT64_MAX : shard->end == 0;
}

/* Skips to the first record of the current file to take. */
static crd_status pass_by(crd_reader *reader, crd_i_slow_parse *into, crd_error *error) {
    crd_i_shard *shard = &reader->shard;
    if (shard->offset >= shard->first || is_file_outside_part(shard)) return CRD_OK;
    const uint64_t file_begin = reader->inputs[reader->position.current].begin;
    const bool are_rows = shard->division == CRD_I_DIVIDE_ROWS;
    const bool is_known = are_rows && shard->known_start != CRD_I_NOWHERE;
    bool are_lines = !crd_i_slow_parse_has_quotes(&reader->position.records) || reader->options.no_multiline_fields ||
                     shard->assumes_lines;
    crd_status status = CRD_OK;
    size_t cut = is_known ? 0 : 1;
    /* If records are lines, the last byte before the part shows whether a record begins at the part. */
    if (is_known) status = chunks_jump(reader, shard->known_start - file_begin, error);
    else if (are_lines) status = chunks_jump(reader, shard->first - 1, error);
    bool *is_lines = &reader->position.records.is_lines, is_lines_else = *is_lines;
    *is_lines = is_lines_else || are_lines; /* a jump may end inside quotes, so quotes carry no information */
    while (status == CRD_OK && cut > 0 && shard->offset < shard->first && !reader->position.is_drained) {
        status = cut_off(reader, into, shard->first - shard->offset, &cut, error);
    }
    *is_lines = is_lines_else;
    reader->position.entry->bytes_before = shard->offset;
    reader->position.records.next_line = 1;
    if (are_rows) shard->begun = file_begin + shard->offset;
    if (are_rows && status == CRD_OK && !shard->assumes_lines) shard->known_start = shard->begun;
    return status;
}

/* Returns whether a worker receives rows after the part. Workers that only inspect cells do not. */
static bool goes_behind(const crd_worker *worker) {
    crd_i_sequencer *sequencer = &worker->reader->sequencer;
    if (worker->reader->shard.division != CRD_I_DIVIDE_SEQUENCES || worker->columns == NULL) return false;
    pthread_mutex_lock(&sequencer->mutex);
    const bool checks_types = sequencer->checks_types;
    pthread_mutex_unlock(&sequencer->mutex);
    return !checks_types;
}

/* Cuts off the next chunk of the current file, within one zone. */
static crd_status cut_off_zone(crd_worker *worker, size_t *cut, crd_error *error) {
    crd_reader *reader = worker->reader;
    crd_i_shard *shard = &reader->shard;
    uint64_t end;
    *cut = 0;
    if (is_file_outside_part(shard) || reader->position.is_drained) return CRD_OK;
    shard->zone = crd_i_shard_zone(shard, &end);
    if (shard->zone == CRD_I_ROWS_BEHIND && !goes_behind(worker)) return CRD_OK;
    return cut_off(reader, &worker->records, end - shard->offset, cut, error);
}

/* Cuts off the next chunk of the current file that belongs to this part; 0 bytes if there is none. */
static crd_status cut_off_own(crd_worker *worker, size_t *cut, crd_error *error) {
    crd_reader *reader = worker->reader;
    crd_i_slow_parse *into = &worker->records;
    crd_i_shard *shard = &reader->shard;
    if (shard->division == CRD_I_DIVIDE_SEQUENCES) return cut_off_zone(worker, cut, error);
    for (;;) {
        *cut = 0;
        if (shard->offset >= shard->end && shard->end > 0)
            shard->ended = reader->inputs[reader->position.current].begin + shard->offset;
        if (shard->offset >= shard->end || reader->position.is_drained) return CRD_OK;
        crd_status status = cut_off(reader, into, shard->end - shard->offset, cut, error);
        if (status != CRD_OK || *cut == 0 || !shard->is_dealt) return status;
        reader->position.records.next_line = shard->line;
        reader->position.is_entry_fresh = true;
        shard->line += crd_i_shard_count_lines((const char *)into->bytes, *cut);
        if (crd_i_shard_is_dealt_chunk(reader, shard->chunk++)) return CRD_OK;
    }
}

/* Checks the source at the end of the current file. */
static crd_status chunks_finish(const crd_reader *reader, crd_error *error) {
    const crd_i_source *source = reader->inputs[reader->position.current].source;
    if (source->finish == NULL || !reader->position.records.at_end) return CRD_OK;
    crd_status status = source->finish(source, error);
    if (status != CRD_OK) crd_i_reader_place_error(reader, error);
    return status;
}

/* Cuts off the next chunk of any file; 0 bytes at the end of the last file. */
static crd_status cut_off_any(crd_worker *worker, size_t *cut, crd_error *error) {
    crd_reader *reader = worker->reader;
    *cut = 0;
    while (!reader->position.is_drained) {
        crd_status status = pass_by(reader, &worker->records, error);
        if (status == CRD_OK) status = cut_off_own(worker, cut, error);
        if (status != CRD_OK) {
            crd_i_reader_place_error(reader, error);
            return status;
        }
        if (*cut > 0) return CRD_OK;
        status = chunks_finish(reader, error);
        if (status != CRD_OK) return status;
        size_t next = crd_i_shard_next_input(reader, goes_behind(worker));
        if (next == reader->input_count) {
            reader->position.is_drained = true;
            return CRD_OK;
        }
        status = crd_i_chunks_enter(reader, next, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

crd_status crd_i_chunk_take(crd_worker *worker, bool *is_found, crd_error *error) {
    crd_reader *reader = worker->reader;
    size_t length;
    *is_found = false;
    pthread_mutex_lock(&reader->cutting);
    crd_i_entry_release(reader->context, worker->entry);
    worker->entry = NULL;
    crd_status status = reader->batches.source != NULL ? crd_i_batches_take(worker, &length, error)
                                                       : cut_off_any(worker, &length, error);
    if (status != CRD_OK) reader->position.is_drained = true;
    if (status != CRD_OK || length > 0) {
        *is_found = crd_i_sequencer_take(&reader->sequencer, &worker->place,
                                         reader->position.is_entry_fresh ? reader->position.records.next_line : 0);
    }
    if (*is_found && status == CRD_OK) {
        reader->position.is_entry_fresh = false;
        worker->entry = reader->position.entry;
        worker->zone = reader->shard.zone;
        worker->entry->users++;
        if (reader->batches.source == NULL)
            crd_i_slow_parse_begin_held(&worker->records, length, &reader->position.records);
        tell_progress(reader);
    }
    pthread_mutex_unlock(&reader->cutting);
    return status;
}
