/* SPDX-License-Identifier: MIT */
/* Sampling: the same rows in any order, shares and moments that come back, and what is given. */
#include "model_support.h"

enum { OUTLOOK, T, PLAY, EMPTY, FLAT, COLUMNS };
static const char DAYS[] = "Outlook,t,Play,empty,flat\n"
                           "Sunny,30,No,,7\nSunny,27,No,,7\nOvercast,28,Yes,,7\nRain,20,Yes,,7\nRain,10,Yes,,7\n"
                           "Rain,9.5,No,,7\nOvercast,0,Yes,,7\nSunny,20,No,,7\nSunny,0,Yes,,7\nRain,21,Yes,,7\n";

typedef struct sampler_fixture {
    allocations counted;
    crd_context *context;
    crd_model *model;
} sampler_fixture;

static int set_up(void **state) {
    sampler_fixture *f = calloc(1, sizeof *f);
    f->context = counted_context(&f->counted);
    f->model = trained(f->context, DAYS, "Play");
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    sampler_fixture *f = *state;
    crd_model_destroy(f->model);
    crd_context_destroy(f->context);
    assert_int_equal(f->counted.live, 0);
    free(f);
    return 0;
}

static crd_sampler *sampler_of(sampler_fixture *f, const crd_value *given, const char *smoothing, uint64_t seed) {
    crd_sampler *sampler;
    crd_settings *settings;
    crd_error error;
    assert_done(crd_settings_create(f->context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of(smoothing), &error), error);
    assert_done(crd_sampler_create(f->model, settings, given, seed, &sampler, &error), error);
    crd_settings_destroy(settings);
    return sampler;
}

static void assert_same(const crd_value *a, const crd_value *b) {
    for (size_t i = 0; i < COLUMNS; i++) {
        assert_int_equal(a[i].type, b[i].type);
        if (a[i].type == CRD_TYPE_NUMERIC) assert_memory_equal(&a[i].number, &b[i].number, sizeof(double));
        if (a[i].type == CRD_TYPE_CATEGORICAL) assert_true(crd_text_equal(a[i].text, b[i].text));
    }
}

static void test_columns(void **state) {
    sampler_fixture *f = *state;
    crd_sampler *sampler = sampler_of(f, NULL, "m:1", 1);
    crd_value row[COLUMNS];
    assert_int_equal(crd_sampler_column_count(sampler), COLUMNS);
    assert_int_equal(crd_sampler_target(sampler), PLAY);
    assert_true(crd_text_equal(crd_sampler_column_name(sampler, T), crd_text_of("t")));
    assert_int_equal(crd_sampler_column_type(sampler, T), CRD_TYPE_NUMERIC);
    for (uint64_t i = 0; i < 100; i++) {
        crd_sampler_draw(sampler, i, row);
        assert_int_equal(row[OUTLOOK].type, CRD_TYPE_CATEGORICAL);
        assert_int_equal(row[T].type, CRD_TYPE_NUMERIC);
        assert_true(isfinite(row[T].number));
        assert_int_equal(row[PLAY].type, CRD_TYPE_CATEGORICAL);
        assert_int_equal(row[EMPTY].type, CRD_TYPE_NONE);
        assert_true(row[FLAT].type == CRD_TYPE_NUMERIC && row[FLAT].number == 7);
    }
    crd_sampler_destroy(sampler);
    crd_sampler_destroy(NULL);
}

/* A row is a function of seed and number: any order, two samplers, far rows. Another seed gives others. */
static void test_order_free(void **state) {
    sampler_fixture *f = *state;
    enum { ROWS = 50 };
    crd_sampler *one = sampler_of(f, NULL, "m:1", 42), *two = sampler_of(f, NULL, "m:1", 42);
    crd_sampler *other = sampler_of(f, NULL, "m:1", 43);
    crd_value rows[ROWS][COLUMNS], row[COLUMNS];
    size_t differ = 0;
    for (uint64_t i = 0; i < ROWS; i++) crd_sampler_draw(one, i, rows[i]);
    for (uint64_t i = ROWS; i-- > 0;) {
        crd_sampler_draw(two, i, row);
        assert_same(row, rows[i]);
        crd_sampler_draw(other, i, row);
        differ += row[T].number != rows[i][T].number;
    }
    assert_int_equal(differ, ROWS);
    crd_sampler_draw(one, UINT64_MAX, row);
    assert_true(isfinite(row[T].number));
    crd_sampler_destroy(one);
    crd_sampler_destroy(two);
    crd_sampler_destroy(other);
}

