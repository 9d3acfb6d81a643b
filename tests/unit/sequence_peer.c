/* SPDX-License-Identifier: MIT */
/* Stated hidden Markov models beside hmmlearn 0.3.3, by whose calls score, predict_proba and decode the expected numbers are. */
#include "model_support.h"

enum { STEPS = 5 };

static const struct {
    const char *name, *text;
    size_t columns;
    double cells[2 * STEPS]; /* column by column */
    double log_likelihood, first_state[STEPS], log_path;
    int32_t path[STEPS];
} cases[] = {
    {"gaussian, diagonal",
     "{\"credence_hmm\": 1, \"states\": [\"1\", \"2\"], \"start\": [0.6, 0.4], \"transitions\": [[0.7, 0.3], [0.2, "
     "0.8]], \"observations\": [{\"name\": \"x0\", \"family\": \"gaussian\", \"mean\": [0, 1.5], \"deviation\": [1, "
     "0.8]}, {\"name\": \"x1\", \"family\": \"gaussian\", \"mean\": [1, -0.25], \"deviation\": [0.7071067811865476, "
     "1.4142135623730951]}]}",
     2,
     {0.3, 2.1, 1.7, -0.5, 0.9, 1.2, -0.4, 0.1, 2.2, 0.8},
     -14.053354018235416,
     {0.8193178722575005, 0.0471795474745326, 0.1477860678366307, 0.930157839082526, 0.7720131401455537},
     -14.744329474917302,
     {0, 1, 1, 0, 0}},
    {"gaussian, full",
     "{\"credence_hmm\": 1, \"states\": [\"1\", \"2\"], \"start\": [0.6, 0.4], \"transitions\": [[0.7, 0.3], [0.2, "
     "0.8]], \"observations\": [{\"names\": [\"x0\", \"x1\"], \"family\": \"normal\", \"mean\": [[0.0, 1.0], [1.5, "
     "-0.25]], \"covariance\": [[[1.0, 0.3], [0.3, 0.5]], [[0.64, -0.4], [-0.4, 2.0]]]}]}",
     2,
     {0.3, 2.1, 1.7, -0.5, 0.9, 1.2, -0.4, 0.1, 2.2, 0.8},
     -14.247203156638225,
     {0.7565429959751041, 0.0012927599263627204, 0.02123105699461151, 0.6118711282242122, 0.5511124529756178},
     -15.342507562708764,
     {0, 1, 1, 0, 0}},
    {"categorical",
     "{\"credence_hmm\": 1, \"states\": [\"1\", \"2\"], \"start\": [0.6, 0.4], \"transitions\": [[0.7, 0.3], [0.2, "
     "0.8]], \"observations\": [{\"name\": \"x0\", \"family\": \"categorical\", \"values\": [\"0\", \"1\", \"2\"], "
     "\"probability\": [[0.5, 0.3, 0.2], [0.1, 0.25, 0.65]]}]}",
     1,
     {0.0, 2.0, 2.0, 1.0, 0.0},
     -5.575377333837545,
     {0.8013608914215586, 0.2821657113746293, 0.228348411253776, 0.494519484886354, 0.7363009813181118},
     -7.355887833409704,
     {0, 1, 1, 0, 0}},
    {"Poisson",
     "{\"credence_hmm\": 1, \"states\": [\"1\", \"2\"], \"start\": [0.6, 0.4], \"transitions\": [[0.7, 0.3], [0.2, "
     "0.8]], \"observations\": [{\"name\": \"x0\", \"family\": \"poisson\", \"rate\": [1.5, 6.25]}]}",
     1,
     {0.0, 7.0, 4.0, 2.0, 9.0},
     -13.1147746670806,
     {0.9849803491211786, 0.009491177766473314, 0.13559548123406487, 0.44805673176062183, 0.00036113811600123493},
     -13.765626731626503,
     {0, 1, 1, 1, 1}},
    {"mixture",
     "{\"credence_hmm\": 1, \"states\": [\"1\", \"2\"], \"start\": [0.6, 0.4], \"transitions\": [[0.7, 0.3], [0.2, "
     "0.8]], \"components\": [[0.3, 0.7], [0.55, 0.45]], \"observations\": [{\"name\": \"x0\", \"family\": "
     "\"gaussian\", \"mean\": [[-1, 1], [2, 4]], \"deviation\": [[0.5, 1], [0.7071067811865476, "
     "1.4142135623730951]]}]}",
     1,
     {0.3, 2.1, 1.7, -0.5, 0.9},
     -8.653620544375794,
     {0.9283368089063971, 0.5712167180994006, 0.6439396285596926, 0.9938612730175678, 0.8589892074150979},
     -9.547322900815807,
     {0, 0, 0, 0, 0}},
};

static void test_references(void **state) {
    (void)state;
    static const crd_text digits[] = {{"0", 1}, {"1", 1}, {"2", 1}}, none = {NULL, 0};
    static const char *const columns[] = {"x0", "x1"};
    crd_context *context;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool is_category = strstr(cases[i].text, "categorical") != NULL;
        const size_t length = STEPS;
        crd_model *model;
        crd_hmm *hmm;
        crd_frame *frame;
        crd_sequences *sequences;
        crd_error error;
        double likelihood, posteriors[2 * STEPS], log_path;
        int32_t codes[STEPS], path[STEPS];
        assert_done(crd_hmm_read(context, cases[i].text, strlen(cases[i].text), &model, &error), error);
        assert_done(crd_hmm_create(model, NULL, &hmm, &error), error);
        assert_done(crd_frame_create(context, STEPS, &frame, &error), error);
        for (size_t t = 0; t < STEPS; t++) codes[t] = (int32_t)cases[i].cells[t];
        if (is_category)
            assert_done(crd_frame_add_codes(frame, crd_text_of("x0"), codes, NULL, digits, 3, &error), error);
        for (size_t c = 0; !is_category && c < cases[i].columns; c++)
            assert_done(crd_frame_add_numbers(frame, crd_text_of(columns[c]), cases[i].cells + c * STEPS, NULL, &error),
                        error);
        assert_done(crd_sequences_from_frame(context, frame, none, &length, 1, &sequences, &error), error);
        assert_done(crd_hmm_log_likelihoods(hmm, sequences, 1, &likelihood, &error), error);
        assert_near(likelihood, cases[i].log_likelihood, 1e-12);
        assert_done(crd_hmm_posteriors(hmm, sequences, 1, posteriors, NULL, &error), error);
        assert_done(crd_hmm_paths(hmm, sequences, 1, path, &log_path, &error), error);
        assert_near(log_path, cases[i].log_path, 1e-12);
        for (size_t t = 0; t < STEPS; t++) {
            assert_near(posteriors[2 * t], cases[i].first_state[t], 1e-12);
            assert_int_equal(path[t], cases[i].path[t]);
        }
        crd_sequences_destroy(sequences);
        crd_frame_destroy(frame);
        crd_hmm_destroy(hmm);
        crd_model_destroy(model);
    }
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
