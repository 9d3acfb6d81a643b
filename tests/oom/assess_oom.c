/* SPDX-License-Identifier: MIT */
/* Each allocation of assessments fails in turn: an error every time, and no leak. */
#include "evaluate/evaluation.h"
#include "model_support.h"

static const char ROWS[] = "x,c,y\n1,u,k\n5,v,l\n2,u,k\n4,v,l\n";

typedef struct assess_objects {
    crd_model *model;
    crd_classifier *classifier;
    crd_reader *reader;
    crd_row_source *source;
    crd_rule *rule;
    crd_assessment *assessment;
    crd_labeling *labeling, *decoded;
    unsigned char *bytes;
    crd_assessment *merged;
} assess_objects;

static void destroy(crd_context *context, assess_objects *objects) {
    crd_free(context, objects->bytes);
    crd_assessment_destroy(objects->merged);
    crd_labeling_destroy(objects->decoded);
    crd_assessment_destroy(objects->assessment);
    crd_row_source_destroy(objects->source);
    crd_reader_close(objects->reader);
    crd_labeling_destroy(objects->labeling);
    crd_rule_destroy(objects->rule);
    crd_classifier_destroy(objects->classifier);
    crd_model_destroy(objects->model);
}

static crd_status open_rows(assess_objects *objects, crd_context *context, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    options.keep_text = 1;
    options.threads = 1;
    return crd_reader_open_memory(context, ROWS, sizeof ROWS - 1, "rows", &options, &objects->reader, error);
}

static crd_status open_source(assess_objects *objects, crd_context *context, crd_error *error) {
    crd_status status = open_rows(objects, context, error);
    if (status == CRD_OK) status = crd_reader_set_target(objects->reader, 2, error);
    return status == CRD_OK ? crd_row_source_create(objects->reader, &objects->source, error) : status;
}

static crd_status open_model(assess_objects *objects, crd_context *context, crd_error *error) {
    crd_status status = train_text(context, ROWS, "y", &objects->model, error);
    if (status == CRD_OK) status = crd_classifier_create(objects->model, NULL, &objects->classifier, error);
    return status == CRD_OK ? open_rows(objects, context, error) : status;
}

static crd_status run(assess_objects *objects, bool is_permuted, crd_error *error) {
    const crd_importance_options importance = CRD_IMPORTANCE_OPTIONS_INIT;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    options.rule = objects->rule;
    options.importance = is_permuted ? &importance : NULL;
    return crd_assessment_run(objects->assessment, &options, error);
}

static crd_status of_folds(assess_objects *objects, crd_context *context, crd_error *error) {
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = 2;
    crd_status status = open_source(objects, context, error);
    if (status == CRD_OK) status = crd_rule_create_threshold(context, classes, 2, 1, .3, &objects->rule, error);
    if (status == CRD_OK)
        status = crd_assessment_of_folds(objects->source, NULL, &split, NULL, &objects->assessment, error);
    return status == CRD_OK ? run(objects, true, error) : status;
}

static crd_status leaving_one_out(assess_objects *objects, crd_context *context, crd_error *error) {
    crd_status status = open_source(objects, context, error);
    if (status == CRD_OK) status = crd_assessment_leaving_one_out(objects->source, NULL, &objects->assessment, error);
    return status == CRD_OK ? run(objects, false, error) : status;
}

static crd_status of_model(assess_objects *objects, crd_context *context, crd_error *error) {
    crd_status status = open_model(objects, context, error);
    if (status == CRD_OK)
        status = crd_assessment_of_model(objects->model, objects->classifier, objects->reader, 0, &objects->assessment,
                                         error);
    return status == CRD_OK ? run(objects, false, error) : status;
}

static crd_status labeling_of_model(assess_objects *objects, crd_context *context, crd_error *error) {
    uint64_t unlabeled;
    crd_status status = open_model(objects, context, error);
    return status != CRD_OK ? status
                            : crd_labeling_of_model(objects->model, objects->classifier, objects->reader, 2,
                                                    &objects->labeling, &unlabeled, error);
}

static crd_status labeling_of_parts(assess_objects *objects, crd_context *context, crd_error *error) {
    size_t length;
    crd_status status = labeling_of_model(objects, context, error);
    if (status == CRD_OK) status = crd_i_labeling_encode(objects->labeling, &objects->bytes, &length, error);
    if (status == CRD_OK) status = crd_i_labeling_decode(context, objects->bytes, length, &objects->decoded, error);
    return status == CRD_OK ? crd_i_labeling_merge(objects->decoded, objects->labeling, error) : status;
}

static crd_status of_parts(assess_objects *objects, crd_context *context, crd_error *error) {
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    size_t length = 0;
    crd_status status = crd_rule_create_threshold(context, classes, 2, 1, .3, &objects->rule, error);
    if (status == CRD_OK) status = of_model(objects, context, error);
    if (status == CRD_OK) status = crd_assessment_encode(objects->assessment, &objects->bytes, &length, error);
    if (status == CRD_OK)
        status = crd_assessment_of_model(objects->model, objects->classifier, NULL, 0, &objects->merged, error);
    const unsigned char *const parts[] = {objects->bytes, objects->bytes};
    const size_t lengths[] = {length, length};
    options.rule = objects->rule;
    return status == CRD_OK ? crd_assessment_run_parts(objects->merged, &options, parts, lengths, 2, error) : status;
}

static void fail_each(crd_status (*live)(assess_objects *objects, crd_context *context, crd_error *error)) {
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        assess_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, live(&objects, trial.context, &error), CRD_OK, error);
        destroy(trial.context, &objects);
    }
}

static void every_allocation_of_assessing(void **state) {
    (void)state;
    fail_each(of_folds);
    fail_each(leaving_one_out);
    fail_each(of_model);
    fail_each(labeling_of_model);
    fail_each(labeling_of_parts);
    fail_each(of_parts);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_assessing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
