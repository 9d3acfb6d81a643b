/* SPDX-License-Identifier: MIT */
/* Allocations of classifiers that are more than naive Bayes, and of what is asked of their parts, fail in turn: an
 * error every time, and no leak. */
#include "model_support.h"

static const char rows[] = "n,m,color,class\n"
                           "1,2,red,p\n2,2.5,red,p\n1.5,2,blue,p\n3,4,red,p\n2.5,2,?,p\n2,3,red,p\n"
                           "4,6,blue,q\n5,5.5,blue,q\n?,6,red,q\n4.5,7,blue,q\n6,6,blue,q\n5,8,blue,q\n";

typedef struct scorers_objects {
    crd_settings *settings;
    crd_model *model;
    crd_classifier *classifier;
} scorers_objects;

static void destroy(scorers_objects *objects) {
    crd_classifier_destroy(objects->classifier);
    crd_model_destroy(objects->model);
    crd_settings_destroy(objects->settings);
}

/* A model that keeps what the settings read. */
static void learn(scorers_objects *objects, crd_context *context, const char *const *settings) {
    crd_reader *reader;
    crd_error error;
    assert_done(crd_settings_create(context, &objects->settings, &error), error);
    for (; *settings != NULL; settings += 2)
        assert_done(crd_settings_set(objects->settings, settings[0], crd_text_of(settings[1]), &error), error);
    assert_done(open_text(context, rows, strlen(rows), "class", &reader, &error), error);
    assert_done(crd_model_train(context, reader, objects->settings, &objects->model, NULL, &error), error);
    crd_reader_close(reader);
}

static crd_status ask(scorers_objects *objects, bool fits, crd_error *error) {
    enum { MOST = 64 };
    const crd_value values[] = {number_value(3), missing_value(), text_value("red")};
    double logs[MOST], probabilities[2];
    crd_answer answer;
    crd_status status = fits ? crd_model_fit(objects->model, error) : CRD_OK;
    if (status == CRD_OK) status = crd_classifier_create(objects->model, NULL, &objects->classifier, error);
    if (status == CRD_OK)
        status = crd_classifier_posterior(objects->classifier, values, logs, probabilities, &answer, error);
    if (status == CRD_OK)
        status = crd_classifier_uncalibrated(objects->classifier, values, logs, probabilities, &answer, error);
    if (status == CRD_OK) status = crd_classifier_member_posteriors(objects->classifier, values, logs, error);
    if (status == CRD_OK) status = crd_classifier_pair_terms(objects->classifier, values, logs, error);
    if (status == CRD_OK && crd_classifier_joint_count(objects->classifier) > 0)
        status = crd_classifier_joint_terms(objects->classifier, 0, values, logs, error);
    return status;
}

static void allocations_fail(void **state) {
    (void)state;
    static const char *const methods[][5] = {{"attribute-weights", "fitted"},
                                             {"joint", "numbers"},
                                             {"joint", "n,m", "joint-mixture", "2"},
                                             {"joint", "categories"},
                                             {"method", "aode"},
                                             {"method", "pairwise"},
                                             {"method", "trees"},
                                             {"method", "bagging:2"},
                                             {"method", "boosting:2"},
                                             {"method", "stacking"},
                                             {"method", "network"},
                                             {"method", "network", "arcs", "class<-color"},
                                             {"method", "network", "arcs", "color->n->m<-class->color"},
                                             {"method", "tan"},
                                             {"calibration", "isotonic"},
                                             {"calibration", "platt"}};
    for (size_t way = 0; way < 2 * sizeof methods / sizeof *methods; way++)
        /* What was fitted before is fitted again where there is no memory to look for it. */
        for (allocation_trial trial = {.divisor = 40, .can_do_without = way % 2 == 1}; allocation_trial_next(&trial);) {
            scorers_objects objects = {0};
            crd_error error;
            learn(&objects, trial.context, methods[way / 2]);
            assert_allocation_fails(&trial, ask(&objects, way % 2 == 1, &error), CRD_OK, error);
            destroy(&objects);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
