/* SPDX-License-Identifier: MIT */
/* collective_types.c - combines the results of a pass if each process of a group read a part of the rows: column
 * types and skipped rows. See reader.h.
 *
 * A column is categorical if any part has a cell that is not a number. Otherwise it is numeric if some part has a
 * number. If a process read a categorical column as numeric, all processes read their rows again, and formats are
 * detected again in the rows of all. An infinite cell is an error if the column is numeric in every part. Truth
 * values that are spelled differently in different parts have a format that no single part shows.
 *
 * Each process counts the categories in its own rows. If the sum exceeds the limit for a column, which is rare, the
 * processes gather the categories themselves, because parts share many of them.
 *
 * Contents:
 *   1. Categories of all processes
 *   2. Starts of parts
 *   3. Combined results */
#include "base/error.h"
#include "base/memory.h"
#include "processes/group.h"
#include "table/read/reader_internal.h"

#include <limits.h>
#include <string.h>

/* ======== 1. Categories of all processes ======== */

static const crd_i_dictionary *categories_of(const crd_worker *worker, size_t column) {
    return worker->columns == NULL ? NULL : worker->columns[column].dictionary;
}

/* Returns an upper bound on the number of categories that the workers found in a column with a limit. A category
 * found by several workers is counted several times. */
static uint64_t reader_category_bound(const crd_reader *reader, size_t column) {
    const crd_i_reader_column *reader_column = &reader->columns[column];
    uint64_t bound = 0;
    if (reader_column->key == CRD_I_KEY_SEQUENCE || reader_column->declared != NULL ||
        reader_column->type != CRD_TYPE_CATEGORICAL)
        return 0;
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *dictionary = categories_of(reader->lanes[i], column);
        bound += dictionary == NULL ? 0 : crd_i_dictionary_size(dictionary);
    }
    return bound;
}

/* The categories of a column, which the processes gather. */
typedef struct shared_categories {
    const crd_reader *reader;
    size_t column;
    crd_i_dictionary *all;
} shared_categories;

static crd_status shared_categories_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const shared_categories *shared = object;
    (void)error;
    for (unsigned i = 0; i < shared->reader->lane_count; i++) {
        const crd_i_dictionary *dictionary = categories_of(shared->reader->lanes[i], shared->column);
        for (size_t code = 0; dictionary != NULL && code < crd_i_dictionary_size(dictionary); code++)
            crd_i_encode_text(encoder, crd_i_dictionary_text(dictionary, code));
    }
    return CRD_OK;
}

static crd_status shared_categories_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    const shared_categories *shared = object;
    (void)rank;
    while (crd_i_cursor_left(part) > 0) {
        const crd_text text = crd_i_decode_text(part);
        if (part->failed) return crd_i_fail_received(error);
        if (crd_i_dictionary_add(shared->all, text) < 0) return crd_i_fail_memory(error);
    }
    return CRD_OK;
}

/* Returns CRD_ERROR_LIMIT, without a line, if all processes together found more categories than a column may have.
 * Collective. */
static crd_status reader_check_shared_categories(const crd_reader *reader, size_t column, crd_error *error) {
    static const crd_i_merging gathering = {shared_categories_encode, shared_categories_add};
    crd_i_group *group = crd_i_reader_group(reader);
    shared_categories shared = {reader, column, crd_i_dictionary_create(reader->context)};
    crd_status status = shared.all != NULL ? crd_i_group_merge(group, &gathering, &shared, error)
                                           : crd_i_group_fail(group, crd_i_fail_memory(error), error);
    if (status == CRD_OK)
        status =
            crd_i_reader_check_count(reader, reader->columns[column].name, crd_i_dictionary_size(shared.all), error);
    crd_i_dictionary_destroy(shared.all);
    return status;
}

/* ======== 2. Starts of parts ========
 *
 * A line end inside quotes does not end a record. Whether a part begins inside quotes is certain only after all bytes
 * before it are read. Processes read their parts concurrently and assume that the first line end of a part ends a
 * record. Afterwards each process compares its start with the end of the previous part. If they differ, the correct
 * start is known, and all rows are read again. Rows read from a wrong start are discarded. */

void crd_i_reader_begin_pass(crd_reader *reader) {
    reader->pass.is_shared = crd_i_reader_group(reader) != NULL;
    reader->shard.assumes_lines =
        reader->pass.is_shared && reader->batches.source == NULL && reader->shard.division == CRD_I_DIVIDE_ROWS;
    for (size_t i = 0; i < reader->column_count; i++) reader->columns[i].type_before = reader->columns[i].type;
}

