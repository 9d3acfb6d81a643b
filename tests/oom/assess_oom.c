/* SPDX-License-Identifier: MIT */
/* Each allocation of assessments fails in turn: an error every time, and no leak. */
#include "model_support.h"

static const char ROWS[] = "x,c,y\n1,u,k\n5,v,l\n2,u,k\n4,v,l\n1,v,k\n5,u,l\n";

typedef struct objects {
    crd_model *model;
    crd_classifier *classifier;
    crd_reader *readers[4];
    crd_row_source *sources[2];
    crd_rule *rule;
    crd_assessment *assessments[3];
    crd_labelling *labelling;
} objects;

static void destroy(objects *made) {
    for (size_t i = 0; i < 3; i++) crd_assessment_destroy(made->assessments[i]);
    for (size_t i = 0; i < 2; i++) crd_row_source_destroy(made->sources[i]);
    for (size_t i = 0; i < 4; i++) crd_reader_close(made->readers[i]);
    crd_labelling_destroy(made->labelling);
    crd_rule_destroy(made->rule);
    crd_classifier_destroy(made->classifier);
    crd_model_destroy(made->model);
}

static crd_status open_rows(objects *made, crd_context *context, crd_error *error) {
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_status status = CRD_OK;
    options.keep_text = 1;
    options.threads = 1;
    for (size_t i = 0; status == CRD_OK && i < 4; i++)
        status = crd_reader_open_memory(context, ROWS, sizeof ROWS - 1, "rows", &options, &made->readers[i], error);
    for (size_t i = 0; status == CRD_OK && i < 2; i++) {
        status = crd_reader_set_target(made->readers[i], 2, error);
        if (status == CRD_OK) status = crd_row_source_create(made->readers[i], &made->sources[i], error);
    }
    return status;
}

static crd_status whole_life(objects *made, crd_context *context, crd_error *error) {
    const crd_text classes[] = {{"k", 1}, {"l", 1}};
    const crd_importance_options importance = CRD_IMPORTANCE_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    uint64_t unlabelled;
    split.folds = 2;
    crd_status status = train_text(context, ROWS, "y", &made->model, error);
    if (status == CRD_OK) status = crd_classifier_create(made->model, NULL, &made->classifier, error);
    if (status == CRD_OK) status = crd_rule_create_threshold(context, classes, 2, 1, .3, &made->rule, error);
    if (status == CRD_OK) status = open_rows(made, context, error);
    if (status == CRD_OK)
        status = crd_assessment_of_folds(made->sources[0], NULL, &split, NULL, &made->assessments[0], error);
    if (status == CRD_OK) status = crd_assessment_leaving_one_out(made->sources[1], NULL, &made->assessments[1], error);
    if (status == CRD_OK)
        status =
            crd_assessment_of_model(made->model, made->classifier, made->readers[2], 0, &made->assessments[2], error);
    options.rule = made->rule;
    for (size_t i = 0; status == CRD_OK && i < 3; i++) {
        options.importance = i == 1 ? NULL : &importance;
        status = crd_assessment_run(made->assessments[i], &options, error);
    }
    if (status == CRD_OK)
        status = crd_labelling_of_model(made->model, made->classifier, made->readers[3], 2, &made->labelling,
                                        &unlabelled, error);
    return status;
}

static void every_allocation_of_assessing(void **state) {
    (void)state;
    for (size_t fail_at = 1;; fail_at++) {
        allocations counted = {0, 0, 0};
        crd_context *context = counted_context(&counted);
        assert_non_null(context);
        counted.calls = 0;
        counted.fail_at = fail_at;
        objects made;
        memset(&made, 0, sizeof made);
        crd_error error;
        crd_status status = whole_life(&made, context, &error);
        bool failed = counted.calls >= fail_at;
        counted.fail_at = 0;
        if (failed && status != CRD_ERROR_MEMORY)
            fail_msg("allocation %zu failed, and the status is %s", fail_at, crd_status_name(status));
        destroy(&made);
        crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
        if (failed) continue;
        assert_done(status, error);
        break;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_assessing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
