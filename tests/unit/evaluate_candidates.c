/* SPDX-License-Identifier: MIT */
/* Comparing candidates on the same folds, and what is recommended: from a reader, from frames, with weights,
 * stopped. */
#include "evaluate/split.h"
#include "model_support.h"

#include "base/call.h"
#include "evaluate/cross_validation.h"

enum { ROWS = 96 };

/* Rows of two categories, perhaps a number, and a class, which depends on both categories together. */
typedef struct rows_in_memory {
    int32_t a[ROWS], b[ROWS], class_codes[ROWS];
    double number[ROWS], weight[ROWS];
    crd_frame *frame;
} rows_in_memory;

static const crd_text letters[] = {{"x", 1}, {"y", 1}};
static const crd_text class_names[] = {{"no", 2}, {"yes", 3}};

static void make_rows(crd_context *context, double weight, bool has_number, rows_in_memory *table) {
    crd_error error;
    for (int i = 0; i < ROWS; i++) {
        table->a[i] = i % 2;
        table->b[i] = i / 2 % 2;
        table->class_codes[i] = i % 7 == 0 ? i / 7 % 2 : table->a[i] ^ table->b[i];
        table->number[i] = i * 37 % 11 + table->class_codes[i];
        table->weight[i] = weight;
    }
    assert_done(crd_frame_create(context, ROWS, &table->frame, &error), error);
    assert_done(crd_frame_add_codes(table->frame, crd_text_of("a"), table->a, NULL, letters, 2, &error), error);
    assert_done(crd_frame_add_codes(table->frame, crd_text_of("b"), table->b, NULL, letters, 2, &error), error);
    if (has_number)
        assert_done(crd_frame_add_numbers(table->frame, crd_text_of("n"), table->number, NULL, &error), error);
    assert_done(
        crd_frame_add_codes(table->frame, crd_text_of("class"), table->class_codes, NULL, class_names, 2, &error),
        error);
    if (weight > 0)
        assert_done(crd_frame_add_numbers(table->frame, crd_text_of("w"), table->weight, NULL, &error), error);
}

static crd_row_source *source_of(crd_context *context, const rows_in_memory *rows, double weight) {
    const crd_frame *frame = rows->frame;
    crd_row_source *source;
    crd_error error;
    const crd_text none = {NULL, 0};
    assert_done(crd_i_row_source_of_frames(context, &frame, 1, crd_text_of("class"),
                                           weight > 0 ? crd_text_of("w") : none, &source, &error),
                error);
    return source;
}

typedef struct candidates_outcome {
    crd_comparison_result results[64];
    size_t count;
    crd_recommendation recommendation;
} candidates_outcome;

static void collect(const crd_comparison *comparison, candidates_outcome *outcome) {
    const crd_comparison_result pending = CRD_COMPARISON_RESULT_INIT;
    const crd_recommendation none = CRD_RECOMMENDATION_INIT;
    outcome->count = crd_comparison_count(comparison);
    for (size_t i = 0; i < outcome->count; i++) {
        outcome->results[i] = pending;
        crd_comparison_result_at(comparison, i, &outcome->results[i]);
        outcome->results[i].message = "";
    }
    outcome->recommendation = none;
    crd_comparison_recommendation(comparison, &outcome->recommendation);
}

static void compare(crd_row_source *source, const crd_comparison_options *options, candidates_outcome *outcome) {
    crd_comparison *comparison;
    crd_error error;
    assert_done(crd_comparison_create(source, options, &comparison, &error), error);
    assert_done(crd_comparison_run(comparison, &error), error);
    collect(comparison, outcome);
    crd_comparison_destroy(comparison);
}

static void compare_weighted(crd_context *context, double weight, const crd_comparison_options *options,
                             candidates_outcome *outcome) {
    rows_in_memory rows;
    make_rows(context, weight, false, &rows);
    crd_row_source *source = source_of(context, &rows, weight);
    compare(source, options, outcome);
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
}

static void assert_same(const candidates_outcome *a, const candidates_outcome *b) {
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->recommendation.candidate, b->recommendation.candidate);
    assert_int_equal(a->recommendation.reason, b->recommendation.reason);
    for (size_t i = 0; i < a->count; i++) {
        const crd_comparison_result *one = &a->results[i], *other = &b->results[i];
        assert_string_equal(one->name, other->name);
        assert_int_equal(one->status, other->status);
        assert_near(one->accuracy, other->accuracy, 0);
        assert_near(one->log_loss, other->log_loss, 0);
        assert_near(one->log_loss_error, other->log_loss_error, 0);
    }
}

