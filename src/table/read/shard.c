/* SPDX-License-Identifier: MIT */
/* shard.c - which rows of the inputs are those of one part of several. See reader_internal.h and docs/shards.md.
 *
 * The files lie one after the other on a line of bytes, which is cut into as many ranges as there are parts. A row of a
 * plain file belongs to the part whose range has its first byte. Whatever cannot be entered in the middle is read whole
 * by each part that its bytes meet, and its chunks are split among these: chunk number j of a file lies at the
 * fraction j / golden ratio (mod 1) of the file's bytes, which spreads any number of chunks evenly, so that each part
 * has as much of the rows as of the bytes. Standard input, pipes and the like have no bytes on the line, and are
 * split among all parts by the same fractions. */
#include "table/read/reader_internal.h"

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
    uint64_t part = reader->options.shard, parts = reader->options.shard_count;
    if (parts == 0) return;
    reader->shard.from = share_of(total, part - 1, parts);
    reader->shard.to = share_of(total, part, parts);
}

static bool meets(const crd_reader *reader, const crd_i_input *input) {
    if (reader->options.shard_count == 0 || !input->has_place) return true;
    return input->begin < reader->shard.to && input->end > reader->shard.from;
}

size_t crd_i_shard_next_input(const crd_reader *reader) {
    size_t next = reader->current + 1;
    while (next < reader->input_count && !meets(reader, &reader->inputs[next])) next++;
    return next;
}

void crd_i_shard_enter(crd_reader *reader) {
    crd_i_shard *shard = &reader->shard;
    const crd_i_input *input = &reader->inputs[reader->current];
    shard->offset = reader->records.next_offset;
    shard->line = reader->records.next_line;
    shard->chunk = 0;
    shard->first = 0;
    shard->end = UINT64_MAX;
    shard->is_dealt = false;
    if (reader->options.shard_count == 0) return;
    if (!meets(reader, input)) {
        shard->end = 0;
        return;
    }
    shard->is_dealt = !input->has_place || input->source->seek == NULL;
    if (shard->is_dealt) return;
    if (shard->from > input->begin) shard->first = shard->from - input->begin;
    /* What is appended to the file from now on belongs to the part that has the last byte. */
    if (shard->to < input->end) shard->end = shard->to - input->begin;
}

bool crd_i_shard_is_dealt_chunk(const crd_reader *reader, uint64_t chunk) {
    const crd_i_input *input = &reader->inputs[reader->current];
    uint64_t fraction = chunk * GOLDEN;
    if (!input->has_place) return scale(reader->options.shard_count, fraction) == reader->options.shard - 1;
    uint64_t place = input->begin + scale(input->end - input->begin, fraction);
    return place >= reader->shard.from && place < reader->shard.to;
}

uint64_t crd_i_shard_bytes_left(const crd_reader *reader) {
    const crd_i_input *input = &reader->inputs[reader->current];
    uint64_t taken = input->file == NULL ? 0 : input->file->taken;
    if (!input->has_place) return input->bytes > taken ? input->bytes - taken : 0;
    uint64_t at = input->begin + taken;
    uint64_t to = reader->shard.is_dealt && input->end > reader->shard.to ? input->end : reader->shard.to;
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
