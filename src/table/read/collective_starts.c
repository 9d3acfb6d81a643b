/* SPDX-License-Identifier: MIT */
/* collective_starts.c - finds where the rows of each process begin if a group of processes reads a file together.
 * See reader_internal.h.
 *
 * A line end inside quotes does not end a record. Whether a part begins inside quotes is certain only after all
 * bytes before it are read. Processes read their parts concurrently and assume that the first line end of a part
 * ends a record. Afterwards each process compares its start with the end of the previous part. If they differ, the
 * correct start is known, and all rows are read again. Rows read from a wrong start are discarded. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/error.h"

#include <string.h>

/* The range a process read in a file, if it did not read the file from its beginning or not to its end. */
typedef struct part_range {
    uint64_t begun, ended; /* CRD_I_NOWHERE: the file's beginning; the file's end, or the process failed before */
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

/* Returns the first process whose start differs from the end of the previous part, or the number of processes.
 * Stores the correct start of this process, as far as it is known. */
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

/* Returns whether a process with a lower rank has failed. Only its rows can be the reason. */
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
    part_range range;
    memset(&range, 0, sizeof range);
    range.begun = shard->begun;
    range.ended = shard->ended;
    range.is_empty = shard->start == shard->limit;
    range.has_failed = has_failed;
    crd_i_gathered parts;
    crd_status status = crd_i_gather(context, CRD_OK, &range, sizeof range, &parts, error);
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(context); i++)
        if (parts.lengths[i] != sizeof range) {
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
