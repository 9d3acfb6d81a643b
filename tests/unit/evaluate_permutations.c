/* SPDX-License-Identifier: MIT */
/* Permutation importance: against the mean over all pairs of rows, which many permutations come near; bits that do not
 * depend on threads; samples. */
#include "evaluate/permutation_importance.h"
#include "model_support.h"

enum { REPEATS = 200 };

static crd_context *context;
static crd_model *model;
static crd_classifier *classifier;
static crd_reader *reader;
static const crd_frame *frame;
static char *text;

static int setup(void **state) {
    (void)state;
    crd_error error;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    text = file_text(CREDENCE_EXAMPLES "/iris.csv");
    model = trained(context, text, "species");
    assert_done(crd_classifier_create(model, NULL, &classifier, &error), error);
    assert_done(open_text(context, text, strlen(text), NULL, &reader, &error), error);
    assert_done(crd_model_bind(model, reader, &error), error);
    assert_done(crd_reader_next(reader, &frame, &error), error);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    crd_reader_close(reader);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    free(text);
    crd_context_destroy(context);
    return 0;
}

static crd_importance *importance_of(uint32_t repeats, unsigned threads, uint64_t seed, size_t most_rows) {
    const crd_importance_options options = {sizeof options, repeats, threads, seed, most_rows};
    crd_importance *importance;
    crd_error error;
    assert_done(crd_i_importance_create(context, &options, &importance, &error), error);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        crd_text truth = crd_frame_value(frame, row, 4).text;
        assert_done(crd_i_importance_add(importance, classifier, frame, row, truth, 1, &error), error);
    }
    assert_done(crd_importance_run(importance, &error), error);
    assert_int_equal(crd_importance_count(importance), 4);
    return importance;
}

static crd_column_importance of_column(const crd_importance *importance, const char *name) {
    crd_column_importance column_importance = CRD_COLUMN_IMPORTANCE_INIT;
    for (size_t i = 0; i < crd_importance_count(importance); i++) {
        crd_importance_at(importance, i, &column_importance);
        if (crd_text_equal(column_importance.column, crd_text_of(name))) return column_importance;
    }
    fail_msg("no column %s", name);
    return column_importance;
}

static double loss_of(size_t row, size_t column, size_t first) {
    crd_value values[4];
    double logs[3];
    crd_answer answer;
    crd_error error;
    for (size_t c = 0; c < 4; c++) values[c] = crd_frame_value(frame, c == column ? first : row, c);
    assert_done(crd_classifier_posterior(classifier, values, logs, NULL, &answer, &error), error);
    crd_text truth = crd_frame_value(frame, row, 4).text;
    for (size_t k = 0; k < 3; k++)
        if (crd_text_equal(crd_classifier_class(classifier, k), truth)) return -logs[k];
    return NAN;
}

/* Any cell is as likely to come to any row as another: the expected importance is the mean over all pairs of rows. */
static void many_permutations_come_near_the_mean_over_pairs(void **state) {
    (void)state;
    size_t rows = crd_frame_rows(frame);
    crd_importance *importance = importance_of(REPEATS, 1, 7, 0);
    assert_int_equal(crd_importance_rows(importance), 150);
    double before = INFINITY;
    for (size_t i = 0; i < 4; i++) {
        crd_column_importance column_importance = CRD_COLUMN_IMPORTANCE_INIT;
        crd_importance_at(importance, i, &column_importance);
        assert_true(column_importance.log_loss <= before && column_importance.log_loss_error > 0);
        before = column_importance.log_loss;
    }
    for (size_t c = 0; c < 4; c++) {
        char name[64];
        crd_text column = crd_frame_column_name(frame, c);
        snprintf(name, sizeof name, "%.*s", (int)column.length, column.bytes);
        double sum = 0, squares = 0, squares_of_pairs = 0;
        for (size_t i = 0; i < rows; i++) {
            double baseline = loss_of(i, 4, i), row = 0;
            for (size_t first = 0; first < rows; first++) {
                double increase = loss_of(i, c, first) - baseline;
                row += increase;
                squares_of_pairs += increase * increase;
            }
            sum += row / (double)rows;
            squares += row / (double)rows * (row / (double)rows);
        }
        double mean = sum / (double)rows;
        double error = sqrt((squares / (double)rows - mean * mean) / (double)(rows - 1));
        crd_column_importance column_importance = of_column(importance, name);
        /* Four standard errors of a mean over rows and repeats. */
        double pairs = (double)(rows * rows);
        assert_near(column_importance.log_loss, mean,
                    4 * sqrt((squares_of_pairs / pairs - mean * mean) / (double)(rows * REPEATS)));
        /* 200 of 150 cells for each row leave a little of the cells' own spread in it. */
        assert_near(column_importance.log_loss_error, error, 0.1 * error);
    }
    crd_i_importance_destroy(importance);
}

static void threads_do_not_matter_and_seeds_do(void **state) {
    (void)state;
    crd_importance *one = importance_of(3, 1, 1, 0), *four = importance_of(3, 4, 1, 0),
                   *other = importance_of(3, 1, 2, 0);
    bool differs = false;
    for (size_t i = 0; i < 4; i++) {
        crd_column_importance a = CRD_COLUMN_IMPORTANCE_INIT, b = a, c = a;
        crd_importance_at(one, i, &a);
        crd_importance_at(four, i, &b);
        crd_importance_at(other, i, &c);
        assert_true(crd_text_equal(a.column, b.column));
        assert_true(a.log_loss == b.log_loss && a.log_loss_error == b.log_loss_error);
        assert_true(a.accuracy == b.accuracy && a.accuracy_error == b.accuracy_error);
        differs = differs || a.log_loss != c.log_loss;
    }
    assert_true(differs);
    crd_i_importance_destroy(one);
    crd_i_importance_destroy(four);
    crd_i_importance_destroy(other);
}

static void a_sample_has_as_many_rows_as_are_allowed(void **state) {
    (void)state;
    crd_importance *importance = importance_of(1, 1, 1, 40);
    assert_int_equal(crd_importance_rows(importance), 40);
    assert_int_equal(crd_importance_rows_added(importance), 150);
    crd_i_importance_clear(importance);
    crd_error error;
    assert_int_equal(crd_importance_run(importance, &error), CRD_ERROR_EMPTY);
    crd_i_importance_destroy(importance);
    const crd_importance_options options = {sizeof options, 0, 1, 1, 0};
    assert_int_equal(crd_i_importance_create(context, &options, &importance, &error), CRD_ERROR_ARGUMENT);
    assert_null(importance);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_permutations_come_near_the_mean_over_pairs),
        cmocka_unit_test(threads_do_not_matter_and_seeds_do),
        cmocka_unit_test(a_sample_has_as_many_rows_as_are_allowed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
