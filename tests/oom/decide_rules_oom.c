/* SPDX-License-Identifier: MIT */
/* Each allocation of rules, outcomes and fits fails in turn: an error every time, and no leak. */
#include "evaluate/decision_rule.h"
#include "model_support.h"

static const char rows[] = "size,color,kind\n"
                           "1.5,red,apple\n"
                           "?,green,pear\n"
                           "2,red,apple\n"
                           "7,\"a,b\",pear\n"
                           "2,?,pear\n";

typedef struct rules_objects {
    crd_model *model;
    crd_classifier *classifier;
    crd_reader *reader;
    crd_posteriors *posteriors;
    crd_rule *rules[3];
    crd_outcomes *outcomes[3];
    crd_typicality *fit;
} rules_objects;

static void destroy(rules_objects *objects) {
    for (size_t i = 0; i < 3; i++) {
        crd_i_outcomes_destroy(objects->outcomes[i]);
        crd_rule_destroy(objects->rules[i]);
    }
    crd_typicality_destroy(objects->fit);
    crd_posteriors_destroy(objects->posteriors);
    crd_reader_close(objects->reader);
    crd_classifier_destroy(objects->classifier);
    crd_model_destroy(objects->model);
}

static crd_status make_rules(rules_objects *objects, crd_context *context, const char *costs, crd_error *error) {
    const crd_text classes[] = {{"apple", 5}, {"pear", 4}}, unsure = {"unsure", 6};
    crd_status status = crd_rule_read_costs(context, costs, classes, 2, &objects->rules[0], error);
    if (status == CRD_OK) status = crd_rule_create_reject(context, classes, 2, .8, unsure, &objects->rules[1], error);
    if (status == CRD_OK) status = crd_rule_create_threshold(context, classes, 2, 1, .3, &objects->rules[2], error);
    for (size_t i = 0; status == CRD_OK && i < 3; i++)
        status = crd_i_outcomes_create(context, objects->rules[i], &objects->outcomes[i], error);
    return status;
}

static crd_status judge(rules_objects *objects, const crd_frame *frame, crd_error *error) {
    double fits[8];
    crd_status status = crd_classifier_classify(objects->classifier, frame, objects->posteriors, error);
    if (status == CRD_OK) status = crd_typicality_frame(objects->fit, frame, objects->posteriors, fits, error);
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++)
        for (size_t i = 0; status == CRD_OK && i < 3; i++) {
            /* The costs know fig, the others meet it here. */
            crd_text truth = row == 0 ? crd_text_of("fig") : crd_frame_value(frame, row, 2).text;
            status = crd_i_outcomes_add(objects->outcomes[i], crd_posteriors_log(objects->posteriors, row), truth, .1,
                                        NULL, error);
        }
    return status;
}

static crd_status whole_life(rules_objects *objects, crd_context *context, const char *costs, crd_error *error) {
    const crd_frame *frame = NULL;
    crd_status status = train_text(context, rows, "kind", &objects->model, error);
    if (status == CRD_OK) status = crd_classifier_create(objects->model, NULL, &objects->classifier, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &objects->posteriors, error);
    if (status == CRD_OK) status = open_text(context, rows, strlen(rows), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_model_bind(objects->model, objects->reader, error);
    if (status == CRD_OK) status = crd_reader_next(objects->reader, &frame, error);
    if (status == CRD_OK) status = make_rules(objects, context, costs, error);
    if (status == CRD_OK) status = crd_typicality_create(objects->model, NULL, &objects->fit, error);
    if (status == CRD_OK) status = judge(objects, frame, error);
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
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        rules_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, whole_life(&objects, trial.context, costs, &error), CRD_OK, error);
        destroy(&objects);
    }
    remove(costs);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_deciding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
