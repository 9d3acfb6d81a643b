/* SPDX-License-Identifier: MIT */
/* Each allocation of what-ifs, of dependence, of density curves and of nomograms fails in turn: an error every time, and no leak. */
#include "model_support.h"

static const char rows[] = "size,weight,color,shape,kind\n"
                           "1.5,3,red,round,apple\n"
                           "?,4,green,long,pear\n"
                           "2,3.5,red,round,apple\n"
                           "7,8,\"a,b\",long,pear\n"
                           "2,?,?,round,pear\n";

typedef struct explain_all_objects {
    crd_model *model;
    crd_classifier *classifier;
    crd_reader *reader;
    crd_rule *rule;
    crd_what_if *what_if;
    crd_dependence *dependence;
    crd_density_curves *curves;
    crd_nomogram *nomogram;
} explain_all_objects;

static void destroy(explain_all_objects *objects) {
    crd_nomogram_destroy(objects->nomogram);
    crd_density_curves_destroy(objects->curves);
    crd_dependence_destroy(objects->dependence);
    crd_what_if_destroy(objects->what_if);
    crd_rule_destroy(objects->rule);
    crd_reader_close(objects->reader);
    crd_classifier_destroy(objects->classifier);
    crd_model_destroy(objects->model);
}

static crd_status ask(explain_all_objects *objects, crd_error *error) {
    const crd_value row[] = {number_value(2), missing_value(), text_value("red"), missing_value()};
    crd_counterfactual changes[4] = {CRD_COUNTERFACTUAL_INIT};
    crd_information_gain gain[4] = {CRD_INFORMATION_GAIN_INIT};
    crd_counterfactual_search search = CRD_COUNTERFACTUAL_SEARCH_INIT;
    crd_information_gain_search inquiry = CRD_INFORMATION_GAIN_SEARCH_INIT;
    size_t count;
    search.rule = objects->rule;
    crd_status status = crd_what_if_counterfactuals(objects->what_if, row, &search, changes, &count, error);
    if (status != CRD_OK) {
        assert_int_equal(count, 0);
        return status;
    }
    status = crd_what_if_information_gain(objects->what_if, row, &inquiry, gain, &count, error);
    if (status != CRD_OK) assert_int_equal(count, 0);
    return status;
}

static crd_status whole_life(explain_all_objects *objects, crd_context *context, crd_error *error) {
    const crd_text classes[] = {{"apple", 5}, {"pear", 4}}, unsure = {"unsure", 6};
    crd_dependent_pair pairs[6] = {CRD_DEPENDENT_PAIR_INIT};
    size_t count;
    crd_status status = train_text(context, rows, "kind", &objects->model, error);
    if (status == CRD_OK) status = crd_classifier_create(objects->model, NULL, &objects->classifier, error);
    if (status == CRD_OK) status = crd_rule_create_reject(context, classes, 2, .8, unsure, &objects->rule, error);
    if (status == CRD_OK) status = crd_what_if_create(objects->model, objects->classifier, &objects->what_if, error);
    if (status == CRD_OK) status = ask(objects, error);
    if (status == CRD_OK) status = crd_density_curves_create(objects->classifier, 0, 9, &objects->curves, error);
    if (status == CRD_OK) status = crd_nomogram_create(objects->classifier, 0, 1, 9, &objects->nomogram, error);
    if (status == CRD_OK) status = open_text(context, rows, strlen(rows), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_model_bind_to_learn(objects->model, objects->reader, error);
    if (status == CRD_OK) status = crd_dependence_create(objects->model, &objects->dependence, error);
    if (status == CRD_OK) status = crd_dependence_read(objects->dependence, objects->reader, error);
    if (status == CRD_OK) status = crd_dependence_pairs(objects->dependence, pairs, 6, &count, error);
    if (status == CRD_OK) assert_int_equal(count, 6);
    return status;
}

static void every_allocation_of_explaining(void **state) {
    (void)state;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        explain_all_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, whole_life(&objects, trial.context, &error), CRD_OK, error);
        destroy(&objects);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_of_explaining)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
