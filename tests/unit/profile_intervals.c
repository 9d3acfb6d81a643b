/* SPDX-License-Identifier: MIT */
/* Numbers made intervals: labels and their order, rules of cut points, round trips of schemas and models, damaged bytes,
 * failing allocations. */
#include "io/public_schema.h"
#include "model_support.h"

#include "table/column_schema.h"

#include "counted_fixture.h"

static void test_labels(void **state) {
    (void)state;
    const double cuts[] = {-2.5, 0, 1e300};
    static const char *const labels[] = {"<-2.5", "[-2.5, 0)", "[0, 1e+300)", ">=1e+300"};
    crd_i_intervals intervals = {NULL, 0};
    char buffer[CRD_I_INTERVAL_ROOM];
    assert_true(crd_i_intervals_set(context, &intervals, cuts, 3));
    for (size_t i = 0; i < 4; i++) {
        crd_text label = crd_i_intervals_label(&intervals, i, buffer);
        assert_true(crd_text_equal(label, crd_text_of(labels[i])));
        assert_int_equal(crd_i_intervals_find_text(&intervals, label), i);
        assert_true(crd_is_interval(label));
    }
    const double numbers[] = {-1e308, -2.5, -0.0, 0, 1e300, 1e308};
    const int32_t indexes[] = {0, 1, 2, 2, 3, 3};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(crd_i_intervals_find(&intervals, numbers[i]), indexes[i]);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(crd_interval_contains(crd_text_of(labels[k]), numbers[i]), (int)k == indexes[i]);
    }
    static const char *const others[] = {"", "<", "[1, 2]", "[2, 1)", "[1,2)", ">=", "a", "3", "[1, )", "[, 1)"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(crd_is_interval(crd_text_of(others[i])));
    assert_true(crd_interval_contains(crd_text_of("(-inf, inf)"), 7));
    const double twice[] = {1, 1}, down[] = {2, 1}, endless[] = {INFINITY};
    assert_false(crd_i_cuts_fit(twice, 2) || crd_i_cuts_fit(down, 2) || crd_i_cuts_fit(endless, 1));
    crd_i_intervals_clear(context, &intervals);
}

/* Columns: n is 1 .. 12, two classes that meet at 6; e is 1 to 3 of unequal frequency; k is constant. */
static const char rows[] = "n,e,k,y\n1,1,7,a\n2,1,7,a\n3,1,7,a\n4,1,7,a\n5,1,7,a\n6,1,7,a\n7,1,7,b\n8,1,7,b\n9,2,7,b\n"
                           "10,2,7,b\n11,3,7,b\n12,3,?,b\n";

static crd_status discretize(const char *text, const char *rule, crd_schema **out, crd_error *error) {
    crd_reader *reader;
    crd_discretization discretization = CRD_DISCRETIZATION_INIT;
    discretization.rule = crd_text_of(rule);
    discretization.is_optional = 1;
    *out = NULL;
    crd_status status = open_text(context, text, strlen(text), "y", &reader, error);
    if (status != CRD_OK) return status;
    status = crd_discretize(context, reader, &discretization, 1, out, error);
    crd_reader_close(reader);
    return status;
}

static void assert_cuts(const crd_schema *schema, size_t column, size_t count, const double *cuts) {
    size_t cut_count;
    const double *schema_cuts = crd_i_schema_cuts(schema, column, &cut_count);
    assert_non_null(schema_cuts);
    assert_int_equal(cut_count, count);
    for (size_t i = 0; i < count; i++) assert_true(schema_cuts[i] == cuts[i]);
}

