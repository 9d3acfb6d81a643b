/* SPDX-License-Identifier: MIT */
/* Real data as it is, through the public interface: files with blanks and CRLF, strings, quotes, missing cells.
 *
 * Expected posteriors come from reference.py beside this file (exact fractions, 50 digits); ours may differ from them
 * by the rounding of a sum of some thirty terms, so 1e-12 relative is asked of log evidence. Expected accuracies of the
 * assignment's files were computed independently in double precision. */
#include <credence/all.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct data_trained_model {
    crd_context *context;
    crd_model *model;
    crd_classifier *classifier;
} data_trained_model;

static const char *in_folder(const char *name, char *buffer, size_t length) {
    snprintf(buffer, length, "%s/%s", CREDENCE_DATA, name);
    return buffer;
}

static crd_reader *open_file(crd_context *context, const char *name) {
    char path[1024];
    const char *paths[] = {in_folder(name, path, sizeof path)};
    crd_reader *reader = NULL;
    crd_error error;
    if (crd_reader_open(context, paths, 1, NULL, &reader, &error) != CRD_OK) fail_msg("%s: %s", name, error.message);
    return reader;
}

static data_trained_model train(const char *name, const char *target, const char *const settings[][2],
                                size_t setting_count) {
    data_trained_model result = {NULL, NULL, NULL};
    crd_settings *given = NULL;
    crd_error error;
    size_t *columns, count = 0;
    assert_int_equal(crd_context_create(NULL, &result.context), CRD_OK);
    assert_int_equal(crd_settings_create(result.context, &given, NULL), CRD_OK);
    for (size_t i = 0; i < setting_count; i++)
        assert_int_equal(crd_settings_set(given, settings[i][0], crd_text_of(settings[i][1]), NULL), CRD_OK);
    crd_reader *reader = open_file(result.context, name);
    columns = test_malloc(crd_reader_column_count(reader) * sizeof *columns);
    assert_int_equal(crd_reader_select(reader, crd_text_of(target), columns, &count, NULL), CRD_OK);
    assert_int_equal(count, 1);
    assert_int_equal(crd_reader_set_target(reader, columns[0], NULL), CRD_OK);
    test_free(columns);
    if (crd_model_train(result.context, reader, given, &result.model, NULL, &error) != CRD_OK)
        fail_msg("%s:%llu: %s", error.place, (unsigned long long)error.line, error.message);
    crd_reader_close(reader);
    crd_settings_destroy(given);
    assert_int_equal(crd_classifier_create(result.model, NULL, &result.classifier, NULL), CRD_OK);
    return result;
}

static void discard(data_trained_model *trained_model) {
    crd_classifier_destroy(trained_model->classifier);
    crd_model_destroy(trained_model->model);
    crd_context_destroy(trained_model->context);
}

typedef struct expected_row {
    size_t row;
    double log_evidence, probability;
} expected_row;

