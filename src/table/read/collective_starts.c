/* SPDX-License-Identifier: MIT */
/* collective_starts.c - where the rows of each process begin, where a group of processes reads a file together. See reader_internal.h.
 *
 * A line end between quotes ends no record, and whether the first byte of a part is between quotes is known for certain once all
 * before it has been read. Processes that read all parts at the same time assume that the first line end of their part ends a
 * record. Afterwards each compares where it began with where the part before it has ended. Where that is not the same, it knows better
 * now, and all rows are read again; what was read from a false beginning on does not count. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/error.h"

#include <string.h>

/* What a process has read of a file that it did not read from the beginning, or not to the end. */
typedef struct part_range {
    uint64_t begun, ended; /* CRD_I_NOWHERE: at the beginning; at the end, or it has failed before */
    bool is_empty, has_failed;
} part_range;

void crd_i_reader_begin_pass(crd_reader *reader) {
    reader->is_pass_shared = crd_i_reader_is_divided(reader);
    reader->shard.assumes_lines =
        reader->is_pass_shared && reader->batches == NULL && reader->shard.division == CRD_I_DIVIDE_ROWS;
    for (size_t i = 0; i < reader->column_count; i++) reader->columns[i].kind_before = reader->columns[i].kind;
}

static void forget_kinds(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (!column->is_fixed) column->kind = column->kind_before;
        column->refuses_infinite = false;
    }
}

/* The first process that began elsewhere than the part before it has ended, or the number of processes; where this one has to begin is
 * known then, as far as it is. */
static unsigned find_false_start(crd_reader *reader, const crd_i_gathered *parts) {
    const unsigned count = crd_i_process_count(reader->context), own = crd_i_process_rank(reader->context);
    unsigned first = count;
    uint64_t expected = CRD_I_NOWHERE;
    for (unsigned rank = 0; rank < count; rank++) {
        part_range part;
        memcpy(&part, parts->bytes[rank], sizeof part);
        if (part.is_empty) continue;
        const bool is_false = part.begun != CRD_I_NOWHERE && part.begun != expected;
        if (is_false && first == count) first = rank;
        if (rank == own && part.begun != CRD_I_NOWHERE) reader->shard.known_start = expected;
        expected = part.ended;
    }
    return first;
}

/* Whether a process before that one has failed, for which there is no other reason than its rows. */
static bool has_failed_before(const crd_i_gathered *parts, unsigned rank) {
    bool has_failed = false;
    for (unsigned i = 0; i < rank; i++) {
        part_range part;
        memcpy(&part, parts->bytes[i], sizeof part);
        has_failed = has_failed || part.has_failed;
    }
    return has_failed;
}

crd_status crd_i_reader_agree_on_starts(crd_reader *reader, bool has_failed, crd_error *error) {
    crd_context *context = reader->context;
    crd_i_shard *shard = &reader->shard;
    if (!shard->assumes_lines) return CRD_OK;
    part_range own;
    memset(&own, 0, sizeof own);
    own.begun = shard->begun;
    own.ended = shard->ended;
    own.is_empty = shard->from == shard->to;
    own.has_failed = has_failed;
    crd_i_gathered parts;
    crd_status status = crd_i_gather(context, CRD_OK, &own, sizeof own, &parts, error);
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(context); i++)
        if (parts.lengths[i] != sizeof own) {
            crd_i_gathered_clear(&parts);
            status = crd_i_fail_received(error);
        }
    if (status != CRD_OK) return status;
    const unsigned first = find_false_start(reader, &parts);
    const bool is_false = first < crd_i_process_count(context) && !has_failed_before(&parts, first);
    crd_i_gathered_clear(&parts);
    if (!is_false) return CRD_OK;
    forget_kinds(reader);
    return CRD_RESTART;
}
