/* SPDX-License-Identifier: MIT */
/* compare_run.c - evaluation of each candidate within the budget. See compare_internal.h.
 *
 * Only one number is stored for each row and candidate: the loss. CPU times are measured for display only. */
#include "evaluate/compare_internal.h"

#include "base/call.h"
#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

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
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Returns the folds of the rows that this process tests. */
static const uint32_t *own_folds(const crd_comparison *c) {
    return c->is_shared ? c->own_folds : crd_split_tested(c->split);
}

/* Returns the position of a failure in the order of one process. Folds of a frame are classified in ascending order. */
static uint64_t place_of_failure(const crd_comparison *c, uint32_t fold) {
    return c->index * crd_cross_validation_fold_count(c->validation) + fold;
}

/* Classifies the rows of a frame with the models of their folds. A failure excludes the candidate. */
static crd_status compare_run_answer(crd_comparison *c, crd_i_compared *one, const crd_frame *frame,
                                     const uint32_t *folds, crd_error *error) {
    crd_error fault;
    double begun = compare_run_read_clock();
    crd_status status = crd_cross_validation_classify(c->validation, frame, folds, c->posteriors, &fault);
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
        if (crd_split_tested(c->split)[c->index + row] == CRD_NO_FOLD) continue;
        crd_text truth = crd_frame_value(frame, row, target).text;
        const double *logs = crd_posteriors_log(c->posteriors, row);
        if (!note_row(c, s->tested, truth, crd_i_row_weight(frame, row, weights))) return crd_i_fail_memory(error);
        const size_t tested = s->tested++;
        const int32_t class_index = c->truths[tested];
        if (folds[row] == CRD_NO_FOLD) continue; /* the row belongs to another process */
        crd_status status =
            crd_evaluation_add_probabilities(s->evaluation, logs, crd_posteriors_probabilities(c->posteriors, row),
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
        status = crd_row_source_next(c->source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = score_frame(c, one, frame, index, s, error);
        index += frame->rows;
    }
    if (status != CRD_OK || compare_run_is_left_out(one)) return status;
    return s->tested == c->rows ? CRD_OK : crd_i_row_source_fail_changed(c->source, error);
}

/* Returns the number of estimated parameters of the first fold that has a model, and sets *fold to that fold. */
static double compare_run_count_parameters(const crd_cross_validation *validation, uint32_t *fold) {
    enum { ROOM = 64 };
    crd_estimate estimates[ROOM];
    const crd_classifier *classifier = NULL;
    double sum = 0;
    *fold = 0;
    for (uint32_t f = 0; classifier == NULL && f < crd_cross_validation_fold_count(validation); f++) {
        classifier = crd_cross_validation_classifier(validation, f);
        *fold = f;
    }
    size_t count = classifier == NULL ? 0 : crd_classifier_estimates(classifier, estimates, ROOM);
    for (size_t i = 0; i < count && i < ROOM; i++) sum += (double)estimates[i].count;
    return sum;
}

crd_status crd_i_comparison_score(crd_i_compared *one, const crd_evaluation *evaluation, crd_error *error) {
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

crd_status crd_i_comparison_evaluation(const crd_comparison *c, crd_evaluation **out, crd_error *error) {
    size_t count = crd_cross_validation_class_count(c->validation);
    crd_text *classes = crd_i_alloc(c->context, count, sizeof *classes);
    if (classes == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < count; k++) classes[k] = crd_cross_validation_class(c->validation, k);
    crd_status status = crd_evaluation_create(c->context, classes, count, out, error);
    crd_free(c->context, classes);
    return status;
}

/* Evaluates a candidate. With several processes, only stores the evaluation of this process; scores are computed
 * when the results are shared. */
static crd_status compare_run_score(crd_comparison *c, crd_i_compared *one, crd_error *error) {
    run_scoring s = {0};
    crd_status status = crd_i_comparison_evaluation(c, &s.evaluation, error);
    if (status == CRD_OK) status = score_all(c, one, &s, error);
    if (status == CRD_OK && !compare_run_is_left_out(one)) {
        one->result.parameters = compare_run_count_parameters(c->validation, &one->parameters_fold);
        if (c->is_shared) {
            one->part = s.evaluation;
            return CRD_OK;
        }
        status = crd_i_comparison_score(one, s.evaluation, error);
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
    crd_status status = crd_i_comparison_choose_folds(c, one, error);
    /* This process has no folds of the candidate. It needs to read the rows only if their classes and weights are
     * not known yet. */
    if (status == CRD_OK && c->is_shared && c->own_fold_count == 0 && c->rows == c->tested_rows) return CRD_OK;
    if (status == CRD_OK) status = crd_comparison_settings(c, (size_t)(one - c->all), &settings, error);
    if (status == CRD_OK) status = crd_cross_validation_use(c->validation, settings, error);
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
        end = crd_i_comparison_round_end(c, begin);
        const crd_communicator group = crd_i_leave_group(c->context);
        status = try_some(c, begin, end, error);
        crd_i_join_group(c->context, &group);
        for (size_t i = begin; i < end; i++) status = crd_i_comparison_share(c, &c->all[i], status, error);
    }
    if (status == CRD_OK && c->process == 0) status = crd_comparison_conclude(c, error);
    if (status == CRD_OK) status = crd_i_comparison_share_results(c, error);
    if (status == CRD_OK && c->process != 0) status = crd_i_comparison_list(c, error);
    status = crd_i_conclude(c->context, status, error);
    if (status != CRD_OK && status != CRD_ERROR_EMPTY) crd_i_comparison_forget(c);
    return status;
}

crd_status crd_comparison_run(crd_comparison *c, crd_error *error) {
    crd_row_source_set_frame_rows(c->source,
                                  crd_posteriors_frame_rows(crd_cross_validation_class_count(c->validation)));
    return c->is_shared ? compare_run_shared(c, error) : compare_run_alone(c, error);
}

crd_status crd_comparison_conclude(crd_comparison *c, crd_error *error) {
    if (!crd_i_comparison_recommend(c)) return crd_i_fail_memory(error);
    if (c->recommendation.best != SIZE_MAX) return crd_i_comparison_list(c, error);
    return crd_i_fail(error, CRD_ERROR_EMPTY, "no candidate can be scored: %s", c->all[0].message);
}