/* Classifies a file; checks the rows expected; returns the credit earned, ties shared. */
static double classify(const data_trained_model *trained_model, const char *name, const char *shown_class,
                       const expected_row *expected, size_t expected_count, size_t most_rows) {
    crd_posteriors *posteriors = NULL;
    crd_reader *reader = open_file(trained_model->context, name);
    const crd_frame *frame = NULL;
    crd_error error;
    size_t classes = crd_classifier_class_count(trained_model->classifier), shown = 0, seen = 0, row_number = 0;
    double credit = 0;
    while (shown < classes &&
           !crd_text_equal(crd_classifier_class(trained_model->classifier, shown), crd_text_of(shown_class)))
        shown++;
    assert_true(shown < classes);
    assert_int_equal(crd_posteriors_create(trained_model->context, &posteriors, NULL), CRD_OK);
    assert_int_equal(crd_model_bind(trained_model->model, reader, &error), CRD_OK);
    for (;;) {
        if (crd_reader_next(reader, &frame, &error) != CRD_OK) fail_msg("%s: %s", name, error.message);
        if (frame == NULL) break;
        assert_int_equal(crd_classifier_classify(trained_model->classifier, frame, posteriors, NULL), CRD_OK);
        crd_summary *summary = NULL;
        assert_int_equal(crd_summary_create(trained_model->model, &summary, NULL), CRD_OK);
        size_t target = 0;
        while (!crd_text_equal(crd_frame_column_name(frame, target), summary->target)) target++;
        crd_summary_destroy(summary);
        for (size_t row = 0; row < crd_frame_rows(frame); row++, row_number++) {
            const crd_answer *answer = crd_posteriors_answer(posteriors, row);
            const double *logs = crd_posteriors_log(posteriors, row);
            double total = 0;
            for (size_t k = 0; k < classes; k++) total += crd_exp(logs[k]);
            assert_true(fabs(total - 1) < 1e-12);
            for (size_t i = 0; i < expected_count; i++) {
                if (expected[i].row != row_number) continue;
                seen++;
                assert_true(fabs(answer->log_evidence / expected[i].log_evidence - 1) < 1e-12);
                assert_true(fabs(crd_exp(logs[shown]) / expected[i].probability - 1) < 1e-11);
            }
            if (row_number >= most_rows) continue;
            crd_text truth = crd_frame_value(frame, row, target).text;
            for (size_t k = 0; k < classes; k++)
                if (crd_text_equal(crd_classifier_class(trained_model->classifier, k), truth) &&
                    logs[k] >= logs[answer->decision] - CRD_TIE_MARGIN)
                    credit += 1.0 / answer->tied;
        }
    }
    assert_int_equal(seen, expected_count);
    crd_posteriors_destroy(posteriors);
    crd_reader_close(reader);
    return credit;
}

static void adult_as_it_is(void **state) {
    (void)state;
    const expected_row expected[] = {
        {0, -48.241793157233198, 2.6083642175838325e-7},    {1, -44.556861406350094, 0.020849031986510133},
        {2, -50.766906523908286, 0.12897797868189036},      {3, -49.814692695400504, 0.99999999999641628},
        {4, -42.684217354648167, 0.0000014075959892997472}, {5, -45.863514229429634, 0.0000019536185468153313},
    };
    data_trained_model trained_model = train("tabular/adult_train.csv.gz", "income", NULL, 0);
    double credit = classify(&trained_model, "tabular/adult_test.csv.gz", ">50K", expected, 6, 2000);
    assert_true(credit == 1652);
    discard(&trained_model);
}

static void mushroom_as_it_is(void **state) {
    (void)state;
    const expected_row expected[] = {{0, -28.925056018853493, 0.84626356341818183}};
    data_trained_model trained_model = train("tabular/mushroom.csv", "class", NULL, 0);
    assert_true(classify(&trained_model, "tabular/mushroom.csv", "p", expected, 1, 2000) == 1967);
    discard(&trained_model);
}

static void house_votes_as_they_are(void **state) {
    (void)state;
    const expected_row expected[] = {{0, -4.1555003813146793, 1.1544027298969060e-7},
                                     {5, -13.246303255871568, 0.77316060483905373}};
    data_trained_model trained_model = train("tabular/house_votes_84.csv", "class", NULL, 0);
    assert_true(classify(&trained_model, "tabular/house_votes_84.csv", "democrat", expected, 2, 2000) == 393);
    discard(&trained_model);
}

static void titanic_as_it_is(void **state) {
    (void)state;
    const expected_row expected[] = {{0, -24.596096362885873, 2.5874360757938926e-7},
                                     {1, -31.299060698442422, 0.99999999980451210},
                                     {5, -23.056662401995919, 3.3794409463580208e-7}};
    data_trained_model trained_model = train("tabular/titanic.csv", "survived", NULL, 0);
    assert_true(classify(&trained_model, "tabular/titanic.csv", "1", expected, 3, 2000) == 883);
    discard(&trained_model);
}

