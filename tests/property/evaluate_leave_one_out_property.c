/* SPDX-License-Identifier: MIT */
/* Leaving a row out equals training on the other rows, to the bit, over many random tables under every setting: values
 * and classes that only the row has, values and classes that are declared, constant columns, columns without spread
 * once it is gone, offsets of 1e12, squares beyond the range of a double. Seeds are printed where a table fails. */
#include "evaluate/leave_one_out.h"
#include "random_table.h"
#include "sanitizer_support.h"

#include "model/model_internal.h"

enum { TABLES = FEWER_IF_SANITIZED(1500) };

static uint64_t table_seed; /* of the table at hand */

static size_t index_of_class(const crd_classifier *classifier, crd_text name) {
    size_t k = 0;
    while (k < crd_classifier_class_count(classifier) && !crd_text_equal(crd_classifier_class(classifier, k), name))
        k++;
    return k;
}

/* A class that goes may change the order of the others (by number, or by code point), in which sums are made. */
static bool same_order(const crd_classifier *all, const crd_classifier *others) {
    size_t before = 0;
    for (size_t k = 0; k < crd_classifier_class_count(others); k++) {
        size_t index = index_of_class(all, crd_classifier_class(others, k));
        if (index < before) return false;
        before = index;
    }
    return true;
}

static bool alike(double a, double b, bool to_the_bit) {
    return a == b || (!to_the_bit && fabs(a - b) <= 1e-12 * (1 + fabs(b)));
}

/* Numbers of each class; `none` is that of a class that the others do not have. */
static void compare_classes(const crd_classifier *all, const crd_classifier *others, const double *got,
                            const double *wanted, double none) {
    bool to_the_bit = same_order(all, others);
    for (size_t k = 0; k < crd_classifier_class_count(all); k++) {
        size_t index = index_of_class(others, crd_classifier_class(all, k));
        double right = index < crd_classifier_class_count(others) ? wanted[index] : none;
        if (!alike(got[k], right, to_the_bit))
            fail_msg("seed %llu, class %zu of %zu (%zu): %.17g where training gives %.17g",
                     (unsigned long long)table_seed, k, crd_classifier_class_count(all),
                     crd_classifier_class_count(others), got[k], right);
    }
}

/* Of row `row`, with the only row that is wanted. */
static void compare_answers(const crd_classifier *all, const crd_classifier *others, const crd_posteriors *got,
                            size_t row, const crd_posteriors *wanted) {
    const crd_answer *got_answer = crd_posteriors_answer(got, row), *wanted_answer = crd_posteriors_answer(wanted, 0);
    bool to_the_bit = same_order(all, others);
    compare_classes(all, others, crd_posteriors_log(got, row), crd_posteriors_log(wanted, 0), -INFINITY);
    compare_classes(all, others, crd_posteriors_probabilities(got, row), crd_posteriors_probabilities(wanted, 0), 0);
    assert_int_equal(got_answer->unseen, wanted_answer->unseen);
    assert_int_equal(got_answer->tied, wanted_answer->tied);
    assert_true(alike(got_answer->log_evidence, wanted_answer->log_evidence, to_the_bit));
    if (!to_the_bit && wanted_answer->tied > 1) return; /* the first of those tied is another */
    if (wanted_answer->decision < 0) assert_int_equal(got_answer->decision, -1);
    else
        assert_true(crd_text_equal(crd_classifier_class(all, (size_t)got_answer->decision),
                                   crd_classifier_class(others, (size_t)wanted_answer->decision)));
}

/* Values that are known without being counted, also of the target. Drawn by the seed, so the same for every model. */
static void declare_values(crd_model *model, const random_table *table) {
    static const char *const words[] = {"a", "2", "never"};
    crd_error error;
    uint64_t state = table_random_state;
    table_random_state = table_seed;
    for (size_t column = 0; column < table->columns; column++)
        for (size_t i = 0; i < 3; i++)
            if (table_below(4) == 0 && !table->is_number[column])
                assert_done(crd_i_model_declare_value(model, column, crd_text_of(words[i]), &error), error);
    table_random_state = state;
}

/* Row `left` as training on the others answers it. */
static void check_row(crd_context *context, const random_table *table, const crd_frame *frame,
                      const crd_settings *settings, const crd_classifier *all, size_t left, const crd_posteriors *got) {
    size_t rows[TABLE_ROWS], count = 0;
    crd_error error;
    for (size_t row = 0; row < table->rows; row++)
        if (row != left) rows[count++] = row;
    crd_model *model = model_of(context, table, frame, rows, count);
    declare_values(model, table);
    crd_classifier *others;
    crd_status status = crd_classifier_create(model, settings, &others, &error);
    if (status == CRD_ERROR_EMPTY) {
        assert_int_equal(crd_posteriors_answer(got, left)->decision, -1);
        for (size_t k = 0; k < crd_classifier_class_count(all); k++) {
            assert_true(crd_posteriors_log(got, left)[k] == -INFINITY);
            assert_true(crd_posteriors_probabilities(got, left)[k] == 0);
        }
    } else {
        assert_int_equal(status, CRD_OK);
        crd_posteriors *posteriors;
        some_rows one = rows_of(context, table, &left, 1);
        assert_done(crd_posteriors_create(context, &posteriors, &error), error);
        assert_done(crd_classifier_classify(others, one.frame, posteriors, &error), error);
        compare_answers(all, others, got, left, posteriors);
        crd_posteriors_destroy(posteriors);
        free_rows(one);
        crd_classifier_destroy(others);
    }
    crd_model_destroy(model);
}

static void check_table(uint64_t seed) {
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_error error;
    random_table table;
    size_t rows[TABLE_ROWS];
    make_table(&table, seed);
    for (size_t row = 0; row < table.rows; row++) rows[row] = row;
    some_rows all = rows_of(context, &table, rows, table.rows);
    crd_model *model = model_of(context, &table, all.frame, rows, table.rows);
    declare_values(model, &table);
    crd_settings *settings = random_settings(context);
    crd_i_leave_one_out *leaving;
    crd_posteriors *posteriors;
    assert_done(crd_posteriors_create(context, &posteriors, &error), error);
    crd_status status = crd_i_leave_one_out_create(model, settings, &leaving, &error);
    if (status != CRD_ERROR_EMPTY) {
        assert_int_equal(status, CRD_OK);
        assert_done(crd_i_leave_one_out_classify(leaving, all.frame, posteriors, &error), error);
        assert_int_equal(crd_posteriors_rows(posteriors), table.rows);
        for (size_t row = 0; row < table.rows; row++) {
            if (table.texts[table.columns - 1][row] == NULL) {
                assert_int_equal(crd_posteriors_answer(posteriors, row)->decision, -1);
                continue;
            }
            check_row(context, &table, all.frame, settings, crd_i_leave_one_out_classifier(leaving), row, posteriors);
        }
    }
    crd_i_leave_one_out_destroy(leaving);
    crd_posteriors_destroy(posteriors);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    free_rows(all);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void leaving_out_equals_training_on_the_others(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= TABLES; seed++) {
        table_seed = seed;
        check_table(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaving_out_equals_training_on_the_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
