/* SPDX-License-Identifier: MIT */
/* evaluate_importance.c - permutation importance: how much worse predictions get when the values of a column are
 * permuted. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"

enum { MOST_REPEATS = 1000, COLUMNS_SHOWN = 15 };

/* Reads --importance [N], --seed and --threads. *importance is not requested if --importance is not given. */
int importance_read(const invocation *call, columns_importance *importance) {
    const arguments *words = &call->arguments;
    const char *requested = arguments_value(words, "importance");
    crd_importance_options options = CRD_IMPORTANCE_OPTIONS_INIT;
    uint64_t repeats = options.repeats, threads = 0;
    *importance = (columns_importance){.is_asked = requested != NULL};
    if (requested == NULL) return ENDED_WELL;
    int ended = requested[0] == '\0' ? ENDED_WELL : arguments_whole(words, "importance", &repeats);
    if (ended == ENDED_WELL) ended = arguments_whole(words, "seed", &options.seed);
    if (ended == ENDED_WELL) ended = arguments_whole(words, "threads", &threads);
    if (ended != ENDED_WELL) return ended;
    if (repeats < 1 || repeats > MOST_REPEATS)
        return message_usage("--importance: expected a number of permutations from 1 to %d, got '%s'", MOST_REPEATS,
                             requested);
    options.repeats = (uint32_t)repeats;
    options.threads = threads > UINT16_MAX ? UINT16_MAX : (unsigned)threads;
    importance->options = options;
    return ENDED_WELL;
}

int importance_run(const invocation *call, columns_importance *columns, bool *is_interrupted) {
    crd_error error;
    if (columns->importance == NULL || *is_interrupted) return ENDED_WELL;
    progress_say("permuting columns");
    crd_status status = crd_importance_run(columns->importance, &error);
    progress_erase();
    if (status == CRD_OK) return ENDED_WELL;
    if (status != CRD_ERROR_CANCELLED || !invocation_reports_part(call)) return message_error(&error);
    *is_interrupted = true;
    crd_context_resume(call->context); /* the scores are still to be computed */
    return crd_importance_conclude(columns->importance, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Reports the increase of log loss and the drop of accuracy for each column, with standard errors, the most
 * important column first. */
void importance_report(crd_result *r, crd_result_table *lines, const columns_importance *columns) {
    static const char *const keys[] = {"log_loss", "log_loss_se", "accuracy", "accuracy_se"};
    static const char *const titles[] = {"log loss", "±", "accuracy", "±"};
    enum { MEASURES = sizeof keys / sizeof *keys };
    const crd_importance *importance = columns->importance;
    const crd_text none = {"", 0};
    char buffer[ROWS_ROOM];
    if (importance == NULL) return;
    size_t count = crd_importance_count(importance);
    crd_result_heading(
        r, 2, "Importance",
        crd_result_format(r, ": increase of log loss and drop of accuracy when a column is permuted, %lu time%s",
                          (unsigned long)columns->options.repeats, columns->options.repeats == 1 ? "" : "s"));
    crd_result_begin(r, CRD_OBJECT, "importance");
    crd_result_number(r, "repeats", columns->options.repeats);
    crd_result_number(r, "seed", (double)columns->options.seed);
    crd_result_number(r, "rows", (double)crd_importance_rows(importance));
    crd_result_number(r, "rows_added", (double)crd_importance_rows_added(importance));
    crd_result_table *t = crd_result_add_table(r, "columns");
    t->is_short = true;
    t->rows_shown = COLUMNS_SHOWN;
    crd_result_add_column(t, "column", "column");
    for (size_t i = 0; i < MEASURES; i++) crd_result_add_column(t, keys[i], titles[i]);
    for (size_t c = 0; c < count; c++) {
        crd_column_importance column = CRD_COLUMN_IMPORTANCE_INIT;
        crd_importance_at(importance, c, &column);
        const double values[MEASURES] = {column.log_loss, column.log_loss_error, column.accuracy,
                                         column.accuracy_error};
        crd_cell_name(t, column.column);
        for (size_t i = 0; i < MEASURES; i++) {
            crd_cell_number(t, values[i]);
            evaluate_add_line(lines, crd_result_format(r, "importance_%s", keys[i]), none, column.column, values[i]);
        }
    }
    crd_result_end(r);
    if (count > COLUMNS_SHOWN)
        crd_result_line(r, CRD_REMARK, "%zu less important columns are not shown; use --format json or csv",
                        count - COLUMNS_SHOWN);
    size_t left = crd_importance_columns(importance) - count;
    if (left > 0)
        crd_result_line(r, CRD_REMARK, "interrupted before %zu column%s %s done", left, left == 1 ? "" : "s",
                        left == 1 ? "was" : "were");
    uint64_t kept = crd_importance_rows(importance), added = crd_importance_rows_added(importance);
    if (kept < added)
        crd_result_line(r, CRD_REMARK, "on a random sample of %llu of %s", (unsigned long long)kept,
                        output_rows(added, buffer));
    if (crd_importance_zero_rows(importance) > 0)
        crd_result_line(r, CRD_REMARK, "%s not in the log loss: the true class has probability 0 without permutation",
                        output_rows(crd_importance_zero_rows(importance), buffer));
}
