/* SPDX-License-Identifier: MIT */
/* shard.c - determines which rows of the inputs belong to one part of several. See reader_internal.h and
 * docs/shards.md.
 *
 * All files are concatenated to one range of bytes, which is divided into as many ranges as there are parts. A row
 * of a plain file belongs to the part whose range contains its first byte. A file that cannot be entered in the
 * middle is read whole by each part that overlaps its bytes, and its chunks are distributed among these parts. Chunk
 * j of a file is placed at the fraction j / golden ratio (mod 1) of the file's bytes. This spreads any number of
 * chunks evenly, so each part gets rows in proportion to its bytes. Standard input and pipes have no byte range;
 * their chunks are distributed among all parts by the same fractions. If parts must be in order
 * (crd_reader_options.in_order), all chunks of a file are placed at its first byte, so the file is whole in one
 * part.
 *
 * If rows form sequences, a sequence belongs to the part whose range contains the first byte of its first row.
 * Therefore a part also gets the rows before its range: the last of them shows whether the part's first row
 * continues a sequence. It also gets the rows after its range, until its last sequence ends. A file that cannot be
 * entered in the middle is placed at its first byte. If the rows of a sequence are scattered, or have no byte range,
 * each part reads all rows and takes the sequences whose hash belongs to it. */
#include "table/read/reader_internal.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum { MOST_SHARDS = 1000000 };

/* 2^64 divided by the golden ratio. */
static const uint64_t GOLDEN = UINT64_C(0x9E3779B97F4A7C15);

/* floor(whole * part / parts), for part <= parts. */
static uint64_t shard_share(uint64_t whole, uint64_t part, uint64_t parts) {
    return whole / parts * part + whole % parts * part / parts;
}

/* floor(whole * fraction / 2^64). */
static uint64_t shard_scale(uint64_t whole, uint64_t fraction) {
    uint64_t low = UINT64_C(0xffffffff);
    uint64_t cross = (whole >> 32) * (fraction & low) + ((whole & low) * (fraction & low) >> 32);
    uint64_t other = (whole & low) * (fraction >> 32) + (cross & low);
    return (whole >> 32) * (fraction >> 32) + (cross >> 32) + (other >> 32);
}

crd_status crd_i_shard_check(const crd_reader_options *options, crd_error *error) {
    if (options->shard == 0 && options->shard_count == 0) return CRD_OK;
    if (options->shard_count > MOST_SHARDS) {
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the rows cannot be divided into more than %d parts",
                          (int)MOST_SHARDS);
    }
    if (options->shard >= 1 && options->shard <= options->shard_count) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT, "invalid part %u of %u", options->shard, options->shard_count);
}

bool crd_i_reader_is_shard(const crd_reader *reader) {
    return reader->options.shard_count > 0;
}

crd_i_group *crd_i_reader_group(const crd_reader *reader) {
    return reader->options.shard_count > 1 ? reader->context->group : NULL;
}

unsigned crd_i_reader_shard(const crd_reader *reader, unsigned *count) {
    *count = reader->options.shard_count;
    return reader->options.shard;
}

crd_status crd_i_reader_read_whole(crd_reader *reader, crd_error *error) {
    const bool is_shard = crd_i_reader_is_shard(reader);
    reader->options.shard = reader->options.shard_count = 0;
    reader->pass.has_final_types = false;
    return is_shard ? crd_i_chunks_enter(reader, 0, error) : CRD_OK;
}

void crd_i_shard_lay_out(crd_reader *reader) {
    uint64_t total = 0;
    for (size_t i = 0; i < reader->input_count; i++) {
        crd_i_input *input = &reader->inputs[i];
        input->begin = total;
        input->has_place = input->can_reread && input->path != NULL && strcmp(input->path, "-") != 0;
        /* Some part must detect that an empty file is empty. */
        if (input->has_place) total += input->bytes == 0 ? 1 : input->bytes;
        input->end = total;
    }
    reader->shard.known_start = reader->shard.begun = reader->shard.ended = CRD_I_NOWHERE;
    uint64_t part = reader->options.shard, parts = reader->options.shard_count;
    if (parts == 0) return;
    reader->shard.start = shard_share(total, part - 1, parts);
    reader->shard.limit = shard_share(total, part, parts);
}

/* Returns the offset of the first byte to read. */
static uint64_t read_from(const crd_i_shard *shard) {
    return shard->start > shard->reach ? shard->start - shard->reach : 0;
}

static bool shard_meets(const crd_reader *reader, const crd_i_input *input, bool goes_behind) {
    const crd_i_shard *shard = &reader->shard;
    if (reader->options.shard_count == 0 || !input->has_place || shard->division == CRD_I_DIVIDE_KEYS) return true;
    return (input->begin < shard->limit || goes_behind) && input->end > read_from(shard);
}

size_t crd_i_shard_next_input(const crd_reader *reader, bool goes_behind) {
    size_t next = reader->position.current + 1;
    while (next < reader->input_count && !shard_meets(reader, &reader->inputs[next], goes_behind)) next++;
    return next;
}

