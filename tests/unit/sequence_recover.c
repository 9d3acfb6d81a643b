/* SPDX-License-Identifier: MIT */
/* Sequences that are drawn from a known hidden Markov model, and the model found again in them: by counting where states are known, by Baum
 * and Welch's algorithm where they are hidden.
 *
 * Tolerances are multiples of the standard errors of the estimates: a probability p of n steps has sqrt(p (1 - p) / n), a mean d / sqrt(n),
 * a deviation d / sqrt(2 n). States that are hidden are less sure than known ones, by no more than twice here, since their means are three
 * deviations apart. */
#include "model_support.h"

#include "math/random.h"

enum { STATES = 3, SEQUENCES = 200, STEPS = 50, ROWS = SEQUENCES * STEPS, VALUES = 2 };

static const double START[STATES] = {0.6, 0.3, 0.1};
static const double NEXT[STATES][STATES] = {{0.8, 0.15, 0.05}, {0.1, 0.8, 0.1}, {0.25, 0.05, 0.7}};
static const double MEAN[STATES] = {0, 3, 6}, DEVIATION[STATES] = {1, 0.8, 1.2};
static const double YES[STATES] = {0.9, 0.5, 0.2};

static double numbers[ROWS];
static int32_t codes[ROWS], labels[ROWS];

static size_t pick(crd_i_random *random, const double *probabilities) {
    double left = crd_i_random_uniform(random);
    size_t k = 0;
    while (k + 1 < STATES && (left -= probabilities[k]) >= 0) k++;
    return k;
}

static void draw_rows(void) {
    for (size_t s = 0; s < SEQUENCES; s++) {
        crd_i_random random = crd_i_random_at(2026, s);
        size_t k = pick(&random, START);
        for (size_t t = 0; t < STEPS; t++) {
            const size_t row = s * STEPS + t;
            if (t > 0) k = pick(&random, NEXT[k]);
            labels[row] = (int32_t)k;
            numbers[row] = MEAN[k] + DEVIATION[k] * crd_i_random_normal(&random);
            codes[row] = crd_i_random_uniform(&random) < YES[k] ? 0 : 1;
        }
    }
}

static crd_frame *make_frame(crd_context *context) {
    static const crd_text answers[] = {{"yes", 3}, {"no", 2}}, names[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    crd_frame *frame;
    crd_error error;
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("x"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("answer"), codes, NULL, answers, VALUES, &error), error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("s"), labels, NULL, names, STATES, &error), error);
    return frame;
}

/* Whether the model is that which the rows were drawn from, within so many standard errors. */
static void check_found(const crd_model *model, double errors) {
    crd_hmm *hmm;
    crd_error error;
    crd_term term = CRD_TERM_INIT;
    double rows[STATES] = {0}, means[STATES];
    size_t state_of[STATES] = {0, 1, 2};
    for (size_t i = 0; i < ROWS; i++) rows[labels[i]]++;
    assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
    assert_int_equal(crd_hmm_state_count(hmm), STATES);
    const crd_classifier *emissions = crd_hmm_facts_of(hmm)->emissions;
    const size_t x = crd_text_equal(crd_classifier_attribute(emissions, 0), crd_text_of("x")) ? 0 : 1;
    double deviation;
    for (size_t k = 0; k < STATES; k++)
        assert_done(crd_classifier_moments(emissions, x, k, &means[k], &deviation, &error), error);
    for (size_t a = 0; a < STATES; a++)
        for (size_t b = a + 1; b < STATES; b++)
            if (means[state_of[b]] < means[state_of[a]]) {
                const size_t kept = state_of[a];
                state_of[a] = state_of[b];
                state_of[b] = kept;
            }
    const crd_value yes = {CRD_TYPE_CATEGORICAL, 0, {"yes", 3}};
    for (size_t a = 0; a < STATES; a++) {
        const size_t k = state_of[a];
        double mean;
        assert_near(crd_hmm_start(hmm, k), START[a], errors * sqrt(START[a] * (1 - START[a]) / SEQUENCES));
        assert_done(crd_classifier_moments(emissions, x, k, &mean, &deviation, &error), error);
        assert_near(mean, MEAN[a], errors * DEVIATION[a] / sqrt(rows[a]));
        assert_near(deviation, DEVIATION[a], errors * DEVIATION[a] / sqrt(2 * rows[a]));
        assert_done(crd_classifier_term(emissions, 1 - x, k, &yes, &term, &error), error);
        assert_near(exp(term.log_value), YES[a], errors * sqrt(YES[a] * (1 - YES[a]) / rows[a]));
        for (size_t b = 0; b < STATES; b++)
            assert_near(crd_hmm_transition(hmm, &k, 1, state_of[b]), NEXT[a][b],
                        errors * sqrt(NEXT[a][b] * (1 - NEXT[a][b]) / rows[a]));
    }
    crd_hmm_destroy(hmm);
}

static void test_recover(void **state) {
    (void)state;
    crd_context *context;
    crd_error error;
    crd_sequences *sequences;
    crd_settings *settings;
    crd_model *model;
    size_t lengths[SEQUENCES];
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    draw_rows();
    crd_frame *frame = make_frame(context);
    for (size_t i = 0; i < SEQUENCES; i++) lengths[i] = STEPS;
    assert_done(crd_sequences_from_frame(context, frame, crd_text_of("s"), lengths, SEQUENCES, &sequences, &error),
                error);
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("sequence"), &error), error);

    assert_done(crd_sequences_train(sequences, settings, &model, NULL, &error), error);
    check_found(model, 3.5);
    crd_model_destroy(model);

    crd_hmm_train_options options = CRD_HMM_TRAIN_OPTIONS_INIT;
    options.states = STATES;
    options.restarts = 3;
    options.threads = 1;
    options.ignore_labels = 1;
    assert_done(crd_hmm_train(sequences, crd_text_of("hidden"), settings, &options, &model, NULL, &error), error);
    check_found(model, 7);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    crd_sequences_destroy(sequences);
    crd_frame_destroy(frame);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_recover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
