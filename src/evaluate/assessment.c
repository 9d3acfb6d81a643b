/* SPDX-License-Identifier: MIT */
/* assessment.c - assessments, which judge the predictions of a model, of cross-validation or of leave-one-out on
 * labeled rows. Models are learned before rows are judged.
 *
 * Contents:
 *   1. Creation
 *   2. Results
 *   3. Judging rows
 *   4. Overconfidence and threshold costs
 *   5. Comparison of labelings
 *   6. Rows for permutation importance
 *   7. Parts
 *   8. Processes
 *   9. Runs */
#include "base/error.h"
#include "base/memory.h"
#include "base/struct_size.h"
#include "base/text.h"
#include "evaluate/cross_validation.h"
#include "evaluate/decision_rule.h"
#include "evaluate/evaluation.h"
#include "evaluate/leave_one_out.h"
#include "evaluate/permutation_importance.h"
#include "evaluate/split.h"
#include "model/model_internal.h"
#include "processes/group.h"
#include "table/read/reader.h"

#include <credence/assess.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Data of a judged row that options.each receives in addition to the data in the evaluation. */
typedef struct crd_i_listed_row {
    uint64_t row;
    uint32_t tied;
    crd_decision decision;
} crd_i_listed_row;

struct crd_assessment {
    crd_context *context;
    crd_text weight; /* owned; the bytes are NULL if there are no weights */
    /* The target is owned; the texts of the classes belong to the classifier or the validation. */
    crd_assessment_facts facts;
    const crd_classifier *classifier; /* classifier of all rows; NULL if each fold has its own */
    crd_settings *settings;           /* owned; NULL: use the classifier's settings */
    bool has_run;

    /* Only for a model that is tested on the rows of a reader. */
    const crd_model *model;
    crd_reader *reader;
    double model_rows; /* number of training rows, or the sum of their weights */
    crd_model *seen;   /* model of the rows read so far, to detect training rows; NULL after too many rows */

    /* Only for cross-validation and holdouts: rows are classified by models without their fold. */
    crd_row_source *source;
    crd_i_cross_validation *validation;

    /* Only for leave-one-out: each row is classified by the model of all other rows. */
    crd_model *learned;
    crd_i_leave_one_out **leaving; /* one for each thread; created when needed, except the first one */
    unsigned leaving_count;

    crd_assessment_options options;
    crd_evaluation *evaluation;
    uint64_t last_row; /* number of the last row that was passed to options.each */

    /* The processes that each judge some rows; NULL: none. Listed rows are then passed on after all rows were judged, and
     * folds are those of the rows that this process tests. */
    crd_i_group *group;
    crd_i_listed_row *listed;
    size_t listed_count, listed_capacity;
    uint32_t *own_folds;
};

/* ======== 1. Creation ======== */

void crd_assessment_destroy(crd_assessment *assessment) {
    if (assessment == NULL) return;
    crd_context *context = assessment->context;
    crd_evaluation_destroy(assessment->evaluation);
    crd_evaluation_destroy(assessment->facts.uncalibrated);
    crd_i_outcomes_destroy(assessment->facts.outcomes);
    crd_i_importance_destroy(assessment->facts.importance);
    crd_free(context, assessment->listed);
    crd_free(context, assessment->own_folds);
    crd_model_destroy(assessment->seen);
    for (unsigned i = 0; i < assessment->leaving_count; i++) crd_i_leave_one_out_destroy(assessment->leaving[i]);
    crd_free(context, assessment->leaving);
    crd_model_destroy(assessment->learned);
    crd_i_cross_validation_destroy(assessment->validation);
    crd_i_split_destroy(assessment->facts.split);
    crd_settings_destroy(assessment->settings);
    crd_free(context, assessment->facts.classes);
    crd_free(context, (void *)assessment->facts.target.bytes);
    crd_free(context, (void *)assessment->weight.bytes);
    crd_free(context, assessment);
}

/* Creates an assessment without rows and classes. */
static crd_status assessment_create(crd_context *context, crd_text target, crd_text weight, crd_assessment **out,
                                    crd_error *error) {
    crd_assessment *assessment = crd_i_alloc_zeroed(context, 1, sizeof *assessment);
    if (assessment == NULL) return crd_i_fail_memory(error);
    assessment->context = context;
    assessment->facts.target = crd_i_text_copy(context, target);
    if (weight.bytes != NULL) assessment->weight = crd_i_text_copy(context, weight);
    if (assessment->facts.target.bytes == NULL || (weight.bytes != NULL && assessment->weight.bytes == NULL)) {
        crd_assessment_destroy(assessment);
        return crd_i_fail_memory(error);
    }
    assessment->options = (crd_assessment_options)CRD_ASSESSMENT_OPTIONS_INIT;
    assessment->facts.has_weights = weight.bytes != NULL;
    *out = assessment;
    return CRD_OK;
}

/* Allocates the array of classes. */
static crd_status make_room_for_classes(crd_assessment *assessment, size_t count, crd_error *error) {
    assessment->facts.classes = crd_i_alloc(assessment->context, count, sizeof *assessment->facts.classes);
    if (assessment->facts.classes == NULL) return crd_i_fail_memory(error);
    assessment->facts.class_count = count;
    return CRD_OK;
}

