/* SPDX-License-Identifier: MIT */
/* comparison_text.c - see comparison_text.h. */
#include "source/comparison_text.h"

#include "core/messages.h"
#include "core/output.h"
#include "core/shell_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int comparison_read_budget(const arguments *given, double *budget) {
    const char *text = arguments_value(given, "budget");
    if (text == NULL) return ENDED_WELL;
    if (crd_number_parse(crd_text_of(text), budget) != CRD_NUMBER_NONE && *budget > 0) return ENDED_WELL;
    return message_usage("--budget must be a number above 0, or inf, got '%s'", text);
}

/* ---- Sentences ---- */

/* Adds a text of the library, which names a budget as budget=N, with the option --budget instead. */
static void add_with_options(const char *text, string *out) {
    static const char named[] = "budget=";
    for (const char *cursor; (cursor = strstr(text, named)) != NULL; text = cursor + strlen(named)) {
        string_add(out, text, (size_t)(cursor - text));
        string_format(out, "--budget ");
    }
    string_format(out, "%s", text);
}

typedef crd_status text_sentences(const crd_selection *selection, char **out, crd_error *error);

static void add_sentences(crd_context *context, const crd_selection *selection, text_sentences *write, string *out) {
    char *text = NULL;
    if (write(selection, &text, NULL) != CRD_OK) return;
    add_with_options(text, out);
    crd_free(context, text);
}

void comparison_add_reason(crd_context *context, const crd_selection *selection, string *out) {
    add_sentences(context, selection, crd_selection_reason, out);
}

void comparison_add_not_tried(crd_context *context, const crd_selection *selection, string *out) {
    add_sentences(context, selection, crd_selection_not_tried, out);
}

void comparison_add_why_left_out(const crd_comparison_result *one, string *out) {
    switch (one->status) {
    case CRD_CANDIDATE_PENDING: string_format(out, "interrupted before it finished"); break;
    case CRD_CANDIDATE_OVER_BUDGET: string_format(out, "over the budget"); break;
    case CRD_CANDIDATE_SCORED:
    case CRD_CANDIDATE_TOO_LARGE:
    case CRD_CANDIDATE_FAILED: string_format(out, "%s", one->message); break;
    }
}

/* ---- The choice in a model ---- */

size_t comparison_order(const crd_selection *selection, size_t *order) {
    size_t count = 0;
    for (size_t i = 0; i < selection->count; i++) {
        const crd_comparison_result one = selection->candidates[i].result;
        if (one.status != CRD_CANDIDATE_SCORED) continue;
        size_t index = count++;
        while (index > 0 && selection->candidates[order[index - 1]].result.log_loss > one.log_loss) {
            order[index] = order[index - 1];
            index--;
        }
        order[index] = i;
    }
    return count;
}

static const char *comparison_text_options(const crd_selection *selection, size_t candidate, crd_result *r) {
    const crd_selection_candidate *one = &selection->candidates[candidate];
    string options = {0};
    for (size_t i = 0; i < CRD_SELECTION_SETTINGS && one->settings[i].name != NULL; i++)
        shell_add_option(&options, one->settings[i].name, one->settings[i].value);
    const char *kept = report_take(r, &options);
    return kept[0] == ' ' ? kept + 1 : kept;
}

/* Adds the candidates with scores, best first, and for machines the candidates without scores. */
static void comparison_text_report_candidates(const crd_selection *selection, bool shows_all, crd_result *r) {
    const size_t count = selection->count;
    size_t *order = memory_resize(NULL, count, sizeof *order), scored = comparison_order(selection, order);
    crd_result_table *t = crd_result_add_table(r, "candidates");
    t->is_short = true;
    if (!shows_all) t->rows_shown = COMPARISON_SHOWN;
    crd_result_add_column(t, "name", "candidate");
    crd_result_add_column(t, "options", NULL);
    crd_result_add_column(t, "accuracy", "accuracy");
    crd_result_add_column(t, "log_loss", "log loss");
    crd_result_add_column(t, "log_loss_error", "±");
    for (size_t i = 0; i < scored; i++) {
        const crd_comparison_result one = selection->candidates[order[i]].result;
        crd_cell_words(t, one.name);
        crd_cell_words(t, comparison_text_options(selection, order[i], r));
        crd_cell_number(t, one.accuracy);
        crd_cell_number(t, one.log_loss);
        if (isnan(one.log_loss_error)) crd_cell_null(t);
        else crd_cell_shown(t, one.log_loss_error, "%.1g", one.log_loss_error);
    }
    if (scored > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", scored - t->rows_shown);
    crd_result_table *others = crd_result_add_table(r, "not_tried");
    others->is_short = others->is_hidden = true;
    crd_result_add_column(others, "name", NULL);
    crd_result_add_column(others, "reason", NULL);
    for (size_t i = 0; i < count; i++) {
        const crd_comparison_result one = selection->candidates[i].result;
        string reason = {0};
        if (one.status == CRD_CANDIDATE_SCORED) continue;
        comparison_add_why_left_out(&one, &reason);
        crd_cell_words(others, one.name);
        crd_cell_words(others, report_take(r, &reason));
    }
    free(order);
}

void comparison_report_choice(crd_context *context, const crd_model *model, bool shows_all, crd_result *r) {
    const crd_selection *selection = crd_model_selection(model);
    char loss[CRD_NUMBER_ROOM], baseline[CRD_NUMBER_ROOM], rows[ROWS_ROOM];
    string why = {0}, others = {0};
    if (selection == NULL) return;
    const crd_recommendation recommendation = selection->recommendation;
    const crd_comparison_result chosen = selection->candidates[recommendation.candidate].result;
    comparison_add_reason(context, selection, &why);
    comparison_add_not_tried(context, selection, &others);
    crd_result_heading(r, 2, "Chosen by --method auto", "");
    crd_result_begin(r, CRD_OBJECT, "choice");
    crd_result_words(r, "name", chosen.name);
    crd_result_words(r, "options", comparison_text_options(selection, recommendation.candidate, r));
    crd_result_number(r, "log_loss", chosen.log_loss);
    crd_result_number(r, "baseline_log_loss", recommendation.baseline_log_loss);
    crd_result_number(r, "rows", (double)recommendation.rows);
    crd_result_number(r, "budget", recommendation.budget);
    crd_result_words(r, "why", string_text(&why));
    crd_result_line(r, CRD_LINE, "%s: log loss %s in cross-validation of %s; the class prior only has %s.", chosen.name,
                    crd_number_round(chosen.log_loss, loss), output_rows(recommendation.rows, rows),
                    crd_number_round(recommendation.baseline_log_loss, baseline));
    crd_result_line(r, CRD_LINE, "%s", string_text(&why));
    comparison_text_report_candidates(selection, shows_all, r);
    if (others.length > 0) crd_result_line(r, CRD_LINE, "%s", string_text(&others));
    crd_result_end(r);
    string_free(&why);
    string_free(&others);
}
