/* SPDX-License-Identifier: MIT */
/* auto_method.c - see auto_method.h. */
#include "source/auto_method.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"
#include "source/column_warnings.h"
#include "source/comparison_progress.h"
#include "source/comparison_text.h"
#include "source/searched_structure.h"

#include <string.h>

bool auto_method_is_given(const arguments *given) {
    const char *method = arguments_value(given, "method");
    return method != NULL && strcmp(method, "auto") == 0;
}

/* Rejects options that the comparison chooses, and options with which there is nothing to compare: a part of the rows,
 * or given arcs. */
static int auto_method_check_options(const invocation *call) {
    const arguments *given = &call->arguments;
    for (size_t i = 0; i < given->option_count; i++) {
        const char *name = given->options[i].name;
        if (strcmp(name, "method") != 0 && crd_comparison_chooses(name))
            return message_usage("--method auto also chooses --%s: remove it", name);
    }
    if (call->structure != NULL) return message_usage("--method auto cannot be combined with --arcs or --search");
    if (arguments_have(given, "shard"))
        return message_usage("--method auto needs all rows: it cannot be combined with --shard");
    return ENDED_WELL;
}

/* ---- The chosen candidate ---- */

static void auto_method_add_options(const crd_comparison *comparison, size_t candidate, string *out) {
    const char *name, *value, *before = " (";
    for (size_t i = 0; crd_comparison_setting(comparison, candidate, i, &name, &value); i++) {
        string_format(out, "%s--%s %s", before, name, value);
        before = " ";
    }
    if (before[1] == '\0') string_add_char(out, ')');
}

/* Prints the chosen candidate, its log loss, the reason, and the candidates that were not tried. */
static void report_choice(const invocation *call, const crd_comparison *comparison) {
    const crd_selection *selection = crd_comparison_selection(comparison);
    crd_recommendation r = CRD_RECOMMENDATION_INIT;
    crd_comparison_result chosen = CRD_COMPARISON_RESULT_INIT;
    char loss[CRD_NUMBER_ROOM], baseline[CRD_NUMBER_ROOM];
    string line = {0}, others = {0};
    crd_comparison_recommendation(comparison, &r);
    crd_comparison_result_at(comparison, r.candidate, &chosen);
    string_format(&line, "chose %s", chosen.name);
    auto_method_add_options(comparison, r.candidate, &line);
    string_format(&line, ": log loss %s in cross-validation; the class prior only has %s. ",
                  crd_number_round(chosen.log_loss, loss), crd_number_round(r.baseline_log_loss, baseline));
    comparison_add_reason(call->context, selection, &line);
    if (r.reason == CRD_RECOMMENDED_NONE) message_warning("%s", string_text(&line));
    else message_note("%s", string_text(&line));
    comparison_add_not_tried(call->context, selection, &others);
    if (others.length > 0) message_note("%s", string_text(&others));
    string_free(&line);
    string_free(&others);
}

/* ---- Choosing ---- */

/* Compares the candidates and sets *chosen to the settings of the recommended one. The caller destroys *out and
 * *chosen. */
static int auto_method_compare(const invocation *call, crd_row_source *source, const crd_settings *settings,
                               const crd_reader *reader, const char *path, crd_comparison **out,
                               crd_settings **chosen) {
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    comparison_progress progress;
    crd_comparison *comparison = NULL;
    crd_recommendation recommendation = CRD_RECOMMENDATION_INIT;
    crd_error error;
    int ended = comparison_read_budget(&call->arguments, &options.budget);
    if (ended != ENDED_WELL) return ended;
    options.settings = settings;
    options.deploy = arguments_value(&call->arguments, "deploy");
    options.threads = crd_reader_threads(reader);
    comparison_progress_begin(&progress, &options);
    crd_status status = crd_comparison_create(source, &options, &comparison, &error);
    progress.comparison = *out = comparison;
    if (status == CRD_OK && crd_summary_target_is_quantity(crd_comparison_summary(comparison)))
        ended = column_warnings_check_target(call, crd_comparison_summary(comparison), reader);
    if (status == CRD_OK && ended == ENDED_WELL) status = crd_comparison_run(comparison, &error);
    progress_work_end();
    if (ended != ENDED_WELL) return ended;
    if (status == CRD_OK) {
        crd_comparison_recommendation(comparison, &recommendation);
        status = crd_comparison_settings(comparison, recommendation.candidate, chosen, &error);
    }
    if (status == CRD_OK) report_choice(call, comparison);
    return status == CRD_OK ? ENDED_WELL : message_error_in(&error, path);
}

int auto_method_train(const invocation *call, data *d, const char *path, const char *tallies, crd_model **out,
                      crd_read_facts *facts) {
    crd_settings *given = NULL, *chosen = NULL;
    crd_row_source *source = NULL;
    crd_comparison *comparison = NULL;
    crd_error error;
    const crd_text none = {NULL, 0};
    *out = NULL;
    int ended = auto_method_check_options(call);
    if (ended != ENDED_WELL) return ended;
    if (crd_settings_create(call->context, &given, &error) != CRD_OK) return message_error(&error);
    ended = arguments_apply_other_settings(&call->arguments, "method", given);
    if (ended == ENDED_WELL && crd_row_source_create(d->reader, &source, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL) ended = auto_method_compare(call, source, given, d->reader, path, &comparison, &chosen);
    if (ended == ENDED_WELL) crd_row_source_set_frame_rows(source, 0);
    if (ended == ENDED_WELL && searched_structure_state_arcs(source, chosen, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL && crd_row_source_train(source, chosen, tallies == NULL ? none : crd_text_of(tallies), out,
                                                    facts, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL && crd_model_set_selection(*out, crd_comparison_selection(comparison), &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended != ENDED_WELL) {
        crd_model_destroy(*out);
        *out = NULL;
    }
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    crd_settings_destroy(chosen);
    crd_settings_destroy(given);
    return ended;
}
