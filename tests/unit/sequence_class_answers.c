/* SPDX-License-Identifier: MIT */
/* Classes of whole sequences: posteriors are Bayes' rule over the classes' models, files are read back, and sequences of two classes are
 * refused. */
#include "model_support.h"

#include "math/random.h"

enum { SEQUENCES = 40, STEPS = 25, ROWS = SEQUENCES * STEPS };

static double numbers[ROWS];
static int32_t labels[ROWS];
static size_t lengths[SEQUENCES];

/* Both classes have the numbers 0 and 4, with noise: in `slow` they stay what they are, in `fast` they change at nearly every step. So
 * what tells them apart is the order alone. One row of each sequence has no label. */
static void draw_rows(void) {
    for (size_t s = 0; s < SEQUENCES; s++) {
        crd_i_random random = crd_i_random_at(5, s);
        const bool is_fast = s % 4 == 0;
        bool is_high = crd_i_random_uniform(&random) < 0.5;
        lengths[s] = STEPS;
        for (size_t t = 0; t < STEPS; t++) {
            if (crd_i_random_uniform(&random) < (is_fast ? 0.9 : 0.1)) is_high = !is_high;
            numbers[s * STEPS + t] = (is_high ? 4 : 0) + crd_i_random_normal(&random);
            labels[s * STEPS + t] = t == s % STEPS ? -1 : is_fast ? 1 : 0;
        }
    }
}

static crd_sequences *sequences_of(crd_context *context, crd_frame **frame) {
    static const crd_text names[] = {{"slow", 4}, {"fast", 4}};
    crd_sequences *sequences;
    crd_error error;
    assert_done(crd_frame_create(context, ROWS, frame, &error), error);
    assert_done(crd_frame_add_codes(*frame, crd_text_of("kind"), labels, NULL, names, 2, &error), error);
    assert_done(crd_frame_add_numbers(*frame, crd_text_of("x"), numbers, NULL, &error), error);
    assert_done(crd_sequences_from_frame(context, *frame, crd_text_of("kind"), lengths, SEQUENCES, &sequences, &error),
                error);
    return sequences;
}

static crd_settings *settings_with(crd_context *context, const char *states, const char *prior) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("sequence"), &error), error);
    assert_done(crd_settings_set(settings, "states", crd_text_of(states), &error), error);
    assert_done(crd_settings_set(settings, "prior", crd_text_of(prior), &error), error);
    return settings;
}

static crd_model *reread(crd_context *context, crd_model *model) {
    unsigned char *bytes, *again;
    size_t length, again_length;
    crd_error error;
    crd_model *read;
    assert_done(crd_model_encode(model, &bytes, &length, &error), error);
    assert_done(crd_model_decode(context, bytes, length, &read, &error), error);
    assert_done(crd_model_encode(read, &again, &again_length, &error), error);
    assert_int_equal(length, again_length);
    assert_memory_equal(bytes, again, length);
    crd_free(context, bytes);
    crd_free(context, again);
    crd_model_destroy(model);
    return read;
}

/* Returns whether the first label of a sequence is a class. */
static bool has_label(const crd_sequences *sequences, size_t sequence, crd_text class_name) {
    crd_sequence_cursor *cursor;
    crd_error error;
    assert_done(crd_sequence_cursor_create(sequences, &cursor, &error), error);
    int32_t label = -1;
    for (uint64_t step = 0; label < 0 && step < crd_sequences_length(sequences, sequence); step++) {
        assert_done(crd_sequence_cursor_move(cursor, sequence, step, &error), error);
        label = crd_sequence_cursor_label(cursor);
    }
    crd_sequence_cursor_destroy(cursor);
    return label >= 0 && crd_text_equal(crd_sequences_label(sequences, (size_t)label), class_name);
}