/* Sets the classifier and its classes. */
static crd_status take_classifier(crd_assessment *assessment, const crd_classifier *classifier, crd_error *error) {
    assessment->classifier = classifier;
    crd_status status = make_room_for_classes(assessment, crd_classifier_class_count(classifier), error);
    for (size_t k = 0; k < assessment->facts.class_count; k++)
        assessment->facts.classes[k] = crd_classifier_class(classifier, k);
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
    if (status == CRD_OK) assessment->model_rows = summary->rows;
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
                                         const crd_unlabeled_options *unlabeled, crd_error *error) {
    crd_status status = crd_i_split_create(assessment->context, split, &assessment->facts.split, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_create(assessment->context, assessment->facts.target, assessment->settings,
                                               &assessment->validation, error);
    if (status == CRD_OK && unlabeled != NULL)
        status = crd_i_cross_validation_use_unlabeled(assessment->validation, unlabeled, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_learn_all(assessment->validation, assessment->source, assessment->facts.split,
                                                  error);
    if (status == CRD_OK)
        status = crd_split_count_empty(assessment->facts.split, &assessment->facts.empty_folds, error);
    if (status == CRD_OK)
        status = make_room_for_classes(assessment, crd_i_cross_validation_class_count(assessment->validation), error);
    for (size_t k = 0; status == CRD_OK && k < assessment->facts.class_count; k++)
        assessment->facts.classes[k] = crd_i_cross_validation_class(assessment->validation, k);
    return status;
}

crd_status crd_assessment_of_folds(crd_row_source *source, const crd_settings *settings, const crd_split_options *split,
                                   const crd_unlabeled_options *unlabeled, crd_assessment **out, crd_error *error) {
    crd_assessment *assessment = NULL;
    *out = NULL;
    crd_status status = assessment_create(source->context, source->target, source->weight, &assessment, error);
    if (status == CRD_OK) assessment->source = source;
    /* Every process has all rows and learns all of them. */
    crd_i_group *group = crd_i_group_leave(source->context);
    if (status == CRD_OK) status = copy_settings(assessment, settings, error);
    if (status == CRD_OK) status = assessment_learn_folds(assessment, split, unlabeled, error);
    crd_i_group_join(source->context, group);
    status = crd_i_group_agree(group, status, error);
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
    return crd_i_row_source_reads_again(source) ? crd_parallel_map_slots(&map, source->reader) : 1;
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
    status = crd_i_leave_one_out_create(assessment->learned, NULL, &assessment->leaving[0], error);
    return status == CRD_OK ? take_classifier(assessment, crd_i_leave_one_out_classifier(assessment->leaving[0]), error)
                            : status;
}

crd_status crd_assessment_leaving_one_out(crd_row_source *source, const crd_settings *settings, crd_assessment **out,
                                          crd_error *error) {
    crd_assessment *assessment = NULL;
    *out = NULL;
    if (source->context->group != NULL && crd_i_row_source_group(source) == NULL)
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
    return assessment_finish(assessment, crd_i_group_end(source->context->group, status, error), out);
}

/* ======== 2. Results ======== */

const crd_assessment_facts *crd_assessment_facts_of(const crd_assessment *assessment) {
    return &assessment->facts;
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

const crd_classifier *crd_assessment_classifier(const crd_assessment *assessment) {
    return assessment->validation == NULL ? assessment->classifier
                                          : crd_i_cross_validation_classifier(assessment->validation, 0);
}

const crd_evaluation *crd_assessment_evaluation(const crd_assessment *assessment) {
    return assessment->evaluation;
}

/* ======== 3. Judging rows ========
 *
 * Compares predictions with true classes, row by row. */

/* Frees all results and resets the counts. Called before the first row. */
static crd_status assessment_start(crd_assessment *assessment, crd_error *error) {
    crd_assessment_facts *facts = &assessment->facts;
    crd_evaluation_destroy(assessment->evaluation);
    crd_evaluation_destroy(assessment->facts.uncalibrated);
    crd_i_outcomes_destroy(assessment->facts.outcomes);
    crd_model_destroy(assessment->seen);
    assessment->evaluation = assessment->facts.uncalibrated = NULL;
    assessment->facts.outcomes = NULL;
    assessment->seen = NULL;
    facts->rows = facts->judged = facts->unlabeled = facts->weightless = facts->unseen = facts->rows_with_unseen = 0;
    assessment->listed_count = 0;
    if (assessment->facts.importance != NULL) crd_i_importance_clear(assessment->facts.importance);
    crd_status status = crd_evaluation_create(assessment->context, assessment->facts.classes,
                                              assessment->facts.class_count, &assessment->evaluation, error);
    if (status == CRD_OK && assessment->options.rule != NULL)
        status =
            crd_i_outcomes_create(assessment->context, assessment->options.rule, &assessment->facts.outcomes, error);
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
    const double *logs = crd_i_posteriors_uncalibrated_log(judgment->posteriors, judgment->row),
                 *probabilities = crd_i_posteriors_uncalibrated(judgment->posteriors, judgment->row);
    crd_status status = CRD_OK;
    if (logs == NULL) return CRD_OK;
    if (assessment->facts.uncalibrated == NULL)
        status = crd_evaluation_create(assessment->context, assessment->facts.classes, assessment->facts.class_count,
                                       &assessment->facts.uncalibrated, error);
    return status != CRD_OK ? status
                            : crd_i_evaluation_add_probabilities(assessment->facts.uncalibrated, logs, probabilities,
                                                                 judgment->truth, judgment->weight, NULL, error);
}

/* Adds the row for permutation importance, with the classifier that classified it. */
static crd_status keep_row(crd_assessment *assessment, const rows_judgment *judgment, crd_error *error) {
    const crd_classifier *classifier = assessment->validation == NULL
                                           ? assessment->classifier
                                           : crd_i_cross_validation_classifier(assessment->validation, judgment->fold);
    /* With several processes, rows are chosen after all rows were judged. */
    if (assessment->facts.importance == NULL || assessment->group != NULL) return CRD_OK;
    return crd_i_importance_add(assessment->facts.importance, classifier, judgment->frame, judgment->row,
                                judgment->truth, judgment->weight, error);
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

/* Passes the row to options.each. If the rows are read again, rows that were passed before are skipped. */
static crd_status assess_rows_pass_on(crd_assessment *assessment, const rows_judgment *judgment,
                                      const crd_row_score *score, const crd_decision *decision, crd_error *error) {
    const crd_assessed_row row = {sizeof row, assessment->facts.rows, judgment->truth, score,
                                  assessment->options.rule == NULL ? NULL : decision};
    if (assessment->options.each == NULL) return CRD_OK;
    if (assessment->group != NULL) return keep_to_list(assessment, score, decision, error);
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
    crd_i_evaluation_set_fold(assessment->evaluation, judgment->fold);
    crd_status status = crd_i_evaluation_add_probabilities(assessment->evaluation, logs, probabilities, judgment->truth,
                                                           judgment->weight, &score, error);
    if (status == CRD_OK) status = add_uncalibrated(assessment, judgment, error);
    if (status == CRD_OK) status = keep_row(assessment, judgment, error);
    if (status == CRD_OK && assessment->facts.outcomes != NULL)
        status =
            crd_i_outcomes_add(assessment->facts.outcomes, logs, judgment->truth, judgment->weight, &decision, error);
    if (status != CRD_OK) return status;
    assessment->facts.judged++;
    assessment->facts.unseen += unseen;
    assessment->facts.rows_with_unseen += unseen > 0;
    return assess_rows_pass_on(assessment, judgment, &score, &decision, error);
}

/* Returns the index of a frame's column; SIZE_MAX if there is none, or if the name has bytes NULL. */
static size_t assessment_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; name.bytes != NULL && i < crd_frame_column_count(frame); i++)
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    return SIZE_MAX;
}

/* Judges the rows of a frame. Rows in no fold are skipped. `folds` may be NULL. Unlabeled rows and rows of weight 0 are
 * counted, but not judged. */
static crd_status assessment_judge(crd_assessment *assessment, const crd_frame *frame, const crd_posteriors *posteriors,
                                   const uint32_t *folds, crd_error *error) {
    const size_t target = assessment_column(frame, assessment->facts.target),
                 weights = assessment_column(frame, assessment->weight);
    crd_status status = CRD_OK;
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++) {
        const crd_value truth = crd_frame_value(frame, row, target);
        assessment->facts.rows++;
        if (truth.type == CRD_TYPE_NONE) {
            assessment->facts.unlabeled++;
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

/* ======== 4. Overconfidence and threshold costs ======== */

/* A model is overconfident if its log loss exceeds the baseline by more than 10 % and, over all rows, by more than
 * 10 nats. */
int crd_totals_is_overconfident(const crd_totals *totals) {
    static const double PART = 0.1, NATS = 10;
    crd_totals own = CRD_TOTALS_INIT;
    if (!crd_i_copy_in(totals, &own, sizeof own)) return 0;
    const double excess = own.log_loss - own.baseline_log_loss;
    return !isinf(own.log_loss) && excess > PART * own.baseline_log_loss && excess * own.weight > NATS;
}

/* ---- Costs of a threshold ---- */

/* Returns the action that predicts the class, or else its cheapest action. */
static size_t action_for_class(const crd_rule *rule, size_t class_index) {
    size_t cheapest = 0;
    for (size_t a = 0; a < rule->action_count; a++) {
        if (rule->action_classes[a] == (int32_t)class_index) return a;
        if (crd_rule_cost(rule, class_index, a) < crd_rule_cost(rule, class_index, cheapest)) cheapest = a;
    }
    return cheapest;
}

crd_status crd_rule_curve_costs(const crd_rule *rule, size_t positive, crd_curve_costs *out, crd_error *error) {
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    if (rule->kind != CRD_RULE_COSTS || rule->class_count != 2 || positive > 1)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "costs of a threshold need a cost table with two classes");
    const size_t negative = 1 - positive, yes = action_for_class(rule, positive), no = action_for_class(rule, negative);
    costs.true_positive = crd_rule_cost(rule, positive, yes);
    costs.false_negative = crd_rule_cost(rule, positive, no);
    costs.false_positive = crd_rule_cost(rule, negative, yes);
    costs.true_negative = crd_rule_cost(rule, negative, no);
    crd_i_copy_out(&costs, sizeof costs, out);
    return CRD_OK;
}

/* ======== 5. Comparison of labelings ========
 *
 * Compares predicted classes with known labels. */

/* The state of a comparison of predicted classes with a column of known labels. */
typedef struct conclude_comparison {
    crd_context *context;
    const crd_classifier *classifier;
    crd_reader *reader;
    size_t column;
    crd_posteriors *posteriors;
    crd_labeling *labeling;
    uint64_t unlabeled;
} conclude_comparison;

/* Begins again, without rows. */
static crd_status assess_conclude_begin(conclude_comparison *c, crd_error *error) {
    crd_labeling_destroy(c->labeling);
    c->labeling = NULL;
    c->unlabeled = 0;
    return crd_labeling_create(c->context, &c->labeling, error);
}

/* Classifies the rows of a frame and adds their labels. */
static crd_status assess_conclude_add_frame(conclude_comparison *c, const crd_frame *frame, crd_error *error) {
    crd_status status = crd_classifier_classify(c->classifier, frame, c->posteriors, error);
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++) {
        const crd_answer *answer = crd_posteriors_answer(c->posteriors, row);
        const crd_text known = crd_i_reader_cell(c->reader, row, c->column);
        if (known.length == 0 || crd_i_reader_is_missing(c->reader, known)) c->unlabeled++;
        else if (answer->decision >= 0)
            status = crd_labeling_add(c->labeling, crd_classifier_class(c->classifier, (size_t)answer->decision), known,
                                      1, error);
    }
    return status;
}

static crd_status conclude_comparison_encode(void *object, crd_i_encoder *encoder, crd_error *error) {
    const conclude_comparison *c = object;
    unsigned char *labels = NULL;
    size_t length = 0;
    crd_i_encode_u64(encoder, c->unlabeled);
    const crd_status status = crd_i_labeling_encode(c->labeling, &labels, &length, error);
    if (status == CRD_OK) crd_i_encode_bytes(encoder, labels, length);
    crd_free(c->context, labels);
    return status;
}

static crd_status conclude_comparison_add(void *object, unsigned rank, crd_i_cursor *part, crd_error *error) {
    conclude_comparison *c = object;
    crd_labeling *labeling = NULL;
    crd_status status = rank == 0 ? assess_conclude_begin(c, error) : CRD_OK;
    c->unlabeled += crd_i_decode_u64(part);
    const crd_i_cursor labels = crd_i_decode_rest(part);
    if (status == CRD_OK)
        status = crd_i_labeling_decode(c->context, labels.at, crd_i_cursor_left(&labels), &labeling, error);
    if (status == CRD_OK) status = crd_i_labeling_merge(c->labeling, labeling, error);
    crd_labeling_destroy(labeling);
    return status;
}

crd_status crd_labeling_of_model(const crd_model *model, const crd_classifier *classifier, crd_reader *reader,
                                 size_t column, crd_labeling **out, uint64_t *unlabeled, crd_error *error) {
    static const crd_i_merging merging = {conclude_comparison_encode, conclude_comparison_add};
    crd_i_group *group = model->context->group;
    conclude_comparison c = {.context = model->context, .classifier = classifier, .reader = reader, .column = column};
    *out = NULL;
    crd_status status = crd_model_bind(model, reader, error);
    if (status == CRD_OK) status = crd_posteriors_create(model->context, &c.posteriors, error);
    if (status == CRD_OK) status = assess_conclude_begin(&c, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = assess_conclude_add_frame(&c, frame, error);
    }
    crd_posteriors_destroy(c.posteriors);
    status = status == CRD_OK ? crd_i_group_merge(group, &merging, &c, error) : crd_i_group_fail(group, status, error);
    if (status != CRD_OK) {
        crd_labeling_destroy(c.labeling);
        return status;
    }
    *out = c.labeling;
    *unlabeled = c.unlabeled;
    return CRD_OK;
}

/* ======== 6. Rows for permutation importance ========
 *
 * Stores the rows of all processes. The chosen rows are known only after all rows were counted, so another pass over
 * the rows stores them. */

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
                                           : crd_i_cross_validation_classifier(assessment->validation, entries[p->row]);
    return crd_i_importance_put(assessment->facts.importance, p->chosen->place, classifier, frame, row, truth, weight,
                                error);
}

/* Stores the chosen rows of a frame. */
static crd_status assess_importance_take_rows(importance_pass *p, const crd_frame *frame, crd_error *error) {
    const crd_assessment *assessment = p->assessment;
    const size_t count = crd_frame_rows(frame), target = assessment_column(frame, assessment->facts.target),
                 weights = assessment_column(frame, assessment->weight);
    const uint32_t *folds = assessment->facts.split == NULL ? NULL : crd_i_split_tested(assessment->facts.split);
    crd_status status = CRD_OK;
    if (folds != NULL && count > crd_split_rows(assessment->facts.split) - p->row)
        return crd_i_row_source_fail_changed(assessment->source, error);
    for (size_t row = 0; status == CRD_OK && row < count; row++, p->row++) {
        const crd_value truth = crd_frame_value(frame, row, target);
        const double weight = weights == SIZE_MAX ? 1 : crd_frame_value(frame, row, weights).number;
        const bool is_judged = truth.type != CRD_TYPE_NONE && weight != 0;
        if (is_judged && (folds == NULL || folds[p->row] != CRD_NO_FOLD))
            status = assess_importance_take_row(p, frame, row, truth.text, weight, error);
    }
    return status;
}

/* Reads all rows again and stores the chosen ones. */
static crd_status take_from_all_frames(importance_pass *p, crd_error *error) {
    const crd_assessment *assessment = p->assessment;
    crd_status status = assessment->source != NULL ? crd_row_source_rewind(assessment->source, error)
                                                   : crd_reader_begin_again(assessment->reader, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = assessment->source != NULL ? crd_i_row_source_take(assessment->source, &frame, error)
                                            : crd_reader_next(assessment->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = assess_importance_take_rows(p, frame, error);
    }
    return status;
}

/* Stores the chosen rows. If every process has all rows, each process reads all of them without communication. */
static crd_status assess_importance_take_all(importance_pass *p, crd_error *error) {
    crd_context *context = p->assessment->context;
    if (p->assessment->validation == NULL) return take_from_all_frames(p, error);
    crd_i_group *group = crd_i_group_leave(context);
    const crd_status status = take_from_all_frames(p, error);
    crd_i_group_join(context, group);
    return status;
}

/* Returns the classifier of the first tested row; NULL if another process has it. */
static const crd_classifier *assess_importance_find_first(const crd_assessment *assessment) {
    if (assessment->validation == NULL) return assessment->classifier;
    const uint32_t *folds = crd_i_split_tested(assessment->facts.split);
    for (size_t i = 0; i < crd_split_rows(assessment->facts.split); i++)
        if (folds[i] != CRD_NO_FOLD) return crd_i_cross_validation_classifier(assessment->validation, folds[i]);
    return NULL;
}

/* Chooses rows for permutation importance from the rows that all processes have judged. `judged` is the number of
 * rows that this process has judged. */
static crd_status assessment_share_importance(crd_assessment *assessment, uint64_t judged, crd_error *error) {
    crd_importance *importance = assessment->facts.importance;
    crd_i_chosen_row *chosen = NULL;
    uint64_t before = 0;
    crd_status status =
        crd_i_importance_choose(importance, judged, assess_importance_find_first(assessment), &before, &chosen, error);
    if (status == CRD_OK) {
        importance_pass p = {assessment, chosen, chosen + crd_importance_rows(importance), 0, 0};
        if (assessment->validation == NULL) p.number = before;
        status = assess_importance_take_all(&p, error);
    }
    crd_free(assessment->context, chosen);
    return status == CRD_OK ? crd_i_importance_share_rows(importance, error) : status;
}

/* ======== 7. Parts ========
 *
 * A part is the result of some rows. It is encoded as bytes, and parts are merged in their order. */

static const char tag_of_assessments[] = {'A', 'S', 'S', 'E'};

/* Flags of the encoding: which optional contents follow, and properties of the facts. */
enum { HAS_BEFORE = 1, HAS_OUTCOMES = 2, HAS_SEEN = 4, HAS_WEIGHTS = 8, LACKS_WEIGHT = 16, HAS_LIST = 32, FLAGS = 64 };

enum { COUNTS = 6 };

/* Lists the counts of the facts in the order of the encoding. */
static void assess_parts_list_counts(crd_assessment_facts *facts, uint64_t *counts[COUNTS]) {
    uint64_t *const all[COUNTS] = {&facts->rows,       &facts->judged, &facts->unlabeled,
                                   &facts->weightless, &facts->unseen, &facts->rows_with_unseen};
    for (size_t i = 0; i < COUNTS; i++) counts[i] = all[i];
}

/* ---- Encoding ---- */

static crd_status write_seen(const crd_model *seen, crd_i_encoder *encoder, crd_error *error) {
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = crd_model_encode(seen, &bytes, &length, error);
    if (status != CRD_OK) return status;
    crd_i_encode_u64(encoder, length);
    crd_i_encode_bytes(encoder, bytes, length);
    crd_free(encoder->buffer.context, bytes);
    return CRD_OK;
}

static void write_list(const crd_assessment *assessment, crd_i_encoder *encoder) {
    for (size_t i = 0; i < assessment->listed_count; i++) {
        const crd_i_listed_row *listed = &assessment->listed[i];
        crd_i_encode_u64(encoder, listed->row);
        crd_i_encode_u32(encoder, listed->tied);
        crd_i_encode_u32(encoder, (uint32_t)listed->decision.action);
        crd_i_encode_u32(encoder, listed->decision.tied);
        crd_i_encode_double(encoder, listed->decision.expected_cost);
    }
}

/* Encodes flags, counts, evaluations, outcomes, listed rows and the model of seen rows, in this order. */
static crd_status assess_parts_encode(const crd_assessment *assessment, unsigned char **bytes, size_t *length,
                                      crd_error *error) {
    crd_assessment_facts facts = assessment->facts;
    uint64_t *counts[COUNTS];
    crd_i_encoder encoder;
    *bytes = NULL;
    *length = 0;
    crd_i_evaluation_bytes_begin(&encoder, assessment->context, tag_of_assessments);
    crd_i_encode_u32(&encoder,
                     (assessment->facts.uncalibrated != NULL ? HAS_BEFORE : 0) |
                         (assessment->facts.outcomes != NULL ? HAS_OUTCOMES : 0) |
                         (assessment->seen != NULL ? HAS_SEEN : 0) | (assessment->listed_count > 0 ? HAS_LIST : 0) |
                         (facts.has_weights != 0 ? HAS_WEIGHTS : 0) | (facts.lacks_weight != 0 ? LACKS_WEIGHT : 0));
    assess_parts_list_counts(&facts, counts);
    for (size_t i = 0; i < COUNTS; i++) crd_i_encode_u64(&encoder, *counts[i]);
    crd_i_evaluation_write(assessment->evaluation, &encoder);
    if (assessment->facts.uncalibrated != NULL) crd_i_evaluation_write(assessment->facts.uncalibrated, &encoder);
    if (assessment->facts.outcomes != NULL) crd_i_outcomes_write(assessment->facts.outcomes, &encoder);
    write_list(assessment, &encoder);
    crd_status status = assessment->seen != NULL ? write_seen(assessment->seen, &encoder, error) : CRD_OK;
    if (status == CRD_OK) return crd_i_evaluation_bytes_end(&encoder, bytes, length, error);
    crd_i_buffer_clear(&encoder.buffer);
    return status;
}

crd_status crd_assessment_encode(const crd_assessment *assessment, unsigned char **bytes, size_t *length,
                                 crd_error *error) {
    *bytes = NULL;
    *length = 0;
    if (assessment->evaluation == NULL || assessment->model == NULL || assessment->facts.importance != NULL)
        return crd_i_fail(
            error, CRD_ERROR_ARGUMENT,
            "only an assessment of a model can be encoded, after it has run and without permutation importance");
    return assess_parts_encode(assessment, bytes, length, error);
}

/* ---- Decoding ---- */

/* A decoded part. */
typedef struct part {
    crd_assessment_facts facts;
    crd_evaluation *evaluation, *before;
    crd_outcomes *outcomes;
    crd_model *seen;
    crd_i_listed_row *listed; /* one for each row of the evaluation; NULL: rows are not listed */
} part;

static void clear_part(crd_context *context, part *p) {
    crd_free(context, p->listed);
    crd_evaluation_destroy(p->evaluation);
    crd_evaluation_destroy(p->before);
    crd_i_outcomes_destroy(p->outcomes);
    crd_model_destroy(p->seen);
    *p = (part){0};
}

static crd_status read_seen(crd_context *context, crd_i_cursor *cursor, crd_model **out, crd_error *error) {
    const uint64_t length = crd_i_decode_u64(cursor);
    if (!crd_i_cursor_holds(cursor, length, 1)) return crd_i_evaluation_bytes_damaged(error);
    const unsigned char *bytes = cursor->at;
    cursor->at += length;
    return crd_model_decode(context, bytes, (size_t)length, out, error);
}

/* Decodes the listed rows. */
static crd_status read_list(crd_context *context, crd_i_cursor *cursor, part *p, crd_error *error) {
    enum { LISTED_LENGTH = 8 + 3 * 4 + 8 };
    const size_t count = p->evaluation->row_count;
    if (!crd_i_cursor_holds(cursor, count, LISTED_LENGTH)) return crd_i_evaluation_bytes_damaged(error);
    p->listed = crd_i_alloc(context, count, sizeof *p->listed);
    if (p->listed == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        crd_i_listed_row *listed_row = &p->listed[i];
        *listed_row = (crd_i_listed_row){.decision = CRD_DECISION_INIT};
        listed_row->row = crd_i_decode_u64(cursor);
        listed_row->tied = crd_i_decode_u32(cursor);
        listed_row->decision.action = (int32_t)crd_i_decode_u32(cursor);
        listed_row->decision.tied = crd_i_decode_u32(cursor);
        listed_row->decision.expected_cost = crd_i_decode_double(cursor);
    }
    return CRD_OK;
}

/* Decodes the content in the order of assess_parts_encode. */
static crd_status assess_parts_read_content(const crd_assessment *assessment, crd_i_cursor *cursor, part *p,
                                            crd_error *error) {
    crd_context *context = assessment->context;
    uint64_t *counts[COUNTS];
    const uint32_t flags = crd_i_decode_u32(cursor);
    if (flags >= FLAGS) return crd_i_evaluation_bytes_damaged(error);
    if (((flags & HAS_OUTCOMES) != 0) != (assessment->facts.outcomes != NULL))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "some parts were judged with a decision rule, others without one");
    assess_parts_list_counts(&p->facts, counts);
    for (size_t i = 0; i < COUNTS; i++) *counts[i] = crd_i_decode_u64(cursor);
    p->facts.has_weights = (flags & HAS_WEIGHTS) != 0;
    p->facts.lacks_weight = (flags & LACKS_WEIGHT) != 0;
    crd_status status = crd_i_evaluation_read(context, cursor, &p->evaluation, error);
    if (status == CRD_OK && (flags & HAS_BEFORE) != 0)
        status = crd_i_evaluation_read(context, cursor, &p->before, error);
    if (status == CRD_OK && assessment->facts.outcomes != NULL)
        status = crd_i_outcomes_read(context, assessment->options.rule, cursor, &p->outcomes, error);
    if (status == CRD_OK && (flags & HAS_LIST) != 0) status = read_list(context, cursor, p, error);
    if (status == CRD_OK && (flags & HAS_SEEN) != 0) status = read_seen(context, cursor, &p->seen, error);
    return status;
}

static crd_status assess_parts_read(const crd_assessment *assessment, const unsigned char *bytes, size_t length,
                                    part *p, crd_error *error) {
    crd_i_cursor cursor;
    crd_status status = crd_i_evaluation_bytes_open(bytes, length, tag_of_assessments, &cursor, error);
    if (status == CRD_OK) status = assess_parts_read_content(assessment, &cursor, p, error);
    return crd_i_evaluation_bytes_close(&cursor, status, error);
}

/* ---- Merging ---- */

/* Merges the models of seen rows. The result is complete only if each part with rows has such a model; otherwise it
 * is dropped. */
static crd_status merge_seen(crd_assessment *assessment, part *p, crd_error *error) {
    if (p->facts.rows == 0) return CRD_OK;
    if (p->seen == NULL || (assessment->seen == NULL && assessment->facts.rows > 0)) {
        crd_model_destroy(assessment->seen);
        assessment->seen = NULL;
        return CRD_OK;
    }
    if (assessment->seen != NULL) return crd_model_merge(assessment->seen, p->seen, error);
    assessment->seen = p->seen;
    p->seen = NULL;
    return CRD_OK;
}

/* Merges the evaluations without calibration. */
static crd_status merge_before(crd_assessment *assessment, part *p, crd_error *error) {
    if (p->before == NULL) return CRD_OK;
    if (assessment->facts.uncalibrated != NULL)
        return crd_evaluation_merge(assessment->facts.uncalibrated, p->before, error);
    assessment->facts.uncalibrated = p->before;
    p->before = NULL;
    return CRD_OK;
}

/* Checks that all parts with rows agree on whether rows have weights. */
static crd_status merge_weights(crd_assessment *assessment, const part *p, crd_error *error) {
    crd_assessment_facts *facts = &assessment->facts;
    if (facts->rows > 0 && p->facts.rows > 0 && facts->has_weights != p->facts.has_weights)
        return crd_i_fail(error, CRD_ERROR_SCHEMA_DIFFERS, "some parts have the weight column, others do not");
    if (facts->rows == 0) {
        facts->has_weights = p->facts.has_weights;
        facts->lacks_weight = p->facts.lacks_weight;
    }
    return CRD_OK;
}

/* Appends the listed rows of a part. Their numbers continue after the rows of earlier parts. If all processes have
 * all rows, they are already numbered. */
static crd_status merge_list(crd_assessment *assessment, const part *p, crd_error *error) {
    const size_t count = p->listed == NULL ? 0 : p->evaluation->row_count;
    const uint64_t before = assessment->validation == NULL ? assessment->facts.rows : 0;
    if (!crd_i_reserve(assessment->context, &assessment->listed, &assessment->listed_capacity,
                       assessment->listed_count + count, sizeof *assessment->listed))
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        crd_i_listed_row *listed_row = &assessment->listed[assessment->listed_count++];
        *listed_row = p->listed[i];
        listed_row->row += before;
    }
    return CRD_OK;
}

