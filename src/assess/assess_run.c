/* SPDX-License-Identifier: MIT */
/* assess_run.c - runs an assessment. Rows are classified by several threads and judged in row order, so results do
 * not depend on threads. */
#include "assess/assessment.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/row_source.h"

/* ---- Detecting the training rows ---- */

/* Learns the frame in a second model, as long as the rows may be the training rows of the assessed model. Otherwise
 * the second model is dropped. */
static crd_status learn_what_is_seen(crd_assessment *assessment, const crd_frame *frame, crd_error *error) {
    const crd_assessment_facts *facts = &assessment->facts;
    crd_status status = CRD_OK;
    if (assessment->model == NULL || !(assessment->model_rows > 0)) return CRD_OK;
    if (!facts->has_weights && (double)(facts->rows - facts->unlabelled) > assessment->model_rows) {
        crd_model_destroy(assessment->seen);
        assessment->seen = NULL;
        return CRD_OK;
    }
    const bool is_first = facts->rows == crd_frame_rows(frame);
    if (is_first)
        status = crd_model_create(assessment->context, frame, assessment->target, NULL, &assessment->seen, error);
    if (status == CRD_OK && assessment->seen != NULL) status = crd_model_update(assessment->seen, frame, error);
    return status;
}

/* Sets facts.is_learned if the rows have the same statistics as the training rows. */
static crd_status compare_with_seen(crd_assessment *assessment, crd_error *error) {
    if (assessment->seen == NULL) return CRD_OK;
    return crd_model_same_tally(assessment->model, assessment->seen, &assessment->facts.is_learned, error);
}

/* ---- Frames classified by threads ---- */

/* Posteriors of a frame until it is judged. */
typedef struct answers {
    crd_posteriors *posteriors;
    const crd_frame *frame;
} answers;

typedef struct run {
    crd_assessment *assessment;
    answers *slots;
    unsigned slot_count;
    crd_status restarted; /* status of the last restart */
    crd_error error;      /* error of the last restart */
} run;

/* Classifies a frame. Runs in any thread. */
static crd_status assess_run_answer_frame(void *user, unsigned slot, const crd_worker *worker, const crd_frame *frame,
                                          crd_error *error) {
    const run *r = user;
    const crd_assessment *assessment = r->assessment;
    answers *own_answers = &r->slots[slot];
    (void)worker;
    own_answers->frame = frame;
    if (assessment->leaving == NULL)
        return crd_classifier_classify(assessment->classifier, frame, own_answers->posteriors, error);
    crd_leave_one_out **leaving = &assessment->leaving[slot];
    crd_status status = CRD_OK;
    if (*leaving == NULL) status = crd_leave_one_out_create(assessment->learned, NULL, leaving, error);
    return status == CRD_OK ? crd_leave_one_out_classify(*leaving, frame, own_answers->posteriors, error) : status;
}

/* Judges a classified frame. Called in row order. */
static crd_status judge_answers(void *user, unsigned slot, crd_error *error) {
    const run *r = user;
    const answers *own_answers = &r->slots[slot];
    if (r->restarted != CRD_OK) {
        if (error != NULL) *error = r->error;
        return r->restarted;
    }
    crd_status status = crd_i_assessment_judge(r->assessment, own_answers->frame, own_answers->posteriors, NULL, error);
    return status == CRD_OK ? learn_what_is_seen(r->assessment, own_answers->frame, error) : status;
}

static void assess_run_begin_again(void *user) {
    run *r = user;
    r->restarted = crd_i_assessment_start(r->assessment, &r->error);
}

/* Classifies and judges all rows of a reader. */
static crd_status run_reader(crd_assessment *assessment, crd_reader *reader, crd_error *error) {
    run r = {.assessment = assessment};
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.user = &r;
    map.work = assess_run_answer_frame;
    map.take = judge_answers;
    map.restart = assess_run_begin_again;
    map.holds_frames = 1; /* judging a frame reads it again */
    const unsigned count = crd_parallel_map_slots(&map, reader);
    r.slots = crd_i_alloc_zeroed(assessment->context, count, sizeof *r.slots);
    if (r.slots == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (; status == CRD_OK && r.slot_count < count; r.slot_count++)
        status = crd_posteriors_create(assessment->context, &r.slots[r.slot_count].posteriors, error);
    if (status == CRD_OK) {
        crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(assessment->class_count));
        status = crd_reader_parallel_map(reader, &map, error);
    }
    if (status == CRD_OK && assessment->leaving == NULL)
        crd_classifier_warn_unseen(assessment->classifier, reader, assessment->facts.rows);
    for (unsigned i = 0; i < r.slot_count; i++) crd_posteriors_destroy(r.slots[i].posteriors);
    crd_free(assessment->context, r.slots);
    return status;
}

/* ---- Frames of a source, one after the other ---- */

