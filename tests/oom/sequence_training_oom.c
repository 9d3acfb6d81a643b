/* SPDX-License-Identifier: MIT */
/* Allocations of training by EM fail in turn: an error every time, no output, and nothing is leaked. The first hundred fail one by
 * one, of the others about every twentieth part of those before. */
#include "hmm_support.h"

static const char table[] = "id,x,w,s\n1,1.5,red,A\n1,2.5,blue,\n1,9,red,B\n1,8,red,\n2,8,,B\n2,1,red,\n2,2,blue,\n";

typedef struct training {
    const char *target; /* NULL: states are hidden */
    const char *setting, *value;
    crd_fit_criterion criterion;
    size_t states, max_states;
} training;

/* false: no allocation failed. */
static void fail_one(const training *scenario, allocation_trial *trial) {
    crd_context *context = trial->context;
    crd_settings *settings = settings_of(context, WITH(scenario->setting, scenario->value));
    crd_sequences *sequences = read_sequences(context, table, scenario->target);
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    crd_error error = {0};
    crd_model *model;
    crd_fit *fit;
    options.states = scenario->states;
    options.max_states = scenario->max_states;
    options.criterion = scenario->criterion;
    options.restarts = 2;
    options.most_steps = 1;
    options.threads = 1;
    assert_allocation_fails(
        trial, crd_hmm_train(sequences, crd_text_of("state"), settings, &options, &model, &fit, &error), CRD_OK, error);
    assert_true(trial->has_failed == (model == NULL) && trial->has_failed == (fit == NULL));
    crd_fit_destroy(fit);
    crd_model_destroy(model);
    crd_sequences_destroy(sequences);
    crd_settings_destroy(settings);
}

static void allocations_of_training(void **state) {
    static const training trainings[] = {{NULL, "smoothing", "m:1", CRD_FIT_BIC, 2, 2},
                                         {NULL, "family", "student", CRD_FIT_BIC, 2, 2},
                                         {NULL, "state-mixture", "2", CRD_FIT_HELD_OUT, 0, 2},
                                         {"s", "order", "2", CRD_FIT_BIC, 0, 2}};
    (void)state;
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++)
        for (allocation_trial trial = {.dense = 100, .divisor = 20}; allocation_trial_next(&trial);)
            fail_one(&trainings[i], &trial);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_of_training)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