static void forget_types(crd_reader *reader) {
    for (size_t i = 0; i < reader->column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        if (!column->is_fixed) column->type = column->type_before;
        column->refuses_infinite = false;
    }
}

/* The starts of all parts up to that of some rank. */
typedef struct shared_starts {
    crd_reader *reader;
    bool has_failed; /* this process */
    uint64_t expected;
    bool is_false;          /* a part began at another place than the end of the previous one, */
    bool has_failed_before; /* or a process before the first such part has failed, whose rows alone can be the reason */
} shared_starts;

/* Encodes the range that this process read in a file. CRD_I_NOWHERE: the file's beginning, its end, or the process failed
 * before. */
static crd_status encode_start(void *object, crd_i_encoder *encoder, crd_error *error) {
    const shared_starts *starts = object;
    const crd_i_shard *shard = &starts->reader->shard;
    (void)error;
    crd_i_encode_u64(encoder, shard->begun);
    crd_i_encode_u64(encoder, shard->ended);
    crd_i_encode_u8(encoder, shard->start == shard->limit);
    crd_i_encode_u8(encoder, starts->has_failed);
    return CRD_OK;
}

/* Compares the start of a process with the end of the previous part. Stores the correct start of this process, as far as
 * it is known. */
static crd_status add_start(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    shared_starts *starts = object;
    const uint64_t begun = crd_i_decode_u64(part), ended = crd_i_decode_u64(part);
    const bool is_empty = crd_i_decode_u8(part) != 0, has_failed = crd_i_decode_u8(part) != 0;
    (void)error;
    if (!is_empty) {
        starts->is_false = starts->is_false || (begun != CRD_I_NOWHERE && begun != starts->expected);
        if (rank == crd_i_group_rank(starts->reader->context->group) && begun != CRD_I_NOWHERE)
            starts->reader->shard.known_start = starts->expected;
        starts->expected = ended;
    }
    if (!starts->is_false) starts->has_failed_before = starts->has_failed_before || has_failed;
    return CRD_OK;
}

/* Returns CRD_I_READ_AGAIN if some process of the group did not begin at a record. Called at the end of a pass, failed or
 * not. */
static crd_status reader_agree_on_starts(crd_reader *reader, bool has_failed, crd_error *error) {
    static const crd_i_merging comparing = {encode_start, add_start};
    shared_starts starts = {.reader = reader, .has_failed = has_failed, .expected = CRD_I_NOWHERE};
    if (!reader->shard.assumes_lines) return CRD_OK;
    const crd_status status = crd_i_group_merge(crd_i_reader_group(reader), &comparing, &starts, error);
    if (status != CRD_OK || !starts.is_false || starts.has_failed_before) return status;
    forget_types(reader);
    return CRD_I_READ_AGAIN;
}

/* ======== 3. Combined results ======== */

/* The combined pass results of processes with consecutive ranks. */
typedef struct pass_end {
    size_t column_count;
    bool begins_again;
    /* rank of the first process that failed, or that found an infinite cell; UINT_MAX: none */
    unsigned failed, suspects;
    size_t failed_input; /* input that `failure` is about; 0 if it has no line */
    size_t suspect_column;
    crd_error failure, suspect;
} pass_end;

typedef struct column_end {
    unsigned char type;
    bool has_other_words; /* has words other than the truth values whose spellings are listed here */
    unsigned char spellings[CRD_I_BOOLEAN_WORDS];
    uint64_t categories; /* upper bound: a category in several parts is counted several times */
} column_end;

typedef struct types_of_parts {
    const crd_reader *reader;
    pass_end end;
    column_end *columns;
} types_of_parts;

static crd_status encode_types(void *object, crd_i_encoder *encoder, crd_error *error) {
    const types_of_parts *parts = object;
    (void)error;
    crd_i_encode_bytes(encoder, &parts->end, sizeof parts->end);
    crd_i_encode_bytes(encoder, parts->columns, parts->end.column_count * sizeof *parts->columns);
    return CRD_OK;
}

/* Returns whether the failure of the higher ranks comes first. Their rows come later, unless all parts read all
 * rows. In that case the line numbers decide, and a failure without a line is not caused by a row. */
static bool is_theirs_first(const crd_reader *reader, const pass_end *mine, const pass_end *theirs) {
    if (theirs->failed == UINT_MAX || mine->failed == UINT_MAX) return theirs->failed != UINT_MAX;
    if (reader->shard.division != CRD_I_DIVIDE_KEYS) return false;
    if (theirs->failed_input != mine->failed_input) return theirs->failed_input < mine->failed_input;
    return theirs->failure.line < mine->failure.line;
}

