/* SPDX-License-Identifier: MIT */
/* compare_run.c - each candidate answers every row, as far as there is time. See compare_internal.h.
 *
 * A candidate has so many seconds to derive its models and to answer rows; reading and scoring them does not count.
 * The least that it takes is known early, from few rows and then from one fold, so that a candidate that is too slow is
 * not run to the end of its time. What is kept of a row and candidate is one number, the loss. */
#include "evaluate/compare_internal.h"

#include "base/call.h"
#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

/* Below this the whole takes no longer than finding out how long it takes. */
enum { FEW_ROWS = 1000 };

static bool is_left_out(const crd_i_compared *one) {
    return one->result.status != CRD_CANDIDATE_PENDING;
}

void crd_i_comparison_leave_out(crd_comparison *c, crd_i_compared *one, crd_candidate_status status,
                                const char *message) {
    one->result.status = status;
    snprintf(one->message, sizeof one->message, "%s", message);
    crd_free(c->context, one->losses);
    one->losses = NULL;
}

/* What a candidate cannot do concerns it alone, unless nothing can be done. Its own deadline is over by now, so that
 * what still stops calls is the caller's business. */
static crd_status refuse(crd_comparison *c, crd_i_compared *one, crd_status status, const crd_error *fault,
                         crd_error *error) {
    if (crd_i_context_cancelled(c->context)) return crd_i_fail_cancelled(error);
    if (status == CRD_ERROR_MEMORY || status == CRD_ERROR_CANCELLED) {
        if (error != NULL) *error = *fault;
        return status;
    }
    if (status == CRD_ERROR_DEADLINE) crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_TIMED_OUT, "");
    else crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_FAILED, fault->message);
    return CRD_OK;
}

/* In thousandths of candidates, for a caller that follows the stages of a call. */
enum { FINEST_PROGRESS = 1000 };

static void report_progress(const crd_comparison *c, const crd_i_compared *one, double done) {
    double all = ((double)(one - c->all) + done) * FINEST_PROGRESS;
    crd_i_stage_report("comparing", (uint64_t)all, c->count * FINEST_PROGRESS);
    if (c->options.progress == NULL) return;
    c->options.progress(c->options.progress_user, (size_t)(one - c->all), c->count, done);
}

/* ---- How long a candidate would take ---- */

static double read_clock(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Folds of the rows that this process tests. */
static const uint32_t *own_folds(const crd_comparison *c) {
    return c->is_shared ? c->own_folds : crd_split_tested(c->split);
}

/* Models that have to be derived, one after the other by each thread. */
static double models_in_turn(const crd_comparison *c) {
    size_t folds = crd_cross_validation_fold_count(c->validation);
    if (c->is_shared) folds = c->own_fold_count;
    else if (crd_split_tested(c->split) != crd_split_learned(c->split)) folds = 1; /* a holdout */
    return ceil((double)folds / c->options.threads);
}

/* The first candidate has all the time it needs: it makes the folds' models, which are there for all the others too,
 * and without it there is nothing to compare these with. */
static double seconds_for(const crd_comparison *c, const crd_i_compared *one) {
    return one == c->all ? INFINITY : c->options.seconds;
}

/* Calls up to crd_call_end stop when the candidate has taken its time, of which so many seconds are over. */
static crd_status begin_time(crd_comparison *c, const crd_i_compared *one, double used, crd_error *error) {
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    double left = seconds_for(c, one) - used;
    options.deadline = left > 0 ? left : 1e-9;
    crd_status status = crd_call_begin(c->context, &options);
    return status == CRD_OK ? CRD_OK : crd_i_fail_memory(error);
}

/* `seconds` are the least that it takes. */
static void leave_out_if_slow(crd_comparison *c, crd_i_compared *one, double seconds) {
    if (seconds > seconds_for(c, one)) crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_TOO_SLOW, "");
}

/* A calibrated form derives the models of its base, and more. */
static void leave_out_by_base(crd_comparison *c, crd_i_compared *one) {
    const crd_i_compare_candidate *base = crd_i_candidate_base(one->candidate);
    for (const crd_i_compared *other = c->all; other < one; other++) {
        crd_candidate_status status = other->result.status;
        if (other->candidate != base) continue;
        if (status == CRD_CANDIDATE_TOO_SLOW || status == CRD_CANDIDATE_TIMED_OUT)
            crd_i_comparison_leave_out(c, one, status, "");
    }
}

/* The rows of one fold alone take less time than those of all others, so that what is far too slow is found soon. How
 * much longer these take differs from one candidate to the next: that it is no shorter is all that is relied upon. */
static crd_status try_few_rows(crd_comparison *c, crd_i_compared *one, const crd_settings *settings, crd_error *error) {
    size_t folds = crd_cross_validation_fold_count(c->validation);
    const crd_model *part = crd_cross_validation_part(c->validation, (uint32_t)folds - 1);
    crd_classifier *classifier = NULL;
    crd_error fault;
    if (c->facts.rows < FEW_ROWS || part == NULL || (c->is_shared && c->own_fold_count == 0)) return CRD_OK;
    crd_status status = begin_time(c, one, 0, error);
    if (status != CRD_OK) return status;
    double begun = read_clock();
    status = crd_classifier_create(part, settings, &classifier, &fault);
    double seconds = read_clock() - begun;
    crd_call_end(c->context);
    crd_classifier_destroy(classifier);
    if (crd_i_is_cancelled(status)) return refuse(c, one, status, &fault, error);
    leave_out_if_slow(c, one, seconds * models_in_turn(c));
    return CRD_OK;
}

