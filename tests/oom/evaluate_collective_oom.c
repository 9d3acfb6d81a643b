/* SPDX-License-Identifier: MIT */
/* Allocations of one process of a group fail while all of them judge sequences, each its share: the others fail as it does, with its
 * error, and none waits for ever. */
#include "shortage_support.h"

#include <credence/hmm_answers.h>
#include <credence/sequence.h>
#include <credence/sequence_classes.h>

#include <signal.h>

static const char TABLE[] = "id,x,s\na,1,k\na,2,k\nb,5,l\nb,7,l\nc,2,k\nc,3,k\nd,6,l\ne,1,k\n";

/* What the processes have alike. */
typedef struct collective_judgment {
    crd_sequences *sequences;
    crd_model *model;
    crd_hmm *hmm;
    crd_sequence_classifier *classifier;
    crd_sequence_evaluation *labels;
    crd_evaluation *classes;
} collective_judgment;

static crd_status make_model(bool is_of_classes, collective_judgment *judgment, crd_settings *settings,
                             crd_error *error) {
    crd_hmm_train_options training = CRD_HMM_TRAIN_OPTIONS_INIT;
    training.threads = 1;
    training.restarts = 1;
    training.most_steps = 2;
    crd_status status =
        is_of_classes ? crd_sequence_classes_train(judgment->sequences, settings, &training, &judgment->model, error)
                      : crd_sequences_train(judgment->sequences, settings, &judgment->model, NULL, error);
    if (status != CRD_OK) return status;
    return is_of_classes ? crd_sequence_classifier_create(judgment->model, NULL, &judgment->classifier, error)
                         : crd_hmm_create(judgment->model, NULL, &judgment->hmm, error);
}

static crd_status prepare(crd_context *context, bool is_of_classes, collective_judgment *judgment, crd_error *error) {
    const crd_text labels[] = {{"k", 1}, {"l", 1}};
    crd_sequence_options where = CRD_SEQUENCE_OPTIONS_INIT;
    crd_sequence_evaluation_options options = CRD_SEQUENCE_EVALUATION_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_reader *reader = NULL;
    where.sequence = crd_text_of("id");
    options.threads = 1;
    crd_status status = open_text(context, TABLE, strlen(TABLE), "s", &reader, error);
    if (status == CRD_OK) status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK) status = crd_settings_set(settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK && is_of_classes) status = crd_settings_set(settings, "states", crd_text_of("1"), error);
    if (status == CRD_OK) status = crd_sequences_read(reader, &where, &judgment->sequences, error);
    if (status == CRD_OK) status = make_model(is_of_classes, judgment, settings, error);
    if (status == CRD_OK) status = crd_evaluation_create(context, labels, 2, &judgment->classes, error);
    if (status == CRD_OK)
        status = crd_sequence_evaluation_create(context, labels, 2, &options, &judgment->labels, error);
    crd_settings_destroy(settings);
    crd_reader_close(reader);
    return status;
}

static crd_status judge(crd_context *context, bool is_of_classes, crd_error *error) {
    collective_judgment all = {0};
    uint64_t unlabeled = 0;
    is_rich = true;
    crd_i_group *group = crd_i_group_leave(context);
    crd_status status = prepare(context, is_of_classes, &all, error);
    crd_i_group_join(context, group);
    is_rich = false;
    is_together = true;
    if (status == CRD_OK)
        status = is_of_classes ? crd_sequence_classifier_evaluate(all.classifier, all.sequences, 1, all.classes,
                                                                  &unlabeled, error)
                               : crd_sequence_evaluation_add(all.labels, all.hmm, all.sequences, error);
    crd_sequence_evaluation_destroy(all.labels);
    crd_evaluation_destroy(all.classes);
    crd_sequence_classifier_destroy(all.classifier);
    crd_hmm_destroy(all.hmm);
    crd_model_destroy(all.model);
    crd_sequences_destroy(all.sequences);
    return status;
}

static crd_status judge_labels(crd_context *context, const void *rows, crd_error *error) {
    (void)rows;
    return judge(context, false, error);
}

static crd_status judge_classes(crd_context *context, const void *rows, crd_error *error) {
    (void)rows;
    return judge(context, true, error);
}

static void test_fails_together_judging_labels(void **state) {
    (void)state;
    fail_in_each_process(judge_labels, NULL, SHORT_PROCESSES);
}

static void test_fails_together_judging_classes(void **state) {
    (void)state;
    fail_in_each_process(judge_classes, NULL, SHORT_PROCESSES);
}

int main(void) {
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fails_together_judging_labels),
                                       cmocka_unit_test(test_fails_together_judging_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
