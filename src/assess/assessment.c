/* SPDX-License-Identifier: MIT */
/* assessment.c - creation of assessments, including the models that are learned before rows are judged, and access
 * to results. */
#include "assess/assessment.h"

#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "evaluate/cross_validation.h"
#include "evaluate/row_source.h"
#include "model/model_internal.h"

#include <math.h>

void crd_assessment_destroy(crd_assessment *assessment) {
    if (assessment == NULL) return;
    crd_context *context = assessment->context;
    crd_evaluation_destroy(assessment->evaluation);
    crd_evaluation_destroy(assessment->before);
    crd_outcomes_destroy(assessment->outcomes);
    crd_importance_destroy(assessment->importance);
    crd_free(context, assessment->listed);
    crd_free(context, assessment->own_folds);
    crd_model_destroy(assessment->seen);
    for (unsigned i = 0; i < assessment->leaving_count; i++) crd_leave_one_out_destroy(assessment->leaving[i]);
    crd_free(context, assessment->leaving);
    crd_model_destroy(assessment->learned);
    crd_cross_validation_destroy(assessment->validation);
    crd_split_destroy(assessment->split);
    crd_settings_destroy(assessment->settings);
    crd_free(context, assessment->classes);
    crd_free(context, (void *)assessment->target.bytes);
    crd_free(context, (void *)assessment->weight.bytes);
    crd_free(context, assessment);
}

/* Creates an assessment without rows and classes. */
static crd_status assessment_create(crd_context *context, crd_text target, crd_text weight, crd_assessment **out,
                                    crd_error *error) {
    crd_assessment *assessment = crd_i_alloc_zeroed(context, 1, sizeof *assessment);
    if (assessment == NULL) return crd_i_fail_memory(error);
    assessment->context = context;
    assessment->target = crd_i_text_copy(context, target);
    if (weight.bytes != NULL) assessment->weight = crd_i_text_copy(context, weight);
    if (assessment->target.bytes == NULL || (weight.bytes != NULL && assessment->weight.bytes == NULL)) {
        crd_assessment_destroy(assessment);
        return crd_i_fail_memory(error);
    }
    assessment->options = (crd_assessment_options)CRD_ASSESSMENT_OPTIONS_INIT;
    assessment->facts = (crd_assessment_facts)CRD_ASSESSMENT_FACTS_INIT;
    assessment->facts.has_weights = weight.bytes != NULL;
    *out = assessment;
    return CRD_OK;
}

/* Allocates the array of classes. */
static crd_status make_room_for_classes(crd_assessment *assessment, size_t count, crd_error *error) {
    assessment->classes = crd_i_alloc(assessment->context, count, sizeof *assessment->classes);
    if (assessment->classes == NULL) return crd_i_fail_memory(error);
    assessment->class_count = count;
    return CRD_OK;
}

/* Sets the classifier and its classes. */
static crd_status take_classifier(crd_assessment *assessment, const crd_classifier *classifier, crd_error *error) {
    assessment->classifier = classifier;
    crd_status status = make_room_for_classes(assessment, crd_classifier_class_count(classifier), error);
    for (size_t k = 0; k < assessment->class_count; k++) assessment->classes[k] = crd_classifier_class(classifier, k);
    return status;
}

/* Sets *out to the assessment, or destroys the assessment if creating it failed. */
static crd_status assessment_finish(crd_assessment *assessment, crd_status status, crd_assessment **out) {
    if (status == CRD_OK) *out = assessment;
    else crd_assessment_destroy(assessment);
    return status;
}

/* ---- A model on other rows ---- */

static bool assessment_has_column(const crd_reader *reader, crd_text name) {
    for (size_t i = 0; name.bytes != NULL && i < crd_reader_column_count(reader); i++)
        if (crd_text_equal(crd_reader_column_name(reader, i), name)) return true;
    return false;
}

/* Sets model_rows to the number of training rows. */
static crd_status assessment_count_rows(crd_assessment *assessment, crd_error *error) {
    crd_summary *summary = NULL;
    crd_status status = crd_summary_create(assessment->model, &summary, error);
    if (status == CRD_OK) assessment->model_rows = crd_summary_rows(summary);
    crd_summary_destroy(summary);
    return status;
}