/* How many sequences are of the class that their labels name. */
static size_t check_answers(const crd_model *model, const crd_settings *settings, const crd_sequences *sequences,
                            const double *priors) {
    crd_sequence_classifier *classifier;
    crd_error error;
    double logs[2 * SEQUENCES], posteriors[2 * SEQUENCES], log_likelihoods[SEQUENCES];
    crd_sequence_answer answers[SEQUENCES] = {CRD_SEQUENCE_ANSWER_INIT};
    size_t right = 0;
    assert_done(crd_sequence_classifier_create(model, settings, &classifier, &error), error);
    assert_done(crd_sequence_classifier_posteriors(classifier, sequences, 2, logs, posteriors, answers, &error), error);
    for (size_t k = 0; k < 2; k++) {
        assert_near(exp(classifier->log_priors[k]), priors[k], 1e-15);
        assert_done(crd_hmm_log_likelihoods(classifier->hmms[k], sequences, 1, log_likelihoods, &error), error);
        for (size_t i = 0; i < SEQUENCES; i++) assert_true(logs[2 * i + k] == log_likelihoods[i]);
    }
    for (size_t i = 0; i < SEQUENCES; i++) {
        const double fast = log(priors[0]) + logs[2 * i], slow = log(priors[1]) + logs[2 * i + 1];
        const double evidence = fmax(fast, slow) + log1p(exp(-fabs(fast - slow)));
        assert_near(answers[i].log_evidence, evidence, 1e-9);
        assert_near(posteriors[2 * i], fast - evidence, 1e-9);
        assert_int_equal(answers[i].decision, fast > slow ? 0 : 1);
        const size_t decision = (size_t)answers[i].decision;
        right += has_label(sequences, i, classifier->classes->names[decision]);
    }
    crd_sequence_classifier_destroy(classifier);
    return right;
}

static void test_answers(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    crd_frame *frame;
    crd_model *model;
    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    options.restarts = 3;
    options.threads = 1;
    draw_rows();
    crd_sequences *sequences = sequences_of(context, &frame);
    crd_settings *settings = settings_with(context, "2", "frequency"), *even = settings_with(context, "2", "uniform");
    assert_done(crd_sequence_classes_train(sequences, settings, &options, &model, &error), error);
    model = reread(context, model);
    assert_true(crd_model_sequence_classes(model) != NULL && !crd_model_is_sequence(model));
    assert_int_equal(crd_model_sequence_classes(model)->count, 2);
    assert_true(crd_text_equal(crd_model_sequence_classes(model)->names[0], crd_text_of("fast")));
    assert_true(crd_model_sequence_classes(model)->sequences[0] == 10);
    assert_true(crd_text_equal(crd_model_target(model), crd_text_of("kind")));
    assert_int_equal(check_answers(model, NULL, sequences, (const double[]){0.25, 0.75}), SEQUENCES);
    (void)check_answers(model, even, sequences, (const double[]){0.5, 0.5});
    crd_model_destroy(model);
    crd_settings_destroy(settings);

    /* One state knows nothing of the order. */
    settings = settings_with(context, "1", "frequency");
    assert_done(crd_sequence_classes_train(sequences, settings, &options, &model, &error), error);
    assert_true(check_answers(model, NULL, sequences, (const double[]){0.25, 0.75}) < SEQUENCES);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    crd_settings_destroy(even);
    crd_sequences_destroy(sequences);
    crd_frame_destroy(frame);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void test_refused(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    crd_frame *frame;
    crd_model *model;
    draw_rows();
    labels[3 * STEPS + 7] = 1;
    crd_sequences *sequences = sequences_of(context, &frame);
    assert_int_equal(crd_sequence_classes_train(sequences, NULL, NULL, &model, &error), CRD_ERROR_SYNTAX);
    assert_null(model);
    assert_non_null(strstr(error.message, "sequence 4 has two classes, 'slow' and 'fast'"));
    crd_sequences_destroy(sequences);
    crd_frame_destroy(frame);
    for (size_t i = 0; i < ROWS; i++) labels[i] = -1;
    sequences = sequences_of(context, &frame);
    assert_int_equal(crd_sequence_classes_train(sequences, NULL, NULL, &model, &error), CRD_ERROR_EMPTY);
    crd_sequences_destroy(sequences);
    crd_frame_destroy(frame);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_answers), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