/* Merges a decoded part. */
static crd_status merge_part(crd_assessment *assessment, part *p, crd_error *error) {
    uint64_t *destination[COUNTS], *source[COUNTS];
    crd_status status = merge_weights(assessment, p, error);
    if (status == CRD_OK) status = crd_evaluation_merge(assessment->evaluation, p->evaluation, error);
    if (status == CRD_OK) status = merge_before(assessment, p, error);
    if (status == CRD_OK && assessment->facts.outcomes != NULL)
        status = crd_i_outcomes_merge(assessment->facts.outcomes, p->outcomes, error);
    if (status == CRD_OK) status = merge_seen(assessment, p, error);
    if (status == CRD_OK) status = merge_list(assessment, p, error);
    if (status != CRD_OK) return status;
    assess_parts_list_counts(&assessment->facts, destination);
    assess_parts_list_counts(&p->facts, source);
    for (size_t i = 0; i < COUNTS; i++) *destination[i] += *source[i];
    return CRD_OK;
}

/* Decodes a part and merges it. */
static crd_status assess_parts_merge_bytes(crd_assessment *assessment, const unsigned char *bytes, size_t length,
                                           crd_error *error) {
    part p = {0};
    crd_status status = assess_parts_read(assessment, bytes, length, &p, error);
    if (status == CRD_OK) status = merge_part(assessment, &p, error);
    clear_part(assessment->context, &p);
    return status;
}

