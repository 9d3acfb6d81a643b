/* SPDX-License-Identifier: MIT */
/* verb_merge.c - adds what several models have learned. */
#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"
#include "core/verb.h"
#include "source/model_or_table.h"
#include "source/network_model.h"

#include <string.h>

/* The settings of the command line hold for every model, so that models that differ in them can meet. */
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
    if (ended == ENDED_WELL) ended = model_or_table_open(call, path, out);
    return ended == ENDED_WELL ? apply_settings(call, *out) : ended;
}

/* Settings that need a tally which the models have not kept would be refused whenever the model is asked. */
static int check_settings(const invocation *call, const crd_model *model) {
    crd_error error;
    if (arguments_setting(&call->arguments) == NULL) return ENDED_WELL;
    const crd_settings *settings = crd_model_settings(model);
    if (arguments_have(&call->arguments, "structure") && strcmp(crd_settings_get(settings, "structure"), "none") != 0 &&
        !method_is_network(crd_settings_get(settings, "method"))) {
        return message_usage("--structure is for --method network, which counts the tables of its nodes");
    }
    crd_status status = model_or_table_check_answers(model, &error);
    return status == CRD_ERROR_SETTING ? message_error(&error) : ENDED_WELL;
}

static crd_kind kind_in(const crd_model *model, crd_text name) {
    crd_summary *summary = NULL;
    crd_kind kind = CRD_KIND_NONE;
    if (crd_summary_create(model, &summary, NULL) != CRD_OK) return kind;
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) {
        if (crd_text_equal(crd_summary_attribute(summary, a), name)) kind = crd_summary_kind(summary, a);
    }
    crd_summary_destroy(summary);
    return kind;
}

/* Where each part alone looked like another kind than the whole, whoever trains the parts has to say which it is. */
static void hint_at_kinds(const crd_model *sum, const crd_model *next, const crd_error *error) {
    crd_text name = crd_text_of(error->subject);
    crd_kind mine = kind_in(sum, name), theirs = kind_in(next, name);
    if (error->status != CRD_ERROR_SCHEMA_DIFFERS || mine == theirs) return;
    if (mine == CRD_KIND_NONE || theirs == CRD_KIND_NONE) return;
    string typed = {0};
    list_add_typed(&typed, name);
    message_hint("train every part with the same --schema (credence help schema), or with --category %s",
                 string_text(&typed));
    string_free(&typed);
}

static int run(invocation *call) {
    const arguments *given = &call->arguments;
    const char *to = arguments_value(given, "output");
    crd_model *sum = NULL, *next = NULL;
    crd_error error;
    if (to == NULL) return message_usage("merge needs a file to write the model to: -o MODEL");
    int ended = open_one(call, given->operands[0], &sum);
    for (size_t i = 1; i < given->operand_count && ended == ENDED_WELL; i++) {
        ended = open_one(call, given->operands[i], &next);
        if (ended == ENDED_WELL && crd_model_merge(sum, next, &error) != CRD_OK) {
            ended = message_error_in(&error, given->operands[i]);
            hint_at_kinds(sum, next, &error);
        }
        crd_model_destroy(next);
        next = NULL;
    }
    if (ended == ENDED_WELL && crd_model_fit(sum, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) ended = check_settings(call, sum);
    if (ended == ENDED_WELL && crd_model_save(sum, to, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        message_note("merged %zu model%s into %s", given->operand_count, given->operand_count == 1 ? "" : "s", to);
    }
    crd_model_destroy(sum);
    return ended;
}

static const option options[] = {OPTION_MODEL_OUTPUT, OPTIONS_OF_TABLE, OPTIONS_OF_READING, OPTIONS_END};

const verb verb_merge = {
    .name = "merge",
    .usage = "merge MODEL... -o MODEL",
    .summary = "Merge models that were trained on parts of the rows",
    .about = "The result is the very file that training on all rows at once would give, in whatever order the "
             "models are named. Models whose settings differ are refused, unless the command line sets them.\n\n"
             "Columns meet by name; where their order differs, the order of the model whose names come first by "
             "their bytes is kept.",
    .example = "  credence example tennis > days.csv\n"
               "  credence train days.csv --target Play -o a.model\n"
               "  credence train days.csv --target Play -o b.model\n"
               "  credence merge a.model b.model -o both.model\n",
    .essentials = "output|quiet",
    .options = options,
    .takes_sequences = true,
    .takes_settings = true,
    .least = 1,
    .most = SIZE_MAX,
    .operands = "MODEL...",
    .reads_operands = true,
    .run = run};
