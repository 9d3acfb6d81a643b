/* SPDX-License-Identifier: MIT */
/* Asking: evidence that is missing, unseen or silent, classes at zero, ties, priors, and values that do not fit. */
#include "model_support.h"

#include "classify/classifier_internal.h"

#include "counted_fixture.h"

static const char rows[] = "n,color,constant,empty,class\n"
                           "1,red,7,?,x\n"
                           "3,red,7,?,x\n"
                           "8,blue,7,?,y\n"
                           "9,blue,7,?,y\n";

static crd_term_form form_of(const crd_classifier *classifier, size_t attribute, crd_value value) {
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    assert_done(crd_classifier_term(classifier, attribute, 0, &value, &term, &error), error);
    if (term.form >= CRD_TERM_MISSING) assert_true(term.log_value == 0);
    return term.form;
}

static void what_counts_and_what_does_not(void **state) {
    (void)state;
    crd_model *model = trained(context, rows, "class");
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "m:1"));
    assert_int_equal(form_of(classifier, 0, number_value(2)), CRD_TERM_DENSITY);
    assert_int_equal(form_of(classifier, 0, text_value("2")), CRD_TERM_DENSITY);
    assert_int_equal(form_of(classifier, 0, number_value(NAN)), CRD_TERM_MISSING);
    assert_int_equal(form_of(classifier, 1, text_value("red")), CRD_TERM_RATIO);
    assert_int_equal(form_of(classifier, 1, text_value("green")), CRD_TERM_UNSEEN);
    assert_int_equal(form_of(classifier, 1, missing_value()), CRD_TERM_MISSING);
    assert_int_equal(form_of(classifier, 2, number_value(7)), CRD_TERM_SILENT);
    assert_int_equal(form_of(classifier, 3, text_value("what")), CRD_TERM_SILENT);

    /* Nothing known but an unseen color: the prior stands. */
    crd_value row[] = {missing_value(), text_value("green"), number_value(1e9), text_value("?")};
    double logs[2];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), error);
    assert_near(crd_exp(logs[0]), 0.5, 1e-15);
    assert_int_equal(answer.unseen, 1);
    assert_int_equal(answer.tied, 2);
    assert_int_equal(answer.decision, 0);
    assert_near(answer.log_evidence, 0, 1e-15);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void all_classes_at_zero(void **state) {
    (void)state;
    crd_model *model = trained(context, "a,b,class\nu,p,x\nv,q,y\n", "class");
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "none"));
    crd_value row[] = {text_value("u"), text_value("q")};
    double logs[2];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), error);
    assert_int_equal(answer.decision, -1);
    assert_int_equal(answer.tied, 0);
    assert_true(answer.log_evidence == -INFINITY && logs[0] == -INFINITY && logs[1] == -INFINITY);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* So far off that no density is a double any more: one row alone, a frame of rows, and decisions only say the same. */
