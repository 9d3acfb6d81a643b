/* SPDX-License-Identifier: MIT */
/* Each allocation of scoring, cross-validating and leaving out fails in turn: an error every time, and no leak. */
#include "evaluate/cross_validation.h"
#include "evaluate/evaluation.h"
#include "evaluate/leave_one_out.h"
#include "evaluate/permutation_importance.h"
#include "evaluate/split.h"
#include "model_support.h"

static const char rows[] = "size,color,weight,kind\n"
                           "1.5,red,3,apple\n"
                           "?,green,1e300,pear\n"
                           "2,red,-4e-300,apple\n"
                           "7,\"a,b\",2,fig\n"
                           "3,blue,?,\n"
                           "2,red,5,pear\n"
                           "1,green,1,apple\n"
                           "4,green,2,fig\n";
enum { ROWS = 8 };

typedef struct all_objects {
    crd_reader *reader;
    crd_model *model, *without;
    crd_settings *settings;
    crd_i_folds *folds;
    crd_i_cross_validation *validation;
    crd_i_leave_one_out *leaving;
    crd_posteriors *posteriors;
    crd_evaluation *evaluation, *decoded;
    crd_context *context;
    unsigned char *bytes;
    crd_scores *scores;
    crd_fold_scores *fold_scores;
    crd_curve *curve;
    crd_importance *importance;
} all_objects;

static void destroy(all_objects *objects) {
    crd_reader_close(objects->reader);
    crd_i_leave_one_out_destroy(objects->leaving);
    crd_model_destroy(objects->model);
    crd_model_destroy(objects->without);
    crd_settings_destroy(objects->settings);
    crd_i_folds_destroy(objects->folds);
    crd_i_cross_validation_destroy(objects->validation);
    crd_posteriors_destroy(objects->posteriors);
    crd_evaluation_destroy(objects->evaluation);
    crd_evaluation_destroy(objects->decoded);
    crd_free(objects->context, objects->bytes);
    crd_scores_destroy(objects->scores);
    crd_fold_scores_destroy(objects->fold_scores);
    crd_curve_destroy(objects->curve);
    crd_i_importance_destroy(objects->importance);
}

static crd_status choose(all_objects *objects, crd_context *context, crd_error *error) {
    static const char *const settings[][2] = {{"smoothing", "m:2:marginal"},
                                              {"pool-variance", "attributes"},
                                              {"variance", "sample"},
                                              {"prior", "apple=0.5,fig=0.25,pear=0.25"}};
    crd_status status = crd_settings_create(context, &objects->settings, error);
    for (size_t i = 0; status == CRD_OK && i < sizeof settings / sizeof *settings; i++)
        status = crd_settings_set(objects->settings, settings[i][0], crd_text_of(settings[i][1]), error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &objects->posteriors, error);
    return status;
}

/* Both fig in fold 1, so that the stated prior has to do without it. */
static crd_status cross_validate(all_objects *objects, crd_context *context, const crd_frame *frame, crd_error *error) {
    static const uint32_t folds[ROWS] = {0, 1, 2, 1, CRD_NO_FOLD, 0, 1, 1};
    uint32_t fold;
    int same;
    crd_status status = crd_i_folds_create(context, 3, 1, &objects->folds, error);
    if (status == CRD_OK) status = crd_i_folds_next(objects->folds, crd_text_of("apple"), &fold, error);
    if (status == CRD_OK)
        status =
            crd_i_cross_validation_create(context, crd_text_of("kind"), objects->settings, &objects->validation, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_keep(objects->validation, crd_text_of("histogram,pair-counts"), error);
    if (status == CRD_OK) status = crd_i_cross_validation_learn(objects->validation, frame, folds, error);
    if (status == CRD_OK) status = crd_i_cross_validation_finish(objects->validation, error);
    if (status == CRD_OK) status = crd_i_cross_validation_model(objects->validation, 1, &objects->without, error);
    if (status == CRD_OK) status = crd_model_same_tally(objects->model, objects->without, &same, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_classify(objects->validation, frame, folds, objects->posteriors, error);
    if (status == CRD_OK) status = crd_i_cross_validation_use(objects->validation, NULL, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_classify(objects->validation, frame, folds, objects->posteriors, error);
    return status;
}

static crd_status score(all_objects *objects, crd_context *context, const crd_frame *frame, crd_error *error) {
    const crd_classifier *classifier = crd_i_leave_one_out_classifier(objects->leaving);
    crd_text classes[2] = {crd_classifier_class(classifier, 0), crd_classifier_class(classifier, 1)};
    crd_status status = crd_evaluation_create(context, classes, 2, &objects->evaluation, error);
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++) {
        crd_value truth = crd_frame_value(frame, row, 3);
        crd_i_evaluation_set_fold(objects->evaluation, (uint32_t)row % 2);
        if (truth.type != CRD_TYPE_NONE)
            status = crd_evaluation_add(objects->evaluation, crd_posteriors_log(objects->posteriors, row), truth.text,
                                        1, NULL, error);
    }
    double top;
    size_t length = 0;
    objects->context = context;
    if (status == CRD_OK) status = crd_evaluation_encode(objects->evaluation, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_evaluation_decode(context, objects->bytes, length, &objects->decoded, error);
    if (status == CRD_OK) status = crd_evaluation_merge(objects->evaluation, objects->decoded, error);
    if (status == CRD_OK) status = crd_scores_create(objects->evaluation, &objects->scores, error);
    if (status == CRD_OK) status = crd_evaluation_top_accuracy(objects->evaluation, 2, &top, error);
    if (status == CRD_OK) status = crd_fold_scores_create(objects->evaluation, &objects->fold_scores, error);
    if (status == CRD_OK) status = crd_curve_create(objects->evaluation, 0, &objects->curve, error);
    return status;
}

static crd_status permute(all_objects *objects, crd_context *context, const crd_frame *frame, crd_error *error) {
    const crd_classifier *classifier = crd_i_leave_one_out_classifier(objects->leaving);
    const crd_importance_options options = {sizeof options, 2, 1, 1, 4};
    crd_status status = crd_i_importance_create(context, &options, &objects->importance, error);
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++)
        status = crd_i_importance_add(objects->importance, classifier, frame, row, crd_text_of("apple"), 1, error);
    return status == CRD_OK ? crd_importance_run(objects->importance, error) : status;
}

static crd_status whole_life(all_objects *objects, crd_context *context, crd_error *error) {
    const crd_frame *frame = NULL;
    crd_status status = train_text(context, rows, "kind", &objects->model, error);
    if (status == CRD_OK) status = choose(objects, context, error);
    if (status == CRD_OK) status = open_text(context, rows, strlen(rows), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_model_bind(objects->model, objects->reader, error);
    if (status == CRD_OK) status = crd_reader_next(objects->reader, &frame, error);
    if (status == CRD_OK) status = cross_validate(objects, context, frame, error);
    if (status == CRD_OK)
        status = crd_i_leave_one_out_create(objects->model, objects->settings, &objects->leaving, error);
    if (status == CRD_OK) status = crd_i_leave_one_out_classify(objects->leaving, frame, objects->posteriors, error);
    if (status == CRD_OK) status = score(objects, context, frame, error);
    if (status == CRD_OK) status = permute(objects, context, frame, error);
    return status;
}

static void every_allocation_of_an_evaluation(void **state) {
    (void)state;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        all_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, whole_life(&objects, trial.context, &error), CRD_OK, error);
        destroy(&objects);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_an_evaluation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