static void combine_ends(const crd_reader *reader, pass_end *mine, const pass_end *theirs) {
    mine->begins_again = mine->begins_again || theirs->begins_again;
    if (is_theirs_first(reader, mine, theirs)) {
        mine->failed = theirs->failed;
        mine->failed_input = theirs->failed_input;
        mine->failure = theirs->failure;
    }
    if (mine->suspects == UINT_MAX && theirs->suspects != UINT_MAX) {
        mine->suspects = theirs->suspects;
        mine->suspect_column = theirs->suspect_column;
        mine->suspect = theirs->suspect;
    }
}

/* Merges another process's results. The types are ordered NONE < NUMBER < CATEGORY, and the larger one wins. */
static crd_status combine_types(void *object, unsigned rank, crd_i_cursor *cursor, crd_error *error) {
    types_of_parts *parts = object;
    pass_end theirs;
    (void)rank;
    crd_i_decode_bytes(cursor, &theirs, sizeof theirs);
    if (cursor->failed) return crd_i_fail_received(error);
    crd_i_cursor columns = crd_i_decode_rest(cursor);
    const bool has_failed = parts->end.failed != UINT_MAX || theirs.failed != UINT_MAX;
    const bool is_alike = theirs.column_count == parts->end.column_count &&
                          crd_i_cursor_left(&columns) == theirs.column_count * sizeof *parts->columns;
    /* A process that failed before its first row may not have all columns. */
    if (!is_alike && has_failed) {
        combine_ends(parts->reader, &parts->end, &theirs);
        return CRD_OK;
    }
    if (!is_alike)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the processes read files with %zu and with %zu columns",
                          parts->end.column_count, theirs.column_count);
    for (size_t i = 0; i < theirs.column_count; i++) {
        column_end other, *column = &parts->columns[i];
        crd_i_decode_bytes(&columns, &other, sizeof other);
        column->has_other_words = column->has_other_words || other.has_other_words;
        for (size_t word = 0; word < CRD_I_BOOLEAN_WORDS; word++) column->spellings[word] |= other.spellings[word];
        column->categories += other.categories;
        if (other.type == column->type) continue;
        if (other.type != CRD_TYPE_NONE && column->type != CRD_TYPE_NONE) parts->end.begins_again = true;
        if (other.type > column->type) column->type = other.type;
    }
    combine_ends(parts->reader, &parts->end, &theirs);
    return CRD_OK;
}

/* Returns whether the failure is an infinite cell in a numeric column. */
static bool is_suspect(const crd_reader *reader, const crd_error *failure) {
    const crd_i_sequencer *sequencer = &reader->sequencer;
    return sequencer->checks_types && failure->status == sequencer->suspect.status &&
           failure->line == sequencer->suspect.line && failure->field == sequencer->suspect.field;
}

static void describe_column(const crd_reader *reader, size_t index, column_end *column) {
    const crd_column_type type = reader->columns[index].type;
    const crd_i_column_format_evidence evidence = crd_i_reader_late_truth(reader, index);
    column->type = (unsigned char)type;
    column->has_other_words = type != CRD_TYPE_NONE && !crd_i_column_format_evidence_is_truth(&evidence);
    memcpy(column->spellings, evidence.spellings, sizeof column->spellings);
    column->categories = reader_category_bound(reader, index);
}

static size_t find_input(const crd_reader *reader, const crd_error *failure) {
    size_t input = 0;
    while (failure->line > 0 && input < reader->input_count &&
           (reader->inputs[input].place == NULL ||
            strncmp(reader->inputs[input].place, failure->place, sizeof failure->place - 1) != 0))
        input++;
    return input;
}

static void describe_pass(const crd_reader *reader, crd_status status, const crd_error *failure,
                          types_of_parts *parts) {
    pass_end *end = &parts->end;
    end->begins_again = status == CRD_I_READ_AGAIN;
    end->failed = end->suspects = UINT_MAX;
    for (size_t i = 0; i < end->column_count; i++) describe_column(reader, i, &parts->columns[i]);
    if (status == CRD_OK || status == CRD_I_READ_AGAIN) return;
    if (is_suspect(reader, failure)) {
        end->suspects = crd_i_group_rank(reader->context->group);
        end->suspect_column = reader->sequencer.suspect_column;
        end->suspect = *failure;
    } else {
        end->failed = crd_i_group_rank(reader->context->group);
        end->failed_input = find_input(reader, failure);
        end->failure = *failure;
        end->failure.status = status;
    }
}

/* Returns whether all parts together contain a truth value in several spellings. */
static bool is_truth(const column_end *column) {
    bool is_mixed = false;
    for (size_t i = 0; i < CRD_I_BOOLEAN_WORDS; i++)
        is_mixed = is_mixed || (column->spellings[i] & (column->spellings[i] - 1)) != 0;
    return is_mixed && !column->has_other_words && column->type == CRD_TYPE_CATEGORICAL;
}