static void wine_as_it_is(void **state) {
    (void)state;
    const expected_row expected[] = {{0, -16.181071839778221, 2.5695316507132143e-10},
                                     {100, -18.004134322047801, 0.99999943088587011}};
    data_trained_model trained_model = train("tabular/wine.csv", "class", NULL, 0);
    assert_true(classify(&trained_model, "tabular/wine.csv", "2", expected, 2, 2000) == 176);
    discard(&trained_model);
}

/* Lecture number 14: variance divided by n and by n - 1, no deviation below 0.01, no smoothing. */
static void the_assignment_reaches_its_accuracies(void **state) {
    (void)state;
    static const struct {
        const char *train, *test, *some_class;
        double mle, sample;
    } cases[] = {
        {"uta/yeast_training.txt", "uta/yeast_test.txt", "1", 0.4504, 0.4483},
        {"uta/pendigits_training.txt", "uta/pendigits_test.txt", "0", 0.8233, 0.8233},
        {"uta/satellite_training.txt", "uta/satellite_test.txt", "1", 0.7965, 0.7965},
        {"uta/zero_based/yeast_training.txt", "uta/zero_based/yeast_test.txt", "0", 0.4504, 0.4483},
        {"uta/zero_based/satellite_training.txt", "uta/zero_based/satellite_test.txt", "0", 0.7965, 0.7965},
        {"uta/string_labels/yeast_string_training.txt", "uta/string_labels/yeast_string_test.txt", "one", 0.4504,
         0.4483},
        {"uta/string_labels/pendigits_string_training.txt", "uta/string_labels/pendigits_string_test.txt", "two",
         0.8233, 0.8233},
        {"uta/string_labels/satellite_string_training.txt", "uta/string_labels/satellite_string_test.txt", "one",
         0.7965, 0.7965},
    };
    const double test_rows[] = {484, 3498, 2000, 484, 2000, 484, 3498, 2000};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int sample = 0; sample < 2; sample++) {
            const char *const settings[][2] = {
                {"smoothing", "none"}, {"variance", sample ? "sample" : "mle"}, {"min-sd", "0.01"}};
            data_trained_model trained_model = train(cases[i].train, "last", settings, 3);
            double credit = classify(&trained_model, cases[i].test, cases[i].some_class, NULL, 0, SIZE_MAX);
            /* The published figures have four decimals. */
            assert_true(fabs(credit / test_rows[i] - (sample ? cases[i].sample : cases[i].mle)) < 0.5e-4 + 1e-9);
            discard(&trained_model);
        }
    }
}

static void yeast_has_80_means_and_80_deviations(void **state) {
    (void)state;
    data_trained_model trained_model = train("uta/yeast_training.txt", "last", NULL, 0);
    crd_estimate estimates[8];
    size_t count = crd_classifier_estimates(trained_model.classifier, estimates, 8);
    uint64_t means = 0, deviations = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(estimates[i].what, "means") == 0) means = estimates[i].count;
        if (strcmp(estimates[i].what, "deviations") == 0) deviations = estimates[i].count;
    }
    assert_int_equal(means, 80);
    assert_int_equal(deviations, 80);
    discard(&trained_model);
}

int main(void) {
    if (access(CREDENCE_DATA, R_OK) != 0) {
        printf("skipped: the open data sets are not at %s\n", CREDENCE_DATA);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adult_as_it_is),
        cmocka_unit_test(mushroom_as_it_is),
        cmocka_unit_test(house_votes_as_they_are),
        cmocka_unit_test(titanic_as_it_is),
        cmocka_unit_test(wine_as_it_is),
        cmocka_unit_test(the_assignment_reaches_its_accuracies),
        cmocka_unit_test(yeast_has_80_means_and_80_deviations),
    };
    return cmocka_run_group_tests_name("open_data", tests, NULL, NULL);
}
