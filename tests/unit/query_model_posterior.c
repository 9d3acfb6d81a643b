/* SPDX-License-Identifier: MIT */
/* Queries to a model: by the lectures' numbers, by Bayes' rule through the classifier, and by what must hold of
 * mixtures. */
#include "model_support.h"

static const char DAYS[] = "Outlook,Humidity,Play,t,empty,flat\n"
                           "Sunny,High,No,30,,1\nSunny,High,No,27,,1\nOvercast,High,Yes,28,,1\nRain,High,Yes,20,,1\n"
                           "Rain,Normal,Yes,10,,1\nRain,Normal,No,9.5,,1\nOvercast,Normal,Yes,0,,1\n"
                           "Sunny,High,No,20,,1\nSunny,Normal,Yes,0,,1\nRain,Normal,Yes,21,,1\n"
                           "Sunny,Normal,Yes,22,,1\nOvercast,High,Yes,20,,1\nOvercast,Normal,Yes,29,,1\n"
                           "Rain,High,No,19,,1\n";
enum { OUTLOOK, HUMIDITY, PLAY, T, EMPTY, FLAT, COLUMNS };
enum { NO, YES };

typedef struct posterior_fixture {
    allocations counted;
    crd_context *context;
    crd_model *model;
    crd_query *query;
} posterior_fixture;

static crd_settings *settings_with(crd_context *context, const char *smoothing) {
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of(smoothing), &error), error);
    return settings;
}

static int set_up(void **state) {
    posterior_fixture *f = calloc(1, sizeof *f);
    crd_error error;
    f->context = counted_context(&f->counted);
    f->model = trained(f->context, DAYS, "Play");
    crd_settings *settings = settings_with(f->context, "none");
    assert_done(crd_query_create(f->model, settings, &f->query, &error), error);
    crd_settings_destroy(settings);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    posterior_fixture *f = *state;
    crd_query_destroy(f->query);
    crd_model_destroy(f->model);
    crd_context_destroy(f->context);
    assert_int_equal(f->counted.live, 0);
    free(f);
    return 0;
}

/* Nothing known but what follows: pairs of column and value. */
static void set_row(crd_value row[COLUMNS]) {
    for (size_t i = 0; i < COLUMNS; i++) row[i] = missing_value();
}

static double probability_of(const crd_query *query, const double *log_classes, size_t column, const char *value) {
    crd_value row[COLUMNS];
    crd_error error;
    double log_probability;
    set_row(row);
    row[column] = text_value(value);
    assert_done(crd_query_log_probability(query, log_classes, row, &log_probability, &error), error);
    return crd_exp(log_probability);
}

static void test_columns(void **state) {
    posterior_fixture *f = *state;
    assert_int_equal(crd_query_column_count(f->query), COLUMNS);
    assert_int_equal(crd_query_target(f->query), PLAY);
    static const char *const names[] = {"Outlook", "Humidity", "Play", "t", "empty", "flat"};
    static const crd_column_type types[] = {CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL, CRD_TYPE_CATEGORICAL,
                                            CRD_TYPE_NUMERIC,     CRD_TYPE_NONE,        CRD_TYPE_NUMERIC};
    static const size_t values[] = {3, 2, 2, 0, 0, 0};
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_true(crd_text_equal(crd_query_column_name(f->query, i), crd_text_of(names[i])));
        assert_int_equal(crd_query_column_type(f->query, i), types[i]);
        assert_int_equal(crd_query_value_count(f->query, i), values[i]);
    }
    assert_true(crd_text_equal(crd_query_value(f->query, PLAY, NO), crd_text_of("No")));
    assert_string_equal(crd_settings_get(crd_query_settings(f->query), "smoothing"), "none");
}

/* Nothing known: classes by their priors, values by total probability, which without smoothing are the shares of rows.
 */
