/* SPDX-License-Identifier: MIT */
/* evaluate_compare_report.c - the candidates of --compare in a table, the recommended one, and the command that
 * trains it. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/messages.h"
#include "core/report_write.h"
#include "core/shell_words.h"
#include "source/comparison_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A comparison and the report about it. */
typedef struct report_comparison {
    const invocation *call;
    const ran *ran;
    crd_result *report;
    const crd_comparison *comparison;
    bool has_times, is_interrupted;
    crd_comparison_result *results;
    size_t count;
    size_t *order; /* the scored candidates by ascending log loss; of equal ones, the simpler one first */
    size_t scored;
    crd_recommendation recommendation;
} report_comparison;

/* ---- The command ---- */

static bool is_setting(const char *name) {
    size_t count = crd_setting_count();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(crd_setting_at(i)->name, name) == 0) return true;
    }
    return false;
}

/* Appends the settings given on the command line, then the candidate's, as options for the shell. */
static void compare_report_add_settings(const report_comparison *c, size_t candidate, string *out) {
    const arguments *words = &c->call->arguments;
    const char *name, *value;
    for (size_t i = 0; i < words->option_count; i++) {
        if (is_setting(words->options[i].name)) shell_add_option(out, words->options[i].name, words->options[i].value);
    }
    for (size_t i = 0; crd_comparison_setting(c->comparison, candidate, i, &name, &value); i++)
        shell_add_option(out, name, value);
}

/* Returns whether an option describes how to read the table. Training needs these options too, except --threads. */
static bool is_of_reading(const char *name) {
    static const option of_reading[] = {OPTIONS_OF_COLUMNS, OPTIONS_OF_READING};
    for (size_t i = 0; i < sizeof of_reading / sizeof *of_reading; i++)
        if (strcmp(of_reading[i].name, name) == 0) return strcmp(name, "threads") != 0;
    return false;
}

/* Appends the command that trains the candidate on the same files. */
static void compare_report_add_command(const report_comparison *c, size_t candidate, string *out) {
    const arguments *words = &c->call->arguments;
    string_format(out, "credence train");
    for (size_t i = 0; i < words->operand_count; i++) {
        string_add_char(out, ' ');
        shell_add_word(out, words->operands[i]);
    }
    if (arguments_have(words, "target")) shell_add_option(out, "target", arguments_value(words, "target"));
    for (size_t i = 0; i < words->option_count; i++) {
        if (is_of_reading(words->options[i].name))
            shell_add_option(out, words->options[i].name, words->options[i].value);
    }
    if (arguments_have(words, "folds")) shell_add_option(out, "ignore", arguments_value(words, "folds"));
    string_format(out, " -o MODEL");
    compare_report_add_settings(c, candidate, out);
}

/* ---- The report ---- */

enum { MEASURES = 6, SECONDS = MEASURES - 1 };
static const char *const keys[MEASURES] = {"accuracy", "log_loss", "log_loss_error", "ece", "parameters", "seconds"};
static const char *const titles[MEASURES] = {"accuracy", "log loss", "±", "ECE", "parameters", "seconds"};

static size_t measures_of(const report_comparison *c) {
    return c->has_times ? MEASURES : SECONDS;
}

static void find_measures(const crd_comparison_result *one, double values[MEASURES]) {
    values[0] = one->accuracy;
    values[1] = one->log_loss;
    values[2] = one->log_loss_error;
    values[3] = one->ece;
    values[4] = one->parameters;
    values[SECONDS] = one->seconds;
}

/* Adds a cell as people see it. A standard error is rounded to one digit. */
static void compare_report_add_measure(crd_result_table *t, size_t measure, double value) {
    bool is_error = measure == 2;
    if (measure == 1 && isinf(value)) crd_cell_shown(t, value, "infinite");
    else if (is_error && isnan(value)) crd_cell_shown(t, value, "%s", "");
    else if (is_error) crd_cell_shown(t, value, value < 9.5 ? "%.1g" : "%.0f", value);
    else if (measure == 4) crd_cell_count(t, value);
    else if (measure == SECONDS) crd_cell_shown(t, value, "%.2f", value);
    else crd_cell_number(t, value);
}

/* Returns the settings of a candidate without the space before the first one. The report owns the text. */
static const char *compare_report_options(const report_comparison *c, size_t candidate) {
    string options = {0};
    compare_report_add_settings(c, candidate, &options);
    const char *kept = report_take(c->report, &options);
    return kept[0] == ' ' ? kept + 1 : kept;
}

