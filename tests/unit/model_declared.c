/* SPDX-License-Identifier: MIT */
/* model_declared.c - values that are declared: known at a count of zero, through everything that a model does. */
#include "../model_support.h"
#include "evaluate/leave_one_out.h"

#include <credence/evaluate.h>
#include <credence/query.h>

#define HEAD "@relation r\n@attribute k {a,b,c}\n@attribute n numeric\n@attribute y {yes,no,never}\n@data\n"
#define ROWS_1 "a,1,yes\nb,2,no\n"
#define ROWS_2 "a,3,yes\nb,5,yes\n?,4,no\n"

/* The same columns, declared in another order; and with a value fewer. */
#define OTHER "@relation x\n@attribute k {c,b,a}\n@attribute n real\n@attribute y {no,never,yes}\n@data\n"
#define FEWER "@relation x\n@attribute k {b,a}\n@attribute n real\n@attribute y {no,never,yes}\n@data\n"

static void expect_equal(const crd_model *left, const crd_model *right, crd_context *context) {
    unsigned char *a, *b;
    size_t a_length, b_length;
    crd_error error;
    assert_done(crd_model_encode(left, &a, &a_length, &error), error);
    assert_done(crd_model_encode(right, &b, &b_length, &error), error);
    assert_int_equal(a_length, b_length);
    assert_memory_equal(a, b, a_length);
    crd_free(context, a);
    crd_free(context, b);
}