/* One fold of the first rows is answered before all others, then those of a frame in their order. */
static uint64_t place_of_failure(const crd_comparison *c, uint32_t fold) {
    const uint64_t folds = crd_cross_validation_fold_count(c->validation);
    const uint32_t *tested = crd_split_tested(c->split);
    size_t first = 0;
    while (first < crd_split_rows(c->split) && tested[first] == CRD_NO_FOLD) first++;
    const bool is_tried = c->at == 0 && c->facts.rows >= FEW_ROWS && first < crd_split_rows(c->split);
    return c->at * (folds + 1) + (is_tried && fold == tested[first] ? 0 : (uint64_t)fold + 1);
}

/* Answers rows, as far as there is time left for the candidate. */
static crd_status answer(crd_comparison *c, crd_i_compared *one, const crd_frame *frame, const uint32_t *folds,
                         crd_error *error) {
    crd_error fault;
    crd_status status = begin_time(c, one, one->result.seconds, error);
    if (status != CRD_OK) return status;
    double begun = read_clock();
    status = crd_cross_validation_classify(c->validation, frame, folds, c->posteriors, &fault);
    one->result.seconds += read_clock() - begun;
    crd_call_end(c->context);
    if (status != CRD_OK) {
        one->left_out_at = place_of_failure(c, c->validation->failed_fold);
        return refuse(c, one, status, &fault, error);
    }
    if (one->result.seconds > seconds_for(c, one)) crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_TIMED_OUT, "");
    return CRD_OK;
}

/* One fold's rows in the first frame: its model is not derived again. */
static crd_status try_one_fold(crd_comparison *c, crd_i_compared *one, const crd_frame *frame, crd_error *error) {
    const uint32_t *all = own_folds(c);
    uint32_t *folds = crd_i_alloc(c->context, frame->rows, sizeof *folds), first = CRD_NO_FOLD;
    if (folds == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < frame->rows; i++) {
        if (first == CRD_NO_FOLD) first = all[i];
        folds[i] = all[i] == first ? first : CRD_NO_FOLD;
    }
    crd_status status = answer(c, one, frame, folds, error);
    crd_free(c->context, folds);
    if (status == CRD_OK && !is_left_out(one)) leave_out_if_slow(c, one, one->result.seconds * models_in_turn(c));
    return status;
}

/* ---- One candidate ---- */

/* The row that is tested as the at-th. Truths and weights are the same for every candidate. */
static bool note_row(crd_comparison *c, size_t at, crd_text truth, double weight) {
    if (at < c->rows) return true;
    if (!crd_i_reserve(c->context, &c->truths, &c->truths_capacity, at + 1, sizeof *c->truths) ||
        !crd_i_reserve(c->context, &c->weights, &c->weights_capacity, at + 1, sizeof *c->weights))
        return false;
    c->truths[at] = crd_i_dictionary_find(c->validation->classes, truth);
    c->weights[at] = weight;
    c->rows = at + 1;
    return true;
}

/* What one pass over the rows adds up. */
typedef struct scoring {
    crd_evaluation *evaluation;
    size_t tested;          /* rows so far */
    size_t losses_capacity; /* of the candidate's */
} scoring;

static crd_status score_rows(crd_comparison *c, crd_i_compared *one, const crd_frame *frame, const uint32_t *folds,
                             scoring *s, crd_error *error) {
    size_t target = crd_i_row_source_target(c->source, frame), weights = crd_i_row_source_weight(c->source, frame);
    if (!crd_i_reserve(c->context, &one->losses, &s->losses_capacity, s->tested + frame->rows, sizeof *one->losses))
        return crd_i_fail_memory(error);
    for (size_t row = 0; row < frame->rows; row++) {
        if (crd_split_tested(c->split)[c->at + row] == CRD_NO_FOLD) continue;
        crd_text truth = crd_frame_value(frame, row, target).text;
        const double *logs = crd_posteriors_log(c->posteriors, row);
        if (!note_row(c, s->tested, truth, crd_i_row_weight(frame, row, weights))) return crd_i_fail_memory(error);
        const size_t tested = s->tested++;
        const int32_t class_index = c->truths[tested];
        if (folds[row] == CRD_NO_FOLD) continue; /* another process has it */
        crd_status status =
            crd_evaluation_add_probabilities(s->evaluation, logs, crd_posteriors_probabilities(c->posteriors, row),
                                             truth, c->weights[tested], NULL, error);
        if (status != CRD_OK) return status;
        one->losses[tested] = class_index < 0 ? INFINITY : -logs[class_index];
    }
    return CRD_OK;
}

