/* SPDX-License-Identifier: MIT */
/* compare_processes.c - comparisons by several processes, which all have the same rows. See compare_internal.h.
 *
 * A work item is one fold of a candidate and its calibrated forms, because these share the held-out predictions of
 * the fold's other rows. Items are assigned to the processes in turn. A round consists of as many candidates as give
 * every process the same number of items.
 *
 * After a round, process 0 has the losses and evaluations of all rows. At the end it recommends a candidate and
 * sends the results to all processes. Scores are computed from the losses in row order, so they do not depend on the
 * number of processes. */
#include "evaluate/compare_internal.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/evaluation.h"
#include "evaluate/evaluation_bytes.h"

#include <string.h>

static const char tag_of_parts[] = {'C', 'M', 'P', 'A'};

/* ---- Assigning folds ---- */

static bool is_holdout(const crd_comparison *c) {
    return crd_split_tested(c->split) != crd_split_learned(c->split);
}

static size_t count_tested_folds(const crd_comparison *c) {
    return is_holdout(c) ? 1 : crd_cross_validation_fold_count(c->validation);
}

/* Returns the rank of the process that evaluates a fold of a candidate. */
static unsigned process_of(const crd_comparison *c, const crd_i_compared *one, uint32_t fold) {
    const uint64_t item = (uint64_t)one->item * count_tested_folds(c) + (is_holdout(c) ? 0 : fold);
    return (unsigned)(item % c->process_count);
}

void crd_i_comparison_number_items(crd_comparison *c) {
    const crd_i_compare_candidate *last = NULL;
    size_t items = 0;
    for (size_t i = 0; i < c->count; i++) {
        const crd_i_compare_candidate *base = crd_i_candidate_base(c->all[i].candidate);
        if (base == NULL) base = c->all[i].candidate;
        items += base != last;
        c->all[i].item = items - 1;
        last = base;
    }
}

/* Returns the greatest common divisor (Euclid). */
static size_t greatest_divisor(size_t a, size_t b) {
    while (b > 0) {
        const size_t remainder = a % b;
        a = b;
        b = remainder;
    }
    return a;
}

size_t crd_i_comparison_round_end(const crd_comparison *c, size_t begin) {
    const size_t processes = c->process_count, items = processes / greatest_divisor(processes, count_tested_folds(c));
    size_t end = begin + 1;
    while (end < c->count && c->all[end].item - c->all[begin].item < items) end++;
    return end;
}