static void test_nothing_known(void **state) {
    posterior_fixture *f = *state;
    crd_value row[COLUMNS];
    double classes[2];
    crd_answer answer;
    crd_error error;
    set_row(row);
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    assert_near(crd_exp(classes[YES]), 9.0 / 14, 1e-15);
    assert_true(answer.log_evidence == 0);
    assert_near(probability_of(f->query, classes, OUTLOOK, "Sunny"), 5.0 / 14, 1e-15);
    assert_near(probability_of(f->query, classes, OUTLOOK, "Overcast"), 4.0 / 14, 1e-15);
    assert_near(probability_of(f->query, classes, PLAY, "Yes"), 9.0 / 14, 1e-15);
}

static void test_class_given(void **state) {
    posterior_fixture *f = *state;
    crd_value row[COLUMNS];
    double classes[2];
    crd_answer answer;
    crd_error error;
    set_row(row);
    row[PLAY] = text_value("No");
    row[HUMIDITY] = text_value("High");
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    assert_true(classes[NO] == 0 && classes[YES] == -INFINITY);
    assert_near(answer.log_evidence, log(5.0 / 14 * 4 / 5), 1e-14);
    assert_near(probability_of(f->query, classes, OUTLOOK, "Sunny"), 3.0 / 5, 1e-15);
    assert_near(probability_of(f->query, classes, OUTLOOK, "Overcast"), 0, 0);
    assert_near(probability_of(f->query, classes, PLAY, "Yes"), 0, 0);
    row[PLAY] = text_value("Perhaps");
    assert_int_equal(crd_query_posterior(f->query, row, classes, &answer, &error), CRD_ERROR_COLUMN);
    assert_true(classes[NO] == -INFINITY && answer.decision == -1);
}

/* The class is the classifier's to the bit; an attribute is the ratio of two evidences: Bayes' rule. */
static void test_against_classifier(void **state) {
    posterior_fixture *f = *state;
    crd_classifier *classifier = classifier_with(f->model, f->context, WITH("smoothing", "none"));
    crd_value row[COLUMNS], attributes[COLUMNS - 1];
    double classes[2], posterior[2];
    crd_answer answer, other;
    crd_error error;
    set_row(row);
    row[OUTLOOK] = text_value("Rain");
    row[T] = number_value(21.5);
    for (size_t i = 0; i + 1 < COLUMNS; i++) attributes[i] = row[i < PLAY ? i : i + 1];
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    assert_done(crd_classifier_posterior(classifier, attributes, posterior, NULL, &other, &error), error);
    assert_memory_equal(classes, posterior, sizeof classes);
    assert_true(answer.log_evidence == other.log_evidence);
    attributes[HUMIDITY] = text_value("High");
    double high = probability_of(f->query, classes, HUMIDITY, "High");
    assert_done(crd_classifier_posterior(classifier, attributes, posterior, NULL, &other, &error), error);
    assert_near(high, crd_exp(other.log_evidence - answer.log_evidence), 1e-14);
    crd_classifier_destroy(classifier);
}

/* Joint tables sum to one, and over either column to the other's. */
static void test_joint(void **state) {
    posterior_fixture *f = *state;
    crd_value row[COLUMNS];
    double classes[2], sum = 0;
    crd_answer answer;
    crd_error error;
    set_row(row);
    row[T] = number_value(25);
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    set_row(row);
    for (size_t i = 0; i < 3; i++) {
        double partial = 0;
        for (size_t j = 0; j < 2; j++)
            for (size_t k = 0; k < 2; k++) {
                double log_probability;
                crd_text texts[] = {crd_query_value(f->query, OUTLOOK, i), crd_query_value(f->query, HUMIDITY, j),
                                    crd_query_value(f->query, PLAY, k)};
                crd_value values[3];
                for (size_t v = 0; v < 3; v++) values[v] = (crd_value){CRD_TYPE_CATEGORICAL, 0, texts[v]};
                row[OUTLOOK] = values[0], row[HUMIDITY] = values[1], row[PLAY] = values[2];
                assert_done(crd_query_log_probability(f->query, classes, row, &log_probability, &error), error);
                partial += crd_exp(log_probability);
            }
        crd_text outlook = crd_query_value(f->query, OUTLOOK, i);
        char text[16] = "";
        memcpy(text, outlook.bytes, outlook.length);
        assert_near(partial, probability_of(f->query, classes, OUTLOOK, text), 1e-15);
        sum += partial;
    }
    assert_near(sum, 1, 1e-15);
}