/* ======== 8. Processes ======== */

/* Assigns folds to processes that have the same rows, and stores the folds of this process. */
static crd_status assessment_choose_folds(crd_assessment *assessment, crd_error *error) {
    enum { ROWS_AT_ONCE = 4096 };
    const size_t rows = crd_split_rows(assessment->facts.split);
    const uint32_t *folds = crd_i_split_tested(assessment->facts.split);
    /* A holdout has only one tested fold, so its rows are divided into blocks. */
    const bool is_holdout = folds != crd_split_learned(assessment->facts.split);
    assessment->own_folds = crd_i_alloc(assessment->context, rows, sizeof *assessment->own_folds);
    if (assessment->own_folds == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < rows; i++) {
        const size_t item = is_holdout ? i / ROWS_AT_ONCE : folds[i];
        assessment->own_folds[i] = crd_i_group_has_item(assessment->group, item) ? folds[i] : CRD_NO_FOLD;
    }
    return CRD_OK;
}

/* A listed row and its index in the evaluation. */
typedef struct listed_place {
    uint64_t row;
    size_t index;
} listed_place;

static int by_row(const void *a, const void *b) {
    const uint64_t x = ((const listed_place *)a)->row, y = ((const listed_place *)b)->row;
    return x < y ? -1 : x > y;
}

