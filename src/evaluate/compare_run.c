/* SPDX-License-Identifier: MIT */
/* compare_run.c - evaluation of each candidate within the budget, by one process or several. See compare_internal.h.
 *
 * Only one number is stored for each row and candidate: the loss. CPU times are measured for display only.
 *
 * Contents:
 *   1. Results in sentences
 *   2. Scores of a candidate
 *   3. Several processes
 *   4. Evaluation of the candidates */
#include "base/buffer.h"
#include "base/call.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "evaluate/compare_internal.h"
#include "evaluate/cross_validation.h"
#include "evaluate/evaluation.h"
#include "evaluate/split.h"
#include "processes/group.h"

#include <credence/number.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Results in sentences ========
 *
 * The sentences say why a candidate was chosen, which candidates were not tried, and whether a model is worse than
 * the class prior. All front ends show the same sentences. A setting that helps is written as name=value. */

/* A gain of fewer standard errors than this may be chance. */
static const double CERTAIN = 2;
/* A log loss is worse than the class prior's if it is larger by more than this many standard errors and by more than
 * this amount. */
static const double WORSE_ERRORS = 2, WORSE = 0.01;

/* ---- Text ---- */

typedef struct text_sentence {
    crd_i_buffer buffer;
    bool failed;
} text_sentence;

