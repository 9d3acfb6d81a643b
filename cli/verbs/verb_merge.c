/* SPDX-License-Identifier: MIT */
/* verb_merge.c - the verb merge: adds the sufficient statistics of several models. */
#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "core/verb.h"
#include "source/class_warnings.h"
#include "source/merge_fit.h"
#include "source/model_operand.h"
#include "source/network_model.h"
#include "source/part_models.h"

#include <string.h>

/* Applies the settings of the command line to a model. They apply to every model, so models with different settings
 * can be merged. */
static int apply_settings(const invocation *call, crd_model *model) {
    crd_settings *settings = NULL;
    crd_error error;
    if (arguments_setting(&call->arguments) == NULL) return ENDED_WELL;
    if (crd_settings_clone(crd_model_settings(model), &settings, &error) != CRD_OK) return message_error(&error);
    int ended = arguments_apply_settings(&call->arguments, settings);
    if (ended == ENDED_WELL && crd_model_set_settings(model, settings, &error) != CRD_OK) ended = message_error(&error);
    crd_settings_destroy(settings);
    return ended;
}

static int open_one(const invocation *call, const char *path, crd_model **out) {
    int ended = network_model_refuse(call, path, "merge");
    if (ended == ENDED_WELL) ended = model_operand_open(call, path, out);
    return ended == ENDED_WELL ? apply_settings(call, *out) : ended;
}

/* Checks that the merged model can predict. Settings of the command line are an error if they need statistics that
 * the models do not contain, or do not fit the counts. The models' own settings cause only a warning, because they
 * may fit after more parts are merged. */
static int merge_check_settings(const invocation *call, const crd_model *model) {
    crd_error error;
    const bool are_given = arguments_setting(&call->arguments) != NULL;
    const crd_settings *settings = crd_model_settings(model);
    if (are_given && (arguments_have(&call->arguments, "arcs") || arguments_have(&call->arguments, "search")) &&
        (strcmp(crd_settings_get(settings, "arcs"), "none") != 0 ||
         strcmp(crd_settings_get(settings, "search"), "none") != 0) &&
        !method_is_network(crd_settings_get(settings, "method"))) {
        return message_usage("--arcs needs --method network, which counts the tables of the nodes");
    }
    if (model_operand_check_answers(model, &error) != CRD_ERROR_SETTING) return ENDED_WELL;
    if (are_given) return message_error(&error);
    message_warning("the model cannot predict under its own settings: %s", error.message);
    return ENDED_WELL;
}

/* Returns whether the files are large. Small models are merged as fast as they are compared, so files that differ
 * are searched for only after an error. */
static bool merge_are_large(const arguments *given) {
    enum { LARGE = 64 * 1024 * 1024 };
    crd_i_os_facts facts;
    double bytes = 0;
    for (size_t i = 0; i < given->operand_count; i++)
        if (crd_i_os_facts_of(given->operands[i], &facts)) bytes += (double)facts.size;
    return bytes > LARGE;
}

/* Runs the verb: reads the models, merges them and writes the result. */
static int merge_run(invocation *call) {
    const arguments *given = &call->arguments;
    const char *target = arguments_value(given, "output");
    crd_model *sum = NULL, *next = NULL;
    crd_error error;
    if (target == NULL) return message_usage("merge needs a file to write the model to: -o MODEL");
    bool ignores = false;
    size_t left_out = 0;
    int ended = part_models_ignore_duplicates(given, &ignores);
    if (ended == ENDED_WELL && merge_are_large(given))
        ended = merge_fit_check(call, given->operands, given->operand_count);
    if (ended == ENDED_WELL) ended = open_one(call, given->operands[0], &sum);
    for (size_t i = 1; i < given->operand_count && ended == ENDED_WELL; i++) {
        ended = open_one(call, given->operands[i], &next);
        if (ended == ENDED_WELL && part_models_add(sum, next, ignores, &left_out, &error) != CRD_OK)
            ended = part_models_report(call, &error, i);
        crd_model_destroy(next);
        next = NULL;
    }
    if (ended == ENDED_WELL && crd_model_fit(sum, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) ended = merge_check_settings(call, sum);
    if (ended == ENDED_WELL && crd_model_save(sum, target, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        const size_t count = given->operand_count - left_out;
        message_note("merged %zu model%s into %s", count, count == 1 ? "" : "s", target);
        if (left_out > 0) message_note("skipped %zu whose parts were already merged", left_out);
        else part_models_warn_of_copies(call);
        class_warnings_report_similar(sum);
    }
    crd_model_destroy(sum);
    return ended;
}

static const option options[] = {OPTION_MODEL_OUTPUT, OPTION_DUPLICATES, OPTIONS_OF_TABLE, OPTIONS_OF_READING,
                                 OPTIONS_END};

const verb verb_merge = {
    .name = "merge",
    .usage = "merge MODEL... -o MODEL",
    .summary = "Merge models that were trained on parts of the rows",
    .about =
        "The result is byte-identical to a model trained on all rows at once, in any order of the models. Models with "
        "different settings are rejected, unless the command line sets these settings.\n\n"
        "If the columns of two models differ, the error names both files. Large files are compared before any is "
        "merged.\n\n"
        "Columns are matched by name. If their order differs, the result has the order of the model whose names come "
        "first in byte order.\n\n"
        "Shards that were trained without a schema can be merged only with each other, until all shards are merged. If "
        "the values of all shards give a column another type than a single shard has, merging fails.\n\n"
        "A model that was trained with --part is a part with that id, and the merged model contains the ids of all its "
        "parts. A part that is already merged is rejected, or skipped (--duplicates skip), so no row is counted "
        "twice.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play --shard 1/2 -o a.model\n"
               "  credence train days.csv --target Play --shard 2/2 -o b.model\n"
               "  credence merge a.model b.model -o both.model\n",
    .essentials = "output|duplicates|quiet",
    .options = options,
    .takes_sequences = true,
    .setting_groups = SETTING_GROUPS,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "MODEL...",
    .reads_operands = true,
    .run = merge_run};