/* A mixture's density integrates to its distribution function, and has the moments that are stated. */
static void test_numbers(void **state) {
    posterior_fixture *f = *state;
    crd_value row[COLUMNS];
    double classes[2], mean, deviation, low, high, x, total = 0, first = 0, second = 0;
    crd_answer answer;
    crd_error error;
    set_row(row);
    row[OUTLOOK] = text_value("Rain");
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    assert_done(crd_query_moments(f->query, classes, T, &mean, &deviation, &error), error);
    enum { STEPS = 20000 };
    double lower = mean - 12 * deviation, step = 24 * deviation / STEPS;
    set_row(row);
    for (int i = 0; i < STEPS; i++) {
        double position = lower + step * (i + 0.5), log_density;
        row[T] = number_value(position);
        assert_done(crd_query_log_probability(f->query, classes, row, &log_density, &error), error);
        total += crd_exp(log_density) * step;
        first += crd_exp(log_density) * step * position;
        second += crd_exp(log_density) * step * (position - mean) * (position - mean);
        if (i % 1000 != 999) continue;
        assert_done(crd_query_below(f->query, classes, T, lower + step * (i + 1), &low, &error), error);
        assert_near(low, total, 1e-6);
    }
    assert_near(total, 1, 1e-12);
    assert_near(first, mean, 1e-10);
    assert_near(sqrt(second), deviation, 1e-10);
    for (double p = 0.001; p < 1; p += 0.0499) {
        assert_done(crd_query_quantile(f->query, classes, T, p, &x, &error), error);
        assert_done(crd_query_below(f->query, classes, T, x, &high, &error), error);
        assert_near(high, p, 1e-14);
        assert_done(crd_query_below(f->query, classes, T, nextafter(x, -INFINITY), &low, &error), error);
        assert_true(low < p || low == high);
    }
}

