/* SPDX-License-Identifier: MIT */
/* option_scope.c - see option_scope.h. */
#include "source/option_scope.h"

#include "core/messages.h"
#include "core/verb.h"

#include <string.h>

/* Fails with "PATH is WHAT: --name is for OTHERS" if a given option has one of these scopes. */
static int option_scope_refuse(const invocation *call, const char *path, unsigned scopes, const char *description,
                               const char *others) {
    const char *name = arguments_in_scope(&call->arguments, scopes);
    return name == NULL ? ENDED_WELL : message_usage("%s is %s: --%s is for %s", path, description, name, others);
}

int option_scope_check_model(const invocation *call, const char *path, bool is_network) {
    unsigned scopes = SCOPE_NOT_MODELS | (is_network ? 0u : SCOPE_NOT_PLAIN_MODELS);
    return option_scope_refuse(call, path, scopes, "a model, whose columns are fixed", "tables");
}

int option_scope_check_settings(const invocation *call, const char *path) {
    const char *name = arguments_setting(&call->arguments);
    if (name == NULL) return ENDED_WELL;
    return message_usage("%s has fixed tables: --%s is for tables estimated from rows", path, name);
}

int option_scope_check_network(const invocation *call, bool is_file) {
    const char *path = call->arguments.operands[0];
    unsigned scopes = SCOPE_NOT_NETWORKS | (is_file ? SCOPE_NOT_NETWORK_FILES : 0u);
    if (is_file && call->arguments.operand_count == 1) scopes |= SCOPE_ROWS;
    int ended = option_scope_refuse(call, path, scopes, "a network", "tables and other models");
    /* --plot without a file draws densities in characters. The picture of a network needs a file. */
    const char *plot = arguments_value(&call->arguments, "plot");
    if (ended == ENDED_WELL && plot != NULL && plot[0] == '\0') {
        message_usage("%s is a network: --plot is for tables and other models", path);
        message_hint("use --plot FILE.svg to draw it");
        return ENDED_USAGE;
    }
    return ended == ENDED_WELL && is_file ? option_scope_check_settings(call, path) : ended;
}

int option_scope_check_node_model(const invocation *call, const char *path) {
    int ended = option_scope_refuse(call, path, SCOPE_NOT_NODE_MODELS, "a network, whose nodes are fixed", "tables");
    return ended == ENDED_WELL ? option_scope_check_settings(call, path) : ended;
}

/* Prints a hint with the verbs that accept sequence models: "predict, show and evaluate". */
static void hint_at_sequence_verbs(void) {
    string names = {0};
    size_t count = 0, listed = 0;
    for (size_t i = 0; verb_table[i] != NULL; i++) count += verb_table[i]->takes_sequences;
    for (size_t i = 0; verb_table[i] != NULL; i++) {
        if (!verb_table[i]->takes_sequences) continue;
        if (listed > 0) string_format(&names, listed + 1 == count ? " and " : ", ");
        string_format(&names, "%s", verb_table[i]->name);
        listed++;
    }
    message_hint("verbs that support them: %s", string_text(&names));
    string_free(&names);
}

int option_scope_check_sequence_model(const invocation *call, const char *path) {
    const char *method = arguments_value(&call->arguments, "method");
    if (method != NULL && strcmp(method, "sequence") != 0)
        return message_usage("%s is a sequence model: --method %s is for models of rows", path, method);
    if (arguments_have(&call->arguments, "states"))
        return message_usage("%s is a model, whose states are fixed: --states is for tables", path);
    const char *name = arguments_setting_in(&call->arguments, "network|text");
    return name == NULL ? ENDED_WELL : message_usage("%s is a sequence model: --%s is for models of rows", path, name);
}

/* Returns whether the model has a text column. */
static bool option_scope_has_texts(const crd_model *model) {
    crd_summary *summary = NULL;
    bool has_texts = crd_summary_create(model, &summary, NULL) != CRD_OK;
    for (size_t i = 0; !has_texts && i < summary->attribute_count; i++)
        has_texts = summary->attributes[i].type == CRD_TYPE_TEXT;
    crd_summary_destroy(summary);
    return has_texts;
}

int option_scope_check_texts(const invocation *call, const char *path, const crd_model *model) {
    const char *name = arguments_setting_in(&call->arguments, "text");
    if (name == NULL || option_scope_has_texts(model)) return ENDED_WELL;
    return message_usage("%s has no text columns: --%s is for texts", path, name);
}

/* Options for rows, and their replacements for sequences. */
static const struct {
    const char *name, *instead;
} instead_for_sequences[] = {
    {"typicality",
     "log_evidence is the log probability of each step given the steps before it; small values are surprising"},
    {"leave-one-out", "--cross-validate K holds out whole sequences"},
    {"joint-distribution", "use --path A,B for the probability of consecutive states"}};

static int refuse_for_sequences(const invocation *call, const char *path, const char *description, const char *others) {
    const char *name = arguments_in_scope(&call->arguments, SCOPE_NOT_SEQUENCES);
    const int ended = option_scope_refuse(call, path, SCOPE_NOT_SEQUENCES, description, others);
    for (size_t i = 0; name != NULL && i < sizeof instead_for_sequences / sizeof *instead_for_sequences; i++)
        if (strcmp(instead_for_sequences[i].name, name) == 0) message_hint("%s", instead_for_sequences[i].instead);
    return ended;
}

int option_scope_check_sequence_table(const invocation *call, const char *path) {
    return refuse_for_sequences(call, path, "read as sequences", "rows");
}

int option_scope_check_sequences(const invocation *call, const char *path) {
    if (call->verb->takes_sequences) return refuse_for_sequences(call, path, "a sequence model", "models of rows");
    message_failed("%s is a sequence model, which %s does not support", path, call->verb->name);
    hint_at_sequence_verbs();
    return ENDED_FAILED;
}

int option_scope_check_rows(const invocation *call, const char *path) {
    const char *name = arguments_setting_in(&call->arguments, "sequence");
    if (name != NULL)
        return message_usage("%s is not a sequence model: --%s needs one (train --method sequence)", path, name);
    return option_scope_refuse(call, path, SCOPE_SEQUENCES, "not a sequence model",
                               "sequence models (train --method sequence)");
}

int option_scope_check_others(const invocation *call) {
    return option_scope_refuse(call, call->arguments.operands[0], SCOPE_NETWORKS, "not a network", "networks");
}