/* ---- Weights ---- */

/* Without smoothing, and by relative frequencies, weights of 1/1024 make no difference: neither to answers, nor to
 * errors, which are those of so many rows. The sum of weights is below 1. */
static void the_unit_of_weights_does_not_matter(void **state) {
    crd_context *context = *state;
    static const char *const names[] = {"naive", "joint categories"};
    crd_settings *settings;
    crd_error error;
    candidates_outcome plain, ones, fractions;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    options.settings = settings;
    options.candidates = names;
    options.candidate_count = 2;
    compare_weighted(context, 0, &options, &plain);
    compare_weighted(context, 1, &options, &ones);
    compare_weighted(context, 0x1p-10, &options, &fractions);
    assert_int_equal(plain.count, 2);
    assert_true(plain.results[1].log_loss_error > 0);
    assert_true(plain.results[1].log_loss < plain.results[0].log_loss);
    assert_string_equal(plain.results[plain.recommendation.candidate].name, "joint categories");
    assert_int_equal(plain.recommendation.reason, CRD_RECOMMENDED_BEST);
    assert_same(&plain, &ones);
    assert_same(&plain, &fractions);
    crd_settings_destroy(settings);
}

/* Weights of 4 stand for four rows each: SE^2 is s^2 / (4 n - 1) rather than s^2 / (n - 1). */
static void whole_weights_count_rows(void **state) {
    crd_context *context = *state;
    static const char *const names[] = {"naive"};
    crd_settings *settings;
    crd_error error;
    candidates_outcome ones, fours;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "smoothing", crd_text_of("none"), &error), error);
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    options.settings = settings;
    options.candidates = names;
    options.candidate_count = 1;
    compare_weighted(context, 1, &options, &ones);
    compare_weighted(context, 4, &options, &fours);
    assert_near(fours.results[0].log_loss, ones.results[0].log_loss, 1e-15);
    assert_near(fours.results[0].log_loss_error, ones.results[0].log_loss_error * sqrt((ROWS - 1.0) / (4.0 * ROWS - 1)),
                1e-12);
    crd_settings_destroy(settings);
}

/* ---- Sources ---- */

static crd_reader *open_rows(crd_context *context, const char *text, bool can_rewind) {
    crd_i_source *bytes;
    crd_reader *reader;
    crd_error error;
    assert_done(crd_i_source_memory(context, text, strlen(text), can_rewind, &bytes, &error), error);
    assert_done(crd_i_reader_open_source(context, bytes, "table", NULL, &reader, &error), error);
    size_t last = crd_reader_column_count(reader) - 1;
    assert_done(crd_reader_set_weight(reader, 0, &error), error);
    assert_done(crd_reader_set_target(reader, last, &error), error);
    return reader;
}

/* The weight is no attribute, whether rows are read again, are kept, or come in frames; nor are folds that are given
 * others than those drawn. */
static void every_source_gives_the_same(void **state) {
    crd_context *context = *state;
    static char text[ROWS * 32];
    static const char *const names[] = {"naive", "aode"};
    rows_in_memory rows;
    crd_error error;
    candidates_outcome of_frames, of_file, of_pipe, of_given;
    make_rows(context, 0.75, true, &rows);
    size_t length = (size_t)sprintf(text, "w,a,b,n,class\n");
    for (int i = 0; i < ROWS; i++)
        length += (size_t)sprintf(text + length, "0.75,%s,%s,%.0f,%s\n", letters[rows.a[i]].bytes,
                                  letters[rows.b[i]].bytes, rows.number[i], class_names[rows.class_codes[i]].bytes);
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = 4;
    split.seed = 3;
    options.candidates = names;
    options.candidate_count = 2;
    options.split = &split;
    crd_row_source *source = source_of(context, &rows, 0.75);
    compare(source, &options, &of_frames);

    crd_i_folds *folds;
    uint32_t given[ROWS];
    assert_done(crd_i_folds_create(context, 4, 3, &folds, &error), error);
    for (int i = 0; i < ROWS; i++)
        assert_done(crd_i_folds_next(folds, class_names[rows.class_codes[i]], &given[i], &error), error);
    crd_i_folds_destroy(folds);
    crd_split_options other = CRD_SPLIT_OPTIONS_INIT;
    other.given = given;
    other.given_count = ROWS;
    options.split = &other;
    assert_done(crd_row_source_rewind(source, &error), error);
    compare(source, &options, &of_given);
    crd_row_source_destroy(source);
    options.split = &split;

    for (int pipe = 0; pipe < 2; pipe++) {
        crd_reader *reader = open_rows(context, text, pipe == 0);
        assert_done(crd_row_source_create(reader, &source, &error), error);
        assert_true(crd_i_row_source_reads_again(source)); /* the bytes of a pipe are kept */
        compare(source, &options, pipe == 0 ? &of_file : &of_pipe);
        crd_row_source_destroy(source);
        crd_reader_close(reader);
    }
    assert_same(&of_frames, &of_file);
    assert_same(&of_frames, &of_pipe);
    assert_same(&of_frames, &of_given);
    crd_frame_destroy(rows.frame);
}

