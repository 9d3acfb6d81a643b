/* SPDX-License-Identifier: MIT */
/* evaluate_run.c - the member "run" of JSON, which describes how to repeat the evaluation: files, options, settings,
 * folds, seed and version. */
#include "verbs/evaluate/evaluate_verb.h"

#include <string.h>

static size_t count_given(const arguments *words, const char *name) {
    size_t count = 0;
    for (size_t i = 0; i < words->option_count; i++) count += strcmp(words->options[i].name, name) == 0;
    return count;
}

static void evaluate_run_add_value(report *r, const char *key, const char *value) {
    if (value == NULL) report_boolean(r, key, true);
    else report_words(r, key, value);
}

/* Adds the options as they were given: a flag is true, and an option that was given several times is a list. */
static void evaluate_run_add_options(report *r, const arguments *words) {
    report_object(r, "options");
    for (size_t i = 0; i < words->option_count; i++) {
        const char *name = words->options[i].name;
        bool is_first = true;
        for (size_t before = 0; before < i; before++)
            is_first = is_first && strcmp(words->options[before].name, name) != 0;
        if (!is_first) continue;
        if (count_given(words, name) == 1) {
            evaluate_run_add_value(r, name, words->options[i].value);
            continue;
        }
        report_array(r, name);
        for (size_t index = i; index < words->option_count; index++)
            if (strcmp(words->options[index].name, name) == 0)
                evaluate_run_add_value(r, NULL, words->options[index].value);
        report_end(r);
    }
    report_end(r);
}

/* Adds all settings, including the defaults. */
static void evaluate_run_add_settings(report *r, const crd_settings *settings) {
    report_object(r, "settings");
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name, *value = crd_settings_get(settings, name);
        if (value != NULL) report_words(r, name, value);
    }
    report_end(r);
}

static void add_split(report *r, const crd_split_options *options, const crd_split *split) {
    if (options->held_out > 0) report_number(r, "held_out", (double)options->held_out / options->folds);
    else report_number(r, "folds", (double)crd_split_fold_count(split));
    if (options->column == SIZE_MAX) report_number(r, "seed", (double)options->seed);
}

/* Reports the version, the files, the options, the split and the settings of the evaluation. */
void evaluate_report_run(report *r, const ran *source_ran, uint64_t row_count) {
    const arguments *words = &source_ran->call->arguments;
    report_short_object(r, "run");
    report_words(r, "version", crd_version());
    report_words(r, "verb", "evaluate");
    report_array(r, "files");
    for (size_t i = 0; i < words->operand_count; i++) report_words(r, NULL, words->operands[i]);
    report_end(r);
    evaluate_run_add_options(r, words);
    if (source_ran->target.bytes != NULL) report_text(r, "target", source_ran->target);
    report_number(r, "rows", (double)row_count);
    if (source_ran->split != NULL) add_split(r, source_ran->split_options, source_ran->split);
    if (source_ran->settings != NULL) {
        report_words(r, "method", crd_settings_get(source_ran->settings, "method"));
        evaluate_run_add_settings(r, source_ran->settings);
    }
    report_end(r);
}