/* Copies the combined types to the reader. Returns the combined status of the pass. */
static crd_status collective_types_conclude(crd_reader *reader, const unsigned char *bytes, crd_error *failure) {
    pass_end end;
    memcpy(&end, bytes, sizeof end);
    const unsigned char *columns = bytes + sizeof end;
    column_end source_end = {.type = CRD_TYPE_NONE};
    if (end.column_count != reader->column_count) return crd_i_fail_received(failure);
    const bool is_known = end.suspects != UINT_MAX && end.suspect_column < end.column_count;
    if (is_known) memcpy(&source_end, columns + end.suspect_column * sizeof source_end, sizeof source_end);
    const bool has_suspect = is_known && source_end.type != CRD_TYPE_CATEGORICAL;
    if (has_suspect && end.suspects < end.failed) *failure = end.suspect;
    else if (end.failed != UINT_MAX) *failure = end.failure;
    if ((has_suspect && end.suspects < end.failed) || end.failed != UINT_MAX) return failure->status;
    for (size_t i = 0; i < end.column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        memcpy(&source_end, columns + i * sizeof source_end, sizeof source_end);
        column->type = (crd_column_type)source_end.type;
        if (column->type == CRD_TYPE_CATEGORICAL) column->refuses_infinite = false;
        if (!is_truth(&source_end)) continue;
        crd_i_reader_column_take_truth(column);
        end.begins_again = true;
    }
    reader->pass.begins_together = end.begins_again || end.suspects != UINT_MAX;
    return reader->pass.begins_together ? CRD_I_READ_AGAIN : CRD_OK;
}

/* Checks the category limits for all parts together. Every process gets the same result. */
static crd_status collective_types_check_categories(const crd_reader *reader, const unsigned char *bytes,
                                                    crd_error *error) {
    const unsigned char *columns = bytes + sizeof(pass_end);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        column_end column;
        memcpy(&column, columns + i * sizeof column, sizeof column);
        if (column.categories > reader->options.max_categories)
            status = reader_check_shared_categories(reader, i, error);
    }
    return status;
}

static crd_status agree_on_types(crd_reader *reader, crd_status status, crd_error *failure) {
    static const crd_i_merging agreement = {encode_types, combine_types};
    crd_context *context = reader->context;
    crd_i_buffer bytes = {.context = context};
    types_of_parts parts;
    memset(&parts, 0, sizeof parts);
    parts.reader = reader;
    parts.end.column_count = reader->column_count;
    parts.columns = crd_i_alloc_zeroed(context, reader->column_count + 1, sizeof *parts.columns);
    if (parts.columns == NULL) return crd_i_group_fail(context->group, crd_i_fail_memory(failure), failure);
    describe_pass(reader, status, failure, &parts);
    status = crd_i_group_reduce(context->group, &agreement, &parts, &bytes, failure);
    if (status == CRD_OK && bytes.length != sizeof parts.end + reader->column_count * sizeof *parts.columns)
        status = crd_i_fail_received(failure);
    if (status == CRD_OK) status = collective_types_conclude(reader, bytes.bytes, failure);
    if (status == CRD_OK) status = collective_types_check_categories(reader, bytes.bytes, failure);
    crd_i_buffer_clear(&bytes);
    crd_free(context, parts.columns);
    return status;
}

crd_status crd_i_reader_agree(crd_reader *reader, crd_status status, crd_error *error) {
    if (crd_i_reader_group(reader) == NULL) return status;
    /* The pass of this process has not begun. The other processes learn about the failure at the first step of their
     * pass. */
    if (!reader->pass.is_shared) return crd_i_group_agree(reader->context->group, status, error);
    crd_error failure = {.status = status};
    const bool is_failure = status != CRD_OK && status != CRD_I_READ_AGAIN;
    if (is_failure && error != NULL) failure = *error;
    const bool has_failed = is_failure && !is_suspect(reader, &failure);
    crd_error fault = {.status = CRD_OK};
    const crd_status started = reader_agree_on_starts(reader, has_failed, &fault);
    if (started == CRD_OK) status = agree_on_types(reader, status, &failure);
    else {
        status = started;
        failure = fault;
    }
    if (status == CRD_OK) status = crd_i_bad_rows_share(reader, &failure);
    reader->pass.is_shared = reader->shard.assumes_lines = false;
    if (status != CRD_OK && status != CRD_I_READ_AGAIN && error != NULL) *error = failure;
    return status;
}