/* Returns the name of a true class. */
static crd_text truth_of(const crd_evaluation *evaluation, int32_t truth) {
    return (size_t)truth < evaluation->class_count
               ? crd_i_dictionary_text(evaluation->classes, (size_t)truth)
               : crd_i_dictionary_text(evaluation->others, (size_t)truth - evaluation->class_count);
}

/* Passes a listed row to options.each. */
static crd_status pass_on_row(const crd_assessment *assessment, size_t index, crd_error *error) {
    const crd_evaluation *evaluation = assessment->evaluation;
    const crd_i_judged *judged = &evaluation->rows[index];
    const crd_i_listed_row *listed = &assessment->listed[index];
    const bool is_class = (size_t)judged->truth < evaluation->class_count;
    /* If there are too many probabilities to store, it is computed from the loss. */
    const double truth_probability =
        !is_class                 ? 0
        : evaluation->is_unranked ? crd_exp(-judged->loss)
                                  : evaluation->probabilities[index * evaluation->class_count + (size_t)judged->truth];
    const crd_row_score score = {
        sizeof score,   judged->decision,  listed->tied, judged->decision < 0 ? NAN : judged->probability,
        judged->credit, truth_probability, judged->loss};
    const crd_assessed_row row = {sizeof row, listed->row, truth_of(assessment->evaluation, judged->truth), &score,
                                  assessment->options.rule == NULL ? NULL : &listed->decision};
    if (assessment->options.each(assessment->options.user, &row) == 0) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_CANCELLED, "the caller stopped the assessment");
}

