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

static void evaluate_run_add_value(crd_result *r, const char *key, const char *value) {
    if (value == NULL) crd_result_boolean(r, key, true);
    else crd_result_words(r, key, value);
}

/* Adds the options as they were given: a flag is true, and an option that was given several times is a list. */
static void evaluate_run_add_options(crd_result *r, const arguments *words) {
    crd_result_begin(r, CRD_OBJECT, "options");
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
        crd_result_begin(r, CRD_ARRAY, name);
        for (size_t index = i; index < words->option_count; index++)
            if (strcmp(words->options[index].name, name) == 0)
                evaluate_run_add_value(r, NULL, words->options[index].value);
        crd_result_end(r);
    }
    crd_result_end(r);
}

/* Adds all settings, including the defaults. */
static void evaluate_run_add_settings(crd_result *r, const crd_settings *settings) {
    crd_result_begin(r, CRD_OBJECT, "settings");
    for (size_t i = 0; i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name, *value = crd_settings_get(settings, name);
        if (value != NULL) crd_result_words(r, name, value);
    }
    crd_result_end(r);
}

static void add_split(crd_result *r, const crd_split_options *options, const crd_split *split) {
    if (options->held_out > 0) crd_result_number(r, "held_out", (double)options->held_out / options->folds);
    else crd_result_number(r, "folds", (double)crd_split_fold_count(split));
    if (options->column == SIZE_MAX) crd_result_number(r, "seed", (double)options->seed);
}

/* Reports the version, the files, the options, the split and the settings of the evaluation. */
void evaluate_report_run(crd_result *r, const ran *source_ran, uint64_t row_count) {
    const arguments *words = &source_ran->call->arguments;
    crd_result_begin(r, CRD_SHORT_OBJECT, "run");
    crd_result_words(r, "version", crd_version());
    crd_result_words(r, "verb", "evaluate");
    crd_result_begin(r, CRD_ARRAY, "files");
    for (size_t i = 0; i < words->operand_count; i++) crd_result_words(r, NULL, words->operands[i]);
    crd_result_end(r);
    evaluate_run_add_options(r, words);
    if (source_ran->target.bytes != NULL) crd_result_text(r, "target", source_ran->target);
    crd_result_number(r, "rows", (double)row_count);
    if (source_ran->split != NULL) add_split(r, source_ran->split_options, source_ran->split);
    if (source_ran->settings != NULL) {
        crd_result_words(r, "method", crd_settings_get(source_ran->settings, "method"));
        evaluate_run_add_settings(r, source_ran->settings);
    }
    crd_result_end(r);
}