static void test_zero_counts_are_known(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_model *model = trained(context, HEAD ROWS_1 ROWS_2, "y");
    crd_summary *summary;
    crd_error error;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(summary->class_count, 3);
    assert_true(crd_text_equal(summary->classes[0].name, crd_text_of("never")));
    assert_true(summary->classes[0].rows == 0);
    assert_int_equal(summary->attributes[0].value_count, 3);
    assert_true(crd_text_equal(crd_summary_value(summary, 0, 2), crd_text_of("c")));
    assert_true(crd_summary_count(summary, 0, 2, 2) == 0);
    crd_summary_destroy(summary);

    /* t counts c. Priors 1/8, 3/8, 4/8; P(c) = 1/3, 1/4, 1/6: the products are as 4 to 9 to 8. */
    crd_classifier *classifier = classifier_with(model, context, WITH("smoothing", "laplace:1", "prior", "laplace:1"));
    crd_value row[] = {text_value("c"), {CRD_TYPE_NONE, 0, {NULL, 0}}};
    double posterior[3];
    assert_int_equal(crd_classifier_class_count(classifier), 3);
    crd_answer answer;
    assert_done(crd_classifier_posterior(classifier, row, posterior, NULL, &answer, &error), error);
    assert_int_equal(answer.unseen, 0);
    assert_near(exp(posterior[0]), 4.0 / 21, 1e-15);
    assert_near(exp(posterior[1]), 9.0 / 21, 1e-15);
    assert_near(exp(posterior[2]), 8.0 / 21, 1e-15);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A table of counts knows them too, also of a column without a present cell. */
static void test_tables_of_counts(void **state) {
    (void)state;
    static const char TEXT[] = HEAD "a,1,?\na,2,?\n";
    static const size_t COLUMNS[] = {0, 2};
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_reader *reader;
    crd_table *table;
    crd_error error;
    assert_done(open_text(context, TEXT, strlen(TEXT), NULL, &reader, &error), error);
    assert_done(crd_table_read(context, reader, COLUMNS, 2, &table, &error), error);
    assert_int_equal(crd_table_value_count(table, 0), 3);
    assert_true(crd_text_equal(crd_table_value(table, 0, 2).text, crd_text_of("c")));
    assert_int_equal(crd_table_value_count(table, 1), 0);
    assert_int_equal(crd_table_column_type(table, 2), CRD_TYPE_CATEGORICAL);
    assert_int_equal(crd_table_value_count(table, 2), 3);
    assert_true(crd_text_equal(crd_table_value(table, 2, 0).text, crd_text_of("never")));
    crd_table_destroy(table);
    crd_reader_close(reader);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void test_bytes(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    crd_model *model = trained(context, HEAD ROWS_1 ROWS_2, "y"), *copy;
    unsigned char *bytes;
    size_t length;
    assert_done(crd_model_encode(model, &bytes, &length, &error), error);
    assert_done(crd_model_decode(context, bytes, length, &copy, &error), error);
    expect_equal(model, copy, context);
    crd_model_destroy(copy);
    /* Every byte counts: none can be changed without being noticed. */
    for (size_t i = 0; i < length; i++) {
        bytes[i] ^= 1;
        assert_int_not_equal(crd_model_decode(context, bytes, length, &copy, &error), CRD_OK);
        bytes[i] ^= 1;
    }
    crd_free(context, bytes);

    /* The order in which values are declared does not matter; which are, does. */
    crd_model *other = trained(context, OTHER ROWS_2 ROWS_1, "y");
    expect_equal(model, other, context);
    crd_model_destroy(other);
    other = trained(context, FEWER ROWS_2 ROWS_1, "y");
    unsigned char *fewer;
    size_t fewer_length;
    assert_done(crd_model_encode(other, &fewer, &fewer_length, &error), error);
    assert_int_not_equal(fewer_length, length);
    crd_free(context, fewer);

    /* Merging joins what either declares, and commutes. */
    crd_model *both = trained(context, HEAD ROWS_1, "y"), *swapped = trained(context, FEWER ROWS_2, "y");
    crd_model *first = trained(context, HEAD ROWS_1, "y");
    assert_done(crd_model_merge(both, swapped, &error), error);
    assert_done(crd_model_merge(swapped, first, &error), error);
    expect_equal(both, swapped, context);
    expect_equal(both, model, context);
    crd_model_destroy(both);
    crd_model_destroy(swapped);
    crd_model_destroy(first);
    crd_model_destroy(other);
    crd_model_destroy(model);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void test_forgetting(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    crd_model *model = trained(context, HEAD ROWS_1, "y"), *before = trained(context, HEAD ROWS_1, "y");
    crd_reader *reader;
    assert_done(open_text(context, HEAD ROWS_2, strlen(HEAD ROWS_2), NULL, &reader, &error), error);
    assert_done(crd_model_update_all(model, reader, NULL, &error), error);
    crd_reader_close(reader);
    assert_done(open_text(context, HEAD ROWS_2, strlen(HEAD ROWS_2), NULL, &reader, &error), error);
    assert_done(crd_model_forget_all(model, reader, NULL, &error), error);
    crd_reader_close(reader);
    expect_equal(model, before, context);

    /* All rows gone: the values stay, but there is nothing to answer with. */
    assert_done(open_text(context, HEAD ROWS_1, strlen(HEAD ROWS_1), NULL, &reader, &error), error);
    assert_done(crd_model_forget_all(model, reader, NULL, &error), error);
    crd_reader_close(reader);
    crd_summary *summary;
    crd_classifier *classifier;
    assert_done(crd_summary_create(model, &summary, &error), error);
    assert_int_equal(summary->attributes[0].value_count, 3);
    assert_int_equal(summary->class_count, 3);
    crd_summary_destroy(summary);
    assert_int_equal(crd_classifier_create(model, NULL, &classifier, &error), CRD_ERROR_EMPTY);
    crd_model_destroy(model);
    crd_model_destroy(before);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Each row by the model without it, against a model that never saw it. */
static void test_leave_one_out(void **state) {
    (void)state;
    static const char *const ROWS[] = {"a,1,yes\n", "b,2,no\n", "a,3,yes\n", "c,5,no\n", "?,4,never\n"};
    static const char *const SETTINGS[] = {"none", "m:1", "m:1:marginal", "laplace:1"};
    enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0], SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    char all[512] = HEAD;
    for (size_t i = 0; i < ROW_COUNT; i++) strcat(all, ROWS[i]);
    crd_model *whole = trained(context, all, "y");
    for (size_t k = 0; k < SETTING_COUNT; k++) {
        crd_settings *settings;
        crd_i_leave_one_out *leaving;
        crd_posteriors *got, *wanted;
        assert_done(crd_settings_create(context, &settings, &error), error);
        assert_done(crd_settings_set(settings, "smoothing", crd_text_of(SETTINGS[k]), &error), error);
        assert_done(crd_settings_set(settings, "prior", crd_text_of("laplace:1"), &error), error);
        assert_done(crd_i_leave_one_out_create(whole, settings, &leaving, &error), error);
        assert_done(crd_posteriors_create(context, &got, &error), error);
        assert_done(crd_posteriors_create(context, &wanted, &error), error);
        crd_reader *reader;
        const crd_frame *frame;
        assert_done(open_text(context, all, strlen(all), "y", &reader, &error), error);
        assert_done(crd_reader_next(reader, &frame, &error), error);
        assert_done(crd_i_leave_one_out_classify(leaving, frame, got, &error), error);
        for (size_t i = 0; i < ROW_COUNT; i++) {
            char remainder[512] = HEAD;
            for (size_t j = 0; j < ROW_COUNT; j++)
                if (j != i) strcat(remainder, ROWS[j]);
            crd_model *model = trained(context, remainder, "y");
            crd_classifier *classifier;
            assert_done(crd_classifier_create(model, settings, &classifier, &error), error);
            assert_done(crd_classifier_classify(classifier, frame, wanted, &error), error);
            for (size_t c = 0; c < 3; c++) {
                double left = crd_posteriors_log(got, i)[c], right = crd_posteriors_log(wanted, i)[c];
                if (!(left == right || fabs(left - right) < 1e-12 || (isnan(left) && isnan(right))))
                    fail_msg("%s, row %zu, class %zu: %.17g and %.17g", SETTINGS[k], i, c, left, right);
            }
            assert_int_equal(crd_posteriors_answer(got, i)->unseen, crd_posteriors_answer(wanted, i)->unseen);
            crd_classifier_destroy(classifier);
            crd_model_destroy(model);
        }
        crd_reader_close(reader);
        crd_posteriors_destroy(got);
        crd_posteriors_destroy(wanted);
        crd_i_leave_one_out_destroy(leaving);
        crd_settings_destroy(settings);
    }
    crd_model_destroy(whole);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Training, merging, writing and reading with each allocation failing in turn: all or nothing. */
static void test_memory(void **state) {
    (void)state;
    static const char MORE[] =
        "@relation x\n@attribute k {d,a}\n@attribute n real\n@attribute y {no,maybe}\n@data\nd,1,no\n";
    for (size_t index = 1;; index++) {
        allocations counted = {.fail_at = index};
        crd_context *context = counted_context(&counted);
        crd_model *model = NULL, *other = NULL, *copy = NULL;
        crd_error error = {0};
        unsigned char *bytes = NULL;
        size_t length = 0;
        crd_status status = context == NULL ? CRD_ERROR_MEMORY : train_text(context, HEAD ROWS_1, "y", &model, &error);
        if (status == CRD_OK) status = train_text(context, MORE, "y", &other, &error);
        if (status == CRD_OK) status = crd_model_merge(model, other, &error);
        if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, &error);
        if (status == CRD_OK) status = crd_model_decode(context, bytes, length, &copy, &error);
        if (context != NULL) crd_free(context, bytes);
        crd_model_destroy(model);
        crd_model_destroy(other);
        crd_model_destroy(copy);
        if (context != NULL) crd_context_destroy(context);
        assert_int_equal(counted.live, 0);
        if (counted.calls < index) break;
        assert_int_equal(status, CRD_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_counts_are_known),
        cmocka_unit_test(test_tables_of_counts),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_forgetting),
        cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