/* Passes all listed rows to options.each in row order. This is not the order of processes if each process has tested
 * some folds. */
static crd_status pass_on_all(const crd_assessment *assessment, crd_error *error) {
    const size_t count = assessment->listed_count;
    crd_status status = CRD_OK;
    if (assessment->options.each == NULL || count == 0) return CRD_OK;
    listed_place *order = crd_i_alloc(assessment->context, count, sizeof *order);
    if (order == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) order[i] = (listed_place){assessment->listed[i].row, i};
    qsort(order, count, sizeof *order, by_row);
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = pass_on_row(assessment, order[i].index, error);
    crd_free(assessment->context, order);
    return status;
}

/* If every process has all rows, only process 0 reports the counts that are equal in all processes. */
static void count_once(crd_assessment *assessment) {
    if (assessment->validation == NULL || crd_i_group_rank(assessment->group) == 0) return;
    assessment->facts.rows = assessment->facts.unlabeled = assessment->facts.weightless = 0;
}

static crd_status assessment_encode_part(void *object, crd_i_encoder *encoder, crd_error *error) {
    crd_assessment *assessment = object;
    unsigned char *bytes = NULL;
    size_t length = 0;
    const crd_status status = assess_parts_encode(assessment, &bytes, &length, error);
    if (status == CRD_OK) crd_i_encode_bytes(encoder, bytes, length);
    crd_free(assessment->context, bytes);
    return status;
}