/* Appends formatted text. Text is cut at the length of an error message. */
__attribute__((format(printf, 2, 3))) static void add(text_sentence *sentence, const char *format, ...) {
    char text[sizeof((crd_error *)NULL)->message];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    const size_t shown = length < 0 ? 0 : (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    sentence->failed = sentence->failed || !crd_i_buffer_append(&sentence->buffer, text, shown);
}

/* Sets *out to the text, which the caller frees with crd_free. */
static crd_status compare_text_take(text_sentence *sentence, char **out, crd_error *error) {
    sentence->failed = sentence->failed || !crd_i_buffer_append(&sentence->buffer, "", 1);
    *out = sentence->failed ? NULL : (char *)sentence->buffer.bytes;
    if (!sentence->failed) return CRD_OK;
    crd_i_buffer_clear(&sentence->buffer);
    return crd_i_fail_memory(error);
}

static const char *compare_text_plural(size_t count) {
    return count == 1 ? "" : "s";
}

/* ---- Choices ---- */

/* Appends a sentence if the gain over the class prior may be chance. */
static void compare_text_add_gain(const crd_recommendation *r, text_sentence *sentence) {
    char gain[CRD_NUMBER_ROOM], error[CRD_NUMBER_ROOM];
    if (!(r->gain < CERTAIN * r->gain_error)) return;
    add(sentence, " The gain over the class prior (%s ± %s per row) may be chance.", crd_number_round(r->gain, gain),
        crd_number_round(r->gain_error, error));
}

crd_status crd_selection_reason(const crd_selection *selection, char **out, crd_error *error) {
    const crd_recommendation *r = &selection->recommendation;
    text_sentence sentence = {.buffer = {.context = selection->context}};
    char difference[CRD_NUMBER_ROOM], deviation[CRD_NUMBER_ROOM];
    switch (r->reason) {
    case CRD_RECOMMENDED_FIRST: add(&sentence, "No row has a log loss, so the simplest candidate was chosen."); break;
    case CRD_RECOMMENDED_NONE:
        if (r->tried == 1) add(&sentence, "The only candidate tried is not better than the class prior.");
        else add(&sentence, "None of the %zu candidates tried is better than the class prior.", r->tried);
        break;
    case CRD_RECOMMENDED_BEST:
        add(&sentence, "Lowest log loss of %zu candidate%s tried.", r->tried, compare_text_plural(r->tried));
        compare_text_add_gain(r, &sentence);
        break;
    case CRD_RECOMMENDED_SIMPLER:
        add(&sentence,
            "Simpler than %s, the best of %zu candidate%s tried; the difference (%s%s ± %s per row) may be chance.",
            selection->candidates[r->best].result.name, r->tried, compare_text_plural(r->tried),
            r->difference >= 0 ? "+" : "", crd_number_round(r->difference, difference),
            crd_number_round(r->difference_error, deviation));
        compare_text_add_gain(r, &sentence);
        break;
    }
    return compare_text_take(&sentence, out, error);
}

/* Returns whether the candidate is a calibrated form of another candidate with the same status. */
static bool is_listed_as_base(const crd_selection *selection, size_t candidate) {
    const crd_comparison_result *one = &selection->candidates[candidate].result;
    const char *comma = strrchr(one->name, ',');
    if (comma == NULL || (strcmp(comma, ", platt") != 0 && strcmp(comma, ", isotonic") != 0)) return false;
    const size_t length = (size_t)(comma - one->name);
    for (size_t i = 0; i < candidate; i++) {
        const crd_comparison_result *base = &selection->candidates[i].result;
        if (strlen(base->name) == length && memcmp(base->name, one->name, length) == 0)
            return base->status == one->status;
    }
    return false;
}

/* Returns how many have the status. */
static size_t compare_text_list(const crd_selection *selection, bool is_over_budget, const char *opening,
                                text_sentence *sentence) {
    size_t listed = 0, count = 0;
    for (size_t i = 0; i < selection->count; i++) {
        const crd_comparison_result *one = &selection->candidates[i].result;
        if (one->status == CRD_CANDIDATE_SCORED || (one->status == CRD_CANDIDATE_OVER_BUDGET) != is_over_budget)
            continue;
        count++;
        if (!is_listed_as_base(selection, i)) add(sentence, "%s%s", listed++ == 0 ? opening : "; ", one->name);
    }
    if (count > listed) add(sentence, " (%zu with their calibrated forms)", count);
    if (count > 0) add(sentence, ".");
    return count;
}

static void add_budgets(const crd_recommendation *r, size_t count, text_sentence *sentence) {
    char larger[CRD_NUMBER_ROOM];
    if (count == 0 || r->sufficient_budget == 0) return;
    const bool is_step = r->more > 0 && r->larger_budget < r->sufficient_budget;
    if (is_step)
        add(sentence, " Use budget=%s to try %zu of them, ", crd_number_round(r->larger_budget, larger), r->more);
    add(sentence, "%sbudget=%.0f to try %s.", is_step ? "" : " Use ", r->sufficient_budget, count == 1 ? "it" : "all");
}

crd_status crd_selection_not_tried(const crd_selection *selection, char **out, crd_error *error) {
    text_sentence sentence = {.buffer = {.context = selection->context}};
    const size_t over_budget = compare_text_list(selection, true, "Not tried, to stay within the budget: ", &sentence);
    add_budgets(&selection->recommendation, over_budget, &sentence);
    compare_text_list(selection, false, over_budget == 0 ? "Could not be tried: " : " Could not be tried: ", &sentence);
    return compare_text_take(&sentence, out, error);
}

/* ---- Class prior ---- */

crd_status crd_method_check_warning(crd_context *context, const crd_method_check *check, char **out, crd_error *error) {
    char loss[CRD_NUMBER_ROOM], baseline[CRD_NUMBER_ROOM];
    text_sentence sentence = {.buffer = {.context = context}};
    *out = NULL;
    if (check->rows == 0 || !(check->excess > WORSE_ERRORS * check->excess_error && check->excess > WORSE))
        return CRD_OK;
    add(&sentence, "the model is worse than the class prior alone: log loss %s against %s on %llu held-out rows",
        crd_number_round(check->log_loss, loss), crd_number_round(check->baseline_log_loss, baseline),
        (unsigned long long)check->rows);
    return compare_text_take(&sentence, out, error);
}

/* ======== 2. Scores of a candidate ======== */

/* Computes the scores of a candidate from the evaluation of all rows. */
static crd_status comparison_score(crd_i_compared *one, const crd_evaluation *evaluation, crd_error *error) {
    crd_scores *scores = NULL;
    crd_totals totals = CRD_TOTALS_INIT;
    crd_status status = crd_scores_create(evaluation, &scores, error);
    if (status != CRD_OK) return status;
    crd_scores_totals(scores, &totals);
    crd_scores_destroy(scores);
    one->result.accuracy = totals.accuracy;
    /* over all rows; recomputed when the rows to exclude from log losses are known */
    one->result.log_loss = totals.log_loss;
    one->result.brier = totals.brier;
    one->result.auc = totals.auc;
    one->result.ece = totals.ece;
    one->result.status = CRD_CANDIDATE_SCORED;
    return CRD_OK;
}

/* Creates an empty evaluation with the classes of all rows. */
static crd_status comparison_evaluation(const crd_comparison *c, crd_evaluation **out, crd_error *error) {
    size_t count = crd_i_cross_validation_class_count(c->validation);
    crd_text *classes = crd_i_alloc(c->context, count, sizeof *classes);
    if (classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < count; k++) classes[k] = crd_i_cross_validation_class(c->validation, k);
    crd_status status = crd_evaluation_create(c->context, classes, count, out, error);
    crd_free(c->context, classes);
    return status;
}

/* ======== 3. Several processes ========
 *
 * All processes have the same rows.
 *
 * A work item is one fold of a candidate and its calibrated forms, because these share the held-out predictions of
 * the fold's other rows. Items are assigned to the processes in turn. A round consists of as many candidates as give
 * every process the same number of items.
 *
 * After a round, process 0 has the losses and evaluations of all rows. At the end it recommends a candidate and
 * sends the results to all processes. Scores are computed from the losses in row order, so they do not depend on the
 * number of processes. */

/* ---- Assigning folds ---- */

static bool is_holdout(const crd_comparison *c) {
    return crd_i_split_tested(c->split) != crd_split_learned(c->split);
}

static size_t count_tested_folds(const crd_comparison *c) {
    return is_holdout(c) ? 1 : c->validation->fold_count;
}

/* Returns the rank of the process that evaluates a fold of a candidate. */
static unsigned process_of(const crd_comparison *c, const crd_i_compared *one, uint32_t fold) {
    const uint64_t item = (uint64_t)one->item * count_tested_folds(c) + (is_holdout(c) ? 0 : fold);
    return (unsigned)(item % crd_i_group_count(c->group));
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

/* Returns the index after the last candidate that is evaluated before results are shared. */
static size_t comparison_round_end(const crd_comparison *c, size_t begin) {
    const size_t processes = crd_i_group_count(c->group),
                 items = processes / greatest_divisor(processes, count_tested_folds(c));
    size_t end = begin + 1;
    while (end < c->count && c->all[end].item - c->all[begin].item < items) end++;
    return end;
}

/* Fills own_folds and own_fold_count for a candidate. Does nothing if there is only one process. Also counts the tested
 * rows and the folds of this process. */
static crd_status comparison_choose_folds(crd_comparison *c, const crd_i_compared *one, crd_error *error) {
    const uint32_t *tested = crd_i_split_tested(c->split);
    const size_t rows = crd_split_rows(c->split);
    if (c->group == NULL) return CRD_OK;
    if (c->own_folds == NULL) c->own_folds = crd_i_alloc(c->context, rows, sizeof *c->own_folds);
    bool *is_own = crd_i_alloc_zeroed(c->context, c->validation->fold_count, sizeof *is_own);
    c->tested_rows = c->own_fold_count = 0;
    for (size_t i = 0; c->own_folds != NULL && is_own != NULL && i < rows; i++) {
        c->own_folds[i] = CRD_NO_FOLD;
        c->tested_rows += tested[i] != CRD_NO_FOLD;
        if (tested[i] == CRD_NO_FOLD || process_of(c, one, tested[i]) != crd_i_group_rank(c->group)) continue;
        c->own_folds[i] = tested[i];
        c->own_fold_count += !is_own[tested[i]];
        is_own[tested[i]] = true;
    }
    const bool done = c->own_folds != NULL && is_own != NULL;
    crd_free(c->context, is_own);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* ---- Merging the results of a candidate ---- */

/* The results of all processes. If one of them excluded the candidate, it is excluded with the reason that a single
 * process would have met first. */
typedef struct merged_candidate {
    crd_comparison *comparison;
    crd_i_compared *one;
    crd_evaluation *evaluation;
    size_t losses;            /* number of merged losses */
    uint32_t parameters_fold; /* first fold; the number of parameters is that of its model */
    crd_candidate_status status;
    uint64_t left_out_at;
    char message[sizeof((crd_i_compared *)NULL)->message];
} merged_candidate;

/* Encodes the status, the losses and the evaluation of a candidate in this process. */
static crd_status merged_candidate_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const crd_comparison *c = ((const merged_candidate *)object)->comparison;
    const crd_i_compared *one = ((const merged_candidate *)object)->one;
    const bool has_rows = one->part != NULL && one->result.status == CRD_CANDIDATE_PENDING;
    (void)error;
    crd_i_encode_u32(encoder, (uint32_t)one->result.status);
    crd_i_encode_u64(encoder, one->left_out_at);
    crd_i_encode_double(encoder, one->result.seconds);
    crd_i_encode_text(encoder, crd_text_of(one->message));
    crd_i_encode_u8(encoder, has_rows);
    if (!has_rows) return CRD_OK;
    crd_i_encode_double(encoder, one->result.parameters);
    crd_i_encode_u32(encoder, one->parameters_fold);
    for (size_t i = 0, tested = 0; i < crd_split_rows(c->split); i++) {
        const uint32_t fold = crd_i_split_tested(c->split)[i];
        if (fold == CRD_NO_FOLD) continue;
        if (process_of(c, one, fold) == crd_i_group_rank(c->group)) crd_i_encode_double(encoder, one->losses[tested]);
        tested++;
    }
    crd_i_evaluation_write(one->part, encoder);
    return CRD_OK;
}

/* Reads the losses of the rows of a process, in row order. */
static crd_status merged_candidate_add_losses(merged_candidate *merged, unsigned rank, crd_i_cursor *part,
                                              crd_error *error) {
    const crd_comparison *c = merged->comparison;
    crd_i_compared *one = merged->one;
    const uint32_t *folds = crd_i_split_tested(c->split);
    if (one->losses == NULL) one->losses = crd_i_alloc(c->context, c->rows, sizeof *one->losses);
    if (one->losses == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0, tested = 0; i < crd_split_rows(c->split) && tested < c->rows; i++) {
        if (folds[i] == CRD_NO_FOLD) continue;
        if (process_of(c, one, folds[i]) == rank) {
            one->losses[tested] = crd_i_decode_double(part);
            merged->losses++;
        }
        tested++;
    }
    return part->failed ? crd_i_row_source_fail_changed(c->source, error) : CRD_OK;
}

static crd_status merged_candidate_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    merged_candidate *merged = object;
    crd_i_compared *one = merged->one;
    crd_evaluation *evaluation = NULL;
    const crd_candidate_status ended = (crd_candidate_status)crd_i_decode_u32(part);
    const uint64_t left_out_at = crd_i_decode_u64(part);
    const double seconds = crd_i_decode_double(part);
    const crd_text message = crd_i_decode_text(part);
    if (seconds > one->result.seconds) one->result.seconds = seconds;
    if (ended != CRD_CANDIDATE_PENDING &&
        (merged->status == CRD_CANDIDATE_PENDING || left_out_at < merged->left_out_at)) {
        merged->status = ended;
        merged->left_out_at = left_out_at;
        snprintf(merged->message, sizeof merged->message, "%.*s", (int)message.length, message.bytes);
    }
    if (crd_i_decode_u8(part) == 0) return CRD_OK;
    const double parameters = crd_i_decode_double(part);
    const uint32_t fold = crd_i_decode_u32(part);
    if (fold < merged->parameters_fold) {
        merged->parameters_fold = fold;
        one->result.parameters = parameters;
    }
    crd_status status = merged_candidate_add_losses(merged, rank, part, error);
    if (status == CRD_OK) status = crd_i_evaluation_read(merged->comparison->context, part, &evaluation, error);
    if (status == CRD_OK) status = crd_i_part_end(part, error);
    if (status == CRD_OK) status = crd_evaluation_merge(merged->evaluation, evaluation, error);
    crd_evaluation_destroy(evaluation);
    return status;
}

/* Excludes the candidate or computes its scores. */
static crd_status merged_candidate_score(merged_candidate *merged, crd_error *error) {
    crd_comparison *c = merged->comparison;
    if (merged->status != CRD_CANDIDATE_PENDING) {
        merged->one->result.parameters = 0;
        crd_i_comparison_leave_out(c, merged->one, merged->status, merged->message);
        return CRD_OK;
    }
    return merged->losses == c->rows ? comparison_score(merged->one, merged->evaluation, error)
                                     : crd_i_row_source_fail_changed(c->source, error);
}

/* Merges the results of all processes for a candidate in process 0. Every process calls it after it has evaluated its
 * folds or excluded the candidate. Frees the evaluation and, except in process 0, the losses of this process. */
static crd_status comparison_share(crd_comparison *c, crd_i_compared *one, crd_error *error) {
    static const crd_i_merging merging = {merged_candidate_encode, merged_candidate_add};
    merged_candidate merged = {
        .comparison = c, .one = one, .parameters_fold = UINT32_MAX, .status = CRD_CANDIDATE_PENDING};
    crd_status status = comparison_evaluation(c, &merged.evaluation, error);
    if (status == CRD_OK) status = crd_i_group_merge_first(c->group, &merging, &merged, error);
    crd_evaluation_destroy(one->part);
    one->part = NULL;
    if (crd_i_group_rank(c->group) > 0) {
        crd_free(c->context, one->losses);
        one->losses = NULL;
    } else if (status == CRD_OK) status = merged_candidate_score(&merged, error);
    crd_evaluation_destroy(merged.evaluation);
    return status;
}

/* ---- Results ---- */

typedef struct shared_result {
    crd_comparison_result result;
    char message[sizeof((crd_i_compared *)NULL)->message];
} shared_result;

/* Sends the results and the recommendation of process 0 to all processes. All processes run the same program, so
 * structures are sent as they are in memory. */
static crd_status comparison_share_results(crd_comparison *c, crd_error *error) {
    crd_i_buffer bytes = {.context = c->context};
    bool done = true;
    const bool is_first = crd_i_group_rank(c->group) == 0;
    for (size_t i = 0; done && is_first && i < c->count; i++) {
        shared_result shared = {.result = c->all[i].result};
        memcpy(shared.message, c->all[i].message, sizeof shared.message);
        done = crd_i_buffer_append(&bytes, &shared, sizeof shared);
    }
    if (done && is_first) done = crd_i_buffer_append(&bytes, &c->recommendation, sizeof c->recommendation);
    crd_status status = done ? crd_i_group_broadcast(c->group, &bytes, error) : crd_i_fail_memory(error);
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

/* Discards the results of all candidates after a failure, because some processes may not have finished them. */
static void comparison_forget(crd_comparison *c) {
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

/* ======== 4. Evaluation of the candidates ======== */

static bool compare_run_is_left_out(const crd_i_compared *one) {
    return one->result.status != CRD_CANDIDATE_PENDING;
}

void crd_i_comparison_leave_out(crd_comparison *c, crd_i_compared *one, crd_candidate_status status,
                                const char *message) {
    one->result.status = status;
    snprintf(one->message, sizeof one->message, "%s", message);
    crd_free(c->context, one->losses);
    one->losses = NULL;
}

/* Handles the failure of a candidate: it excludes only this candidate, unless memory ran out or the call was
 * canceled. */
static crd_status compare_run_refuse(crd_comparison *c, crd_i_compared *one, crd_status status, const crd_error *fault,
                                     crd_error *error) {
    if (crd_i_context_cancelled(c->context)) return crd_i_fail_cancelled(error);
    if (status == CRD_ERROR_MEMORY || crd_i_is_cancelled(status)) {
        if (error != NULL) *error = *fault;
        return status;
    }
    crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_FAILED, fault->message);
    return CRD_OK;
}

/* Progress is reported in thousandths of the work. */
enum { FINEST_PROGRESS = 1000 };

static double least_of(double a, double b) {
    return a < b ? a : b;
}

/* Reports progress: `done` is the finished fraction of the candidate. */
static void compare_run_report_progress(const crd_comparison *c, const crd_i_compared *one, double done) {
    crd_comparison_progress comparison = {.size = sizeof comparison, .candidate = (size_t)(one - c->all), .done = done};
    for (size_t i = 0; i < c->count; i++) {
        const crd_i_compared *other = &c->all[i];
        comparison.tried += other < one && other->result.status != CRD_CANDIDATE_OVER_BUDGET;
        comparison.count += other->result.status != CRD_CANDIDATE_OVER_BUDGET;
    }
    comparison.work = c->work > 0 ? least_of(1, (c->work_done + one->work * done) / c->work) : 1;
    crd_i_stage_report("comparing", (uint64_t)(comparison.work * FINEST_PROGRESS), FINEST_PROGRESS);
    if (c->options.progress != NULL) c->options.progress(c->options.progress_user, &comparison);
}

/* ---- Classifying rows ---- */

static double compare_run_read_clock(void) {
    return 1e-9 * (double)crd_i_os_clock();
}

/* Returns the folds of the rows that this process tests. */
static const uint32_t *own_folds(const crd_comparison *c) {
    return c->own_folds != NULL ? c->own_folds : crd_i_split_tested(c->split);
}

/* Returns the position of a failure in the order of one process. Folds of a frame are classified in ascending order. */
static uint64_t place_of_failure(const crd_comparison *c, uint32_t fold) {
    return c->index * c->validation->fold_count + fold;
}

/* Classifies the rows of a frame with the models of their folds. A failure excludes the candidate. */
static crd_status compare_run_answer(crd_comparison *c, crd_i_compared *one, const crd_frame *frame,
                                     const uint32_t *folds, crd_error *error) {
    crd_error fault;
    double begun = compare_run_read_clock();
    crd_status status = crd_i_cross_validation_classify(c->validation, frame, folds, c->posteriors, &fault);
    one->result.seconds += compare_run_read_clock() - begun;
    if (status == CRD_OK) return CRD_OK;
    one->left_out_at = place_of_failure(c, c->validation->failed_fold);
    return compare_run_refuse(c, one, status, &fault, error);
}

/* ---- One candidate ---- */

/* Stores the true class and the weight of the tested row `index`, unless a previous candidate has. They are the same
 * for every candidate. Returns false if memory runs out. */
static bool note_row(crd_comparison *c, size_t index, crd_text truth, double weight) {
    if (index < c->rows) return true;
    if (!crd_i_reserve(c->context, &c->truths, &c->truths_capacity, index + 1, sizeof *c->truths) ||
        !crd_i_reserve(c->context, &c->weights, &c->weights_capacity, index + 1, sizeof *c->weights))
        return false;
    c->truths[index] = crd_i_dictionary_find(c->validation->classes, truth);
    c->weights[index] = weight;
    c->rows = index + 1;
    return true;
}

/* State of one pass over the rows. */
typedef struct run_scoring {
    crd_evaluation *evaluation;
    size_t tested;          /* number of tested rows so far */
    size_t losses_capacity; /* capacity of the candidate's losses */
} run_scoring;

/* Adds the classified rows of a frame to the evaluation and stores their losses. */
static crd_status compare_run_score_rows(crd_comparison *c, crd_i_compared *one, const crd_frame *frame,
                                         const uint32_t *folds, run_scoring *s, crd_error *error) {
    size_t target = crd_i_row_source_target(c->source, frame), weights = crd_i_row_source_weight(c->source, frame);
    if (!crd_i_reserve(c->context, &one->losses, &s->losses_capacity, s->tested + frame->rows, sizeof *one->losses))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++) {
        if (crd_i_split_tested(c->split)[c->index + row] == CRD_NO_FOLD) continue;
        crd_text truth = crd_frame_value(frame, row, target).text;
        const double *logs = crd_posteriors_log(c->posteriors, row);
        if (!note_row(c, s->tested, truth, crd_i_row_weight(frame, row, weights))) return crd_i_fail_memory(error);
        const size_t tested = s->tested++;
        const int32_t class_index = c->truths[tested];
        if (folds[row] == CRD_NO_FOLD) continue; /* the row belongs to another process */
        crd_status status =
            crd_i_evaluation_add_probabilities(s->evaluation, logs, crd_posteriors_probabilities(c->posteriors, row),
                                               truth, c->weights[tested], NULL, error);
        if (status != CRD_OK) return status;
        one->losses[tested] = class_index < 0 ? INFINITY : -logs[class_index];
    }
    return CRD_OK;
}

static crd_status score_frame(crd_comparison *c, crd_i_compared *one, const crd_frame *frame, size_t index,
                              run_scoring *s, crd_error *error) {
    const uint32_t *folds = own_folds(c) + index;
    c->index = index;
    if (frame->rows > crd_split_rows(c->split) - index) return crd_i_row_source_fail_changed(c->source, error);
    crd_status status = compare_run_answer(c, one, frame, folds, error);
    if (status == CRD_OK && !compare_run_is_left_out(one))
        status = compare_run_score_rows(c, one, frame, folds, s, error);
    if (status == CRD_OK)
        compare_run_report_progress(c, one, (double)(index + frame->rows) / (double)crd_split_rows(c->split));
    return status;
}

/* Classifies and scores all rows. Fails if the number of rows changed since the last pass. */
static crd_status score_all(crd_comparison *c, crd_i_compared *one, run_scoring *s, crd_error *error) {
    size_t index = 0;
    crd_status status = crd_row_source_rewind(c->source, error);
    while (status == CRD_OK && !compare_run_is_left_out(one)) {
        const crd_frame *frame;
        status = crd_i_row_source_take(c->source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = score_frame(c, one, frame, index, s, error);
        index += frame->rows;
    }
    if (status != CRD_OK || compare_run_is_left_out(one)) return status;
    return s->tested == c->rows ? CRD_OK : crd_i_row_source_fail_changed(c->source, error);
}

/* Returns the number of estimated parameters of the first fold that has a model, and sets *fold to that fold. */
static double compare_run_count_parameters(const crd_i_cross_validation *validation, uint32_t *fold) {
    enum { ROOM = 64 };
    crd_estimate estimates[ROOM];
    const crd_classifier *classifier = NULL;
    double sum = 0;
    *fold = 0;
    for (uint32_t f = 0; classifier == NULL && f < validation->fold_count; f++) {
        classifier = crd_i_cross_validation_classifier(validation, f);
        *fold = f;
    }
    size_t count = classifier == NULL ? 0 : crd_classifier_estimates(classifier, estimates, ROOM);
    for (size_t i = 0; i < count && i < ROOM; i++) sum += (double)estimates[i].count;
    return sum;
}

/* Evaluates a candidate. With several processes, only stores the evaluation of this process; scores are computed
 * when the results are shared. */
static crd_status compare_run_score(crd_comparison *c, crd_i_compared *one, crd_error *error) {
    run_scoring s = {0};
    crd_status status = comparison_evaluation(c, &s.evaluation, error);
    if (status == CRD_OK) status = score_all(c, one, &s, error);
    if (status == CRD_OK && !compare_run_is_left_out(one)) {
        one->result.parameters = compare_run_count_parameters(c->validation, &one->parameters_fold);
        if (c->group != NULL) {
            one->part = s.evaluation;
            return CRD_OK;
        }
        status = comparison_score(one, s.evaluation, error);
    }
    crd_evaluation_destroy(s.evaluation);
    return status;
}

/* Tries a candidate. If it cannot be finished, its results are discarded, so it can be tried again. */
static crd_status try_candidate(crd_comparison *c, crd_i_compared *one, crd_error *error) {
    char reason[CRD_I_REASON_ROOM];
    crd_settings *settings = NULL;
    if (!crd_i_candidate_fits(one->candidate, &c->facts, reason)) {
        crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_TOO_LARGE, reason);
        return CRD_OK;
    }
    compare_run_report_progress(c, one, 0);
    crd_status status = comparison_choose_folds(c, one, error);
    /* This process has no folds of the candidate. It needs to read the rows only if their classes and weights are
     * not known yet. */
    if (status == CRD_OK && c->group != NULL && c->own_fold_count == 0 && c->rows == c->tested_rows) return CRD_OK;
    if (status == CRD_OK) status = crd_comparison_settings(c, (size_t)(one - c->all), &settings, error);
    if (status == CRD_OK) status = crd_i_cross_validation_use(c->validation, settings, error);
    if (status == CRD_OK) status = compare_run_score(c, one, error);
    crd_settings_destroy(settings);
    if (status == CRD_OK) {
        c->work_done += one->work;
        return CRD_OK;
    }
    crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_PENDING, "");
    one->result.seconds = 0;
    return status;
}