static void frames_come_in_pieces(void **state) {
    crd_context *context = *state;
    rows_in_memory rows;
    crd_error error;
    make_rows(context, 0, true, &rows);
    crd_row_source *source = source_of(context, &rows, 0);
    for (size_t most = 1; most <= ROWS + 1; most += 19) {
        size_t seen = 0;
        const crd_frame *frame;
        crd_row_source_set_frame_rows(source, most);
        assert_done(crd_row_source_rewind(source, &error), error);
        for (;;) {
            assert_done(crd_i_row_source_take(source, &frame, &error), error);
            if (frame == NULL) break;
            assert_true(crd_frame_rows(frame) <= most);
            for (size_t i = 0; i < crd_frame_rows(frame); i++, seen++)
                assert_near(crd_frame_value(frame, i, 2).number, rows.number[seen], 0);
        }
        assert_int_equal(seen, ROWS);
    }
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
}

/* What a kept frame declares is what the file did: a value that no row has is smoothed for all the same. */
static void kept_rows_keep_declared_values(void **state) {
    crd_context *context = *state;
    static const char text[] = "@relation r\n@attribute w numeric\n@attribute a {x,y,z}\n@attribute c {p,q}\n@data\n"
                               "1,x,p\n1,y,q\n1,x,p\n1,y,q\n1,x,q\n1,y,p\n";
    static const char *const names[] = {"naive"};
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_error error;
    candidates_outcome outcome[2];
    split.folds = 2;
    options.split = &split;
    options.candidates = names;
    options.candidate_count = 1;
    for (int pipe = 0; pipe < 2; pipe++) {
        crd_reader *reader = open_rows(context, text, pipe == 0);
        crd_row_source *source;
        assert_done(crd_row_source_create(reader, &source, &error), error);
        compare(source, &options, &outcome[pipe]);
        crd_row_source_destroy(source);
        crd_reader_close(reader);
    }
    assert_same(&outcome[0], &outcome[1]);
}

/* ---- Being stopped ---- */

typedef struct candidates_watcher {
    crd_context *context;
    size_t cancel_at; /* candidate */
    size_t calls, latest;
    double done, work;
} candidates_watcher;

static void watch(void *user, const crd_comparison_progress *progress) {
    candidates_watcher *w = user;
    assert_true(progress->tried < progress->count && progress->candidate >= w->latest);
    assert_true(progress->candidate > w->latest || progress->done >= w->done || w->calls == 0);
    assert_true(progress->done >= 0 && progress->done <= 1 && progress->work >= w->work && progress->work <= 1);
    w->calls++;
    w->latest = progress->candidate;
    w->done = progress->done;
    w->work = progress->work;
    if (progress->tried == w->cancel_at) crd_context_cancel(w->context);
}