static void the_only_class_is_certain(void **state) {
    (void)state;
    static const char table[] = "a,class\n1,x\n2,x\n3,x\n";
    static double far[] = {1e155, -1e308, 2, 1.7e308, 1e200, -1e160, 1e155, 3, 0, 1e155};
    enum { ROWS = sizeof far / sizeof *far };
    crd_model *model = trained(context, table, "class");
    crd_classifier *classifier = classifier_with(model, context, WITH("prior", "frequency"));
    crd_frame *frame;
    crd_posteriors *posteriors;
    crd_error error;
    int32_t decisions[ROWS];
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("a"), far, NULL, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
    crd_rows input = CRD_ROWS_INIT;
    crd_results results = CRD_RESULTS_INIT;
    input.values = far;
    input.rows = results.rows = ROWS;
    input.columns = 1;
    results.decisions = decisions;
    assert_done(crd_classifier_classify_rows(classifier, &input, &results, &error), error);
    for (size_t row = 0; row < ROWS; row++) {
        const crd_answer *answer = crd_posteriors_answer(posteriors, row);
        double logs[1], probabilities[1];
        crd_answer alone;
        crd_value value = number_value(far[row]);
        assert_int_equal(answer->decision, 0);
        assert_int_equal(answer->tied, 1);
        assert_int_equal(decisions[row], 0);
        assert_true(crd_posteriors_log(posteriors, row)[0] == 0);
        assert_true(crd_posteriors_probabilities(posteriors, row)[0] == 1);
        assert_true((answer->log_evidence == -INFINITY) == (fabs(far[row]) > 1e154));
        assert_done(crd_classifier_posterior(classifier, &value, logs, probabilities, &alone, &error), error);
        assert_memory_equal(logs, crd_posteriors_log(posteriors, row), sizeof logs);
        assert_memory_equal(probabilities, crd_posteriors_probabilities(posteriors, row), sizeof logs);
        assert_int_equal(alone.decision, 0);
        assert_true(alone.log_evidence == answer->log_evidence);
    }
    crd_posteriors_destroy(posteriors);
    crd_frame_destroy(frame);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void priors(void **state) {
    (void)state;
    crd_model *model = trained(context, "a,class\n1,x\n2,x\n3,x\n4,y\n", "class");
    static const struct {
        const char *prior;
        double x;
        crd_term_form form;
    } cases[] = {
        {"frequency", 0.75, CRD_TERM_RATIO},
        {"laplace:1", 4.0 / 6, CRD_TERM_RATIO},
        {"uniform", 0.5, CRD_TERM_RATIO},
        {"y=0.1,x=0.9", 0.9, CRD_TERM_GIVEN},
        {"x=0.3000001,y=0.7", 0.3000001 / 1.0000001, CRD_TERM_GIVEN},
        {"x=0,y=1", 0, CRD_TERM_GIVEN},
    };
    crd_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_classifier *classifier = classifier_with(model, context, WITH("prior", cases[i].prior));
        crd_term term = CRD_TERM_INIT;
        assert_done(crd_classifier_prior(classifier, 0, &term, &error), error);
        assert_near(crd_exp(term.log_value), cases[i].x, 1e-15);
        assert_int_equal(term.form, cases[i].form);
        crd_classifier_destroy(classifier);
    }
    static const char *const refused[][2] = {{"x=1", "has no probability for class 'y'"},
                                             {"x=0.5,y=0.25,z=0.25", "names an unknown class 'z'"}};
    for (size_t i = 0; i < 2; i++) {
        crd_settings *settings;
        crd_classifier *classifier;
        assert_done(crd_settings_create(context, &settings, &error), error);
        assert_done(crd_settings_set(settings, "prior", crd_text_of(refused[i][0]), &error), error);
        assert_int_equal(crd_classifier_create(model, settings, &classifier, &error), CRD_ERROR_SETTING);
        assert_string_equal(error.subject, "prior");
        assert_non_null(strstr(error.message, refused[i][1]));
        assert_null(classifier);
        crd_settings_destroy(settings);
    }
    crd_model_destroy(model);
}

static void values_that_do_not_fit(void **state) {
    (void)state;
    crd_model *model = trained(context, rows, "class");
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "m:1"));
    const struct {
        crd_value n, color;
        crd_status status;
    } cases[] = {
        {text_value("red"), missing_value(), CRD_ERROR_NUMBER},
        {text_value("1e999"), missing_value(), CRD_ERROR_NUMBER},
        {number_value(INFINITY), missing_value(), CRD_ERROR_NUMBER},
        {missing_value(), number_value(1), CRD_ERROR_COLUMN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_value row[] = {cases[i].n, cases[i].color, missing_value(), missing_value()};
        double logs[2] = {1, 1};
        crd_answer answer;
        crd_error error;
        assert_int_equal(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), cases[i].status);
        assert_int_equal(answer.decision, -1);
        assert_true(logs[0] == -INFINITY);
    }
    crd_term term = CRD_TERM_INIT;
    crd_value missing = missing_value();
    assert_int_equal(crd_classifier_term(classifier, 4, 0, &missing, &term, NULL), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_classifier_prior(classifier, 2, &term, NULL), CRD_ERROR_ARGUMENT);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static uint64_t estimate(const crd_classifier *classifier, const char *description) {
    crd_estimate found_estimate[8];
    size_t count = crd_classifier_estimates(classifier, found_estimate, 8);
    for (size_t i = 0; i < count; i++)
        if (strcmp(found_estimate[i].what, description) == 0) return found_estimate[i].count;
    return 0;
}