/* Classifies and judges a frame of a source. */
static crd_status answer_source_frame(crd_assessment *assessment, const crd_frame *frame, const uint32_t *folds,
                                      crd_posteriors *posteriors, crd_error *error) {
    crd_status status = assessment->validation != NULL
                            ? crd_cross_validation_classify(assessment->validation, frame, folds, posteriors, error)
                            : crd_leave_one_out_classify(assessment->leaving[0], frame, posteriors, error);
    return status == CRD_OK ? crd_i_assessment_judge(assessment, frame, posteriors, folds, error) : status;
}

/* Classifies and judges all rows of a source. */
static crd_status run_source(crd_assessment *assessment, crd_error *error) {
    const crd_split *split = assessment->split;
    const uint32_t *folds = split == NULL ? NULL : crd_split_tested(split);
    if (assessment->own_folds != NULL) folds = assessment->own_folds;
    size_t index = 0;
    crd_posteriors *posteriors = NULL;
    crd_status status = crd_posteriors_create(assessment->context, &posteriors, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_row_source_next(assessment->source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        const size_t count = crd_frame_rows(frame);
        if (split != NULL && count > crd_split_rows(split) - index)
            status = crd_i_row_source_fail_changed(assessment->source, error);
        else status = answer_source_frame(assessment, frame, folds == NULL ? NULL : folds + index, posteriors, error);
        index += count;
    }
    crd_posteriors_destroy(posteriors);
    return status;
}

/* Classifies and judges all rows. */
static crd_status run_rows(crd_assessment *assessment, crd_error *error) {
    crd_row_source *source = assessment->source;
    if (source == NULL) return run_reader(assessment, assessment->reader, error);
    crd_row_source_set_frame_rows(source, crd_posteriors_frame_rows(assessment->class_count));
    crd_status status = crd_row_source_rewind(source, error);
    if (status != CRD_OK) return status;
    return assessment->leaving != NULL && crd_row_source_reads_again(source)
               ? run_reader(assessment, source->reader, error)
               : run_source(assessment, error);
}

crd_status crd_i_assessment_begin(crd_assessment *assessment, const crd_assessment_options *options, crd_error *error) {
    if (options != NULL && !crd_i_copy_in(options, &assessment->options, sizeof assessment->options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (assessment->has_run) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "an assessment can be run only once");
    assessment->has_run = true;
    assessment->is_shared = crd_i_is_collective(assessment->context);
    const crd_importance_options *importance = assessment->options.importance;
    if (importance != NULL && assessment->leaving != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "permutation importance is not supported with leave-one-out");
    crd_status status = importance == NULL
                            ? CRD_OK
                            : crd_importance_create(assessment->context, importance, &assessment->importance, error);
    return status == CRD_OK ? crd_i_assessment_start(assessment, error) : status;
}

/* Checks that there are judged rows, and detects training rows. */
static crd_status end_alone(crd_assessment *assessment, crd_error *error) {
    if (assessment->facts.judged == 0 && assessment->options.is_part == 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "no row to evaluate has a true class");
    return compare_with_seen(assessment, error);
}

crd_status crd_i_assessment_end(crd_assessment *assessment, crd_status status, crd_error *error) {
    const bool has_all = !assessment->is_shared || crd_i_process_rank(assessment->context) == 0;
    if (status == CRD_OK && has_all) status = end_alone(assessment, error);
    return crd_i_conclude(assessment->context, status, error);
}

/* Runs the assessment in a group. Every process judges its part of the rows, or the rows of its folds. Folds are
 * tested without communication. Afterwards process 0 merges the results. */
static crd_status assess_run_shared(crd_assessment *assessment, crd_error *error) {
    crd_context *context = assessment->context;
    crd_status status = CRD_OK;
    if (assessment->validation != NULL) {
        status = crd_i_assessment_choose_folds(assessment, error);
        const crd_communicator group = crd_i_leave_group(context);
        if (status == CRD_OK) status = run_rows(assessment, error);
        crd_i_join_group(context, &group);
    } else {
        status = run_rows(assessment, error);
    }
    const uint64_t judged = assessment->facts.judged;
    status = crd_i_assessment_share(assessment, status, error);
    return status == CRD_OK && assessment->importance != NULL
               ? crd_i_assessment_share_importance(assessment, judged, error)
               : status;
}

crd_status crd_assessment_run(crd_assessment *assessment, const crd_assessment_options *options, crd_error *error) {
    if (assessment->source == NULL && assessment->reader == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the assessment has no rows of its own, only parts");
    crd_status status = crd_i_assessment_begin(assessment, options, error);
    if (status == CRD_OK && assessment->is_shared) status = assess_run_shared(assessment, error);
    else if (status == CRD_OK) status = run_rows(assessment, error);
    return crd_i_assessment_end(assessment, status, error);
}