/* See compare_internal.h. Also counts the tested rows and the folds of this process. */
crd_status crd_i_comparison_choose_folds(crd_comparison *c, const crd_i_compared *one, crd_error *error) {
    const uint32_t *tested = crd_split_tested(c->split);
    const size_t rows = crd_split_rows(c->split);
    if (!c->is_shared) return CRD_OK;
    if (c->own_folds == NULL) c->own_folds = crd_i_alloc(c->context, rows, sizeof *c->own_folds);
    bool *is_own = crd_i_alloc_zeroed(c->context, crd_cross_validation_fold_count(c->validation), sizeof *is_own);
    c->tested_rows = c->own_fold_count = 0;
    for (size_t i = 0; c->own_folds != NULL && is_own != NULL && i < rows; i++) {
        c->own_folds[i] = CRD_NO_FOLD;
        c->tested_rows += tested[i] != CRD_NO_FOLD;
        if (tested[i] == CRD_NO_FOLD || process_of(c, one, tested[i]) != c->process) continue;
        c->own_folds[i] = tested[i];
        c->own_fold_count += !is_own[tested[i]];
        is_own[tested[i]] = true;
    }
    const bool done = c->own_folds != NULL && is_own != NULL;
    crd_free(c->context, is_own);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Results of one process ---- */

typedef struct candidate_part {
    crd_candidate_status status;
    uint64_t left_out_at;
    double seconds, parameters;
    uint32_t parameters_fold;
    crd_text message;
    crd_i_cursor losses; /* losses of the rows of this process, in row order */
    crd_evaluation *evaluation;
} candidate_part;

/* Encodes the status, the losses and the evaluation of a candidate in this process. */
static crd_status compare_processes_encode_part(const crd_comparison *c, const crd_i_compared *one,
                                                unsigned char **bytes, size_t *length, crd_error *error) {
    crd_i_encoder encoder;
    const bool has_rows = one->part != NULL && one->result.status == CRD_CANDIDATE_PENDING;
    crd_i_evaluation_bytes_begin(&encoder, c->context, tag_of_parts);
    crd_i_encode_u32(&encoder, (uint32_t)one->result.status);
    crd_i_encode_u64(&encoder, one->left_out_at);
    crd_i_encode_double(&encoder, one->result.seconds);
    crd_i_encode_double(&encoder, one->result.parameters);
    crd_i_encode_u32(&encoder, one->parameters_fold);
    crd_i_encode_text(&encoder, crd_text_of(one->message));
    crd_i_encode_u64(&encoder, has_rows ? one->part->row_count : 0);
    crd_i_encode_u32(&encoder, has_rows);
    for (size_t i = 0, tested = 0; has_rows && i < crd_split_rows(c->split); i++) {
        const uint32_t fold = crd_split_tested(c->split)[i];
        if (fold == CRD_NO_FOLD) continue;
        if (process_of(c, one, fold) == c->process) crd_i_encode_double(&encoder, one->losses[tested]);
        tested++;
    }
    if (has_rows) crd_i_evaluation_write(one->part, &encoder);
    return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
}

/* Decodes the results of one process. The message and the losses point into `bytes`. */
static crd_status compare_processes_read_part(const crd_comparison *c, const unsigned char *bytes, size_t length,
                                              candidate_part *part, crd_error *error) {
    crd_i_cursor cursor;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_parts, &cursor, error);
    if (status == CRD_OK) {
        part->status = (crd_candidate_status)crd_i_decode_u32(&cursor);
        part->left_out_at = crd_i_decode_u64(&cursor);
        part->seconds = crd_i_decode_double(&cursor);
        part->parameters = crd_i_decode_double(&cursor);
        part->parameters_fold = crd_i_decode_u32(&cursor);
        part->message = crd_i_decode_text(&cursor);
        const uint64_t rows = crd_i_decode_u64(&cursor);
        const bool has_rows = crd_i_decode_u32(&cursor) != 0;
        if (!crd_i_cursor_holds(&cursor, rows, sizeof(double))) return crd_i_evaluation_bytes_damaged(error);
        part->losses = (crd_i_cursor){cursor.at, cursor.at + rows * sizeof(double), false};
        cursor.at = part->losses.end;
        if (has_rows) status = crd_i_evaluation_read(c->context, &cursor, &part->evaluation, error);
    }
    return crd_i_evaluation_bytes_close(&cursor, status, error);
}

/* ---- Merging in process 0 ---- */

/* Merges the losses of all processes in row order. Fails if a row has no loss. */
static crd_status merge_losses(crd_comparison *c, crd_i_compared *one, candidate_part *parts, crd_error *error) {
    const uint32_t *folds = crd_split_tested(c->split);
    size_t tested = 0;
    bool has_all = true;
    if (one->losses == NULL) one->losses = crd_i_alloc(c->context, c->rows, sizeof *one->losses);
    if (one->losses == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < crd_split_rows(c->split) && tested < c->rows; i++) {
        if (folds[i] == CRD_NO_FOLD) continue;
        crd_i_cursor *cursor = &parts[process_of(c, one, folds[i])].losses;
        one->losses[tested++] = crd_i_decode_double(cursor);
        has_all = has_all && !cursor->failed;
    }
    return has_all && tested == c->rows ? CRD_OK : crd_i_row_source_fail_changed(c->source, error);
}

/* Merges the evaluations of all processes and computes the scores. The number of parameters comes from the first
 * fold. */
static crd_status merge_evaluations(crd_comparison *c, crd_i_compared *one, const candidate_part *parts,
                                    crd_error *error) {
    crd_evaluation *all = NULL;
    uint32_t first = UINT32_MAX;
    crd_status status = crd_i_comparison_evaluation(c, &all, error);
    for (unsigned i = 0; status == CRD_OK && i < c->process_count; i++) {
        if (parts[i].evaluation == NULL) continue;
        status = crd_evaluation_merge(all, parts[i].evaluation, error);
        if (parts[i].parameters_fold >= first) continue;
        first = parts[i].parameters_fold;
        one->result.parameters = parts[i].parameters;
    }
    if (status == CRD_OK) status = crd_i_comparison_score(one, all, error);
    crd_evaluation_destroy(all);
    return status;
}

/* Merges the results of all processes. If a process excluded the candidate, it is excluded with the reason that a
 * single process would have met first. */