/* Reports the scored candidates, best first. The table for people has the ten best and no seconds, unless --all is
 * given. CSV lists only candidates, and marks the recommended one. */
static void report_scored(const report_comparison *c) {
    crd_result *r = c->report;
    size_t measures = measures_of(c);
    crd_result_table *t = crd_result_add_table(r, "candidates"), *lines = crd_result_add_table(r, NULL);
    const bool shows_all = arguments_have(&c->call->arguments, "all");
    lines->is_main = true;
    t->indent = 1; /* the longest name still fits in 80 columns */
    if (!shows_all) t->rows_shown = COMPARISON_SHOWN;
    crd_result_add_column(t, "name", "");
    crd_result_add_column(t, "options", NULL);
    crd_result_add_column(lines, "name", NULL);
    crd_result_add_column(lines, "options", NULL);
    for (size_t i = 0; i < measures; i++)
        crd_result_add_column(t, keys[i], i < SECONDS || shows_all ? titles[i] : NULL);
    for (size_t i = 0; i < measures; i++) crd_result_add_column(lines, keys[i], NULL);
    crd_result_add_column(lines, "recommended", NULL);
    for (size_t i = 0; i < c->scored; i++) {
        size_t candidate = c->order[i];
        double values[MEASURES];
        const char *options = compare_report_options(c, candidate);
        find_measures(&c->results[candidate], values);
        crd_cell_words(t, c->results[candidate].name);
        crd_cell_words(t, options);
        crd_cell_words(lines, c->results[candidate].name);
        crd_cell_words(lines, options);
        for (size_t j = 0; j < measures; j++) compare_report_add_measure(t, j, values[j]);
        for (size_t j = 0; j < measures; j++) crd_cell_number(lines, values[j]);
        crd_cell_words(lines, candidate == c->recommendation.candidate ? "yes" : "no");
    }
    if (c->scored > t->rows_shown) crd_result_line(r, CRD_REMARK, "and %zu more (--all)", c->scored - t->rows_shown);
    char accuracy[CRD_NUMBER_ROOM], loss[CRD_NUMBER_ROOM];
    crd_result_line(r, CRD_REMARK, "Class prior only: accuracy %s, log loss %s.",
                    crd_number_round(c->recommendation.baseline_accuracy, accuracy),
                    crd_number_round(c->recommendation.baseline_log_loss, loss));
}

/* Reports the candidates that were not scored, with the reasons. JSON contains all of them; people see them except
 * those over the budget. */
static void report_left_out(const report_comparison *c) {
    crd_result *r = c->report;
    string others = {0};
    crd_result_table *t = crd_result_add_table(r, "left_out");
    t->is_hidden = true;
    crd_result_add_column(t, "name", NULL);
    crd_result_add_column(t, "options", NULL);
    crd_result_add_column(t, "reason", NULL);
    for (size_t i = 0; i < c->count; i++) {
        if (c->results[i].status == CRD_CANDIDATE_SCORED) continue;
        string reason = {0};
        comparison_add_why_left_out(&c->results[i], &reason);
        const char *kept = report_take(r, &reason);
        crd_cell_words(t, c->results[i].name);
        crd_cell_words(t, compare_report_options(c, i));
        crd_cell_words(t, kept);
        if (c->results[i].status != CRD_CANDIDATE_OVER_BUDGET && c->results[i].status != CRD_CANDIDATE_PENDING)
            crd_result_line(r, CRD_REMARK, "%s: %s", c->results[i].name, kept);
    }
    comparison_add_not_tried(c->call->context, crd_comparison_selection(c->comparison), &others);
    if (others.length > 0) crd_result_line(r, CRD_REMARK, "%s", string_text(&others));
    string_free(&others);
}

/* Reports the recommended candidate, the command that trains it and the reason. */
static void report_recommended(const report_comparison *c) {
    crd_result *r = c->report;
    const crd_recommendation *source_recommendation = &c->recommendation;
    const char *name = c->results[source_recommendation->candidate].name;
    string command = {0}, why = {0};
    compare_report_add_command(c, source_recommendation->candidate, &command);
    comparison_add_reason(c->call->context, crd_comparison_selection(c->comparison), &why);
    crd_result_begin(r, CRD_OBJECT, "recommended");
    crd_result_words(r, "name", name);
    crd_result_words(r, "options", compare_report_options(c, source_recommendation->candidate));
    crd_result_words(r, "command", string_text(&command));
    crd_result_words(r, "why", string_text(&why));
    crd_result_end(r);
    if (source_recommendation->reason == CRD_RECOMMENDED_NONE) {
        crd_result_line(r, CRD_PARAGRAPH, "%s", string_text(&why));
    } else {
        crd_result_line(r, CRD_PARAGRAPH, "Recommended: %s: %s", name, string_text(&command));
        crd_result_line(r, CRD_LINE, "%s", string_text(&why));
    }
    string_free(&command);
    string_free(&why);
}