/* Tries the candidates from `begin` to `end` - 1 that are not excluded. */
static crd_status try_some(crd_comparison *c, size_t begin, size_t end, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = begin; status == CRD_OK && i < end; i++)
        if (!compare_run_is_left_out(&c->all[i])) status = try_candidate(c, &c->all[i], error);
    return status;
}

static crd_status compare_run_alone(crd_comparison *c, crd_error *error) {
    const crd_status status = try_some(c, 0, c->count, error);
    return status == CRD_OK ? crd_comparison_conclude(c, error) : status;
}

/* Runs the comparison in a group. Every process evaluates its own folds. Process 0 merges the results and recommends
 * a candidate. */
static crd_status compare_run_shared(crd_comparison *c, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t begin = 0, end; status == CRD_OK && begin < c->count; begin = end) {
        end = comparison_round_end(c, begin);
        crd_i_group *group = crd_i_group_leave(c->context);
        status = try_some(c, begin, end, error);
        crd_i_group_join(c->context, group);
        for (size_t i = begin; status == CRD_OK && i < end; i++) status = comparison_share(c, &c->all[i], error);
    }
    const bool is_first = crd_i_group_rank(c->group) == 0;
    if (status == CRD_OK && is_first) status = crd_comparison_conclude(c, error);
    if (status == CRD_OK) status = comparison_share_results(c, error);
    if (status == CRD_OK && !is_first) status = crd_i_comparison_list(c, error);
    status = crd_i_group_end(c->group, status, error);
    if (status != CRD_OK && status != CRD_ERROR_EMPTY) comparison_forget(c);
    return status;
}

crd_status crd_comparison_run(crd_comparison *c, crd_error *error) {
    crd_row_source_set_frame_rows(c->source,
                                  crd_posteriors_frame_rows(crd_i_cross_validation_class_count(c->validation)));
    return c->group != NULL ? compare_run_shared(c, error) : compare_run_alone(c, error);
}

crd_status crd_comparison_conclude(crd_comparison *c, crd_error *error) {
    if (!crd_i_comparison_recommend(c)) return crd_i_fail_memory(error);
    if (c->recommendation.best != SIZE_MAX) return crd_i_comparison_list(c, error);
    return crd_i_fail(error, CRD_ERROR_EMPTY, "no candidate can be scored: %s", c->all[0].message);
}