static crd_status score_frame(crd_comparison *c, crd_i_compared *one, const crd_frame *frame, size_t at, scoring *s,
                              crd_error *error) {
    const uint32_t *folds = own_folds(c) + at;
    c->at = at;
    if (frame->rows > crd_split_rows(c->split) - at) return crd_i_row_source_fail_changed(c->source, error);
    crd_status status = CRD_OK;
    if (at == 0 && c->facts.rows >= FEW_ROWS) status = try_one_fold(c, one, frame, error);
    if (status == CRD_OK && !is_left_out(one)) status = answer(c, one, frame, folds, error);
    if (status == CRD_OK && !is_left_out(one)) status = score_rows(c, one, frame, folds, s, error);
    if (status == CRD_OK) report_progress(c, one, (double)(at + frame->rows) / (double)crd_split_rows(c->split));
    return status;
}

static crd_status score_all(crd_comparison *c, crd_i_compared *one, scoring *s, crd_error *error) {
    size_t at = 0;
    crd_status status = crd_row_source_rewind(c->source, error);
    while (status == CRD_OK && !is_left_out(one)) {
        const crd_frame *frame;
        status = crd_row_source_next(c->source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = score_frame(c, one, frame, at, s, error);
        at += frame->rows;
    }
    if (status != CRD_OK || is_left_out(one)) return status;
    return s->tested == c->rows ? CRD_OK : crd_i_row_source_fail_changed(c->source, error);
}

/* Parameters that were estimated in the model of the first fold that has one. */
static double count_parameters(const crd_cross_validation *validation, uint32_t *fold) {
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
    one->result.log_loss = totals.log_loss; /* of all rows, until it is known which are in no log loss */
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

/* Of several processes, once all have answered their rows. */
static crd_status score(crd_comparison *c, crd_i_compared *one, crd_error *error) {
    scoring s = {0};
    crd_status status = crd_i_comparison_evaluation(c, &s.evaluation, error);
    if (status == CRD_OK) status = score_all(c, one, &s, error);
    if (status == CRD_OK && !is_left_out(one)) {
        one->result.parameters = count_parameters(c->validation, &one->parameters_fold);
        if (c->is_shared) {
            one->part = s.evaluation;
            return CRD_OK;
        }
        status = crd_i_comparison_score(one, s.evaluation, error);
    }
    crd_evaluation_destroy(s.evaluation);
    return status;
}

/* Nothing of a candidate is left where it could not be brought to its end. */
static crd_status try_candidate(crd_comparison *c, crd_i_compared *one, crd_error *error) {
    char reason[CRD_I_REASON_ROOM];
    crd_settings *settings = NULL;
    if (!crd_i_candidate_fits(one->candidate, &c->facts, reason)) {
        crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_TOO_LARGE, reason);
        return CRD_OK;
    }
    leave_out_by_base(c, one);
    if (is_left_out(one)) return CRD_OK;
    report_progress(c, one, 0);
    crd_status status = crd_i_comparison_choose_folds(c, one, error);
    /* Rows that other processes answer have truths and weights, too. */
    if (status == CRD_OK && c->is_shared && c->own_fold_count == 0 && c->rows == c->tested_rows) return CRD_OK;
    if (status == CRD_OK) status = crd_comparison_settings(c, (size_t)(one - c->all), &settings, error);
    if (status == CRD_OK) status = try_few_rows(c, one, settings, error);
    if (status == CRD_OK && !is_left_out(one)) status = crd_cross_validation_use(c->validation, settings, error);
    if (status == CRD_OK && !is_left_out(one)) status = score(c, one, error);
    crd_settings_destroy(settings);
    if (status == CRD_OK) return CRD_OK;
    crd_i_comparison_leave_out(c, one, CRD_CANDIDATE_PENDING, "");
    one->result.seconds = 0;
    return status;
}

static crd_status try_some(crd_comparison *c, size_t begin, size_t end, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = begin; status == CRD_OK && i < end; i++)
        if (!is_left_out(&c->all[i])) status = try_candidate(c, &c->all[i], error);
    return status;
}

static crd_status run_alone(crd_comparison *c, crd_error *error) {
    const crd_status status = try_some(c, 0, c->count, error);
    return status == CRD_OK ? crd_comparison_conclude(c, error) : status;
}

/* Every process answers its rows for itself; the first has the results of all, and recommends. */
static crd_status run_shared(crd_comparison *c, crd_error *error) {
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
    status = crd_i_conclude(c->context, status, error);
    if (status != CRD_OK && status != CRD_ERROR_EMPTY) crd_i_comparison_forget(c);
    return status;
}

crd_status crd_comparison_run(crd_comparison *c, crd_error *error) {
    crd_row_source_set_frame_rows(c->source,
                                  crd_posteriors_frame_rows(crd_cross_validation_class_count(c->validation)));
    return c->is_shared ? run_shared(c, error) : run_alone(c, error);
}

crd_status crd_comparison_conclude(crd_comparison *c, crd_error *error) {
    if (!crd_i_comparison_recommend(c)) return crd_i_fail_memory(error);
    if (c->recommendation.best != SIZE_MAX) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_EMPTY, "no candidate can be scored: %s",
                      c->all[0].message[0] == '\0' ? "none has the time" : c->all[0].message);
}
