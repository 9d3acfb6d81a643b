/* SPDX-License-Identifier: MIT */
/* The worked numbers of the lectures, through the public interface. */
#include "model_support.h"

#define NEAR 1e-12

static int set_up(void **state) {
    static allocations counted;
    memset(&counted, 0, sizeof counted);
    *state = counted_context(&counted);
    return *state == NULL;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return 0;
}

static size_t class_index(const crd_classifier *classifier, const char *name) {
    for (size_t i = 0; i < crd_classifier_class_count(classifier); i++)
        if (crd_text_equal(crd_classifier_class(classifier, i), crd_text_of(name))) return i;
    fail_msg("no class %s", name);
    return 0;
}

static size_t attribute_index(const crd_classifier *classifier, const char *name) {
    for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++)
        if (crd_text_equal(crd_classifier_attribute(classifier, i), crd_text_of(name))) return i;
    fail_msg("no attribute %s", name);
    return 0;
}

/* P(attribute = value | class). */
static double conditional(const crd_classifier *classifier, const char *attribute, const char *value,
                          const char *class_name) {
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    crd_value cell = text_value(value);
    assert_done(crd_classifier_term(classifier, attribute_index(classifier, attribute),
                                    class_index(classifier, class_name), &cell, &term, &error),
                error);
    assert_int_equal(term.form, CRD_TERM_RATIO);
    return crd_exp(term.log_value);
}

static double prior(const crd_classifier *classifier, const char *class_name) {
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    assert_done(crd_classifier_prior(classifier, class_index(classifier, class_name), &term, &error), error);
    return crd_exp(term.log_value);
}

static double posterior(const crd_classifier *classifier, const crd_value *values, const char *class_name,
                        double *score) {
    double logs[16];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
    size_t index = class_index(classifier, class_name);
    if (score != NULL) *score = crd_exp(logs[index] + answer.log_evidence);
    return crd_exp(logs[index]);
}

static crd_model *example(crd_context *context, const char *name, const char *target) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", CREDENCE_EXAMPLES, name);
    char *text = file_text(path);
    crd_model *model = trained(context, text, target);
    free(text);
    return model;
}

