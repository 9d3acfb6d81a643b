/* SPDX-License-Identifier: MIT */
/* Each allocation of rules, outcomes and fits fails in turn: an error every time, and no leak. */
#include "model_support.h"

static const char rows[] = "size,colour,kind\n"
                           "1.5,red,apple\n"
                           "?,green,pear\n"
                           "2,red,apple\n"
                           "7,\"a,b\",pear\n"
                           "2,?,pear\n";

typedef struct objects {
    crd_model *model;
    crd_classifier *classifier;
    crd_reader *reader;
    crd_posteriors *posteriors;
    crd_rule *rules[3];
    crd_outcomes *outcomes[3];
    crd_typicality *fit;
} objects;

static void destroy(objects *made) {
    for (size_t i = 0; i < 3; i++) {
        crd_outcomes_destroy(made->outcomes[i]);
        crd_rule_destroy(made->rules[i]);
    }
    crd_typicality_destroy(made->fit);
    crd_posteriors_destroy(made->posteriors);
    crd_reader_close(made->reader);
    crd_classifier_destroy(made->classifier);
    crd_model_destroy(made->model);
}

static crd_status make_rules(objects *made, crd_context *context, const char *costs, crd_error *error) {
    const crd_text classes[] = {{"apple", 5}, {"pear", 4}}, unsure = {"unsure", 6};
    crd_status status = crd_rule_read_costs(context, costs, classes, 2, &made->rules[0], error);
    if (status == CRD_OK) status = crd_rule_create_reject(context, classes, 2, .8, unsure, &made->rules[1], error);
    if (status == CRD_OK) status = crd_rule_create_threshold(context, classes, 2, 1, .3, &made->rules[2], error);
    for (size_t i = 0; status == CRD_OK && i < 3; i++)
        status = crd_outcomes_create(context, made->rules[i], &made->outcomes[i], error);
    return status;
}

static crd_status judge(objects *made, const crd_frame *frame, crd_error *error) {
    double fits[8];
    crd_status status = crd_classifier_classify(made->classifier, frame, made->posteriors, error);
    if (status == CRD_OK) status = crd_typicality_frame(made->fit, frame, made->posteriors, fits, error);
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++)
        for (size_t i = 0; status == CRD_OK && i < 3; i++) {
            /* The costs know fig, the others meet it here. */
            crd_text truth = row == 0 ? crd_text_of("fig") : crd_frame_value(frame, row, 2).text;
            status =
                crd_outcomes_add(made->outcomes[i], crd_posteriors_log(made->posteriors, row), truth, .1, NULL, error);
        }
    return status;
}

static crd_status whole_life(objects *made, crd_context *context, const char *costs, crd_error *error) {
    const crd_frame *frame = NULL;
    crd_status status = train_text(context, rows, "kind", &made->model, error);
    if (status == CRD_OK) status = crd_classifier_create(made->model, NULL, &made->classifier, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &made->posteriors, error);
    if (status == CRD_OK) status = open_text(context, rows, strlen(rows), NULL, &made->reader, error);
    if (status == CRD_OK) status = crd_model_bind(made->model, made->reader, error);
    if (status == CRD_OK) status = crd_reader_next(made->reader, &frame, error);
    if (status == CRD_OK) status = make_rules(made, context, costs, error);
    if (status == CRD_OK) status = crd_typicality_create(made->model, NULL, &made->fit, error);
    if (status == CRD_OK) status = judge(made, frame, error);
    return status;
}

static void every_allocation_of_deciding(void **state) {
    (void)state;
    char costs[] = "/tmp/credence_costs_XXXXXX";
    int descriptor = mkstemp(costs);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs("kind,apple,pear,ask\nfig,1,1,0\npear,2,0,1\napple,0,2,1\n", file);
    fclose(file);
    for (size_t fail_at = 1;; fail_at++) {
        allocations counted = {0, 0, 0};
        crd_context *context = counted_context(&counted);
        assert_non_null(context);
        counted.calls = 0;
        counted.fail_at = fail_at;
        objects made;
        memset(&made, 0, sizeof made);
        crd_error error;
        crd_status status = whole_life(&made, context, costs, &error);
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
    remove(costs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_deciding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