static void a_comparison_goes_on_where_it_was_cancelled(void **state) {
    crd_context *context = *state;
    rows_in_memory rows;
    crd_comparison *comparison;
    crd_error error;
    candidates_outcome whole, outcome;
    make_rows(context, 0, true, &rows);
    crd_row_source *source = source_of(context, &rows, 0);
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    options.budget = INFINITY;
    compare(source, &options, &whole);
    assert_done(crd_row_source_rewind(source, &error), error);

    candidates_watcher w = {.context = context, .cancel_at = 3};
    options.progress = watch;
    options.progress_user = &w;
    assert_done(crd_comparison_create(source, &options, &comparison, &error), error);
    assert_int_equal(crd_comparison_run(comparison, &error), CRD_ERROR_CANCELLED);
    collect(comparison, &outcome);
    assert_int_equal(outcome.results[2].status, CRD_CANDIDATE_SCORED);
    assert_int_equal(outcome.results[3].status, CRD_CANDIDATE_PENDING);
    /* What is done so far can be recommended, and changes nothing of what comes. */
    assert_done(crd_comparison_conclude(comparison, &error), error);
    collect(comparison, &outcome);
    assert_int_equal(outcome.recommendation.tried, 3);
    assert_true(outcome.recommendation.best < 3);
    assert_near(outcome.results[1].log_loss, whole.results[1].log_loss, 0);
    crd_context_resume(context);
    w.cancel_at = SIZE_MAX;
    assert_done(crd_comparison_run(comparison, &error), error);
    assert_int_equal(w.latest, whole.count - 1);
    assert_near(w.done, 1, 0);
    collect(comparison, &outcome);
    assert_same(&whole, &outcome);
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
}

/* Naive Bayes, trees and stacking are tried with any budget, and no other candidate that the budget does not allow. */
static void candidates_beyond_the_budget_are_not_tried(void **state) {
    crd_context *context = *state;
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    candidates_outcome least, middle, all;
    options.budget = 1e-9;
    compare_weighted(context, 0, &options, &least);
    assert_int_equal(least.results[0].status, CRD_CANDIDATE_SCORED);
    assert_int_equal(least.recommendation.tried, 3);
    for (size_t i = 1; i < least.count; i++)
        assert_int_equal(least.results[i].status,
                         strcmp(least.results[i].name, "trees") == 0 || strcmp(least.results[i].name, "stacking") == 0
                             ? CRD_CANDIDATE_SCORED
                             : CRD_CANDIDATE_OVER_BUDGET);
    options.budget = INFINITY;
    compare_weighted(context, 0, &options, &all);
    for (size_t i = 0; i < all.count; i++) assert_int_not_equal(all.results[i].status, CRD_CANDIDATE_OVER_BUDGET);
    assert_true(all.recommendation.sufficient_budget == 0 && all.recommendation.more == 0);
    /* What is suggested tries all. */
    assert_true(least.recommendation.sufficient_budget > 1);
    options.budget = least.recommendation.sufficient_budget;
    compare_weighted(context, 0, &options, &middle);
    assert_int_equal(middle.recommendation.tried, all.recommendation.tried);
    options.budget = 1;
    compare_weighted(context, 0, &options, &middle);
    assert_true(middle.recommendation.tried > 1 && middle.recommendation.tried < all.recommendation.tried);
    /* Every candidate that is tried has the scores that it has with any budget. */
    for (size_t i = 0; i < middle.count; i++)
        if (middle.results[i].status == CRD_CANDIDATE_SCORED)
            assert_true(middle.results[i].log_loss == all.results[i].log_loss);
    const size_t more = middle.recommendation.more, tried = middle.recommendation.tried;
    options.budget = middle.recommendation.larger_budget;
    compare_weighted(context, 0, &options, &middle);
    assert_int_equal(middle.recommendation.tried, tried + more);
}