static void four_pairs(void **state) {
    /* x is a category here, as in the lecture. */
    crd_model *model = trained(*state, "x,c\none,0\none,0\ntwo,0\ntwo,1\n", "c");
    crd_classifier *classifier = classifier_with(model, *state, WITH("smoothing", "none"));
    assert_near(conditional(classifier, "x", "one", "0"), 2.0 / 3, NEAR);
    assert_near(conditional(classifier, "x", "two", "0"), 1.0 / 3, NEAR);
    assert_near(conditional(classifier, "x", "two", "1"), 1, NEAR);
    crd_value one = text_value("one"), two = text_value("two");
    assert_near(posterior(classifier, &one, "0", NULL), 1, NEAR);
    assert_near(posterior(classifier, &two, "0", NULL), 0.5, NEAR);
    double logs[2];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(classifier, &two, logs, NULL, &answer, &error), error);
    assert_int_equal(answer.tied, 2);
    assert_int_equal(answer.decision, 0);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void ten_rows(void **state) {
    crd_model *model = example(*state, "ten-rows.csv", "C");
    crd_classifier *classifier = classifier_with(model, *state, WITH("smoothing", "none"));
    assert_near(prior(classifier, "t"), 0.5, NEAR);
    const char *values_a[] = {"m", "g", "h"}, *values_b[] = {"b", "s", "q"};
    const double a_t[] = {2, 2, 1}, a_f[] = {1, 2, 2}, b_t[] = {1, 2, 2}, b_f[] = {2, 1, 2};
    for (int i = 0; i < 3; i++) {
        assert_near(conditional(classifier, "A", values_a[i], "t"), a_t[i] / 5, NEAR);
        assert_near(conditional(classifier, "A", values_a[i], "f"), a_f[i] / 5, NEAR);
        assert_near(conditional(classifier, "B", values_b[i], "t"), b_t[i] / 5, NEAR);
        assert_near(conditional(classifier, "B", values_b[i], "f"), b_f[i] / 5, NEAR);
    }
    crd_value row[] = {text_value("m"), text_value("q")};
    double score;
    assert_near(posterior(classifier, row, "t", &score), 2.0 / 3, NEAR);
    assert_near(score, 2.0 / 25, NEAR);
    posterior(classifier, row, "f", &score);
    assert_near(score, 1.0 / 25, NEAR);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void play_tennis(void **state) {
    crd_model *model = example(*state, "tennis.csv", "Play");
    crd_classifier *classifier = classifier_with(model, *state, WITH("smoothing", "none"));
    static const struct {
        const char *attribute, *value;
        double yes, no;
    } table[] = {
        {"Outlook", "Sunny", 2, 3},   {"Outlook", "Overcast", 4, 0}, {"Outlook", "Rain", 3, 2},
        {"Temperature", "Hot", 2, 2}, {"Temperature", "Mild", 4, 2}, {"Temperature", "Cool", 3, 1},
        {"Humidity", "High", 3, 4},   {"Humidity", "Normal", 6, 1},  {"Wind", "Strong", 3, 3},
        {"Wind", "Weak", 6, 2},
    };
    assert_near(prior(classifier, "Yes"), 9.0 / 14, NEAR);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_near(conditional(classifier, table[i].attribute, table[i].value, "Yes"), table[i].yes / 9, NEAR);
        assert_near(conditional(classifier, table[i].attribute, table[i].value, "No"), table[i].no / 5, NEAR);
    }
    crd_value day[] = {text_value("Sunny"), text_value("Cool"), text_value("High"), text_value("Strong")};
    double score;
    assert_near(posterior(classifier, day, "Yes", &score), 1 - 0.795417, 1e-6);
    assert_near(score, 2.0 / 9 * 3 / 9 * 3 / 9 * 3 / 9 * 9 / 14, NEAR);
    assert_near(posterior(classifier, day, "No", &score), 0.795417, 1e-6);
    assert_near(score, 3.0 / 5 * 1 / 5 * 4 / 5 * 3 / 5 * 5 / 14, NEAR);
    crd_classifier_destroy(classifier);

    classifier = classifier_with(model, *state, WITH("smoothing", "m:1"));
    assert_near(conditional(classifier, "Outlook", "Overcast", "No"), 1.0 / 18, NEAR);
    assert_near(conditional(classifier, "Outlook", "Sunny", "No"), 10.0 / 18, NEAR);
    assert_near(conditional(classifier, "Outlook", "Rain", "No"), 7.0 / 18, NEAR);
    crd_classifier_destroy(classifier);

    classifier = classifier_with(model, *state, WITH("smoothing", "laplace:1", "prior", "laplace:1"));
    assert_near(prior(classifier, "Yes"), 10.0 / 16, NEAR);
    assert_near(conditional(classifier, "Outlook", "Overcast", "No"), 1.0 / 8, NEAR);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void temperature(void **state) {
    crd_model *model = example(*state, "temperature.csv", "Play");
    static const struct {
        const char *variance;
        double yes, no;
    } kinds[] = {{"sample", 2.35, 7.09}, {"mle", 2.219, 6.341}};
    for (int i = 0; i < 2; i++) {
        crd_classifier *classifier =
            classifier_with(model, *state, WITH("smoothing", "none", "variance", kinds[i].variance));
        crd_error error;
        crd_term term = CRD_TERM_INIT;
        crd_value cell = number_value(20);
        assert_done(crd_classifier_term(classifier, 0, class_index(classifier, "Yes"), &cell, &term, &error), error);
        assert_int_equal(term.form, CRD_TERM_DENSITY);
        assert_near(term.mean, 21.64, 0.005);
        assert_near(term.deviation, kinds[i].yes, 0.005);
        assert_near(crd_exp(term.log_value),
                    exp(-pow((20 - term.mean) / term.deviation, 2) / 2) /
                        (term.deviation * sqrt(2 * 3.14159265358979323846)),
                    1e-15);
        assert_done(crd_classifier_term(classifier, 0, class_index(classifier, "No"), &cell, &term, &error), error);
        assert_near(term.mean, 23.88, 0.005);
        assert_near(term.deviation, kinds[i].no, 0.005);
        crd_classifier_destroy(classifier);
    }
    crd_model_destroy(model);
}

static void iris_cuts(void **state) {
    crd_model *model = example(*state, "iris.csv", "species");
    crd_classifier *classifier =
        classifier_with(model, *state, WITH("smoothing", "none", "variance", "sample", "prior", "uniform"));
    crd_cut_point cuts[8];
    size_t count;
    crd_error error;
    assert_done(
        crd_classifier_cut_points(classifier, attribute_index(classifier, "petal_length"), cuts, 8, &count, &error),
        error);
    bool matches[3] = {false, false, false};
    for (size_t i = 0; i < count; i++) {
        if (fabs(cuts[i].at - 2.2467) < 5e-5 && cuts[i].below == 0 && cuts[i].above == 1) matches[0] = true;
        if (fabs(cuts[i].at - 4.8863) < 5e-5 && cuts[i].below == 1 && cuts[i].above == 2) matches[1] = true;
        if (i > 0) assert_true(cuts[i - 1].at < cuts[i].at && cuts[i - 1].above == cuts[i].below);
    }
    assert_true(matches[0] && matches[1]);
    /* On either side of every cut the answer is what the cut says. */
    size_t cut_count;
    assert_done(crd_classifier_cut_points(classifier, 2, cuts, 1, &cut_count, &error), error);
    assert_int_equal(cut_count, count);
    assert_done(crd_classifier_cut_points(classifier, 2, cuts, 8, &count, &error), error);
    for (size_t i = 0; i < count; i++) {
        for (int side = -1; side <= 1; side += 2) {
            crd_value row[4] = {missing_value(), missing_value(), number_value(cuts[i].at + side * 1e-6),
                                missing_value()};
            double logs[3];
            crd_answer answer;
            assert_done(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), error);
            assert_int_equal(answer.decision, side < 0 ? cuts[i].below : cuts[i].above);
        }
    }
    assert_int_equal(count, 4);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(four_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ten_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(play_tennis, set_up, tear_down),
        cmocka_unit_test_setup_teardown(temperature, set_up, tear_down),
        cmocka_unit_test_setup_teardown(iris_cuts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