/* Writes all parts of the report. how: the heading, which describes how rows were split. */
static void compare_report_all(const report_comparison *c, const char *heading) {
    crd_result *r = c->report;
    const crd_recommendation *source_recommendation = &c->recommendation;
    char buffer[ROWS_ROOM];
    crd_result_prose(r, CRD_TOP_HEADING, 1, "", "", heading);
    crd_result_begin(r, CRD_OBJECT, NULL);
    if (c->is_interrupted) {
        crd_result_boolean(r, "interrupted", true);
        crd_result_line(r, CRD_LINE, "Interrupted: %zu of %zu candidates were tried.", source_recommendation->tried,
                        c->count);
        crd_result_prose(r, CRD_EMPTY_LINE, 0, "", "", "");
    }
    crd_result_number(r, "rows", (double)source_recommendation->rows);
    crd_result_number(r, "rows_in_no_log_loss", (double)source_recommendation->left_out);
    crd_result_number(r, "baseline", source_recommendation->baseline_accuracy);
    crd_result_number(r, "baseline_log_loss", source_recommendation->baseline_log_loss);
    crd_result_number(r, "tried", (double)source_recommendation->tried);
    crd_result_number(r, "budget", source_recommendation->budget);
    report_scored(c);
    if (source_recommendation->left_out > 0) {
        crd_result_line(r, CRD_REMARK, "%s not in the log loss: no other training row has their class",
                        output_rows(source_recommendation->left_out, buffer));
    }
    report_left_out(c);
    report_recommended(c);
    evaluate_report_run(r, c->ran, source_recommendation->rows);
    crd_result_end(r);
}

/* Draws the log losses as bars, the smallest first, and the log loss of the class prior. */
static int draw_losses(const report_comparison *c) {
    crd_result *r = c->report;
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_error error;
    size_t count = 0;
    if (!crd_result_is_for(r, CRD_FOR_PICTURES) || c->scored == 0) return ENDED_WELL;
    crd_plot_bar *bars = memory_resize(NULL, c->scored + 1, sizeof *bars);
    for (size_t i = 0; i < c->scored; i++) {
        const crd_comparison_result *one = &c->results[c->order[i]];
        bars[count++] = (crd_plot_bar){.name = crd_text_of(one->name), .value = one->log_loss};
    }
    bars[count++] =
        (crd_plot_bar){.name = crd_text_of("the class prior"), .value = c->recommendation.baseline_log_loss};
    options.title = crd_text_of("Log loss");
    plot.bars = bars;
    plot.count = count;
    plot.unit = crd_text_of("mean over the rows of the folds, in nats; smaller is better");
    crd_status status = crd_plot_draw_bars(crd_result_context(r), &plot, &options, &svg, &error);
    free(bars);
    return report_add_picture(r, status, &svg, &error);
}

/* Collects the results of a comparison and writes the report and its picture. Returns the exit code. */
int comparison_report(const ran *run, const crd_comparison *comparison, const char *heading, bool is_interrupted) {
    const invocation *call = run->call;
    report_comparison c = {.call = call,
                           .ran = run,
                           .report = report_create_drawn(call),
                           .comparison = comparison,
                           .has_times = !arguments_have(&call->arguments, "no-times"),
                           .is_interrupted = is_interrupted,
                           .count = crd_comparison_count(comparison),
                           .recommendation = CRD_RECOMMENDATION_INIT};
    c.results = memory_resize(NULL, c.count, sizeof *c.results);
    c.order = memory_resize(NULL, c.count, sizeof *c.order);
    for (size_t i = 0; i < c.count; i++) {
        c.results[i] = (crd_comparison_result)CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(comparison, i, &c.results[i]);
    }
    crd_comparison_recommendation(comparison, &c.recommendation);
    c.scored = comparison_order(crd_comparison_selection(comparison), c.order);
    compare_report_all(&c, heading);
    int ended = draw_losses(&c);
    free(c.results);
    free(c.order);
    return report_finish(c.report, call, FORMATS, ended);
}
