/* SPDX-License-Identifier: MIT */
/* Each allocation of finding latent classes, of learning from rows without a label, and of comparing labelings and spans, fails in
 * turn: an error every time, and no leak. */
#include "evaluate/cross_validation.h"
#include "evaluate/evaluation.h"
#include "model_support.h"

static const char rows[] = "w,size,color\n"
                           "1,1.5,red\n"
                           "2,?,green\n"
                           "1,2,red\n"
                           "1,7,blue\n"
                           "0.5,2,\n"
                           "1,8,green\n";

static const char labeled[] = "x,k\n1,a\n2,a\n5,b\n7,\n";

typedef struct latent_objects {
    crd_reader *reader;
    crd_model *model;
    crd_fit *fit;
    crd_labeling *labeling;
    crd_spans *spans;
    crd_i_cross_validation *validation;
    crd_posteriors *posteriors;
} latent_objects;

/* Folds of which each model learns from rows without a label. */
static crd_status validate(latent_objects *objects, crd_context *context, const crd_unlabeled_options *few,
                           crd_error *error) {
    static const uint32_t folds[] = {0, 1, 1, CRD_NO_FOLD};
    const crd_frame *frame;
    crd_status status = open_text(context, labeled, strlen(labeled), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_reader_set_target(objects->reader, 1, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_create(context, crd_text_of("k"), NULL, &objects->validation, error);
    if (status == CRD_OK) status = crd_i_cross_validation_use_unlabeled(objects->validation, few, error);
    if (status == CRD_OK) status = crd_reader_next(objects->reader, &frame, error);
    if (status == CRD_OK) status = crd_i_cross_validation_learn(objects->validation, frame, folds, error);
    if (status == CRD_OK) status = crd_i_cross_validation_finish(objects->validation, error);
    if (status == CRD_OK) status = crd_posteriors_create(context, &objects->posteriors, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_classify(objects->validation, frame, folds, objects->posteriors, error);
    return status;
}

static crd_status find_classes(latent_objects *objects, crd_context *context, const crd_unlabeled_options *few,
                               crd_error *error) {
    crd_latent_options options = CRD_LATENT_OPTIONS_INIT;
    crd_i_source *bytes;
    (void)few;
    options.criterion = CRD_FIT_HELD_OUT;
    options.max_classes = 1;
    options.threads = 1;
    crd_status status = crd_i_source_memory(context, rows, strlen(rows), true, &bytes, error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, bytes, "table", NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_reader_set_weight(objects->reader, 0, error);
    if (status == CRD_OK)
        status =
            crd_latent_train(objects->reader, crd_text_of("k"), NULL, &options, &objects->model, &objects->fit, error);
    return status;
}

static crd_status learn_partly(latent_objects *objects, crd_context *context, const crd_unlabeled_options *few,
                               crd_error *error) {
    crd_unlabeled_options options = *few;
    options.weight = -1;
    crd_status status = open_text(context, labeled, strlen(labeled), NULL, &objects->reader, error);
    if (status == CRD_OK) status = crd_reader_set_target(objects->reader, 1, error);
    if (status == CRD_OK) status = crd_unlabeled_train(objects->reader, NULL, &options, &objects->model, NULL, error);
    return status;
}

static crd_status compare(latent_objects *objects, crd_context *context, const crd_unlabeled_options *few,
                          crd_error *error) {
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    (void)few;
    crd_status status = crd_labeling_create(context, &objects->labeling, error);
    if (status == CRD_OK) status = crd_labeling_add(objects->labeling, crd_text_of("1"), crd_text_of("a"), 1, error);
    if (status == CRD_OK) status = crd_labeling_score(objects->labeling, &scores, error);
    if (status == CRD_OK) status = crd_i_spans_create(context, CRD_SPANS_AUTO, &objects->spans, error);
    return status == CRD_OK ? crd_i_spans_add(objects->spans, crd_text_of("B-a"), crd_text_of("I-b"), error) : status;
}

typedef crd_status (*latent_life)(latent_objects *objects, crd_context *context, const crd_unlabeled_options *few,
                                  crd_error *error);

static void every_allocation_of(latent_life part) {
    crd_unlabeled_options few = CRD_UNLABELED_OPTIONS_INIT;
    few.weight = 0.5;
    few.most_steps = 2;
    few.threads = 1;
    for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
        latent_objects objects = {0};
        crd_error error;
        assert_allocation_fails(&trial, part(&objects, trial.context, &few, &error), CRD_OK, error);
        crd_posteriors_destroy(objects.posteriors);
        crd_i_cross_validation_destroy(objects.validation);
        crd_labeling_destroy(objects.labeling);
        crd_i_spans_destroy(objects.spans);
        crd_fit_destroy(objects.fit);
        crd_model_destroy(objects.model);
        crd_reader_close(objects.reader);
    }
}

static void every_allocation(void **state) {
    static const latent_life parts[] = {find_classes, learn_partly, validate, compare};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) every_allocation_of(parts[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
