/* SPDX-License-Identifier: MIT */
/* Allocations of what is asked about the words of texts, and of texts that are drawn, fail in turn: an error every time,
 * and no leak. */
#include "model_support.h"

static const crd_text TEXTS[] = {{"buy cheap pills now", 19}, {"see you at lunch", 16}, {"cheap lunch", 11}};
static const crd_text CLASSES[] = {{"spam", 4}, {"ham", 3}, {"ham", 3}};
enum { ROWS = 3 };

typedef struct words_objects {
    crd_text_words *words;
    crd_informative_words *telling;
    crd_sampler *sampler;
    char *text;
} words_objects;

static crd_status ask(const crd_model *model, const crd_classifier *classifier, words_objects *objects,
                      crd_error *error) {
    double values[2], probabilities[2];
    size_t length;
    const crd_text view = {"cheap lunch now unknown", 23};
    crd_status status = crd_text_words_create(classifier, 0, view, &objects->words, error);
    if (status == CRD_OK) status = crd_informative_words_create(classifier, 0, 2, &objects->telling, error);
    if (status == CRD_OK)
        status = crd_classifier_word(classifier, 0, crd_text_of("cheap"), values, probabilities, NULL, error);
    if (status == CRD_OK) status = crd_sampler_create(model, NULL, NULL, 1, &objects->sampler, error);
    if (status == CRD_OK) status = crd_sampler_text(objects->sampler, 0, 0, &objects->text, &length, error);
    return status;
}

static void allocations_fail(void **state) {
    (void)state;
    allocations counted = {0};
    crd_error error;
    crd_frame *frame;
    crd_model *model;
    crd_context *context = counted_context(&counted);
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_documents(frame, crd_text_of("body"), TEXTS, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), CLASSES, &error), error);
    assert_done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, frame, &error), error);
    allocation_trial trial = {.counted = &counted};
    while (allocation_trial_next(&trial)) {
        words_objects objects = {NULL, NULL, NULL, NULL};
        crd_classifier *classifier;
        assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
        assert_allocation_fails(&trial, ask(model, classifier, &objects, &error), CRD_OK, error);
        crd_text_words_destroy(objects.words);
        crd_informative_words_destroy(objects.telling);
        crd_sampler_destroy(objects.sampler);
        crd_free(context, objects.text);
        crd_classifier_destroy(classifier);
    }
    assert_true(trial.failures > 20);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
