/* SPDX-License-Identifier: MIT */
/* shard.c - which rows of the inputs are those of one part of several. See reader_internal.h and docs/shards.md.
 *
 * The files lie one after the other on a line of bytes, which is cut into as many ranges as there are parts. A row of a
 * plain file belongs to the part whose range has its first byte. Whatever cannot be entered in the middle is read whole
 * by each part that its bytes meet, and its chunks are split among these: chunk number j of a file lies at the
 * fraction j / golden ratio (mod 1) of the file's bytes, which spreads any number of chunks evenly, so that each part
 * has as much of the rows as of the bytes. Standard input, pipes and the like have no bytes on the line, and are
 * split among all parts by the same fractions. Where parts are to be in order (crd_reader_options.in_order), all chunks of a file
 * lie at its first byte, so that it is whole in one part.
 *
 * Where rows make up sequences, a sequence belongs to the part whose range has the first byte of its first row. So a part is also
 * given the rows before its range, of which the latest shows whether its own first row goes on with a sequence, and those behind
 * it, until its last sequence ends. A file that cannot be entered in the middle lies at its first byte. Where rows of a sequence
 * are scattered, or have no bytes on the line, each part is given all rows, and takes the sequences whose hash falls to it. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { MOST_SHARDS = 1000000 };

/* 2^64 divided by the golden ratio. */
static const uint64_t GOLDEN = UINT64_C(0x9E3779B97F4A7C15);

/* floor(whole * part / parts), for part <= parts. */
static uint64_t share_of(uint64_t whole, uint64_t part, uint64_t parts) {
    return whole / parts * part + whole % parts * part / parts;
}

/* floor(whole * fraction / 2^64). */
static uint64_t scale(uint64_t whole, uint64_t fraction) {
    uint64_t low = UINT64_C(0xffffffff);
    uint64_t cross = (whole >> 32) * (fraction & low) + ((whole & low) * (fraction & low) >> 32);
    uint64_t other = (whole & low) * (fraction >> 32) + (cross & low);
    return (whole >> 32) * (fraction >> 32) + (cross >> 32) + (other >> 32);
}

crd_status crd_i_shard_check(const crd_reader_options *options, crd_error *error) {
    if (options->shard == 0 && options->shard_count == 0) return CRD_OK;
    if (options->shard_count > MOST_SHARDS) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "more than %d parts of the rows", (int)MOST_SHARDS);
    }
    if (options->shard >= 1 && options->shard <= options->shard_count) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "there is no part %u of %u", options->shard, options->shard_count);
}

bool crd_i_reader_is_shard(const crd_reader *reader) {
    return reader->options.shard_count > 0;
}

bool crd_i_reader_is_divided(const crd_reader *reader) {
    return crd_i_is_collective(reader->context) && reader->options.shard_count > 1;
}

unsigned crd_i_reader_shard(const crd_reader *reader, unsigned *count) {
    *count = reader->options.shard_count;
    return reader->options.shard;
}

crd_status crd_i_reader_read_whole(crd_reader *reader, crd_error *error) {
    const bool is_shard = crd_i_reader_is_shard(reader);
    reader->options.shard = reader->options.shard_count = 0;
    return is_shard ? crd_i_chunks_enter(reader, 0, error) : CRD_OK;
}

void crd_i_shard_lay_out(crd_reader *reader) {
    uint64_t total = 0;
    for (size_t i = 0; i < reader->input_count; i++) {
        crd_i_input *input = &reader->inputs[i];
        input->begin = total;
        input->has_place = input->can_reread && input->path != NULL && strcmp(input->path, "-") != 0;
        /* Some part must find out that an empty file is one. */
        if (input->has_place) total += input->bytes == 0 ? 1 : input->bytes;
        input->end = total;
    }
    reader->shard.known_start = reader->shard.begun = reader->shard.ended = CRD_I_NOWHERE;
    uint64_t part = reader->options.shard, parts = reader->options.shard_count;
    if (parts == 0) return;
    reader->shard.from = share_of(total, part - 1, parts);
    reader->shard.to = share_of(total, part, parts);
}

/* The first byte that is read. */
static uint64_t read_from(const crd_i_shard *shard) {
    return shard->from > shard->reach ? shard->from - shard->reach : 0;
}

static bool meets(const crd_reader *reader, const crd_i_input *input, bool goes_behind) {
    const crd_i_shard *shard = &reader->shard;
    if (reader->options.shard_count == 0 || !input->has_place || shard->division == CRD_I_DIVIDE_KEYS) return true;
    return (input->begin < shard->to || goes_behind) && input->end > read_from(shard);
}

size_t crd_i_shard_next_input(const crd_reader *reader, bool goes_behind) {
    size_t next = reader->current + 1;
    while (next < reader->input_count && !meets(reader, &reader->inputs[next], goes_behind)) next++;
    return next;
}

/* The zones of the current file, all rows of which lie at its first byte where it cannot be entered in the middle. */
static void enter_zones(crd_i_shard *shard, const crd_i_input *input) {
    const bool is_one_place = input->source->seek == NULL;
    const uint64_t from = read_from(shard);
    if (from > input->begin) shard->first = is_one_place || from >= input->end ? UINT64_MAX : from - input->begin;
    if (shard->from > input->begin) shard->own = is_one_place ? UINT64_MAX : shard->from - input->begin;
    if (shard->to <= input->begin) shard->end = 0;
    else if (shard->to < input->end && !is_one_place) shard->end = shard->to - input->begin;
}