/* Sets the zones of the current file. If the file cannot be entered in the middle, all its rows are placed at its
 * first byte. */
static void enter_zones(crd_i_shard *shard, const crd_i_input *input) {
    const bool is_one_place = input->source->seek == NULL;
    const uint64_t start = read_from(shard);
    if (start > input->begin) shard->first = is_one_place || start >= input->end ? UINT64_MAX : start - input->begin;
    if (shard->start > input->begin) shard->own = is_one_place ? UINT64_MAX : shard->start - input->begin;
    if (shard->limit <= input->begin) shard->end = 0;
    else if (shard->limit < input->end && !is_one_place) shard->end = shard->limit - input->begin;
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
    const crd_i_input *input = &reader->inputs[reader->position.current];
    shard->offset = reader->position.records.next_offset;
    shard->line = reader->position.records.next_line;
    shard->chunk = 0;
    shard->first = shard->own = 0;
    shard->end = UINT64_MAX;
    shard->is_dealt = false;
    if (reader->options.shard_count == 0 || shard->division == CRD_I_DIVIDE_KEYS) return;
    if (shard->division == CRD_I_DIVIDE_SEQUENCES) {
        enter_zones(shard, input);
        return;
    }
    if (!shard_meets(reader, input, false)) {
        shard->end = 0;
        return;
    }
    shard->is_dealt = !input->has_place || input->source->seek == NULL;
    if (shard->is_dealt) {
        if (reader->options.in_order && !crd_i_shard_is_dealt_chunk(reader, 0)) shard->end = 0;
        return;
    }
    if (shard->start > input->begin) shard->first = shard->start - input->begin;
    /* Bytes appended to the file from now on belong to the part that contains the last byte. */
    if (shard->limit < input->end) shard->end = shard->limit - input->begin;
}

bool crd_i_shard_is_dealt_chunk(const crd_reader *reader, uint64_t chunk) {
    const crd_i_input *input = &reader->inputs[reader->position.current];
    uint64_t fraction = reader->options.in_order ? 0 : chunk * GOLDEN;
    if (!input->has_place) return shard_scale(reader->options.shard_count, fraction) == reader->options.shard - 1;
    uint64_t place = input->begin + shard_scale(input->end - input->begin, fraction);
    return place >= reader->shard.start && place < reader->shard.limit;
}

/* ---- Sequences ---- */

enum { FIRST_REACH = 64 * 1024, REACH_GROWTH = 16 };

bool crd_i_reader_divide_sequences(crd_reader *reader, bool are_scattered) {
    crd_i_shard *shard = &reader->shard;
    bool has_places = reader->batches.source == NULL;
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
    shard->reach = shard->reach > shard->start / REACH_GROWTH ? shard->start : shard->reach * REACH_GROWTH;
    reader->pass.has_final_types = false;
    return true;
}

bool crd_i_reader_has_key(const crd_reader *reader, uint64_t key) {
    return shard_scale(reader->options.shard_count, key) == reader->options.shard - 1;
}

/* ---- Progress and line numbers ---- */

uint64_t crd_i_shard_bytes_left(const crd_reader *reader) {
    const crd_i_input *input = &reader->inputs[reader->position.current];
    uint64_t taken = input->file == NULL ? 0 : input->file->taken;
    if (!input->has_place) return input->bytes > taken ? input->bytes - taken : 0;
    uint64_t index = input->begin + taken;
    uint64_t limit = reader->shard.is_dealt && input->end > reader->shard.limit ? input->end : reader->shard.limit;
    if (reader->shard.division == CRD_I_DIVIDE_KEYS) limit = reader->inputs[reader->input_count - 1].end;
    return limit > index ? limit - index : 0;
}

uint64_t crd_i_shard_count_lines(const char *bytes, size_t length) {
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++) lines += bytes[i] == '\n';
    return lines;
}

enum { BLOCK_BYTES = 64 * 1024 };

/* Counts the lines in the first bytes of a file; false: the bytes could not be read. */
static bool count_lines_of_file(crd_context *context, const char *path, uint64_t bytes, uint64_t *lines) {
    crd_i_source *file = NULL;
    *lines = 0;
    char *block = crd_i_alloc(context, BLOCK_BYTES, 1);
    bool done = block != NULL && crd_i_source_open(context, path, &file, NULL) == CRD_OK;
    while (done && bytes > 0) {
        size_t got = 0, capacity = bytes < BLOCK_BYTES ? (size_t)bytes : BLOCK_BYTES;
        done = file->read(file, (unsigned char *)block, capacity, &got, NULL) == CRD_OK && got > 0;
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
    /* Do not hold `cutting`: its owner may be waiting for the chunk whose lines are needed. */
    pthread_mutex_lock(&reader->sequencer.mutex);
    if (!entry->has_lines_before) {
        const char *path = reader->inputs[entry->input].path;
        done = count_lines_of_file(reader->context, path, entry->bytes_before, &entry->lines_before);
        entry->has_lines_before = done;
    }
    *lines = entry->lines_before;
    pthread_mutex_unlock(&reader->sequencer.mutex);
    return done;
}
