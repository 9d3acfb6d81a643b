/* SPDX-License-Identifier: MIT */
/* collective_kinds.c - combines the results of a pass if each process of a group read a part of the rows: column
 * kinds and skipped rows. See reader.h.
 *
 * A column is categorical if any part has a cell that is not a number. Otherwise it is numeric if some part has a
 * number. If a process read a categorical column as numeric, all processes read their rows again, and forms are
 * detected again in the rows of all. An infinite cell is an error if the column is numeric in every part. Truth
 * values that are spelled differently in different parts have a form that no single part shows.
 *
 * Each process counts the categories in its own rows. If the sum exceeds the limit for a column, which is rare, the
 * processes gather the categories themselves, because parts share many of them. */
#include "table/read/reader_internal.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

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
    unsigned char kind;
    bool has_other_words; /* has words other than the truth values whose spellings are listed here */
    unsigned char spellings[CRD_I_BOOLEAN_WORDS];
    uint64_t categories; /* upper bound: a category in several parts is counted several times */
} column_end;

typedef struct kinds_of_parts {
    const crd_reader *reader;
    pass_end end;
    column_end *columns;
} kinds_of_parts;

static crd_status encode_kinds(void *object, crd_i_buffer *bytes, crd_error *error) {
    const kinds_of_parts *parts = object;
    const bool done = crd_i_buffer_append(bytes, &parts->end, sizeof parts->end) &&
                      crd_i_buffer_append(bytes, parts->columns, parts->end.column_count * sizeof *parts->columns);
    return done ? CRD_OK : crd_i_fail_memory(error);
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

/* Merges another process's results. The kinds are ordered NONE < NUMBER < CATEGORY, and the larger one wins. */
static crd_status combine_kinds(void *object, const unsigned char *bytes, size_t length, crd_error *error) {
    kinds_of_parts *parts = object;
    pass_end theirs;
    if (length < sizeof theirs) return crd_i_fail_received(error);
    memcpy(&theirs, bytes, sizeof theirs);
    const bool has_failed = parts->end.failed != UINT_MAX || theirs.failed != UINT_MAX;
    const bool is_alike = theirs.column_count == parts->end.column_count &&
                          (length - sizeof theirs) / sizeof *parts->columns == theirs.column_count &&
                          (length - sizeof theirs) % sizeof *parts->columns == 0;
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
        memcpy(&other, bytes + sizeof theirs + i * sizeof other, sizeof other);
        column->has_other_words = column->has_other_words || other.has_other_words;
        for (size_t word = 0; word < CRD_I_BOOLEAN_WORDS; word++) column->spellings[word] |= other.spellings[word];
        column->categories += other.categories;
        if (other.kind == column->kind) continue;
        if (other.kind != CRD_KIND_NONE && column->kind != CRD_KIND_NONE) parts->end.begins_again = true;
        if (other.kind > column->kind) column->kind = other.kind;
    }
    combine_ends(parts->reader, &parts->end, &theirs);
    return CRD_OK;
}

/* Returns whether the failure is an infinite cell in a numeric column. */
static bool is_suspect(const crd_reader *reader, const crd_error *failure) {
    const crd_i_sequencer *sequencer = &reader->sequencer;
    return sequencer->checks_kinds && failure->status == sequencer->suspect.status &&
           failure->line == sequencer->suspect.line && failure->field == sequencer->suspect.field;
}

