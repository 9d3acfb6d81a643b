/* SPDX-License-Identifier: MIT */
/* auto_method.c - see auto_method.h. */
#include "source/auto_method.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/output.h"
#include "core/progress.h"
#include "source/comparison_progress.h"
#include "source/comparison_text.h"
#include "source/searched_structure.h"

#include <string.h>

enum { PATIENCE = 120 };

bool auto_method_is_given(const arguments *given) {
    const char *method = arguments_value(given, "method");
    return method != NULL && strcmp(method, "auto") == 0;
}

/* What is compared cannot be stated, and a part of the rows, or arcs, leave nothing to compare. */
static int check_options(const invocation *call) {
    const arguments *given = &call->arguments;
    for (size_t i = 0; i < given->option_count; i++) {
        const char *name = given->options[i].name;
        if (strcmp(name, "method") != 0 && crd_comparison_chooses(name))
            return message_usage("--method auto chooses --%s as well: leave that out", name);
    }
    if (call->structure != NULL) return message_usage("--method auto and --structure do not go together");
    if (arguments_have(given, "shard"))
        return message_usage("--method auto needs all rows: --shard does not go with it");
    return ENDED_WELL;
}

/* ---- What was chosen ---- */

static void add_options(const crd_comparison *comparison, size_t candidate, string *out) {
    const char *name, *value, *before = " (";
    for (size_t i = 0; crd_comparison_setting(comparison, candidate, i, &name, &value); i++) {
        string_format(out, "%s--%s %s", before, name, value);
        before = " ";
    }
    if (before[1] == '\0') string_add_char(out, ')');
}

static void report_choice(const crd_comparison *comparison) {
    crd_recommendation r = CRD_RECOMMENDATION_INIT;
    crd_comparison_result chosen = CRD_COMPARISON_RESULT_INIT;
    char loss[ROUNDED_ROOM], baseline[ROUNDED_ROOM];
    string line = {0};
    crd_comparison_recommendation(comparison, &r);
    crd_comparison_result_at(comparison, r.candidate, &chosen);
    string_format(&line, "chose %s", chosen.name);
    add_options(comparison, r.candidate, &line);
    string_format(&line, ": log loss %s in cross-validation, %s of the class prior. ",
                  output_round(chosen.log_loss, loss), output_round(r.baseline_log_loss, baseline));
    comparison_add_reason(comparison, &line);
    if (r.reason == CRD_RECOMMENDED_NONE) {
        message_warning("%s", string_text(&line));
    } else {
        comparison_add_not_tried(comparison, &line);
        message_note("%s", string_text(&line));
    }
    string_free(&line);
}

/* Which candidates there are depends on the machine where time is short. */
static void report_left_out_for_time(const crd_comparison *comparison) {
    size_t count = 0;
    for (size_t i = 0; i < crd_comparison_count(comparison); i++) {
        crd_comparison_result one = CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(comparison, i, &one);
        count += one.status == CRD_CANDIDATE_TOO_SLOW || one.status == CRD_CANDIDATE_TIMED_OUT;
    }
    if (count == 0) return;
    message_warning(
        "%zu candidate%s left out for time, so that another machine may choose otherwise; --patience SECONDS "
        "gives each more",
        count, count == 1 ? " was" : "s were");
}

/* ---- Choosing ---- */

static int compare(const invocation *call, crd_row_source *source, const crd_settings *settings, unsigned threads,
                   const char *path, crd_settings **out) {
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    comparison_progress progress;
    crd_comparison *comparison = NULL;
    crd_recommendation found = CRD_RECOMMENDATION_INIT;
    crd_error error;
    uint64_t patience = PATIENCE;
    int ended = arguments_whole(&call->arguments, "patience", &patience);
    if (ended != ENDED_WELL) return ended;
    if (patience == 0) return message_usage("--patience 0 leaves no time for anything: give 1 second or more");
    options.settings = settings;
    options.seconds = (double)patience;
    options.threads = threads;
    comparison_progress_begin(&progress, &options);
    crd_status status = crd_comparison_create(source, &options, &comparison, &error);
    progress.comparison = comparison;
    if (status == CRD_OK) status = crd_comparison_run(comparison, &error);
    progress_erase();
    if (status == CRD_OK) {
        crd_comparison_recommendation(comparison, &found);
        status = crd_comparison_settings(comparison, found.candidate, out, &error);
    }
    if (status == CRD_OK) {
        report_choice(comparison);
        report_left_out_for_time(comparison);
    }
    crd_comparison_destroy(comparison);
    return status == CRD_OK ? ENDED_WELL : message_error_in(&error, path);
}

int auto_method_train(const invocation *call, data *d, const char *path, const char *tallies, crd_model **out,
                      crd_read_facts *facts) {
    crd_settings *given = NULL, *chosen = NULL;
    crd_row_source *source = NULL;
    crd_error error;
    const crd_text none = {NULL, 0};
    *out = NULL;
    int ended = check_options(call);
    if (ended != ENDED_WELL) return ended;
    if (crd_settings_create(call->context, &given, &error) != CRD_OK) return message_error(&error);
    ended = arguments_apply_other_settings(&call->arguments, "method", given);
    if (ended == ENDED_WELL && crd_row_source_create(d->reader, &source, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL) ended = compare(call, source, given, crd_reader_threads(d->reader), path, &chosen);
    if (ended == ENDED_WELL) crd_row_source_set_frame_rows(source, 0);
    if (ended == ENDED_WELL && searched_structure_state_arcs(source, chosen, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL && crd_row_source_train(source, chosen, tallies == NULL ? none : crd_text_of(tallies), out,
                                                    facts, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    crd_row_source_destroy(source);
    crd_settings_destroy(chosen);
    crd_settings_destroy(given);
    return ended;
}