crd_i_row_zone crd_i_shard_zone(const crd_i_shard *shard, uint64_t *end) {
    const uint64_t ends[] = {shard->end, shard->own, UINT64_MAX};
    crd_i_row_zone zone = shard->offset < shard->own   ? CRD_I_ROWS_BEFORE
                          : shard->offset < shard->end ? CRD_I_ROWS_OWN
                                                       : CRD_I_ROWS_BEHIND;
    *end = ends[zone];
    return zone;
}

void crd_i_shard_enter(crd_reader *reader) {
    crd_i_shard *shard = &reader->shard;
    const crd_i_input *input = &reader->inputs[reader->current];
    shard->offset = reader->records.next_offset;
    shard->line = reader->records.next_line;
    shard->chunk = 0;
    shard->first = shard->own = 0;
    shard->end = UINT64_MAX;
    shard->is_dealt = false;
    if (reader->options.shard_count == 0 || shard->division == CRD_I_DIVIDE_KEYS) return;
    if (shard->division == CRD_I_DIVIDE_SEQUENCES) {
        enter_zones(shard, input);
        return;
    }
    if (!meets(reader, input, false)) {
        shard->end = 0;
        return;
    }
    shard->is_dealt = !input->has_place || input->source->seek == NULL;
    if (shard->is_dealt) {
        if (reader->options.in_order && !crd_i_shard_is_dealt_chunk(reader, 0)) shard->end = 0;
        return;
    }
    if (shard->from > input->begin) shard->first = shard->from - input->begin;
    /* What is appended to the file from now on belongs to the part that has the last byte. */
    if (shard->to < input->end) shard->end = shard->to - input->begin;
}

bool crd_i_shard_is_dealt_chunk(const crd_reader *reader, uint64_t chunk) {
    const crd_i_input *input = &reader->inputs[reader->current];
    uint64_t fraction = reader->options.in_order ? 0 : chunk * GOLDEN;
    if (!input->has_place) return scale(reader->options.shard_count, fraction) == reader->options.shard - 1;
    uint64_t place = input->begin + scale(input->end - input->begin, fraction);
    return place >= reader->shard.from && place < reader->shard.to;
}

/* ---- Sequences ---- */

enum { FIRST_REACH = 64 * 1024, REACH_GROWTH = 16 };

bool crd_i_reader_divide_sequences(crd_reader *reader, bool are_scattered) {
    crd_i_shard *shard = &reader->shard;
    bool has_places = reader->batches == NULL;
    for (size_t i = 0; i < reader->input_count; i++) has_places = has_places && reader->inputs[i].has_place;
    shard->division = has_places && !are_scattered ? CRD_I_DIVIDE_SEQUENCES : CRD_I_DIVIDE_KEYS;
    shard->reach = FIRST_REACH;
    return shard->division == CRD_I_DIVIDE_SEQUENCES;
}

crd_i_row_zone crd_i_reader_zone(const crd_reader *reader) {
    return reader->lanes[0]->zone;
}

bool crd_i_reader_reach_back(crd_reader *reader, bool spans_files) {
    crd_i_shard *shard = &reader->shard;
    if (read_from(shard) == 0 || (shard->own == 0 && !spans_files)) return false;
    shard->reach = shard->reach > shard->from / REACH_GROWTH ? shard->from : shard->reach * REACH_GROWTH;
    return true;
}

bool crd_i_reader_has_key(const crd_reader *reader, uint64_t key) {
    return scale(reader->options.shard_count, key) == reader->options.shard - 1;
}

/* ---- Progress, and lines ---- */

uint64_t crd_i_shard_bytes_left(const crd_reader *reader) {
    const crd_i_input *input = &reader->inputs[reader->current];
    uint64_t taken = input->file == NULL ? 0 : input->file->taken;
    if (!input->has_place) return input->bytes > taken ? input->bytes - taken : 0;
    uint64_t at = input->begin + taken;
    uint64_t to = reader->shard.is_dealt && input->end > reader->shard.to ? input->end : reader->shard.to;
    if (reader->shard.division == CRD_I_DIVIDE_KEYS) to = reader->inputs[reader->input_count - 1].end;
    return to > at ? to - at : 0;
}

uint64_t crd_i_shard_count_lines(const char *bytes, size_t length) {
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++) lines += bytes[i] == '\n';
    return lines;
}

enum { BLOCK_BYTES = 64 * 1024 };

/* false: the bytes could not be read. */
static bool count_lines_of_file(crd_context *context, const char *path, uint64_t bytes, uint64_t *lines) {
    crd_i_source *file = NULL;
    *lines = 0;
    char *block = crd_i_alloc(context, BLOCK_BYTES, 1);
    bool done = block != NULL && crd_i_source_open(context, path, &file, NULL) == CRD_OK;
    while (done && bytes > 0) {
        size_t got = 0, room = bytes < BLOCK_BYTES ? (size_t)bytes : BLOCK_BYTES;
        done = file->read(file, (unsigned char *)block, room, &got, NULL) == CRD_OK && got > 0;
        *lines += crd_i_shard_count_lines(block, got);
        bytes -= got;
    }
    crd_i_source_close(file);
    crd_free(context, block);
    return done;
}

bool crd_i_shard_lines_before(crd_reader *reader, crd_i_entry *entry, uint64_t *lines) {
    bool done = true;
    *lines = 0;
    if (entry->bytes_before == 0) return true;
    /* Not under `cutting`: who has that may be waiting for the chunk whose lines are wanted. */
    pthread_mutex_lock(&reader->order.mutex);
    if (!entry->has_lines_before) {
        const char *path = reader->inputs[entry->input].path;
        done = count_lines_of_file(reader->context, path, entry->bytes_before, &entry->lines_before);
        entry->has_lines_before = done;
    }
    *lines = entry->lines_before;
    pthread_mutex_unlock(&reader->order.mutex);
    return done;
}
