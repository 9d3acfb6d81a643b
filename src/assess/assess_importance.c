/* SPDX-License-Identifier: MIT */
/* assess_importance.c - rows for permutation importance that several processes have judged. The chosen rows are
 * known only after all rows were counted, so another pass over the rows stores them. */
#include "assess/assessment.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/permutation_importance.h"
#include "evaluate/row_source.h"

/* A pass over the rows of this process, or over all rows if folds are tested. */
typedef struct importance_pass {
    crd_assessment *assessment;
    const crd_i_chosen_row *chosen; /* the next chosen row; the array is sorted by row number and ends at `end` */
    const crd_i_chosen_row *end;
    uint64_t number; /* number of the next row among the judged rows of all processes */
    size_t row;      /* number of the next row among all rows, including rows in no fold */
} importance_pass;

/* Stores a judged row if it is chosen and belongs to this process. */
static crd_status assess_importance_take_row(importance_pass *p, const crd_frame *frame, size_t row, crd_text truth,
                                             double weight, crd_error *error) {
    const crd_assessment *assessment = p->assessment;
    const uint32_t *entries = assessment->own_folds;
    while (p->chosen < p->end && p->chosen->number < p->number) p->chosen++;
    const bool is_chosen = p->chosen < p->end && p->chosen->number == p->number;
    p->number++;
    if (!is_chosen || (entries != NULL && entries[p->row] == CRD_NO_FOLD)) return CRD_OK;
    const crd_classifier *classifier = entries == NULL
                                           ? assessment->classifier
                                           : crd_cross_validation_classifier(assessment->validation, entries[p->row]);
    return crd_i_importance_put(assessment->importance, p->chosen->place, classifier, frame, row, truth, weight, error);
}

/* Stores the chosen rows of a frame. */
static crd_status assess_importance_take_rows(importance_pass *p, const crd_frame *frame, crd_error *error) {
    const crd_assessment *assessment = p->assessment;
    const size_t count = crd_frame_rows(frame), target = crd_i_assessment_column(frame, assessment->target),
                 weights = crd_i_assessment_column(frame, assessment->weight);
    const uint32_t *folds = assessment->split == NULL ? NULL : crd_split_tested(assessment->split);
    crd_status status = CRD_OK;
    if (folds != NULL && count > crd_split_rows(assessment->split) - p->row)
        return crd_i_row_source_fail_changed(assessment->source, error);
    for (size_t row = 0; status == CRD_OK && row < count; row++, p->row++) {
        const crd_value truth = crd_frame_value(frame, row, target);
        const double weight = weights == SIZE_MAX ? 1 : crd_frame_value(frame, row, weights).number;
        const bool is_judged = truth.kind != CRD_KIND_NONE && weight != 0;
        if (is_judged && (folds == NULL || folds[p->row] != CRD_NO_FOLD))
            status = assess_importance_take_row(p, frame, row, truth.text, weight, error);
    }
    return status;
}

/* Reads the next frame. The rows must not have changed since the first pass. */
static crd_status assess_importance_next_frame(const crd_assessment *assessment, const crd_frame **frame,
                                               crd_error *error) {
    crd_status status = assessment->source != NULL ? crd_row_source_next(assessment->source, frame, error)
                                                   : crd_reader_next(assessment->reader, frame, error);
    return status == CRD_RESTART ? crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "the rows changed while they were read")
                                 : status;
}

/* Reads all rows again and stores the chosen ones. */
static crd_status take_from_all_frames(importance_pass *p, crd_error *error) {
    const crd_assessment *assessment = p->assessment;
    crd_status status = assessment->source != NULL ? crd_row_source_rewind(assessment->source, error)
                                                   : crd_reader_begin_again(assessment->reader, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = assess_importance_next_frame(assessment, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = assess_importance_take_rows(p, frame, error);
    }
    return status;
}

/* Stores the chosen rows. If every process has all rows, each process reads all of them without communication. */
static crd_status assess_importance_take_all(importance_pass *p, crd_error *error) {
    crd_context *context = p->assessment->context;
    if (p->assessment->validation == NULL) return take_from_all_frames(p, error);
    const crd_communicator group = crd_i_leave_group(context);
    const crd_status status = take_from_all_frames(p, error);
    crd_i_join_group(context, &group);
    return status;
}

/* Returns the classifier of the first tested row; NULL if another process has it. */
static const crd_classifier *assess_importance_find_first(const crd_assessment *assessment) {
    if (assessment->validation == NULL) return assessment->classifier;
    const uint32_t *folds = crd_split_tested(assessment->split);
    for (size_t i = 0; i < crd_split_rows(assessment->split); i++)
        if (folds[i] != CRD_NO_FOLD) return crd_cross_validation_classifier(assessment->validation, folds[i]);
    return NULL;
}

crd_status crd_i_assessment_share_importance(crd_assessment *assessment, uint64_t judged, crd_error *error) {
    crd_importance *importance = assessment->importance;
    crd_i_chosen_row *chosen = NULL;
    uint64_t before = 0;
    crd_status status =
        crd_i_importance_choose(importance, judged, assess_importance_find_first(assessment), &before, &chosen, error);
    /* If the processes failed together, they make no further collective calls. */
    if (crd_i_has_failed_together(assessment->context, status)) return status;
    if (status == CRD_OK) {
        importance_pass p = {assessment, chosen, chosen + crd_importance_rows(importance), 0, 0};
        if (assessment->validation == NULL) p.number = before;
        status = assess_importance_take_all(&p, error);
    }
    crd_free(assessment->context, chosen);
    return crd_i_importance_share_rows(importance, status, error);
}
