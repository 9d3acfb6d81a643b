/* SPDX-License-Identifier: MIT */
/* Threads share one classifier: each gets, to the bit, what one thread alone gets. */
#include "model_support.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 200, ROWS = 50 };

static const crd_classifier *shared;
static const crd_frame *frame;
static double wanted[ROWS][3];

static void *ask(void *failures) {
    crd_posteriors *posteriors;
    crd_context *context;
    crd_error error;
    double logs[3];
    crd_answer answer;
    size_t *failed = failures;
    if (crd_context_create(NULL, &context) != CRD_OK) return NULL;
    if (crd_posteriors_create(context, &posteriors, &error) != CRD_OK) return NULL;
    *failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        *failed += crd_classifier_classify(shared, frame, posteriors, &error) != CRD_OK;
        for (size_t row = 0; row < crd_posteriors_rows(posteriors); row++) {
            crd_value values[] = {crd_frame_value(frame, row, 0), crd_frame_value(frame, row, 1)};
            *failed += memcmp(crd_posteriors_log(posteriors, row), wanted[row], sizeof wanted[row]) != 0;
            *failed += crd_classifier_posterior(shared, values, logs, NULL, &answer, &error) != CRD_OK;
            *failed += memcmp(logs, wanted[row], sizeof logs) != 0;
        }
    }
    crd_posteriors_destroy(posteriors);
    crd_context_destroy(context);
    return NULL;
}

static void threads_share_a_classifier(void **state) {
    (void)state;
    crd_context *context;
    crd_error error;
    crd_model *model;
    crd_classifier *classifier;
    crd_frame *new_frame;
    double numbers[ROWS];
    crd_text colors[ROWS], classes[ROWS];
    static const char *const words[] = {"red", "green", "blue", "gray", "pink"};
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (size_t row = 0; row < ROWS; row++) {
        numbers[row] = (double)(row * row % 17) / 3;
        colors[row] = crd_text_of(words[row * 7 % 5]);
        classes[row] = crd_text_of(words[row % 3]);
    }
    assert_done(crd_frame_create(context, ROWS, &new_frame, &error), error);
    assert_done(crd_frame_add_numbers(new_frame, crd_text_of("n"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_texts(new_frame, crd_text_of("color"), colors, &error), error);
    assert_done(crd_frame_add_texts(new_frame, crd_text_of("class"), classes, &error), error);
    assert_done(crd_model_create(context, new_frame, crd_text_of("class"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, new_frame, &error), error);
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    shared = classifier;
    frame = new_frame;
    for (size_t row = 0; row < ROWS; row++) {
        crd_value values[] = {number_value(numbers[row]), {CRD_TYPE_CATEGORICAL, 0, colors[row]}};
        crd_answer answer;
        assert_done(crd_classifier_posterior(classifier, values, wanted[row], NULL, &answer, &error), error);
    }
    pthread_t threads[THREADS];
    size_t failures[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        failures[i] = SIZE_MAX;
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &failures[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(failures[i], 0);
    }
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_frame_destroy(new_frame);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_a_classifier)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
