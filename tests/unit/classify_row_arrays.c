/* SPDX-License-Identifier: MIT */
/* Rows of numbers in memory: each answered to the bit as by a call of its own, whatever the threads, the way to compute
 * and how many rows there are; and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "classify/classifier_internal.h"
#include "unit/math_random.h"

#include <credence/all.h>

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fails the allocation of this number; 0: none. */
static atomic_size_t calls, fail_at;

static void *resize(void *user, void *block, size_t bytes) {
    (void)user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return atomic_fetch_add(&calls, 1) + 1 == fail_at ? NULL : realloc(block, bytes);
}

static crd_context *context;

static int set_up(void **state) {
    (void)state;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    random_state = 11;
    return crd_context_create(&options, &context) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return 0;
}

static void done(crd_status status, const crd_error *error) {
    if (status != CRD_OK) fail_msg("%s: %s", crd_status_name(status), error->message);
}

/* ---- Classifiers ---- */

enum { MOST_ATTRIBUTES = 21, LEARNED = 600, MAX_CLASSES = 300 };

static double draw(size_t attribute) {
    double x = (double)(random_bits() >> 11) / 9007199254740992.0 - 0.5;
    switch (attribute % 7) {
    case 3: return 5;                                        /* constant: says nothing */
    case 5: return 1e9 + x;                                  /* a large offset */
    case 6: return attribute > 10 ? x * 0x1p1010 : x * 4096; /* too large for an inverse */
    default: return x * (double)(attribute + 1);
    }
}

/* Attributes are numbers; the last may be a category. */
static crd_classifier *classifier_of(size_t attributes, size_t classes, bool with_category) {
    static double columns[MOST_ATTRIBUTES][LEARNED];
    static char names[MAX_CLASSES][24];
    crd_text labels[LEARNED];
    crd_error error;
    crd_frame *frame;
    crd_model *model;
    crd_classifier *classifier;
    done(crd_frame_create(context, LEARNED, &frame, &error), &error);
    for (size_t row = 0; row < LEARNED; row++) {
        size_t k = row % classes;
        snprintf(names[k], sizeof names[k], "c%zu", k);
        labels[row] = crd_text_of(names[k]);
    }
    for (size_t i = 0; i < attributes; i++) {
        char name[24];
        snprintf(name, sizeof name, "x%zu", i);
        for (size_t row = 0; row < LEARNED; row++)
            columns[i][row] = draw(i) + 0.1 * (double)(i % 7 < 3 ? row % classes : 0);
        done(crd_frame_add_numbers(frame, crd_text_of(name), columns[i], NULL, &error), &error);
    }
    if (with_category) done(crd_frame_add_texts(frame, crd_text_of("word"), labels, &error), &error);
    done(crd_frame_add_texts(frame, crd_text_of("class"), labels, &error), &error);
    done(crd_model_create(context, frame, crd_text_of("class"), NULL, &model, &error), &error);
    done(crd_model_update(model, frame, &error), &error);
    done(crd_classifier_create(model, NULL, &classifier, &error), &error);
    assert_int_equal(crd_classifier_class_count(classifier), classes);
    crd_model_destroy(model);
    crd_frame_destroy(frame);
    return classifier;
}

/* ---- Equal to the bit ---- */

typedef struct arrays_results {
    double *logs, *probabilities;
    crd_answer *answers;
    int32_t *decisions;
} arrays_results;

static void *make_block(size_t count, size_t size) {
    void *block = malloc(count * size + 1);
    assert_non_null(block);
    memset(block, 0x55, count * size + 1);
    return block;
}

static arrays_results results_of(size_t rows, size_t classes) {
    arrays_results results = {make_block(rows * classes, sizeof(double)), make_block(rows * classes, sizeof(double)),
                              make_block(rows, sizeof(crd_answer)), make_block(rows, sizeof(int32_t))};
    return results;
}

static void free_results(arrays_results *results) {
    free(results->logs);
    free(results->probabilities);
    free(results->answers);
    free(results->decisions);
}

static void one_by_one(const crd_classifier *classifier, const double *values, size_t rows, size_t stride,
                       arrays_results *results) {
    size_t classes = crd_classifier_class_count(classifier);
    for (size_t row = 0; row < rows; row++) {
        crd_value cells[MOST_ATTRIBUTES];
        crd_error error;
        memset(cells, 0, sizeof cells);
        for (size_t i = 0; i < crd_classifier_attribute_count(classifier); i++) {
            cells[i].type = CRD_TYPE_NUMERIC;
            cells[i].number = values[row * stride + i];
        }
        double *logs = results->logs + row * classes, *probabilities = results->probabilities + row * classes, sum = 0;
        done(crd_classifier_posterior(classifier, cells, logs, probabilities, &results->answers[row], &error), &error);
        results->decisions[row] = results->answers[row].decision;
        /* Within what each class's own rounding and that of its logarithm come to. */
        for (size_t k = 0; k < classes; k++) {
            assert_true(fabs(probabilities[k] - crd_exp(logs[k])) <= probabilities[k] * (3 + fabs(logs[k])) * 0x1p-52);
            sum += probabilities[k];
        }
        assert_true(fabs(sum - 1) <= 0x1p-52 * (1 + (double)classes / 2));
    }
}

