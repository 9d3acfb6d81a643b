/* SPDX-License-Identifier: MIT */
/* Each allocation of questions to a sequence model, of drawing from it and of evaluating it, fails in turn: an error every time, and no leak. */
#include "model_support.h"

static const char rows[] = "id,x,c,s\n"
                           "a,1.5,u,A\na,2,v,B\na,,v,A\n"
                           "b,0.5,w,B\nb,3,u,B\n"
                           "c,1,u,A\n";
enum { STATES = 2, ATTRIBUTES = 2, CONTEXTS = 8 };

typedef struct sequences_objects {
    crd_reader *reader;
    crd_settings *settings;
    crd_sequences *sequences, *some;
    crd_model *model;
    crd_hmm *hmm;
    crd_sequence_query *query;
    crd_query *observations;
    crd_sequence_sampler *sampler;
    crd_sequence_evaluation *evaluation, *validation, *decoded;
    crd_context *context;
    unsigned char *bytes;
} sequences_objects;

static void destroy(sequences_objects *objects) {
    crd_sequence_evaluation_destroy(objects->evaluation);
    crd_sequence_evaluation_destroy(objects->validation);
    crd_sequence_evaluation_destroy(objects->decoded);
    crd_free(objects->context, objects->bytes);
    crd_sequence_sampler_destroy(objects->sampler);
    crd_query_destroy(objects->observations);
    crd_sequence_query_destroy(objects->query);
    crd_hmm_destroy(objects->hmm);
    crd_model_destroy(objects->model);
    crd_sequences_destroy(objects->some);
    crd_sequences_destroy(objects->sequences);
    crd_settings_destroy(objects->settings);
    crd_reader_close(objects->reader);
}

static crd_status train(sequences_objects *objects, crd_context *context, crd_error *error) {
    crd_sequence_options options = CRD_SEQUENCE_OPTIONS_INIT;
    static const size_t chosen[] = {1, 0};
    options.sequence = crd_text_of("id");
    crd_status status = crd_settings_create(context, &objects->settings, error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK) status = crd_settings_set(objects->settings, "order", crd_text_of("2"), error);
    if (status == CRD_OK) status = open_text(context, rows, strlen(rows), "s", &objects->reader, error);
    if (status == CRD_OK) status = crd_sequences_read(objects->reader, &options, &objects->sequences, error);
    if (status == CRD_OK)
        status = crd_sequences_train(objects->sequences, objects->settings, &objects->model, NULL, error);
    if (status == CRD_OK) status = crd_hmm_create(objects->model, NULL, &objects->hmm, error);
    if (status == CRD_OK) status = crd_sequences_select(objects->sequences, chosen, 2, &objects->some, error);
    return status;
}

static crd_status ask(sequences_objects *objects, crd_error *error) {
    double a[STATES], b[STATES], c[STATES], d[STATES], terms[(ATTRIBUTES + 1) * STATES], log_likelihood, log_joint;
    const crd_state_at state[2] = {{0, 0}, {1, 1}};
    crd_step_explanation explanation = CRD_STEP_EXPLANATION_INIT;
    crd_state_context contexts[CONTEXTS];
    size_t count;
    int32_t path[3];
    crd_status status = crd_sequence_query_create(objects->hmm, objects->some, &objects->query, error);
    if (status == CRD_OK)
        status = crd_sequence_query_joint(objects->query, 1, state, 2, &log_likelihood, &log_joint, error);
    if (status == CRD_OK) status = crd_sequence_query_best_path(objects->query, 1, state, 1, &log_joint, path, error);
    if (status == CRD_OK) status = crd_sequence_query_forecast(objects->query, 1, 1, a, error);
    if (status == CRD_OK) status = crd_sequence_query_explain(objects->query, 1, 1, a, b, c, d, &explanation, error);
    if (status == CRD_OK) status = crd_sequence_query_terms(objects->query, 1, 1, terms, error);
    if (status == CRD_OK) status = crd_hmm_long_run(objects->hmm, a, b, error);
    if (status == CRD_OK) status = crd_hmm_contexts(objects->hmm, contexts, CONTEXTS, &count, error);
    if (status == CRD_OK) status = crd_hmm_observation_query(objects->model, NULL, &objects->observations, error);
    return status == CRD_OK ? crd_sequence_sampler_create(objects->model, NULL, 1, &objects->sampler, error) : status;
}

static crd_status evaluate(sequences_objects *objects, crd_context *context, crd_error *error) {
    static const crd_text classes[STATES] = {{"A", 1}, {"B", 1}};
    crd_sequence_evaluation_options options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    size_t length = 0;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    options.threads = 1;
    split.folds = 2;
    crd_status status = crd_sequence_evaluation_create(context, classes, STATES, &options, &objects->evaluation, error);
    if (status == CRD_OK)
        status = crd_sequence_evaluation_add(objects->evaluation, objects->hmm, objects->sequences, error);
    objects->context = context;
    if (status == CRD_OK) status = crd_sequence_evaluation_encode(objects->evaluation, &objects->bytes, &length, error);
    if (status == CRD_OK)
        status = crd_sequence_evaluation_decode(context, objects->bytes, length, &objects->decoded, error);
    if (status == CRD_OK) status = crd_sequence_evaluation_merge(objects->decoded, objects->evaluation, error);
    if (status != CRD_OK) return status;
    return crd_sequence_validate(objects->sequences, crd_text_of("s"), objects->settings, NULL, &split, &options, NULL,
                                 &objects->validation, error);
}

/* Training has a test of its own: of the allocations of models of folds every so many fail. */

static crd_status ask_and_evaluate(sequences_objects *objects, crd_context *context, crd_error *error) {
    crd_status status = ask(objects, error);
    return status == CRD_OK ? evaluate(objects, context, error) : status;
}

static void each_allocation_fails(void **state) {
    (void)state;
    for (allocation_trial trial = {.dense = 400, .divisor = 30}; allocation_trial_next(&trial);) {
        sequences_objects objects = {0};
        crd_error error = {.status = CRD_OK};
        assert_done(train(&objects, trial.context, &error), error);
        assert_allocation_fails(&trial, ask_and_evaluate(&objects, trial.context, &error), CRD_OK, error);
        destroy(&objects);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
