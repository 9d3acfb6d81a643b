/* SPDX-License-Identifier: MIT */
/* Calibration against steps found by brute force and a temperature that is known; and pools, by hand. */
#include "model_support.h"

#include "ensemble/ensemble_scorer.h"
#include "fit/held_out.h"
#include "unit/math_random.h"

static allocations counted;
static crd_context *context;

static int set_up(void **state) {
    (void)state;
    memset(&counted, 0, sizeof counted);
    context = counted_context(&counted);
    random_state = 77;
    return context == NULL;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return counted.live != 0;
}

static double draw_uniform(void) {
    return ((double)(random_bits() >> 11) + 0.5) / 9007199254740992.0;
}

/* The sum of twelve uniform numbers less six is normal enough. */
static double draw_normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += draw_uniform();
    return sum;
}

/* Two classes that are normal with deviation 1, `apart` from each other, in a column that is there so many times. */
static crd_model *model_of(size_t rows, double apart, size_t copies, const char *calibration) {
    enum { ROOM = 1 << 18 };
    char *text = malloc(ROOM);
    assert_non_null(text);
    size_t length = 0;
    for (size_t i = 0; i < copies; i++) length += (size_t)snprintf(text + length, ROOM - length, "x%zu,", i);
    length += (size_t)snprintf(text + length, ROOM - length, "class\n");
    for (size_t row = 0; row < rows; row++) {
        double x = draw_normal() + (row % 2 == 0 ? 0 : apart);
        for (size_t i = 0; i < copies; i++) length += (size_t)snprintf(text + length, ROOM - length, "%.6f,", x);
        length += (size_t)snprintf(text + length, ROOM - length, "%s\n", row % 2 == 0 ? "p" : "q");
        assert_true(length < ROOM - 200);
    }
    crd_settings *settings;
    crd_reader *reader;
    crd_model *model;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "calibration", crd_text_of(calibration), &error), error);
    assert_done(open_text(context, text, length, "class", &reader, &error), error);
    assert_done(crd_model_train(context, reader, settings, &model, NULL, &error), error);
    crd_reader_close(reader);
    crd_settings_destroy(settings);
    free(text);
    return model;
}

static crd_classifier *classifier_of(const crd_model *model) {
    crd_classifier *classifier;
    crd_error error;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    return classifier;
}

/* ---- Priors ---- */

/* A stated prior changes the odds of calibrated probabilities by as much as it differs from the shares of rows, which
 * are even here; and a class that is stated to be impossible is. */
static void stated_priors_shift_odds(void **state) {
    (void)state;
    static const char *const rules[] = {"isotonic", "platt"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        crd_model *model = model_of(300, 1, 2, rules[i]);
        crd_classifier *even = classifier_of(model), *shifted, *certain;
        crd_settings *settings;
        crd_error error;
        assert_done(crd_i_settings_copy(context, crd_classifier_settings(even), &settings, &error), error);
        assert_done(crd_settings_set(settings, "prior", crd_text_of("p=0.9,q=0.1"), &error), error);
        assert_done(crd_classifier_create(model, settings, &shifted, &error), error);
        assert_done(crd_settings_set(settings, "prior", crd_text_of("p=0,q=1"), &error), error);
        assert_done(crd_classifier_create(model, settings, &certain, &error), error);
        for (int row = 0; row < 20; row++) {
            double x = draw_normal() * 2, by_even[2], by_shifted[2], by_certain[2];
            const crd_value values[] = {number_value(x), number_value(x)};
            crd_answer answer;
            assert_done(crd_classifier_posterior(even, values, by_even, NULL, &answer, &error), error);
            assert_done(crd_classifier_posterior(shifted, values, by_shifted, NULL, &answer, &error), error);
            assert_done(crd_classifier_posterior(certain, values, by_certain, NULL, &answer, &error), error);
            double change = by_shifted[0] - by_shifted[1] - (by_even[0] - by_even[1]);
            assert_true(fabs(change - log(9)) < 1e-9);
            assert_true(by_certain[0] == -INFINITY && by_certain[1] == 0);
        }
        crd_settings_destroy(settings);
        crd_classifier_destroy(even);
        crd_classifier_destroy(shifted);
        crd_classifier_destroy(certain);
        crd_model_destroy(model);
    }
}

/* ---- Isotonic ---- */

/* What the calibration was fitted to: probabilities of the first class by models without the row's fold, ascending, and
 * whether the row is of it. */
typedef struct held_out {
    double probability;
    bool is_first;
} held_out;

static int compare_held_out(const void *a, const void *b) {
    const held_out *x = a, *y = b;
    return (x->probability > y->probability) - (x->probability < y->probability);
}