static void compare(const arrays_results *got, const arrays_results *wanted, size_t rows, size_t classes) {
    if (got->logs != NULL) assert_memory_equal(got->logs, wanted->logs, rows * classes * sizeof(double));
    if (got->probabilities != NULL)
        assert_memory_equal(got->probabilities, wanted->probabilities, rows * classes * sizeof(double));
    if (got->decisions != NULL) assert_memory_equal(got->decisions, wanted->decisions, rows * sizeof(int32_t));
    for (size_t row = 0; got->answers != NULL && row < rows; row++) {
        const crd_answer *a = &got->answers[row], *b = &wanted->answers[row];
        assert_true(a->decision == b->decision && a->tied == b->tied && a->unseen == b->unseen);
        assert_memory_equal(&a->log_evidence, &b->log_evidence, sizeof(double));
    }
}

static crd_rows rows_of(const crd_classifier *classifier, const double *values, size_t rows, size_t stride) {
    crd_rows input = CRD_ROWS_INIT;
    input.values = values;
    input.rows = rows;
    input.columns = crd_classifier_attribute_count(classifier);
    input.stride = stride;
    return input;
}

/* Every choice of what is asked for. */
static void check_all(const crd_classifier *classifier, const double *values, size_t rows, size_t stride,
                      unsigned threads) {
    size_t classes = crd_classifier_class_count(classifier);
    arrays_results wanted = results_of(rows, classes);
    one_by_one(classifier, values, rows, stride, &wanted);
    for (unsigned requested = 1; requested < 16; requested++) {
        arrays_results all = results_of(rows, classes), got = all;
        if ((requested & 1) == 0) got.logs = NULL;
        if ((requested & 2) == 0) got.probabilities = NULL;
        if ((requested & 4) == 0) got.answers = NULL;
        if ((requested & 8) == 0) got.decisions = NULL;
        const crd_rows input = rows_of(classifier, values, rows, stride);
        crd_results results = CRD_RESULTS_INIT;
        crd_error error;
        results.rows = rows;
        results.log_posteriors = got.logs;
        results.probabilities = got.probabilities;
        results.answers = got.answers;
        results.decisions = got.decisions;
        results.threads = threads;
        done(crd_classifier_classify_rows(classifier, &input, &results, &error), &error);
        compare(&got, &wanted, rows, classes);
        free_results(&all);
    }
    free_results(&wanted);
}

static double *draw_values(size_t rows, size_t attributes, size_t stride) {
    /* Exactly as long as it must be, so that reading more is found out. */
    double *values = make_block((rows - 1) * stride + attributes, sizeof(double));
    for (size_t row = 0; row < rows; row++)
        for (size_t i = 0; i < attributes; i++)
            values[row * stride + i] = random_below(9) == 0 || row % 31 == 7 ? NAN : 3 * draw(i);
    return values;
}

static void each_row_as_alone(void **state) {
    (void)state;
    static const size_t attribute_counts[] = {1, 4, 8, 13, MOST_ATTRIBUTES},
                        class_counts[] = {1, 2, 5, 40, MAX_CLASSES};
    for (size_t a = 0; a < 5; a++)
        for (size_t c = 0; c < 5; c++) {
            size_t attributes = attribute_counts[a], rows = 1 + random_below(300);
            size_t stride = attributes + random_below(3);
            crd_classifier *classifier = classifier_of(attributes, class_counts[c], false);
            double *values = draw_values(rows, attributes, stride);
            for (size_t way = 0; crd_i_simd_columns_ways[way] != NULL; way++) {
                if (!crd_i_simd_columns_ways[way]->is_supported()) continue;
                classifier->lanes = crd_i_simd_columns_ways[way];
                check_all(classifier, values, rows, stride, 1);
            }
            free(values);
            crd_classifier_destroy(classifier);
        }
}

static void any_number_of_threads(void **state) {
    (void)state;
    static const unsigned threads[] = {0, 2, 3, 8};
    crd_classifier *classifier = classifier_of(5, 3, false);
    size_t rows = 20000 + 77;
    double *values = draw_values(rows, 5, 5);
    for (size_t i = 0; i < 4; i++) check_all(classifier, values, rows, 5, threads[i]);
    free(values);
    crd_classifier_destroy(classifier);
}

static void one_row_allocates_nothing(void **state) {
    (void)state;
    crd_classifier *classifier = classifier_of(20, 5, false);
    double *values = draw_values(100, 20, 20);
    arrays_results results = results_of(100, 5);
    size_t before = calls;
    one_by_one(classifier, values, 100, 20, &results);
    assert_true(calls == before);
    free_results(&results);
    free(values);
    crd_classifier_destroy(classifier);
}

