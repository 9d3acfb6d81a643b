/* SPDX-License-Identifier: MIT */
/* assess_rows.c - judges rows: compares predictions with true classes, row by row. */
#include "assess/assessment.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* See assessment.h. Frees previous results and resets the counts. */
crd_status crd_i_assessment_start(crd_assessment *assessment, crd_error *error) {
    crd_assessment_facts *facts = &assessment->facts;
    crd_evaluation_destroy(assessment->evaluation);
    crd_evaluation_destroy(assessment->before);
    crd_outcomes_destroy(assessment->outcomes);
    crd_model_destroy(assessment->seen);
    assessment->evaluation = assessment->before = NULL;
    assessment->outcomes = NULL;
    assessment->seen = NULL;
    facts->rows = facts->judged = facts->unlabelled = facts->weightless = facts->unseen = facts->rows_with_unseen = 0;
    assessment->listed_count = 0;
    if (assessment->importance != NULL) crd_importance_restart(assessment->importance);
    crd_status status = crd_evaluation_create(assessment->context, assessment->classes, assessment->class_count,
                                              &assessment->evaluation, error);
    if (status == CRD_OK && assessment->options.rule != NULL)
        status = crd_outcomes_create(assessment->context, assessment->options.rule, &assessment->outcomes, error);
    return status;
}

/* ---- One row ---- */

/* A row that is being judged. */
typedef struct rows_judgment {
    const crd_frame *frame;
    const crd_posteriors *posteriors;
    size_t row;
    uint32_t fold;
    crd_text truth;
    double weight;
} rows_judgment;

/* Adds the row with its uncalibrated posterior to a second evaluation. Does nothing if there is no calibration. */
static crd_status add_uncalibrated(crd_assessment *assessment, const rows_judgment *judgment, crd_error *error) {
    const double *logs = crd_posteriors_uncalibrated_log(judgment->posteriors, judgment->row),
                 *probabilities = crd_posteriors_uncalibrated(judgment->posteriors, judgment->row);
    crd_status status = CRD_OK;
    if (logs == NULL) return CRD_OK;
    if (assessment->before == NULL)
        status = crd_evaluation_create(assessment->context, assessment->classes, assessment->class_count,
                                       &assessment->before, error);
    return status != CRD_OK ? status
                            : crd_evaluation_add_probabilities(assessment->before, logs, probabilities, judgment->truth,
                                                               judgment->weight, NULL, error);
}

/* Adds the row for permutation importance, with the classifier that classified it. */
static crd_status keep_row(crd_assessment *assessment, const rows_judgment *judgment, crd_error *error) {
    const crd_classifier *classifier = assessment->validation == NULL
                                           ? assessment->classifier
                                           : crd_cross_validation_classifier(assessment->validation, judgment->fold);
    /* With several processes, rows are chosen after all rows were judged. */
    if (assessment->importance == NULL || assessment->is_shared) return CRD_OK;
    return crd_importance_add(assessment->importance, classifier, judgment->frame, judgment->row, judgment->truth,
                              judgment->weight, error);
}

/* Stores a row for options.each. With several processes, rows are passed on after all rows were judged. */
static crd_status keep_to_list(crd_assessment *assessment, const crd_row_score *score, const crd_decision *decision,
                               crd_error *error) {
    if (!crd_i_reserve(assessment->context, &assessment->listed, &assessment->listed_capacity,
                       assessment->listed_count + 1, sizeof *assessment->listed))
        return crd_i_fail_memory(error);
    assessment->listed[assessment->listed_count++] = (crd_i_listed_row){assessment->facts.rows, score->tied, *decision};
    return CRD_OK;
}

/* Passes the row to options.each. After a restart of the reader, rows that were passed before are skipped. */
static crd_status assess_rows_pass_on(crd_assessment *assessment, const rows_judgment *judgment,
                                      const crd_row_score *score, const crd_decision *decision, crd_error *error) {
    const crd_assessed_row row = {sizeof row, assessment->facts.rows, judgment->truth, score,
                                  assessment->options.rule == NULL ? NULL : decision};
    if (assessment->options.each == NULL) return CRD_OK;
    if (assessment->is_shared) return keep_to_list(assessment, score, decision, error);
    if (row.row <= assessment->last_row) return CRD_OK;
    assessment->last_row = row.row;
    if (assessment->options.each(assessment->options.user, &row) == 0) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_CANCELLED, "the caller stopped the assessment");
}

/* Judges one row and updates all results. */
static crd_status assess_rows_judge(crd_assessment *assessment, const rows_judgment *judgment, crd_error *error) {
    crd_row_score score = CRD_ROW_SCORE_INIT;
    crd_decision decision = CRD_DECISION_INIT;
    const double *logs = crd_posteriors_log(judgment->posteriors, judgment->row),
                 *probabilities = crd_posteriors_probabilities(judgment->posteriors, judgment->row);
    const uint32_t unseen = crd_posteriors_answer(judgment->posteriors, judgment->row)->unseen;
    crd_evaluation_set_fold(assessment->evaluation, judgment->fold);
    crd_status status = crd_evaluation_add_probabilities(assessment->evaluation, logs, probabilities, judgment->truth,
                                                         judgment->weight, &score, error);
    if (status == CRD_OK) status = add_uncalibrated(assessment, judgment, error);
    if (status == CRD_OK) status = keep_row(assessment, judgment, error);
    if (status == CRD_OK && assessment->outcomes != NULL)
        status = crd_outcomes_add(assessment->outcomes, logs, judgment->truth, judgment->weight, &decision, error);
    if (status != CRD_OK) return status;
    assessment->facts.judged++;
    assessment->facts.unseen += unseen;
    assessment->facts.rows_with_unseen += unseen > 0;
    return assess_rows_pass_on(assessment, judgment, &score, &decision, error);
}

size_t crd_i_assessment_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; name.bytes != NULL && i < crd_frame_column_count(frame); i++)
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    return SIZE_MAX;
}

/* See assessment.h. Unlabeled rows and rows of weight 0 are counted, but not judged. */
crd_status crd_i_assessment_judge(crd_assessment *assessment, const crd_frame *frame, const crd_posteriors *posteriors,
                                  const uint32_t *folds, crd_error *error) {
    const size_t target = crd_i_assessment_column(frame, assessment->target),
                 weights = crd_i_assessment_column(frame, assessment->weight);
    crd_status status = CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++) {
        const crd_value truth = crd_frame_value(frame, row, target);
        assessment->facts.rows++;
        if (truth.kind == CRD_KIND_NONE) {
            assessment->facts.unlabelled++;
            continue;
        }
        const double weight = weights == SIZE_MAX ? 1 : crd_frame_value(frame, row, weights).number;
        const uint32_t fold = folds == NULL ? CRD_NO_FOLD : folds[row];
        assessment->facts.weightless += weight == 0;
        if (weight == 0 || (folds != NULL && fold == CRD_NO_FOLD)) continue;
        status =
            assess_rows_judge(assessment, &(rows_judgment){frame, posteriors, row, fold, truth.text, weight}, error);
    }
    return status;
}