/* Model files contain the results until the rows change; equal models have equal bytes. */
static void a_model_file_contains_the_selection(void **state) {
    crd_context *context = *state;
    rows_in_memory rows;
    crd_comparison *comparison;
    crd_model *model, *again, *copy;
    crd_settings *settings;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_recommendation wanted = CRD_RECOMMENDATION_INIT, recommendation = CRD_RECOMMENDATION_INIT;
    crd_error error;
    unsigned char *bytes, *copied;
    size_t length, copied_length;
    char *reason, *reason_again;
    const crd_text none = {NULL, 0};
    make_rows(context, 0, true, &rows);
    crd_row_source *source = source_of(context, &rows, 0);
    assert_done(crd_comparison_create(source, NULL, &comparison, &error), error);
    assert_null(crd_comparison_selection(comparison));
    assert_done(crd_comparison_run(comparison, &error), error);
    crd_comparison_recommendation(comparison, &wanted);
    assert_done(crd_comparison_settings(comparison, wanted.candidate, &settings, &error), error);
    assert_done(crd_row_source_train(source, settings, none, &model, &facts, &error), error);
    assert_null(crd_model_selection(model));
    assert_done(crd_model_set_selection(model, crd_comparison_selection(comparison), &error), error);
    assert_done(crd_model_encode(model, &bytes, &length, &error), error);
    assert_done(crd_model_decode(context, bytes, length, &again, &error), error);
    const crd_selection *selection = crd_model_selection(again);
    assert_non_null(selection);
    recommendation = selection->recommendation;
    assert_memory_equal(&wanted, &recommendation, sizeof recommendation);
    assert_int_equal(selection->count, crd_comparison_count(comparison));
    for (size_t i = 0; i < selection->count; i++) {
        crd_comparison_result a = CRD_COMPARISON_RESULT_INIT, b = CRD_COMPARISON_RESULT_INIT;
        const char *name, *value;
        crd_comparison_result_at(comparison, i, &a);
        b = selection->candidates[i].result;
        assert_string_equal(a.name, b.name);
        assert_string_equal(a.message, b.message);
        assert_int_equal(a.status, b.status);
        assert_true(a.log_loss == b.log_loss && a.accuracy == b.accuracy && a.parameters == b.parameters);
        for (size_t s = 0; crd_comparison_setting(comparison, i, s, &name, &value); s++) {
            assert_string_equal(name, selection->candidates[i].settings[s].name);
            assert_string_equal(value, selection->candidates[i].settings[s].value);
        }
    }
    assert_done(crd_selection_reason(crd_comparison_selection(comparison), &reason, &error), error);
    assert_done(crd_selection_reason(selection, &reason_again, &error), error);
    assert_string_equal(reason, reason_again);
    assert_done(crd_model_encode(again, &copied, &copied_length, &error), error);
    assert_true(copied_length == length && memcmp(copied, bytes, length) == 0);
    crd_free(context, copied);
    /* Of rows that were learned since, nothing was compared. */
    assert_done(crd_model_update(again, rows.frame, &error), error);
    assert_null(crd_model_selection(again));
    /* Half a section is no section, and a file cut anywhere is refused. */
    for (size_t cut = length - 1; cut > length - 400; cut--)
        assert_int_not_equal(crd_model_decode(context, bytes, cut, &copy, &error), CRD_OK);
    crd_free(context, reason);
    crd_free(context, reason_again);
    crd_free(context, bytes);
    crd_model_destroy(model);
    crd_model_destroy(again);
    crd_settings_destroy(settings);
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
}

/* Candidates that are named are tried whatever the budget. */
static void named_candidates_have_no_budget(void **state) {
    static const char *const names[] = {"naive", "stacking"};
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    candidates_outcome outcome;
    options.budget = 1e-9;
    options.candidates = names;
    options.candidate_count = 2;
    compare_weighted(*state, 0, &options, &outcome);
    assert_int_equal(outcome.recommendation.tried, 2);
}

/* The caller's own deadline ends the run, and leaves no candidate out. */
static void a_deadline_of_the_caller_ends_the_run(void **state) {
    crd_context *context = *state;
    rows_in_memory rows;
    crd_comparison *comparison;
    crd_error error;
    candidates_outcome outcome;
    make_rows(context, 0, true, &rows);
    crd_row_source *source = source_of(context, &rows, 0);
    crd_comparison_options all = CRD_COMPARISON_OPTIONS_INIT;
    all.budget = INFINITY;
    assert_done(crd_comparison_create(source, &all, &comparison, &error), error);
    crd_call_options options = CRD_CALL_OPTIONS_INIT;
    options.deadline = 1e-9;
    assert_int_equal(crd_call_begin(context, &options), CRD_OK);
    while (!crd_i_context_cancelled(context)) continue; /* the clock has moved on */
    crd_status status = crd_comparison_run(comparison, &error);
    crd_call_end(context);
    assert_int_equal(status, CRD_ERROR_DEADLINE);
    collect(comparison, &outcome);
    for (size_t i = 0; i < outcome.count; i++) assert_int_equal(outcome.results[i].status, CRD_CANDIDATE_PENDING);
    assert_done(crd_comparison_run(comparison, &error), error);
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
}

/* ---- Recommendations ---- */

static void one_table(crd_context *context, const int32_t *a, const int32_t *classes, size_t rows,
                      candidates_outcome *outcome) {
    crd_frame *frame;
    crd_error error;
    assert_done(crd_frame_create(context, rows, &frame, &error), error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("a"), a, NULL, letters, 2, &error), error);
    assert_done(crd_frame_add_codes(frame, crd_text_of("class"), classes, NULL, class_names, 2, &error), error);
    const crd_frame *frames[] = {frame};
    crd_row_source *source;
    const crd_text none = {NULL, 0};
    assert_done(crd_i_row_source_of_frames(context, frames, 1, crd_text_of("class"), none, &source, &error), error);
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = 2;
    options.split = &split;
    compare(source, &options, outcome);
    crd_row_source_destroy(source);
    crd_frame_destroy(frame);
}