/* Process 0 starts again without rows and merges all parts, including its own. */
static crd_status assessment_add_part(void *object, unsigned rank, crd_i_cursor *cursor, crd_error *error) {
    crd_assessment *assessment = object;
    const crd_status status = rank == 0 ? assessment_start(assessment, error) : CRD_OK;
    const crd_i_cursor bytes = crd_i_decode_rest(cursor);
    return status == CRD_OK ? assess_parts_merge_bytes(assessment, bytes.at, crd_i_cursor_left(&bytes), error) : status;
}

/* Merges the results of all processes in process 0, in row order. Other processes keep their own results. */
static crd_status assessment_share(crd_assessment *assessment, crd_error *error) {
    static const crd_i_merging merging = {assessment_encode_part, assessment_add_part};
    count_once(assessment);
    const crd_status status = crd_i_group_merge_first(assessment->group, &merging, assessment, error);
    return status == CRD_OK && crd_i_group_rank(assessment->group) == 0 ? pass_on_all(assessment, error) : status;
}

/* ======== 9. Runs ========
 *
 * Rows are classified by several threads and judged in row order, so results do not depend on threads. */

/* ---- Detecting the training rows ---- */

/* Learns the frame in a second model, as long as the rows may be the training rows of the assessed model. Otherwise
 * the second model is dropped. */
static crd_status learn_what_is_seen(crd_assessment *assessment, const crd_frame *frame, crd_error *error) {
    const crd_assessment_facts *facts = &assessment->facts;
    crd_status status = CRD_OK;
    if (assessment->model == NULL || !(assessment->model_rows > 0)) return CRD_OK;
    if (!facts->has_weights && (double)(facts->rows - facts->unlabeled) > assessment->model_rows) {
        crd_model_destroy(assessment->seen);
        assessment->seen = NULL;
        return CRD_OK;
    }
    const bool is_first = facts->rows == crd_frame_rows(frame);
    if (is_first)
        status = crd_model_create(assessment->context, frame, assessment->facts.target, NULL, &assessment->seen, error);
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
    crd_i_leave_one_out **leaving = &assessment->leaving[slot];
    crd_status status = CRD_OK;
    if (*leaving == NULL) status = crd_i_leave_one_out_create(assessment->learned, NULL, leaving, error);
    return status == CRD_OK ? crd_i_leave_one_out_classify(*leaving, frame, own_answers->posteriors, error) : status;
}

/* Judges a classified frame. Called in row order. */
static crd_status judge_answers(void *user, unsigned slot, crd_error *error) {
    const run *r = user;
    const answers *own_answers = &r->slots[slot];
    crd_status status = assessment_judge(r->assessment, own_answers->frame, own_answers->posteriors, NULL, error);
    return status == CRD_OK ? learn_what_is_seen(r->assessment, own_answers->frame, error) : status;
}