static void numbers_estimated(void **state) {
    (void)state;
    crd_model *model = trained(context, "a,b,c,d,class\n1,2,r,s,x\n3,1,r,t,y\n5,5,u,v,z\n", "class");
    static const struct {
        const char *share;
        uint64_t deviations;
    } cases[] = {{"none", 6}, {"classes", 2}, {"attributes", 3}, {"all", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_classifier *classifier = classifier_with(model, context, WITH("pool-variance", cases[i].share));
        assert_int_equal(estimate(classifier, "class probabilities"), 2);
        assert_int_equal(estimate(classifier, "conditional probabilities"), (1 + 2) * 3);
        assert_int_equal(estimate(classifier, "means"), 6);
        assert_int_equal(estimate(classifier, "deviations"), cases[i].deviations);
        crd_classifier_destroy(classifier);
    }
    crd_model_destroy(model);
}

static void a_model_of_no_rows_answers_nothing(void **state) {
    (void)state;
    crd_error error;
    crd_model *model = trained(context, "a,class\n1,x\n", "class");
    crd_reader *reader;
    assert_done(open_text(context, "a,class\n1,x\n", 12, NULL, &reader, &error), error);
    assert_done(crd_model_forget_all(model, reader, NULL, &error), error);
    crd_reader_close(reader);
    crd_classifier *classifier;
    assert_int_equal(crd_classifier_create(model, NULL, &classifier, &error), CRD_ERROR_EMPTY);
    assert_null(classifier);
    crd_model_destroy(model);
}

static void cuts_of_what_has_none(void **state) {
    (void)state;
    crd_model *model = trained(context, rows, "class");
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "m:1"));
    crd_error error;
    size_t count = 9;
    assert_int_equal(crd_classifier_cut_points(classifier, 1, NULL, 0, &count, &error), CRD_ERROR_COLUMN);
    assert_done(crd_classifier_cut_points(classifier, 2, NULL, 0, &count, &error), error);
    assert_int_equal(count, 0);
    crd_classifier_destroy(classifier);
    /* A class that cannot be is never decided for. */
    classifier = classifier_with(model, context, WITH("prior", "x=1,y=0"));
    assert_done(crd_classifier_cut_points(classifier, 0, NULL, 0, &count, &error), error);
    assert_int_equal(count, 0);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

/* With many classes: between any two cuts, the decision is the one that the cuts say. */
static void cuts_of_many_classes(void **state) {
    (void)state;
    enum { CLASSES = 23 };
    char text[8192];
    uint64_t bits = 5;
    for (int round = 0; round < 40; round++) {
        size_t used = (size_t)snprintf(text, sizeof text, "n,class\n");
        for (int i = 0; i < CLASSES * 4; i++) {
            bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            used += (size_t)snprintf(text + used, sizeof text - used, "%d,k%d\n", (int)(bits >> 57) + i % CLASSES * 3,
                                     i % CLASSES);
        }
        crd_model *model = trained(context, text, "class");
        crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", round % 2 ? "m:1" : "none"));
        crd_cut_point cuts[CLASSES * CLASSES];
        size_t count;
        crd_error error;
        assert_done(crd_classifier_cut_points(classifier, 0, cuts, CLASSES * CLASSES, &count, &error), error);
        for (double position = -60; position < 260; position += 0.519) {
            double nearest = INFINITY, logs[CLASSES];
            size_t piece = 0;
            for (size_t i = 0; i < count; i++) nearest = fmin(nearest, fabs(cuts[i].at - position));
            while (piece < count && position > cuts[piece].at) piece++;
            crd_value value = number_value(position);
            crd_answer answer;
            assert_done(crd_classifier_posterior(classifier, &value, logs, NULL, &answer, &error), error);
            if (nearest < 1e-6 || count == 0 || answer.tied > 1) continue;
            assert_int_equal(answer.decision, piece == 0 ? cuts[0].below : cuts[piece - 1].above);
        }
        crd_classifier_destroy(classifier);
        crd_model_destroy(model);
    }
}