static crd_status merge_parts(crd_comparison *c, crd_i_compared *one, candidate_part *parts, crd_error *error) {
    const candidate_part *first = NULL;
    for (unsigned i = 0; i < c->process_count; i++) {
        const candidate_part *part = &parts[i];
        if (part->seconds > one->result.seconds) one->result.seconds = part->seconds;
        if (part->status == CRD_CANDIDATE_PENDING || (first != NULL && first->left_out_at <= part->left_out_at))
            continue;
        first = part;
    }
    if (first != NULL) {
        char message[sizeof one->message];
        const size_t length = first->message.length < sizeof message ? first->message.length : sizeof message - 1;
        memcpy(message, first->message.bytes, length);
        message[length] = '\0';
        one->result.parameters = 0;
        crd_i_comparison_leave_out(c, one, first->status, message);
        return CRD_OK;
    }
    const crd_status status = merge_losses(c, one, parts, error);
    return status == CRD_OK ? merge_evaluations(c, one, parts, error) : status;
}

/* Decodes and merges the results of all processes. */
static crd_status compare_processes_merge(crd_comparison *c, crd_i_compared *one, const crd_i_gathered *gathered,
                                          crd_error *error) {
    candidate_part *parts = crd_i_alloc_zeroed(c->context, c->process_count, sizeof *parts);
    crd_status status = parts == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (unsigned i = 0; status == CRD_OK && i < c->process_count; i++)
        status = compare_processes_read_part(c, gathered->bytes[i], gathered->lengths[i], &parts[i], error);
    if (status == CRD_OK) status = merge_parts(c, one, parts, error);
    for (unsigned i = 0; parts != NULL && i < c->process_count; i++) crd_evaluation_destroy(parts[i].evaluation);
    crd_free(c->context, parts);
    return status;
}

/* See compare_internal.h. Frees the evaluation and, except in process 0, the losses of this process. */
crd_status crd_i_comparison_share(crd_comparison *c, crd_i_compared *one, crd_status status, crd_error *error) {
    crd_i_gathered gathered;
    unsigned char *bytes = NULL;
    size_t length = 0;
    if (status == CRD_OK) status = compare_processes_encode_part(c, one, &bytes, &length, error);
    crd_evaluation_destroy(one->part);
    one->part = NULL;
    status = crd_i_gather_first(c->context, status, bytes, length, &gathered, error);
    crd_free(c->context, bytes);
    if (c->process == 0) {
        if (status == CRD_OK) status = compare_processes_merge(c, one, &gathered, error);
    } else {
        crd_free(c->context, one->losses);
        one->losses = NULL;
    }
    crd_i_gathered_clear(&gathered);
    return status;
}

/* ---- Results ---- */

typedef struct shared_result {
    crd_comparison_result result;
    char message[sizeof((crd_i_compared *)NULL)->message];
} shared_result;

/* See compare_internal.h. All processes run the same program, so structures are sent as they are in memory. */
crd_status crd_i_comparison_share_results(crd_comparison *c, crd_error *error) {
    crd_i_buffer bytes = {.context = c->context};
    bool done = true;
    for (size_t i = 0; done && c->process == 0 && i < c->count; i++) {
        shared_result shared = {.result = c->all[i].result};
        memcpy(shared.message, c->all[i].message, sizeof shared.message);
        done = crd_i_buffer_append(&bytes, &shared, sizeof shared);
    }
    if (done && c->process == 0) done = crd_i_buffer_append(&bytes, &c->recommendation, sizeof c->recommendation);
    crd_status status = crd_i_broadcast(c->context, done ? CRD_OK : crd_i_fail_memory(error), &bytes, error);
    if (status == CRD_OK && bytes.length != c->count * sizeof(shared_result) + sizeof c->recommendation)
        status = crd_i_fail(error, CRD_ERROR_SYSTEM, "the processes of the group do not compute the same task");
    for (size_t i = 0; status == CRD_OK && i < c->count; i++) {
        shared_result theirs;
        memcpy(&theirs, bytes.bytes + i * sizeof theirs, sizeof theirs);
        c->all[i].result = theirs.result;
        memcpy(c->all[i].message, theirs.message, sizeof theirs.message);
    }
    if (status == CRD_OK)
        memcpy(&c->recommendation, bytes.bytes + c->count * sizeof(shared_result), sizeof c->recommendation);
    crd_i_buffer_clear(&bytes);
    return status;
}

void crd_i_comparison_forget(crd_comparison *c) {
    for (size_t i = 0; i < c->count; i++) {
        crd_evaluation_destroy(c->all[i].part);
        c->all[i].part = NULL;
        c->all[i].result.seconds = 0;
        c->all[i].left_out_at = 0;
        if (c->all[i].result.status != CRD_CANDIDATE_OVER_BUDGET)
            crd_i_comparison_leave_out(c, &c->all[i], CRD_CANDIDATE_PENDING, "");
    }
    c->work_done = 0;
}