static crd_status assess_run_begin(void *user, crd_error *error) {
    const run *r = user;
    return assessment_start(r->assessment, error);
}

/* Classifies and judges all rows of a reader. */
static crd_status run_reader(crd_assessment *assessment, crd_reader *reader, crd_error *error) {
    run r = {.assessment = assessment};
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.user = &r;
    map.work = assess_run_answer_frame;
    map.take = judge_answers;
    map.begin = assess_run_begin;
    map.holds_frames = 1; /* judging a frame reads it again */
    const unsigned count = crd_parallel_map_slots(&map, reader);
    r.slots = crd_i_alloc_zeroed(assessment->context, count, sizeof *r.slots);
    if (r.slots == NULL) return crd_i_fail_memory(error);
    crd_status status = CRD_OK;
    for (; status == CRD_OK && r.slot_count < count; r.slot_count++)
        status = crd_posteriors_create(assessment->context, &r.slots[r.slot_count].posteriors, error);
    if (status == CRD_OK) {
        crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(assessment->facts.class_count));
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
                            ? crd_i_cross_validation_classify(assessment->validation, frame, folds, posteriors, error)
                            : crd_i_leave_one_out_classify(assessment->leaving[0], frame, posteriors, error);
    return status == CRD_OK ? assessment_judge(assessment, frame, posteriors, folds, error) : status;
}

/* Classifies and judges all rows of a source. */
static crd_status run_source(crd_assessment *assessment, crd_error *error) {
    const crd_split *split = assessment->facts.split;
    const uint32_t *folds = split == NULL ? NULL : crd_i_split_tested(split);
    if (assessment->own_folds != NULL) folds = assessment->own_folds;
    size_t index = 0;
    crd_posteriors *posteriors = NULL;
    crd_status status = crd_posteriors_create(assessment->context, &posteriors, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_i_row_source_take(assessment->source, &frame, error);
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
    crd_row_source_set_frame_rows(source, crd_posteriors_frame_rows(assessment->facts.class_count));
    crd_status status = crd_row_source_rewind(source, error);
    if (status != CRD_OK) return status;
    return assessment->leaving != NULL && crd_i_row_source_reads_again(source)
               ? run_reader(assessment, source->reader, error)
               : run_source(assessment, error);
}

/* Copies the options and starts the run. Returns CRD_ERROR_ARGUMENT if it was started before. */
static CRD_MUST_USE crd_status assessment_begin(crd_assessment *assessment, const crd_assessment_options *options,
                                                crd_error *error) {
    if (options != NULL && !crd_i_copy_in(options, &assessment->options, sizeof assessment->options))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the options have no size");
    if (assessment->has_run) return crd_i_fail(error, CRD_ERROR_ARGUMENT, "an assessment can be run only once");
    assessment->has_run = true;
    assessment->group = assessment->context->group;
    const crd_importance_options *importance = assessment->options.importance;
    if (importance != NULL && assessment->leaving != NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "permutation importance is not supported with leave-one-out");
    crd_status status = importance == NULL ? CRD_OK
                                           : crd_i_importance_create(assessment->context, importance,
                                                                     &assessment->facts.importance, error);
    return status == CRD_OK ? assessment_start(assessment, error) : status;
}

/* Checks that there are judged rows, and detects training rows, in the process that has all results. */
static crd_status assessment_end(crd_assessment *assessment, crd_error *error) {
    if (crd_i_group_rank(assessment->group) > 0) return CRD_OK;
    if (assessment->facts.judged == 0 && assessment->options.is_part == 0)
        return crd_i_fail(error, CRD_ERROR_EMPTY, "no row to evaluate has a true class");
    return compare_with_seen(assessment, error);
}

/* Runs the assessment in a group. Every process judges its part of the rows, or the rows of its folds. Folds are
 * tested without communication. Afterwards process 0 merges the results. */
static crd_status assess_run_shared(crd_assessment *assessment, crd_error *error) {
    crd_context *context = assessment->context;
    crd_status status = CRD_OK;
    if (assessment->validation != NULL) {
        status = assessment_choose_folds(assessment, error);
        crd_i_group *group = crd_i_group_leave(context);
        if (status == CRD_OK) status = run_rows(assessment, error);
        crd_i_group_join(context, group);
    } else {
        status = run_rows(assessment, error);
    }
    const uint64_t judged = assessment->facts.judged;
    if (status == CRD_OK) status = assessment_share(assessment, error);
    return status == CRD_OK && assessment->facts.importance != NULL
               ? assessment_share_importance(assessment, judged, error)
               : status;
}

crd_status crd_assessment_run(crd_assessment *assessment, const crd_assessment_options *options, crd_error *error) {
    if (assessment->source == NULL && assessment->reader == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "the assessment has no rows of its own, only parts");
    crd_status status = assessment_begin(assessment, options, error);
    if (status == CRD_OK)
        status = assessment->group != NULL ? assess_run_shared(assessment, error) : run_rows(assessment, error);
    if (status == CRD_OK) status = assessment_end(assessment, error);
    return crd_i_group_end(assessment->context->group, status, error);
}

crd_status crd_assessment_run_parts(crd_assessment *assessment, const crd_assessment_options *options,
                                    const unsigned char *const *parts, const size_t *lengths, size_t count,
                                    crd_error *error) {
    if (assessment->model == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "parts can be merged only into an assessment of a model");
    crd_status status = assessment_begin(assessment, options, error);
    if (status == CRD_OK && (assessment->facts.importance != NULL || assessment->options.each != NULL))
        status = crd_i_fail(error, CRD_ERROR_ARGUMENT, "rows of parts cannot be listed or permuted");
    for (size_t i = 0; status == CRD_OK && i < count; i++)
        status = assess_parts_merge_bytes(assessment, parts[i], lengths[i], error);
    if (status == CRD_OK) status = assessment_end(assessment, error);
    return crd_i_group_end(assessment->context->group, status, error);
}