static void find_held_out(const crd_model *model, const crd_classifier *classifier, held_out *out, size_t rows) {
    crd_i_schema_view *order;
    crd_i_held_out *inner;
    crd_settings *settings;
    crd_error error;
    double *logs = malloc(rows * 2 * sizeof *logs);
    assert_non_null(logs);
    assert_done(crd_i_schema_view_create(model, &order, &error), error);
    assert_done(crd_i_held_out_create(model, classifier, order, "calibration", &inner, &error), error);
    assert_int_equal(crd_i_held_out_rows(inner), rows);
    assert_done(crd_i_held_out_settings(classifier, &settings, &error), error);
    assert_done(crd_i_held_out_hold_out(inner, settings, logs, &error), error);
    for (size_t row = 0; row < rows; row++) {
        out[row].probability = crd_exp(logs[row * 2]);
        out[row].is_first = crd_i_held_out_classes(inner)[row] == 0;
    }
    qsort(out, rows, sizeof *out, compare_held_out);
    crd_settings_destroy(settings);
    crd_i_held_out_destroy(inner);
    crd_i_schema_view_destroy(order);
    free(logs);
}

/* The isotonic regression at a row by its definition: the greatest of the least mean shares (Barlow and others
 * 1972). */
static double isotonic_at(const held_out *rows, size_t count, size_t index) {
    double greatest = -1;
    for (size_t first = 0; first <= index; first++) {
        double least = 2, positive = 0;
        for (size_t limit = first; limit < count; limit++) {
            positive += rows[limit].is_first;
            double mean = positive / (double)(limit - first + 1);
            if (limit >= index && mean < least) least = mean;
        }
        if (least > greatest) greatest = least;
    }
    return greatest;
}