/* Where the class comes out the same, giving it, or an attribute, changes no other cell. */
static void test_given_keeps_the_rest(void **state) {
    sampler_fixture *f = *state;
    crd_value given[COLUMNS], free_row[COLUMNS], row[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) given[i] = missing_value();
    given[PLAY] = text_value("Yes");
    given[EMPTY] = number_value(NAN);
    crd_sampler *all = sampler_of(f, NULL, "m:1", 5), *yes = sampler_of(f, given, "m:1", 5);
    size_t compared = 0;
    for (uint64_t i = 0; i < 200; i++) {
        crd_sampler_draw(all, i, free_row);
        crd_sampler_draw(yes, i, row);
        assert_true(crd_text_equal(row[PLAY].text, crd_text_of("Yes")));
        if (!crd_text_equal(free_row[PLAY].text, row[PLAY].text)) continue;
        assert_same(row, free_row);
        compared++;
    }
    assert_true(compared > 80 && compared < 160);
    crd_sampler_destroy(all);
    crd_sampler_destroy(yes);
}

/* An attribute that is given is every row's, and the class follows it: without smoothing, Overcast means Yes. */
static void test_given_attributes(void **state) {
    sampler_fixture *f = *state;
    crd_value given[COLUMNS], row[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) given[i] = missing_value();
    given[OUTLOOK] = text_value("Overcast");
    given[T] = text_value("12.5"); /* a number may be given as text */
    given[FLAT] = number_value(8);
    crd_sampler *sampler = sampler_of(f, given, "none", 9);
    for (uint64_t i = 0; i < 50; i++) {
        crd_sampler_draw(sampler, i, row);
        assert_true(crd_text_equal(row[OUTLOOK].text, crd_text_of("Overcast")));
        assert_true(crd_text_equal(row[PLAY].text, crd_text_of("Yes")));
        assert_true(row[T].number == 12.5 && row[FLAT].number == 8);
    }
    crd_sampler_destroy(sampler);
}