static void describe_column(const crd_reader *reader, size_t index, column_end *column) {
    const crd_kind kind = reader->columns[index].kind;
    const crd_i_form_evidence evidence = crd_i_reader_late_truth(reader, index);
    column->kind = (unsigned char)kind;
    column->has_other_words = kind != CRD_KIND_NONE && !crd_i_form_evidence_is_truth(&evidence);
    memcpy(column->spellings, evidence.spellings, sizeof column->spellings);
    column->categories = crd_i_reader_category_bound(reader, index);
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
                          kinds_of_parts *parts) {
    pass_end *end = &parts->end;
    end->begins_again = status == CRD_RESTART;
    end->failed = end->suspects = UINT_MAX;
    for (size_t i = 0; i < end->column_count; i++) describe_column(reader, i, &parts->columns[i]);
    if (status == CRD_OK || status == CRD_RESTART) return;
    if (is_suspect(reader, failure)) {
        end->suspects = crd_i_process_rank(reader->context);
        end->suspect_column = reader->sequencer.suspect_column;
        end->suspect = *failure;
    } else {
        end->failed = crd_i_process_rank(reader->context);
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
    return is_mixed && !column->has_other_words && column->kind == CRD_KIND_CATEGORY;
}

/* Copies the combined kinds to the reader. Returns the combined status of the pass. */
static crd_status collective_kinds_conclude(crd_reader *reader, const unsigned char *bytes, crd_error *failure) {
    pass_end end;
    memcpy(&end, bytes, sizeof end);
    const unsigned char *columns = bytes + sizeof end;
    column_end source_end = {.kind = CRD_KIND_NONE};
    if (end.column_count != reader->column_count) return crd_i_fail_received(failure);
    const bool is_known = end.suspects != UINT_MAX && end.suspect_column < end.column_count;
    if (is_known) memcpy(&source_end, columns + end.suspect_column * sizeof source_end, sizeof source_end);
    const bool has_suspect = is_known && source_end.kind != CRD_KIND_CATEGORY;
    if (has_suspect && end.suspects < end.failed) *failure = end.suspect;
    else if (end.failed != UINT_MAX) *failure = end.failure;
    if ((has_suspect && end.suspects < end.failed) || end.failed != UINT_MAX) return failure->status;
    for (size_t i = 0; i < end.column_count; i++) {
        crd_i_reader_column *column = &reader->columns[i];
        memcpy(&source_end, columns + i * sizeof source_end, sizeof source_end);
        column->kind = (crd_kind)source_end.kind;
        if (column->kind == CRD_KIND_CATEGORY) column->refuses_infinite = false;
        if (!is_truth(&source_end)) continue;
        crd_i_reader_column_take_truth(column);
        end.begins_again = true;
    }
    reader->begins_together = end.begins_again || end.suspects != UINT_MAX;
    return reader->begins_together ? CRD_RESTART : CRD_OK;
}

/* Checks the category limits for all parts together. Every process gets the same result. */
static crd_status collective_kinds_check_categories(const crd_reader *reader, const unsigned char *bytes,
                                                    crd_error *error) {
    const unsigned char *columns = bytes + sizeof(pass_end);
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < reader->column_count; i++) {
        column_end column;
        memcpy(&column, columns + i * sizeof column, sizeof column);
        if (column.categories > reader->options.max_categories)
            status = crd_i_reader_check_shared_categories(reader, i, error);
    }
    return status;
}

static crd_status agree_on_kinds(crd_reader *reader, crd_status status, crd_error *failure) {
    static const crd_i_reduction agreement = {encode_kinds, combine_kinds};
    crd_context *context = reader->context;
    crd_i_buffer bytes = {.context = context};
    kinds_of_parts parts;
    memset(&parts, 0, sizeof parts);
    parts.reader = reader;
    parts.end.column_count = reader->column_count;
    parts.columns = crd_i_alloc_zeroed(context, reader->column_count + 1, sizeof *parts.columns);
    if (parts.columns != NULL) describe_pass(reader, status, failure, &parts);
    status = parts.columns != NULL ? CRD_OK : crd_i_fail_memory(failure);
    status = crd_i_reduce(context, status, &agreement, &parts, &bytes, failure);
    if (status == CRD_OK && bytes.length != sizeof parts.end + reader->column_count * sizeof *parts.columns)
        status = crd_i_fail_received(failure);
    if (status == CRD_OK) status = collective_kinds_conclude(reader, bytes.bytes, failure);
    if (status == CRD_OK) status = collective_kinds_check_categories(reader, bytes.bytes, failure);
    crd_i_buffer_clear(&bytes);
    crd_free(context, parts.columns);
    return status;
}

crd_status crd_i_reader_agree(crd_reader *reader, crd_status status, crd_error *error) {
    if (!crd_i_reader_is_divided(reader)) return status;
    /* The pass of this process has not begun. The other processes learn about the failure at the first step of their
     * pass. */
    if (!reader->is_pass_shared) return crd_i_agree(reader->context, status, error);
    crd_error failure = {.status = status};
    const bool is_failure = status != CRD_OK && status != CRD_RESTART;
    if (is_failure && error != NULL) failure = *error;
    const bool has_failed = is_failure && !is_suspect(reader, &failure);
    crd_error fault = {.status = CRD_OK};
    const crd_status started = crd_i_reader_agree_on_starts(reader, has_failed, &fault);
    if (started == CRD_OK) status = agree_on_kinds(reader, status, &failure);
    else {
        status = started;
        failure = fault;
    }
    if (status == CRD_OK) status = crd_i_bad_rows_share(reader, &failure);
    reader->is_pass_shared = reader->shard.assumes_lines = false;
    if (status != CRD_OK && status != CRD_RESTART && error != NULL) *error = failure;
    return status;
}