static void test_rules(void **state) {
    (void)state;
    static const struct {
        const char *rule;
        size_t count[3];
        double cuts[3][3];
    } cases[] = {
        {"quantile:2", {1, 1, 0}, {{6.5}, {1.5}, {0}}}, {"quantile:4", {3, 2, 0}, {{3.5, 6.5, 9.5}, {1.5, 2.5}, {0}}},
        {"width:2", {1, 1, 0}, {{6.5}, {2}, {0}}},      {"width:4", {3, 3, 0}, {{3.75, 6.5, 9.25}, {1.5, 2, 2.5}, {0}}},
        {"mdl", {1, 0, 0}, {{6.5}, {0}, {0}}},          {"2:7", {2, 2, 2}, {{2, 7}, {2, 7}, {2, 7}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        crd_schema *schema;
        crd_error error;
        assert_done(discretize(rows, cases[i].rule, &schema, &error), error);
        for (size_t c = 0; c < 3; c++) assert_cuts(schema, c, cases[i].count[c], cases[i].cuts[c]);
        crd_schema_destroy(schema);
    }
    static const char *const wrong[] = {"",    "mdl:2", "quantile", "quantile:1", "width:2.5",
                                        "2:1", "1:1",   "1:x",      "inf",        ":"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        crd_schema *schema;
        crd_error error;
        assert_int_equal(discretize(rows, wrong[i], &schema, &error), CRD_ERROR_SETTING);
        assert_null(schema);
    }
}

/* A schema through its file, a model from it through its bytes. */
static crd_status round_trip(crd_model **out, crd_error *error) {
    crd_schema *schema = NULL, *again = NULL;
    crd_reader *reader = NULL;
    crd_model *model = NULL;
    char *text = NULL;
    unsigned char *bytes = NULL;
    size_t length;
    *out = NULL;
    crd_status status = discretize(rows, "quantile:4", &schema, error);
    if (status == CRD_OK) status = crd_schema_encode(schema, &text, &length, error);
    if (status == CRD_OK) status = crd_schema_decode(context, text, length, &again, error);
    if (status == CRD_OK) assert_true(crd_i_schema_equal(schema, again));
    if (status == CRD_OK) status = crd_schema_merge(again, schema, error);
    if (status == CRD_OK) assert_true(crd_i_schema_equal(schema, again));
    if (status == CRD_OK) status = open_text(context, rows, strlen(rows), NULL, &reader, error);
    if (status == CRD_OK) status = crd_schema_apply(again, reader, error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, &model, NULL, error);
    if (status == CRD_OK) status = crd_model_encode(model, &bytes, &length, error);
    if (status == CRD_OK) status = crd_model_decode(context, bytes, length, out, error);
    crd_free(context, text);
    crd_free(context, bytes);
    crd_schema_destroy(schema);
    crd_schema_destroy(again);
    crd_reader_close(reader);
    crd_model_destroy(model);
    return status;
}

static void test_model(void **state) {
    (void)state;
    crd_model *model;
    crd_error error;
    crd_summary *summary;
    assert_done(round_trip(&model, &error), error);
    assert_done(crd_summary_create(model, &summary, &error), error);
    static const char *const labels[] = {"<3.5", "[3.5, 6.5)", "[6.5, 9.5)", ">=9.5"};
    for (size_t i = 0; i < 4; i++) {
        assert_true(crd_text_equal(crd_summary_value(summary, 0, i), crd_text_of(labels[i])));
        assert_true(crd_summary_value_rows(summary, 0, i) == 3);
    }
    crd_summary_destroy(summary);
    crd_classifier *classifier;
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    double by_number[2], by_label[2], by_text[2];
    crd_answer answer;
    const crd_value other_value[] = {missing_value(), missing_value(), missing_value()};
    crd_value number[] = {number_value(6.5), other_value[0], other_value[1]},
              label[] = {text_value("[6.5, 9.5)"), other_value[0], other_value[1]};
    crd_value text[] = {text_value("8"), other_value[0], other_value[1]};
    assert_done(crd_classifier_posterior(classifier, number, by_number, NULL, &answer, &error), error);
    assert_done(crd_classifier_posterior(classifier, label, by_label, NULL, &answer, &error), error);
    assert_done(crd_classifier_posterior(classifier, text, by_text, NULL, &answer, &error), error);
    assert_int_equal(answer.unseen, 0);
    assert_memory_equal(by_number, by_label, sizeof by_number);
    assert_memory_equal(by_number, by_text, sizeof by_number);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
}

static void test_failing_memory(void **state) {
    (void)state;
    crd_model *model;
    crd_error error;
    crd_status status = CRD_ERROR_MEMORY;
    for (size_t fail_at = 1; status != CRD_OK; fail_at++) {
        counted.calls = 0;
        counted.fail_at = fail_at;
        status = round_trip(&model, &error);
        counted.fail_at = 0;
        if (status != CRD_OK && status != CRD_ERROR_MEMORY) fail_msg("%zu: %s", fail_at, error.message);
        assert_true(status == CRD_OK || model == NULL);
    }
    crd_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