/* ---- What is refused ---- */

static crd_status ask(const crd_classifier *classifier, const double *values, size_t rows, size_t stride,
                      unsigned threads, crd_error *error) {
    const crd_rows input = rows_of(classifier, values, rows, stride);
    crd_results results = CRD_RESULTS_INIT;
    int32_t *decisions = make_block(rows, sizeof *decisions);
    results.rows = rows;
    results.decisions = decisions;
    results.threads = threads;
    crd_status status = crd_classifier_classify_rows(classifier, &input, &results, error);
    free(decisions);
    return status;
}

static void the_first_bad_cell_is_named(void **state) {
    (void)state;
    crd_classifier *classifier = classifier_of(9, 3, false);
    size_t rows = 30000;
    double *values = draw_values(rows, 9, 9);
    values[29990 * 9 + 1] = INFINITY;
    values[12345 * 9 + 8] = -INFINITY;
    values[12345 * 9 + 2] = INFINITY;
    values[12346 * 9] = INFINITY;
    values[25000 * 9] = INFINITY;
    for (unsigned threads = 1; threads <= 4; threads++) {
        crd_error error;
        assert_int_equal(ask(classifier, values, rows, 0, threads, &error), CRD_ERROR_NUMBER);
        assert_int_equal(error.line, 12346);
        assert_int_equal(error.field, 3);
        assert_string_equal(error.subject, "x2");
        assert_string_equal(error.message, "attribute 'x2' was given as an infinite number");
    }
    assert_int_equal(ask(classifier, values, rows, 0, 1, NULL), CRD_ERROR_NUMBER);
    free(values);
    crd_classifier_destroy(classifier);
}

static void categories_are_no_numbers(void **state) {
    (void)state;
    crd_classifier *classifier = classifier_of(2, 3, true);
    double values[] = {1, 2, NAN, 1, NAN, NAN};
    crd_error error;
    done(ask(classifier, values, 2, 0, 1, &error), &error);
    check_all(classifier, values, 2, 3, 1);
    values[5] = 0;
    assert_int_equal(ask(classifier, values, 2, 0, 1, &error), CRD_ERROR_COLUMN);
    assert_int_equal(error.line, 2);
    assert_string_equal(error.subject, "word");
    crd_classifier_destroy(classifier);
}

static void questions_that_are_none(void **state) {
    (void)state;
    crd_classifier *classifier = classifier_of(4, 3, false);
    double values[4] = {0, 0, 5, 0};
    crd_error error;
    crd_rows input = rows_of(classifier, NULL, 0, 0);
    crd_results results = CRD_RESULTS_INIT;
    done(crd_classifier_classify_rows(classifier, &input, &results, &error), &error); /* no rows */
    assert_int_equal(ask(classifier, values, 1, 3, 1, &error), CRD_ERROR_ARGUMENT);
    assert_int_equal(ask(classifier, NULL, 1, 0, 1, &error), CRD_ERROR_ARGUMENT);
    input.columns = 3;
    assert_int_equal(crd_classifier_classify_rows(classifier, &input, &results, &error), CRD_ERROR_ARGUMENT);
    input = rows_of(classifier, values, 1, 0); /* the results have no room */
    assert_int_equal(crd_classifier_classify_rows(classifier, &input, &results, &error), CRD_ERROR_ARGUMENT);
    input.size = 0;
    assert_int_equal(crd_classifier_classify_rows(classifier, &input, &results, &error), CRD_ERROR_ARGUMENT);
    /* Cancelled before it began. */
    crd_context_cancel(context);
    assert_int_equal(ask(classifier, values, 1, 0, 1, &error), CRD_ERROR_CANCELLED);
    crd_classifier_destroy(classifier);
}

static void out_of_memory(void **state) {
    (void)state;
    crd_classifier *classifier = classifier_of(4, 3, false);
    double *values = draw_values(9000, 4, 4);
    size_t failed = 0;
    for (;; failed++) {
        crd_error error;
        atomic_store(&fail_at, atomic_load(&calls) + failed + 1);
        crd_status status = ask(classifier, values, 9000, 0, 2, &error);
        bool was_reached = atomic_load(&calls) >= atomic_load(&fail_at);
        /* Without memory for the thread pool there is a thread pool of one. */
        if (status != CRD_OK) assert_int_equal(status, CRD_ERROR_MEMORY);
        if (!was_reached) break;
    }
    atomic_store(&fail_at, 0);
    assert_true(failed >= 2);
    free(values);
    crd_classifier_destroy(classifier);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_row_as_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_number_of_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_row_allocates_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_first_bad_cell_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(categories_are_no_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(questions_that_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(out_of_memory, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