crd_status crd_assessment_of_model(const crd_model *model, const crd_classifier *classifier, crd_reader *reader,
                                   int is_strict, crd_assessment **out, crd_error *error) {
    const crd_text learned = crd_model_weight(model), none = {NULL, 0};
    const bool is_weighted = reader != NULL && assessment_has_column(reader, learned);
    crd_assessment *assessment = NULL;
    *out = NULL;
    crd_status status =
        assessment_create(model->context, crd_model_target(model), is_weighted ? learned : none, &assessment, error);
    if (status != CRD_OK) return status;
    assessment->model = model;
    assessment->reader = reader;
    assessment->facts.lacks_weight = learned.bytes != NULL && !is_weighted;
    if (reader != NULL)
        status = is_weighted || is_strict != 0 ? crd_model_bind_to_learn(model, reader, error)
                                               : crd_model_bind(model, reader, error);
    if (status == CRD_OK && reader != NULL) status = crd_reader_skip_unlabeled(reader, error);
    if (status == CRD_OK) status = take_classifier(assessment, classifier, error);
    if (status == CRD_OK) status = assessment_count_rows(assessment, error);
    return assessment_finish(assessment, status, out);
}

/* ---- Folds ---- */

static crd_status copy_settings(crd_assessment *assessment, const crd_settings *settings, crd_error *error) {
    return settings != NULL ? crd_settings_clone(settings, &assessment->settings, error)
                            : crd_settings_create(assessment->context, &assessment->settings, error);
}

/* Learns the models of all folds and sets the classes. */
static crd_status assessment_learn_folds(crd_assessment *assessment, const crd_split_options *split,
                                         const crd_unlabelled_options *unlabelled, crd_error *error) {
    crd_status status = crd_split_create(assessment->context, split, &assessment->split, error);
    if (status == CRD_OK)
        status = crd_cross_validation_create(assessment->context, assessment->target, assessment->settings,
                                             &assessment->validation, error);
    if (status == CRD_OK && unlabelled != NULL)
        status = crd_cross_validation_use_unlabelled(assessment->validation, unlabelled, error);
    if (status == CRD_OK)
        status = crd_cross_validation_learn_all(assessment->validation, assessment->source, assessment->split, error);
    if (status == CRD_OK) status = crd_split_count_empty(assessment->split, &assessment->facts.empty_folds, error);
    if (status == CRD_OK)
        status = make_room_for_classes(assessment, crd_cross_validation_class_count(assessment->validation), error);
    for (size_t k = 0; status == CRD_OK && k < assessment->class_count; k++)
        assessment->classes[k] = crd_cross_validation_class(assessment->validation, k);
    return status;
}

crd_status crd_assessment_of_folds(crd_row_source *source, const crd_settings *settings, const crd_split_options *split,
                                   const crd_unlabelled_options *unlabelled, crd_assessment **out, crd_error *error) {
    crd_assessment *assessment = NULL;
    *out = NULL;
    crd_status status = assessment_create(source->context, source->target, source->weight, &assessment, error);
    if (status == CRD_OK) assessment->source = source;
    /* Every process has all rows and learns all of them. */
    const crd_communicator group = crd_i_leave_group(source->context);
    if (status == CRD_OK) status = copy_settings(assessment, settings, error);
    if (status == CRD_OK) status = assessment_learn_folds(assessment, split, unlabelled, error);
    crd_i_join_group(source->context, &group);
    status = crd_i_agree(source->context, status, error);
    return assessment_finish(assessment, status, out);
}

/* Finds the smallest number of folds, up to 1000, for which the share is a whole number of folds. */
crd_status crd_split_hold_out(crd_split_options *options, double share, crd_error *error) {
    enum { FINEST = 1000 };
    static const double ROUNDING = 1e-9;
    for (uint32_t folds = 2; share > 0 && share < 1 && folds <= FINEST; folds++) {
        const double part = share * folds, whole = floor(part + 0.5);
        if (fabs(part - whole) > ROUNDING) continue;
        options->held_out = (uint32_t)whole;
        options->folds = folds;
        return CRD_OK;
    }
    return crd_i_fail(error, CRD_ERROR_NUMBER,
                      "cannot hold out a share of %g: it must be between 0 and 1, in steps of a thousandth", share);
}