static void test_refused(void **state) {
    sampler_fixture *f = *state;
    static const struct {
        size_t column;
        const char *value;
        crd_status status;
    } cases[] = {{PLAY, "Perhaps", CRD_ERROR_COLUMN},
                 {OUTLOOK, "Fog", CRD_ERROR_COLUMN},
                 {EMPTY, "x", CRD_ERROR_COLUMN},
                 {T, "warm", CRD_ERROR_NUMBER}};
    crd_value given[COLUMNS];
    crd_sampler *sampler;
    crd_error error;
    for (size_t c = 0; c < 4; c++) {
        for (size_t i = 0; i < COLUMNS; i++) given[i] = missing_value();
        given[cases[c].column] = text_value(cases[c].value);
        assert_int_equal(crd_sampler_create(f->model, NULL, given, 1, &sampler, &error), cases[c].status);
        assert_null(sampler);
    }
    crd_settings *settings;
    assert_done(crd_settings_create(f->context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    for (size_t i = 0; i < COLUMNS; i++) given[i] = missing_value();
    given[OUTLOOK] = text_value("Overcast");
    given[PLAY] = text_value("No");
    assert_int_equal(crd_sampler_create(f->model, settings, given, 1, &sampler, &error), CRD_ERROR_EMPTY);
    crd_settings_destroy(settings);
}

/* Sample, train, recover: the tables, means and deviations of a model come back within five standard errors. */
static void test_recover(void **state) {
    sampler_fixture *f = *state;
    enum { ROWS = 40000 };
    crd_sampler *sampler = sampler_of(f, NULL, "none", 20240217);
    crd_text *outlook = calloc(ROWS, sizeof *outlook), *play = calloc(ROWS, sizeof *play);
    double *t = calloc(ROWS, sizeof *t);
    crd_frame *frame;
    crd_model *again;
    crd_summary *source_summary, *sample_summary;
    crd_error error;
    for (uint64_t i = 0; i < ROWS; i++) {
        crd_value row[COLUMNS];
        crd_sampler_draw(sampler, i, row);
        outlook[i] = row[OUTLOOK].text;
        t[i] = row[T].number;
        play[i] = row[PLAY].text;
    }
    assert_done(crd_frame_create(f->context, ROWS, &frame, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("Outlook"), outlook, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("t"), t, NULL, &error), error);
    assert_done(crd_frame_add_texts(frame, crd_text_of("Play"), play, &error), error);
    assert_done(crd_model_create(f->context, frame, crd_text_of("Play"), NULL, &again, &error), error);
    assert_done(crd_model_update(again, frame, &error), error);
    assert_done(crd_summary_create(f->model, &source_summary, &error), error);
    assert_done(crd_summary_create(again, &sample_summary, &error), error);
    for (size_t k = 0; k < 2; k++) {
        double n = sample_summary->classes[k].rows, p = source_summary->classes[k].rows / source_summary->rows;
        assert_near(n / ROWS, p, 5 * sqrt(p * (1 - p) / ROWS));
        for (size_t v = 0; v < 3; v++) {
            p = crd_summary_count(source_summary, 0, v, k) / source_summary->classes[k].rows;
            crd_text value = crd_summary_value(source_summary, 0, v);
            double share = 0;
            for (size_t w = 0; w < sample_summary->attributes[0].value_count; w++)
                if (crd_text_equal(crd_summary_value(sample_summary, 0, w), value))
                    share = crd_summary_count(sample_summary, 0, w, k) / n;
            assert_near(share, p, 5 * sqrt(p * (1 - p) / n));
        }
        crd_moments wanted = crd_summary_moments(source_summary, 1, k),
                    moments = crd_summary_moments(sample_summary, 1, k);
        double deviation = sqrt(wanted.variance);
        assert_near(moments.mean, wanted.mean, 5 * deviation / sqrt(n));
        assert_near(sqrt(moments.variance), deviation, 5 * deviation / sqrt(2 * n));
    }
    crd_summary_destroy(source_summary);
    crd_summary_destroy(sample_summary);
    crd_model_destroy(again);
    crd_frame_destroy(frame);
    crd_sampler_destroy(sampler);
    free(outlook);
    free(play);
    free(t);
}

static void test_stopped(void **state) {
    sampler_fixture *f = *state;
    crd_error error;
    crd_sampler *sampler = sampler_of(f, NULL, "none", 1);
    assert_done(crd_sampler_check(sampler, &error), error);
    crd_context_cancel(f->context);
    assert_int_equal(crd_sampler_check(sampler, &error), CRD_ERROR_CANCELLED);
    crd_context_resume(f->context);
    assert_done(crd_sampler_check(sampler, &error), error);
    crd_sampler_destroy(sampler);
}

static void test_memory(void **state) {
    sampler_fixture *f = *state;
    crd_value given[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) given[i] = missing_value();
    given[PLAY] = text_value("No");
    for (size_t fail_at = 1;; fail_at++) {
        crd_sampler *sampler;
        crd_error error;
        long live = f->counted.live;
        f->counted.calls = 0;
        f->counted.fail_at = fail_at;
        crd_status status = crd_sampler_create(f->model, NULL, given, 1, &sampler, &error);
        f->counted.fail_at = 0;
        crd_sampler_destroy(sampler);
        assert_int_equal(f->counted.live, live);
        if (status == CRD_OK) return;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_order_free, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_given_keeps_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_given_attributes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_recover, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stopped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
