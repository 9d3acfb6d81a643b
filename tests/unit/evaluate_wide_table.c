/* SPDX-License-Identifier: MIT */
/* A table of few rows and many columns, of which few depend on the class: naive Bayes is right more often than not and far
 * too sure, so that it does worse than the class prior, and its calibrated forms do better. */
#include "evaluate/cross_validation.h"
#include "model_support.h"

enum { ROWS = 120, COLUMNS = 400, INFORMATIVE = 16 };

typedef struct wide_table {
    double cells[COLUMNS][ROWS];
    int32_t classes[ROWS];
    crd_frame *frame;
    crd_row_source *source;
} wide_table;

static const crd_text class_names[] = {{"no", 2}, {"yes", 3}};

/* About normal, of mean 0 and standard deviation 1: the sum of twelve even numbers (a linear congruential generator). */
static double draw(uint64_t *state) {
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

static void make_table(crd_context *context, wide_table *table) {
    crd_error error;
    const crd_text none = {NULL, 0};
    uint64_t state = 7;
    assert_done(crd_frame_create(context, ROWS, &table->frame, &error), error);
    for (int i = 0; i < ROWS; i++) table->classes[i] = i % 2;
    for (int c = 0; c < COLUMNS; c++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", c);
        for (int i = 0; i < ROWS; i++)
            table->cells[c][i] = draw(&state) + (c < INFORMATIVE ? 0.55 * table->classes[i] : 0);
        assert_done(crd_frame_add_numbers(table->frame, crd_text_of(name), table->cells[c], NULL, &error), error);
    }
    assert_done(crd_frame_add_codes(table->frame, crd_text_of("class"), table->classes, NULL, class_names, 2, &error),
                error);
    const crd_frame *frames[] = {table->frame};
    assert_done(crd_i_row_source_of_frames(context, frames, 1, crd_text_of("class"), none, &table->source, &error),
                error);
}

static void compare(wide_table *table, const char *const *names, size_t count, crd_comparison_result *results,
                    crd_recommendation *recommendation) {
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_comparison *comparison;
    crd_error error;
    split.folds = 4;
    options.split = &split;
    options.candidates = names;
    options.candidate_count = count;
    assert_done(crd_row_source_rewind(table->source, &error), error);
    assert_done(crd_comparison_create(table->source, &options, &comparison, &error), error);
    assert_done(crd_comparison_run(comparison, &error), error);
    for (size_t i = 0; i < count; i++) {
        results[i] = (crd_comparison_result)CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(comparison, i, &results[i]);
    }
    *recommendation = (crd_recommendation)CRD_RECOMMENDATION_INIT;
    crd_comparison_recommendation(comparison, recommendation);
    crd_comparison_destroy(comparison);
}

static void calibration_beats_the_class_prior(void **state) {
    static const char *const names[] = {"naive", "naive, platt", "naive, isotonic"};
    crd_comparison_result results[3];
    crd_recommendation recommendation;
    crd_context *context;
    (void)state;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    wide_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    make_table(context, table);
    compare(table, names, 1, results, &recommendation);
    assert_true(results[0].log_loss > recommendation.baseline_log_loss && results[0].accuracy > 0.6);
    assert_int_equal(recommendation.reason, CRD_RECOMMENDED_NONE);
    assert_int_equal(recommendation.tried, 1);
    assert_true(recommendation.gain < 0);
    compare(table, names, 3, results, &recommendation);
    assert_true(results[1].log_loss < recommendation.baseline_log_loss);
    assert_true(recommendation.reason != CRD_RECOMMENDED_NONE && recommendation.candidate > 0);
    assert_int_equal(recommendation.tried, 3);
    assert_true(recommendation.gain > 2 * recommendation.gain_error);
    /* The same held-out rows are behind both calibrations; alone, isotonic calibration has its own, and the same scores. */
    crd_comparison_result alone;
    compare(table, names + 2, 1, &alone, &recommendation);
    assert_near(alone.log_loss, results[2].log_loss, 0);
    crd_row_source_destroy(table->source);
    crd_frame_destroy(table->frame);
    free(table);
    crd_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(calibration_beats_the_class_prior)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