static void what_is_recommended_has_a_reason(void **state) {
    crd_context *context = *state;
    static const int32_t alternating[] = {0, 1, 0, 1, 0, 1, 0, 1}, halves[] = {0, 0, 1, 1, 0, 0, 1, 1};
    candidates_outcome outcome;
    one_table(context, alternating, halves, 8, &outcome);
    assert_int_equal(outcome.recommendation.reason, CRD_RECOMMENDED_NONE);
    assert_near(outcome.recommendation.baseline_accuracy, 0.5, 0);
    assert_near(outcome.recommendation.baseline_log_loss, log(2), 1e-15);
    one_table(context, alternating, alternating, 8, &outcome);
    assert_int_equal(outcome.recommendation.left_out, 0);
    assert_true(outcome.recommendation.reason == CRD_RECOMMENDED_BEST ||
                outcome.recommendation.reason == CRD_RECOMMENDED_SIMPLER);
    /* Each class has one row, so that no other row has its class. */
    one_table(context, alternating, alternating, 2, &outcome);
    assert_int_equal(outcome.recommendation.reason, CRD_RECOMMENDED_FIRST);
    assert_int_equal(outcome.recommendation.candidate, 0);
    assert_int_equal(outcome.recommendation.left_out, 2);
    assert_true(isnan(outcome.recommendation.baseline_log_loss));
}

/* A candidate's settings train the model that was compared. */
static void a_candidate_has_settings(void **state) {
    crd_context *context = *state;
    rows_in_memory rows;
    crd_comparison *comparison;
    crd_settings *settings;
    crd_error error;
    make_rows(context, 0, true, &rows);
    crd_row_source *source = source_of(context, &rows, 0);
    assert_done(crd_comparison_create(source, NULL, &comparison, &error), error);
    for (size_t i = 0; i < crd_comparison_count(comparison); i++) {
        const char *name, *value;
        assert_done(crd_comparison_settings(comparison, i, &settings, &error), error);
        size_t count = 0;
        for (; crd_comparison_setting(comparison, i, count, &name, &value); count++)
            assert_string_equal(crd_settings_get(settings, name), value);
        assert_null(name);
        assert_true((count == 0) == (i == 0));
        crd_settings_destroy(settings);
    }
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
}

/* ---- Options ---- */

static void assert_refused(crd_row_source *source, const crd_comparison_options *options, crd_status status) {
    crd_comparison *comparison = (crd_comparison *)source;
    crd_error error;
    assert_done(crd_row_source_rewind(source, &error), error);
    assert_int_equal(crd_comparison_create(source, options, &comparison, &error), status);
    assert_null(comparison);
    assert_int_equal(error.status, status);
}

static void options_are_checked(void **state) {
    crd_context *context = *state;
    static const char *const unknown[] = {"naive", "clever"};
    rows_in_memory rows;
    crd_settings *settings;
    crd_error error;
    make_rows(context, 0, true, &rows);
    crd_row_source *source = source_of(context, &rows, 0);
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    options.candidates = unknown;
    options.candidate_count = 2;
    assert_refused(source, &options, CRD_ERROR_ARGUMENT);
    options.candidates = NULL;
    options.budget = -1;
    assert_refused(source, &options, CRD_ERROR_ARGUMENT);
    options.budget = 0;
    assert_done(crd_settings_create(context, &settings, &error), error);
    assert_done(crd_settings_set(settings, "method", crd_text_of("aode"), &error), error);
    options.settings = settings;
    assert_refused(source, &options, CRD_ERROR_SETTING);
    options.settings = NULL;
    crd_split_options split = CRD_SPLIT_OPTIONS_INIT;
    split.folds = 1;
    options.split = &split;
    assert_refused(source, &options, CRD_ERROR_ARGUMENT);
    split.folds = 3;
    split.held_out = 3;
    assert_refused(source, &options, CRD_ERROR_ARGUMENT);
    split.held_out = 0;
    split.column = 0; /* frames have none beside their columns */
    assert_refused(source, &options, CRD_ERROR_ARGUMENT);
    static const uint32_t few[] = {0, 1, 0};
    split.column = SIZE_MAX;
    split.given = few;
    split.given_count = 3;
    assert_refused(source, &options, CRD_ERROR_ARGUMENT);
    /* Of older options, which end before the split, the rest is not read. */
    options.size = offsetof(crd_comparison_options, split);
    crd_comparison *comparison;
    assert_done(crd_row_source_rewind(source, &error), error);
    assert_done(crd_comparison_create(source, &options, &comparison, &error), error);
    assert_int_equal(crd_split_fold_count(crd_comparison_split(comparison)), 10);
    crd_comparison_destroy(comparison);
    crd_settings_destroy(settings);
    crd_row_source_destroy(source);
    crd_frame_destroy(rows.frame);
    assert_string_equal(crd_comparison_candidate(0), "naive");
    size_t count = 0;
    while (crd_comparison_candidate(count) != NULL) count++;
    assert_true(count > 10);
    assert_true(crd_comparison_chooses("method") && !crd_comparison_chooses("smoothing"));
}

