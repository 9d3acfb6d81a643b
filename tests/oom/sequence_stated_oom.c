/* SPDX-License-Identifier: MIT */
/* Each allocation of reading the text of a hidden Markov model and writing it, and of classifying whole sequences, fails in turn: an error every time, and no leak. */
#include "model_support.h"

#include <credence/export.h>

static const char *const texts[] = {
    "{\"credence_hmm\": 1, \"states\": [\"a\", \"b\"], \"start\": [1, 0], \"transitions\": [[0.5, 0.5], [0, 1]],"
    "\"components\": [[1, 0], [0.5, 0.5]], \"sequence\": \"id\", \"time\": \"t\", \"step\": 2, \"observations\": ["
    "{\"names\": [\"x\", \"y\"], \"family\": \"normal\", \"mean\": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],"
    " \"covariance\": [[[[1, 0], [0, 1]], [[2, 1], [1, 2]]], [[[1, 0], [0, 1]], [[2, 1], [1, 2]]]]},"
    "{\"name\": \"e\", \"family\": \"exponential\", \"rate\": [[1, 2], [3, 4]]},"
    "{\"name\": \"c\", \"family\": \"categorical\", \"values\": [\"v\", \"w\"], \"probability\": [[[1, 0], [1, 0]], "
    "[[0.5, 0.5], [0, 1]]]}]}",
    "{\"credence_hmm\": 1, \"order\": 2, \"states\": [\"a\", \"b\"], \"start\": [1, 0], \"target\": \"s\","
    "\"transitions\": [{\"after\": [\"a\"], \"to\": [0.5, 0.25], \"end\": 0.25}, {\"after\": [\"a\", \"a\"], \"to\": "
    "[1, 0]},"
    "{\"after\": [\"a\", \"b\"], \"to\": [0, 0], \"end\": 1}], \"observations\": ["
    "{\"name\": \"g\", \"family\": \"gaussian\", \"mean\": [1, 2], \"deviation\": [1, 2]},"
    "{\"name\": \"u\", \"family\": \"uniform\", \"least\": [1, 2], \"greatest\": [2, 4]}]}"};

static int take_part(void *user, const char *bytes, size_t length) {
    (void)user, (void)bytes, (void)length;
    return 0;
}

static crd_status read_and_write(crd_context *context, const char *text, crd_model **model, crd_error *error) {
    crd_status status = crd_hmm_read(context, text, strlen(text), model, error);
    return status == CRD_OK ? crd_model_export(*model, NULL, CRD_EXPORT_HMM, NULL, take_part, NULL, error) : status;
}

static void allocations_fail(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (allocation_trial trial = {.divisor = 20}; allocation_trial_next(&trial);) {
            crd_model *model = NULL;
            crd_error error;
            assert_allocation_fails(&trial, read_and_write(trial.context, texts[i], &model, &error), CRD_OK, error);
            crd_model_destroy(model);
        }
}

/* Classes of whole sequences: trained, written and read, asked. */
static crd_status classify(crd_context *context, crd_model **models, crd_sequences **sequences, crd_reader **reader,
                           crd_sequence_classifier **classifier, unsigned char **bytes, crd_error *error) {
    static const char rows[] = "id,x,k\n1,1,p\n1,2,p\n2,3,q\n2,5,q\n";
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    double logs[4], posteriors[4];
    size_t length;
    where.sequence = crd_text_of("id");
    options.states = options.restarts = options.most_steps = 1;
    options.threads = 1;
    options.source = &where;
    crd_status status = open_text(context, rows, sizeof rows - 1, "k", reader, error);
    if (status == CRD_OK) status = crd_sequences_read(*reader, &where, sequences, error);
    if (status == CRD_OK) status = crd_sequence_classes_train(*sequences, NULL, &options, &models[0], error);
    if (status == CRD_OK) status = crd_model_encode(models[0], bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, *bytes, length, &models[1], error);
    if (status == CRD_OK) status = crd_sequence_classifier_create(models[1], NULL, classifier, error);
    if (status == CRD_OK)
        status = crd_sequence_classifier_posteriors(*classifier, *sequences, 1, logs, posteriors, NULL, error);
    return status;
}

static void classes_fail(void **state) {
    (void)state;
    for (allocation_trial trial = {.divisor = 20}; allocation_trial_next(&trial);) {
        crd_model *models[2] = {NULL, NULL};
        crd_sequences *sequences = NULL;
        crd_reader *reader = NULL;
        crd_sequence_classifier *classifier = NULL;
        unsigned char *bytes = NULL;
        crd_error error;
        assert_allocation_fails(
            &trial, classify(trial.context, models, &sequences, &reader, &classifier, &bytes, &error), CRD_OK, error);
        crd_free(trial.context, bytes);
        crd_sequence_classifier_destroy(classifier);
        crd_sequences_destroy(sequences);
        crd_reader_close(reader);
        for (size_t i = 0; i < 2; i++) crd_model_destroy(models[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail), cmocka_unit_test(classes_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