static void isotonic_is_the_best_rising_line(void **state) {
    (void)state;
    enum { ROWS = 300 };
    held_out rows[ROWS];
    crd_model *model = model_of(ROWS, 1.2, 3, "isotonic");
    crd_classifier *classifier = classifier_of(model);
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    assert_true(crd_classifier_calibration(classifier, &calibration));
    assert_string_equal(calibration.rule, "isotonic");
    find_held_out(model, classifier, rows, ROWS);
    size_t points = 0;
    double share = 0, input, output;
    for (size_t row = 0; row < ROWS; row++) share += rows[row].is_first / (double)ROWS;
    for (size_t row = 0; row < ROWS; points++) {
        double value = isotonic_at(rows, ROWS, row), probability = 0, positive = 0, weight = 0;
        for (; row < ROWS && fabs(isotonic_at(rows, ROWS, row) - value) < 1e-12; row++) {
            probability += rows[row].probability;
            positive += rows[row].is_first;
            weight++;
        }
        assert_true(crd_classifier_calibration_point(classifier, 0, points, &input, &output));
        assert_near(input, probability / weight, 1e-12);
        assert_near(output, (positive + share) / (weight + 1), 1e-12);
    }
    assert_false(crd_classifier_calibration_point(classifier, 0, points, &input, &output));
    assert_true(points > 3);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* ---- Scaling ---- */

/* Three copies of a column say everything three times: log odds are three times what they should be. */
static void scaling_finds_the_temperature(void **state) {
    (void)state;
    crd_model *model = model_of(4000, 1.5, 3, "platt");
    crd_classifier *classifier = classifier_of(model);
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    assert_true(crd_classifier_calibration(classifier, &calibration));
    assert_string_equal(calibration.rule, "platt");
    assert_near(calibration.slope, 1.0 / 3, 0.03);
    crd_value values[] = {number_value(1.5), number_value(1.5), number_value(1.5)};
    double logs[2], raw_probabilities[2], probabilities[2];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_uncalibrated(classifier, values, logs, raw_probabilities, &answer, &error), error);
    assert_done(crd_classifier_posterior(classifier, values, logs, probabilities, &answer, &error), error);
    /* The truth: log odds of 1.5 (x - 0.75). */
    assert_near(probabilities[1], 1 / (1 + exp(-1.5 * 0.75)), 0.03);
    assert_true(raw_probabilities[1] > 0.95);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void without_calibration_there_is_none(void **state) {
    (void)state;
    crd_model *model = model_of(40, 1.5, 1, "none");
    crd_classifier *classifier = classifier_of(model);
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    double input, output;
    assert_false(crd_classifier_calibration(classifier, &calibration));
    assert_false(crd_classifier_calibration_point(classifier, 0, 0, &input, &output));
    assert_int_equal(crd_classifier_member_count(classifier), 0);
    assert_null(crd_classifier_ensemble_rule(classifier));
    assert_int_equal(crd_classifier_pair_count(classifier), 0);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* ---- Pools ---- */

/* Three members of weight .4, .3 and .3, of which one says that the class is the first, the others that it is not. */
static crd_i_ensemble_member members[] = {{.weight = .4}, {.weight = .3}, {.weight = .3}};
static const double of_logs[] = {0, -INFINITY, -INFINITY, 0, -INFINITY, 0};
static const double evidences[] = {-1, -2, -3};

static void average_by_hand(void **state) {
    (void)state;
    const crd_i_ensemble_scorer pool = {.rule = CRD_I_ENSEMBLE_AVERAGE, .members = members, .count = 3};
    double logs[2];
    double evidence = crd_i_ensemble_scorer_join(&pool, 2, of_logs, evidences, 0, logs);
    assert_near(crd_exp(logs[0]), .4, 1e-15);
    assert_near(crd_exp(logs[1]), .6, 1e-15);
    assert_near(evidence, log(.4 * exp(-1) + .3 * exp(-2) + .3 * exp(-3)), 1e-14);
    /* One that finds the row impossible has no say. */
    static const double silent[] = {-INFINITY, -INFINITY, -INFINITY, 0, 0, -INFINITY};
    evidence = crd_i_ensemble_scorer_join(&pool, 2, silent, evidences, 0, logs);
    assert_near(crd_exp(logs[0]) / crd_exp(logs[1]), 1, 1e-15);
    assert_near(evidence, log((exp(-2) + exp(-3)) / 2), 1e-14);
}

static void product_by_hand(void **state) {
    (void)state;
    double offsets[] = {.5, -.25};
    const crd_i_ensemble_scorer pool = {
        .rule = CRD_I_ENSEMBLE_PRODUCT, .members = members, .count = 3, .offsets = offsets};
    const double logs_of[] = {log(.8), log(.2), log(.5), log(.5), log(.1), log(.9)};
    double logs[2];
    double evidence = crd_i_ensemble_scorer_join(&pool, 2, logs_of, evidences, 0, logs);
    assert_near(logs[0], .5 + .4 * log(.8) + .3 * log(.5) + .3 * log(.1), 1e-15);
    assert_near(logs[1], -.25 + .4 * log(.2) + .3 * log(.5) + .3 * log(.9), 1e-15);
    assert_near(evidence, -.4 - .6 - .9, 1e-15);
    /* No member alone rules a class out. */
    crd_i_ensemble_scorer_join(&pool, 2, of_logs, evidences, 0, logs);
    assert_near(logs[0], .5 + .6 * CRD_I_LEAST_LOG_PROBABILITY, 1e-13);
    assert_near(logs[1], -.25 + .4 * CRD_I_LEAST_LOG_PROBABILITY, 1e-13);
}

static void votes_by_hand(void **state) {
    (void)state;
    const crd_i_ensemble_scorer pool = {.rule = CRD_I_ENSEMBLE_VOTE, .members = members, .count = 3};
    const double logs_of[] = {log(.8), log(.2), log(.4), log(.6), log(.1), log(.9)};
    double logs[2];
    double evidence = crd_i_ensemble_scorer_join(&pool, 2, logs_of, evidences, 0, logs);
    assert_near(logs[0], .4, 1e-15);
    assert_near(logs[1], .6, 1e-15);
    assert_near(evidence, -.4 - .6 - .9, 1e-15);
}

static void gibbs_draws_by_weight(void **state) {
    (void)state;
    enum { DRAWS = 10000 };
    const crd_i_ensemble_scorer pool = {.rule = CRD_I_ENSEMBLE_GIBBS, .members = members, .count = 3};
    size_t first = 0, second_evidence = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        double logs[2],
            evidence = crd_i_ensemble_scorer_join(&pool, 2, of_logs, evidences, ((double)i + .5) / DRAWS, logs);
        first += logs[0] == 0;
        second_evidence += evidence == -2;
    }
    assert_int_equal(first, 4000);
    assert_int_equal(second_evidence, 3000);
}

static void members_without_a_say(void **state) {
    (void)state;
    static const crd_i_ensemble_rule rules[] = {CRD_I_ENSEMBLE_AVERAGE, CRD_I_ENSEMBLE_GIBBS, CRD_I_ENSEMBLE_PRODUCT,
                                                CRD_I_ENSEMBLE_VOTE};
    static const double silent[] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const crd_i_ensemble_scorer pool = {.rule = rules[i], .members = members, .count = 3};
        double logs[2];
        assert_true(crd_i_ensemble_scorer_join(&pool, 2, silent, evidences, 0, logs) == -INFINITY);
        assert_true(logs[0] == -INFINITY && logs[1] == -INFINITY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stated_priors_shift_odds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(isotonic_is_the_best_rising_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scaling_finds_the_temperature, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_calibration_there_is_none, set_up, tear_down),
        cmocka_unit_test(average_by_hand),
        cmocka_unit_test(product_by_hand),
        cmocka_unit_test(votes_by_hand),
        cmocka_unit_test(gibbs_draws_by_weight),
        cmocka_unit_test(members_without_a_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
