/* SPDX-License-Identifier: MIT */
/* evaluate_compare.c - --compare: compares candidate models on the same folds of the same rows. The library trains
 * and scores them. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "source/column_warnings.h"
#include "source/comparison_progress.h"
#include "source/comparison_text.h"

enum { FOLDS = 10 };

typedef struct compare_comparing {
    const invocation *call;
    rows rows;
    crd_split_options split;
    crd_settings *settings;
    crd_comparison *comparison;
    crd_comparison_options options;
    comparison_progress progress;
} compare_comparing;

static int evaluate_compare_read_options(compare_comparing *w) {
    const arguments *words = &w->call->arguments;
    int ended = comparison_read_budget(words, &w->options.budget);
    if (ended == ENDED_WELL) ended = evaluate_settings(w->call, &w->settings);
    if (ended == ENDED_WELL) ended = split_read(w->call, &w->split);
    w->options.settings = w->settings;
    comparison_progress_begin(&w->progress, &w->options);
    w->options.split = &w->split;
    return ended;
}

/* Reads the rows and counts all statistics that the candidates need. Warns about doubtful columns, and writes the
 * folds if --write-folds is given. */
static int evaluate_compare_learn(compare_comparing *w) {
    const char *path = w->call->arguments.operands[0];
    crd_error error;
    w->split.column = w->rows.fold_column;
    w->options.threads = crd_reader_threads(w->rows.d.reader);
    if (crd_comparison_create(w->rows.source, &w->options, &w->comparison, &error) != CRD_OK) {
        return message_error_in(&error, path);
    }
    w->progress.comparison = w->comparison;
    const crd_summary *summary = crd_comparison_summary(w->comparison);
    const int ended = column_warnings_check_target(w->call, summary, w->rows.d.reader);
    if (ended != ENDED_WELL) return ended;
    column_warnings_report(w->call, summary, w->rows.d.reader);
    const crd_split *split = crd_comparison_split(w->comparison);
    size_t folds = crd_split_fold_count(split);
    if (w->split.folds == 0 && w->split.column == SIZE_MAX && folds < FOLDS) {
        message_note("%zu folds instead of %d, because there are more than 200 rows; use --cross-validate %d for %d",
                     folds, (int)FOLDS, (int)FOLDS, (int)FOLDS);
    }
    return split_write(w->call, &w->split, split);
}

/* Scores the candidates and writes the report. After an interrupt the finished candidates are reported, if there are
 * any. */
static int evaluate_compare_score(compare_comparing *w) {
    string string_options = {0};
    crd_error error;
    crd_status status = crd_comparison_run(w->comparison, &error);
    bool is_interrupted = status == CRD_ERROR_CANCELLED && invocation_reports_part(w->call) &&
                          crd_comparison_conclude(w->comparison, NULL) == CRD_OK;
    progress_work_end();
    if (status != CRD_OK && !is_interrupted) return message_error_in(&error, w->call->arguments.operands[0]);
    if (!invocation_is_root(w->call)) return ENDED_WELL; /* with several processes, only the first one reports */
    const crd_split *split = crd_comparison_split(w->comparison);
    split_describe(&string_options, &w->split, split);
    const ran source_ran = {
        .call = w->call, .target = crd_row_source_target(w->rows.source), .split = split, .split_options = &w->split};
    int ended = comparison_report(&source_ran, w->comparison, string_text(&string_options), is_interrupted);
    if (ended == ENDED_WELL) split_note_empty(&w->split, split);
    string_free(&string_options);
    return is_interrupted && ended == ENDED_WELL ? invocation_interrupted_exit() : ended;
}

int evaluate_compare(const invocation *call) {
    compare_comparing w = {.call = call, .split = CRD_SPLIT_OPTIONS_INIT, .options = CRD_COMPARISON_OPTIONS_INIT};
    w.split.folds = 0; /* the library chooses the number */
    int ended = evaluate_compare_read_options(&w);
    if (ended == ENDED_WELL) ended = rows_open(call, &w.rows);
    if (ended == ENDED_WELL) ended = evaluate_compare_learn(&w);
    if (ended == ENDED_WELL) ended = evaluate_compare_score(&w);
    crd_comparison_destroy(w.comparison);
    crd_settings_destroy(w.settings);
    rows_close(&w.rows);
    return ended;
}