static void test_refused(void **state) {
    posterior_fixture *f = *state;
    crd_value row[COLUMNS];
    double classes[2], out, other;
    crd_answer answer;
    crd_error error;
    set_row(row);
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    row[OUTLOOK] = text_value("Fog");
    assert_int_equal(crd_query_log_probability(f->query, classes, row, &out, &error), CRD_ERROR_COLUMN);
    /* As evidence it is none, and counted. */
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    assert_int_equal(answer.unseen, 1);
    assert_near(crd_exp(classes[YES]), 9.0 / 14, 1e-15);
    set_row(row);
    row[EMPTY] = text_value("x");
    assert_int_equal(crd_query_log_probability(f->query, classes, row, &out, &error), CRD_ERROR_EMPTY);
    assert_int_equal(crd_query_moments(f->query, classes, EMPTY, &out, &other, &error), CRD_ERROR_EMPTY);
    assert_int_equal(crd_query_moments(f->query, classes, FLAT, &out, &other, &error), CRD_ERROR_EMPTY);
    assert_int_equal(crd_query_moments(f->query, classes, OUTLOOK, &out, &other, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_query_moments(f->query, classes, PLAY, &out, &other, &error), CRD_ERROR_COLUMN);
    assert_int_equal(crd_query_moments(f->query, classes, COLUMNS, &out, &other, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_query_quantile(f->query, classes, T, 0, &out, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_query_quantile(f->query, classes, T, 1, &out, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_query_quantile(f->query, classes, T, NAN, &out, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(crd_query_below(f->query, classes, T, INFINITY, &out, &error), CRD_ERROR_NUMBER);
    /* Overcast never was a day without play. */
    set_row(row);
    row[OUTLOOK] = text_value("Overcast");
    row[PLAY] = text_value("No");
    assert_done(crd_query_posterior(f->query, row, classes, &answer, &error), error);
    assert_true(answer.decision == -1 && answer.log_evidence == -INFINITY);
    assert_int_equal(crd_query_moments(f->query, classes, T, &out, &other, &error), CRD_ERROR_EMPTY);
}

/* A category all of whose values were forgotten again has no distribution, neither as a table nor as a number. */
static void test_forgotten(void **state) {
    posterior_fixture *f = *state;
    const crd_text cells[] = {{"x", 1}, {NULL, 0}}, classes[] = {{"k", 1}, {"k", 1}};
    crd_frame *both, *first;
    crd_model *model;
    crd_query *query;
    crd_value row[2] = {missing_value(), missing_value()};
    double weight, mean, deviation;
    crd_answer answer;
    crd_error error;
    assert_done(crd_frame_create(f->context, 2, &both, &error), error);
    assert_done(crd_frame_add_texts(both, crd_text_of("a"), cells, &error), error);
    assert_done(crd_frame_add_texts(both, crd_text_of("c"), classes, &error), error);
    assert_done(crd_frame_create(f->context, 1, &first, &error), error);
    assert_done(crd_frame_add_texts(first, crd_text_of("a"), cells, &error), error);
    assert_done(crd_frame_add_texts(first, crd_text_of("c"), classes, &error), error);
    assert_done(crd_model_create(f->context, both, crd_text_of("c"), NULL, &model, &error), error);
    assert_done(crd_model_update(model, both, &error), error);
    assert_done(crd_model_forget(model, first, &error), error);
    assert_done(crd_query_create(model, NULL, &query, &error), error);
    assert_int_equal(crd_query_value_count(query, 0), 0);
    assert_done(crd_query_posterior(query, row, &weight, &answer, &error), error);
    assert_int_equal(crd_query_moments(query, &weight, 0, &mean, &deviation, &error), CRD_ERROR_EMPTY);
    assert_string_equal(error.message, "column 'a' has no values");
    crd_query_destroy(query);
    crd_model_destroy(model);
    crd_frame_destroy(first);
    crd_frame_destroy(both);
}

/* Means at the ends of the range of doubles: quantiles between far apart classes are still found. */
static void test_far_apart(void **state) {
    posterior_fixture *f = *state;
    crd_model *model = trained(f->context, "x,c\n-1e300,a\n-1.1e300,a\n1e300,b\n1.1e300,b\n", "c");
    crd_query *query;
    crd_value row[2] = {missing_value(), missing_value()};
    double classes[2], x, below, mean, deviation;
    crd_answer answer;
    crd_error error;
    assert_done(crd_query_create(model, NULL, &query, &error), error);
    assert_done(crd_query_posterior(query, row, classes, &answer, &error), error);
    assert_done(crd_query_quantile(query, classes, 0, 0.25, &x, &error), error);
    assert_done(crd_query_below(query, classes, 0, x, &below, &error), error);
    assert_near(below, 0.25, 1e-14);
    assert_done(crd_query_moments(query, classes, 0, &mean, &deviation, &error), error);
    assert_true(isfinite(mean) && isfinite(deviation) && deviation > 1e300);
    crd_query_destroy(query);
    crd_model_destroy(model);
}

static void test_memory(void **state) {
    posterior_fixture *f = *state;
    for (size_t fail_at = 1;; fail_at++) {
        crd_query *query;
        crd_error error;
        long live = f->counted.live;
        f->counted.calls = 0;
        f->counted.fail_at = fail_at;
        crd_status status = crd_query_create(f->model, NULL, &query, &error);
        f->counted.fail_at = 0;
        crd_query_destroy(query);
        assert_int_equal(f->counted.live, live);
        if (status == CRD_OK) return;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_nothing_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_class_given, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_against_classifier, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_joint, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_forgotten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_far_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