/* Serials tell classifiers apart within one context only: what was looked up for one must not serve another context's
 * that happens to have the same. */
static void one_posteriors_for_classifiers_of_two_contexts(void **state) {
    (void)state;
    allocations counted_there = {0};
    crd_context *there = counted_context(&counted_there);
    crd_error error;
    crd_model *narrow = trained(context, "x,class\n1,a\n2,a\n5,b\n7,b\n", "class");
    crd_model *wide = trained(there, "p,q,x,class\nu,1,9,a\nv,2,8,a\nu,5,3,b\nv,7,1,b\n", "class");
    crd_classifier *here = classifier_with(narrow, context, WITH("smoothing", "m:1"));
    crd_classifier *foreign = classifier_with(wide, there, WITH("smoothing", "m:1"));
    foreign->serial = here->serial;
    crd_frame *frame;
    const double x[] = {1.5};
    crd_posteriors *both, *fresh;
    assert_done(crd_frame_create(context, 1, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("x"), x, NULL, &error), error);
    assert_done(crd_posteriors_create(context, &both, &error), error);
    assert_done(crd_posteriors_create(context, &fresh, &error), error);
    assert_done(crd_classifier_classify(foreign, frame, fresh, &error), error);
    for (int i = 0; i < 2; i++) {
        assert_done(crd_classifier_classify(here, frame, both, &error), error);
        assert_int_equal(crd_posteriors_answer(both, 0)->decision, 0);
        assert_done(crd_classifier_classify(foreign, frame, both, &error), error);
        assert_int_equal(crd_posteriors_answer(both, 0)->decision, 1);
        assert_memory_equal(crd_posteriors_log(both, 0), crd_posteriors_log(fresh, 0), 2 * sizeof(double));
    }
    crd_posteriors_destroy(both);
    crd_posteriors_destroy(fresh);
    crd_frame_destroy(frame);
    crd_classifier_destroy(here);
    crd_classifier_destroy(foreign);
    crd_model_destroy(narrow);
    crd_model_destroy(wide);
    crd_context_destroy(there);
    assert_int_equal(counted_there.live, 0);
}

/* P(nothing) is 1. The priors, 9/14 and 5/14, sum to it but for a rounding that must not show. */
static void evidence_that_says_nothing_is_certain(void **state) {
    (void)state;
    char text[256] = "n,color,constant,class\n";
    for (int row = 0; row < 14; row++) {
        char line[32];
        snprintf(line, sizeof line, "%d,%s,7,%s\n", row, row % 2 ? "red" : "blue", row < 9 ? "Yes" : "No");
        strcat(text, line);
    }
    crd_model *model = trained(context, text, "class");
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "m:1"));
    crd_value row[] = {missing_value(), text_value("green"), number_value(7)};
    double logs[2];
    crd_answer answer;
    crd_error error;
    assert_done(crd_classifier_posterior(classifier, row, logs, NULL, &answer, &error), error);
    assert_true(answer.log_evidence == 0);
    crd_frame *frame;
    crd_posteriors *posteriors;
    const double numbers[] = {NAN, 3}, constants[] = {7, 7};
    const crd_text colors[] = {{"green", 5}, {NULL, 0}};
    assert_done(crd_frame_create(context, 2, &frame, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("n"), numbers, NULL, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("constant"), constants, NULL, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("color"), colors, &error), error);
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    assert_done(crd_classifier_classify(classifier, frame, posteriors, &error), error);
    assert_true(crd_posteriors_answer(posteriors, 0)->log_evidence == 0);
    assert_memory_equal(crd_posteriors_log(posteriors, 0), logs, sizeof logs);
    assert_true(crd_posteriors_answer(posteriors, 1)->log_evidence < -1);
    crd_posteriors_destroy(posteriors);
    crd_frame_destroy(frame);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_counts_and_what_does_not, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_classes_at_zero, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_only_class_is_certain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(priors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_that_do_not_fit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_estimated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_of_no_rows_answers_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_of_what_has_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cuts_of_many_classes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(evidence_that_says_nothing_is_certain, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_posteriors_for_classifiers_of_two_contexts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