/* ---- Columns ---- */

static void columns_are_checked(void **state) {
    crd_context *context = *state;
    char text[4096];
    size_t length = (size_t)sprintf(text, "id,nearly,some,n,class\n");
    for (int i = 0; i < 40; i++)
        length += (size_t)sprintf(text + length, "r%d,%s,%d,%d,%d\n", i,
                                  i < 2        ? "some"
                                  : i % 3 == 0 ? "1.5"
                                               : "2",
                                  i % 5, i, i % 2);
    crd_model *model = trained_keeping(context, text, "class", NULL);
    crd_summary *summary;
    crd_error error;
    assert_done(crd_summary_create(model, &summary, &error), error);
    static const struct { int is_nearly_numeric, is_identifier; } expected[] = {{0, 1}, {1, 0}, {0, 0}, {0, 0}};
    for (size_t a = 0; a < 4; a++) {
        crd_column_check check = CRD_COLUMN_CHECK_INIT;
        crd_summary_check_column(summary, a, &check);
        assert_int_equal(check.is_nearly_numeric, expected[a].is_nearly_numeric);
        assert_int_equal(check.is_identifier, expected[a].is_identifier);
        assert_near(check.cells, 40, 0);
        if (a != 1) continue;
        assert_near(check.numbers, 38, 0);
        assert_int_equal(check.values, 3);
        assert_true(crd_text_equal(check.not_a_number, crd_text_of("some")));
    }
    assert_false(crd_summary_target_is_quantity(summary));
    crd_summary_destroy(summary);
    crd_model_destroy(model);
}

/* So many classes that are numbers are codes where each has rows enough, and have no fractions. */
static void a_target_of_many_numbers_is_a_quantity(void **state) {
    static const struct {
        int classes, rows_each;
        const char *form;
        int expected;
    } cases[] = {
        {101, 1, "0,%d\n", 1},    {100, 1, "0,%d\n", 0},  {101, 10, "0,%d\n", 0},
        {101, 10, "0,%d.5\n", 1}, {101, 1, "0,c%d\n", 0},
    };
    crd_context *context = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1 << 14];
        size_t length = (size_t)sprintf(text, "x,class\n");
        for (int row = 0; row < cases[i].classes * cases[i].rows_each; row++)
            length += (size_t)sprintf(text + length, cases[i].form, row % cases[i].classes);
        crd_model *model = trained_keeping(context, text, "class", NULL);
        crd_summary *summary;
        crd_error error;
        assert_done(crd_summary_create(model, &summary, &error), error);
        assert_int_equal(crd_summary_target_is_quantity(summary), cases[i].expected);
        crd_summary_destroy(summary);
        crd_model_destroy(model);
    }
}

static int set_up(void **state) {
    crd_context *context;
    if (crd_context_create(NULL, &context) != CRD_OK) return -1;
    *state = context;
    return 0;
}

static int tear_down(void **state) {
    crd_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_unit_of_weights_does_not_matter, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whole_weights_count_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_source_gives_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(frames_come_in_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kept_rows_keep_declared_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_comparison_goes_on_where_it_was_cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(candidates_beyond_the_budget_are_not_tried, set_up, tear_down),
        cmocka_unit_test_setup_teardown(named_candidates_have_no_budget, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_model_file_contains_the_selection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_deadline_of_the_caller_ends_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_recommended_has_a_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_candidate_has_settings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_target_of_many_numbers_is_a_quantity, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