/* ---- Leave one out ---- */

/* Returns how many threads classify. Each thread needs its own leave-one-out object. */
static unsigned count_leavers(const crd_row_source *source) {
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.holds_frames = 1;
    return crd_row_source_reads_again(source) ? crd_parallel_map_slots(&map, source->reader) : 1;
}

/* Learns all rows and creates the first leave-one-out object. */
static crd_status learn_all(crd_assessment *assessment, const crd_settings *settings, crd_error *error) {
    const crd_text none = {NULL, 0};
    crd_status status = crd_row_source_train(assessment->source, settings, none, &assessment->learned, NULL, error);
    if (status != CRD_OK) return status;
    const unsigned count = count_leavers(assessment->source);
    assessment->leaving = crd_i_alloc_zeroed(assessment->context, count, sizeof *assessment->leaving);
    if (assessment->leaving == NULL) return crd_i_fail_memory(error);
    assessment->leaving_count = count;
    status = crd_leave_one_out_create(assessment->learned, NULL, &assessment->leaving[0], error);
    return status == CRD_OK ? take_classifier(assessment, crd_leave_one_out_classifier(assessment->leaving[0]), error)
                            : status;
}

crd_status crd_assessment_leaving_one_out(crd_row_source *source, const crd_settings *settings, crd_assessment **out,
                                          crd_error *error) {
    crd_assessment *assessment = NULL;
    *out = NULL;
    if (crd_i_is_collective(source->context) && !crd_i_row_source_is_part(source))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "leave-one-out by several processes needs a reader of a part of the rows in each process");
    if (source->weight.bytes != NULL) {
        crd_i_fail(
            error, CRD_ERROR_WEIGHT,
            "leave-one-out is not possible with row weights: a row of weight 3 would be three rows to leave out");
        crd_i_error_subject(error, source->weight);
        return CRD_ERROR_WEIGHT;
    }
    crd_status status = assessment_create(source->context, source->target, source->weight, &assessment, error);
    if (status == CRD_OK) {
        assessment->source = source;
        status = learn_all(assessment, settings, error);
    }
    return assessment_finish(assessment, crd_i_conclude(source->context, status, error), out);
}

/* ---- Access ---- */

size_t crd_assessment_class_count(const crd_assessment *assessment) {
    return assessment->class_count;
}

const crd_text *crd_assessment_classes(const crd_assessment *assessment) {
    return assessment->classes;
}

crd_text crd_assessment_target(const crd_assessment *assessment) {
    return assessment->target;
}

crd_status crd_assessment_summary(const crd_assessment *assessment, crd_summary **out, crd_error *error) {
    const crd_model *model = assessment->model;
    if (assessment->validation != NULL) model = assessment->validation->whole;
    else if (assessment->learned != NULL) model = assessment->learned;
    return crd_summary_create(model, out, error);
}

const crd_settings *crd_assessment_settings(const crd_assessment *assessment) {
    return assessment->settings != NULL ? assessment->settings : crd_classifier_settings(assessment->classifier);
}

const crd_split *crd_assessment_split(const crd_assessment *assessment) {
    return assessment->split;
}

const crd_classifier *crd_assessment_classifier(const crd_assessment *assessment) {
    return assessment->validation == NULL ? assessment->classifier
                                          : crd_cross_validation_classifier(assessment->validation, 0);
}

const crd_evaluation *crd_assessment_evaluation(const crd_assessment *assessment) {
    return assessment->evaluation;
}

const crd_evaluation *crd_assessment_uncalibrated(const crd_assessment *assessment) {
    return assessment->before;
}

const crd_outcomes *crd_assessment_outcomes(const crd_assessment *assessment) {
    return assessment->outcomes;
}

crd_importance *crd_assessment_importance(crd_assessment *assessment) {
    return assessment->importance;
}

void crd_assessment_facts_of(const crd_assessment *assessment, crd_assessment_facts *out) {
    crd_i_copy_out(&assessment->facts, sizeof assessment->facts, out);
}
