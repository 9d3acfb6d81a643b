/* SPDX-License-Identifier: MIT */
/* network_model.c - see network_model.h. */
#include "source/network_model.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/data_input.h"
#include "source/input_file.h"
#include "source/option_scope.h"

#include <stdlib.h>
#include <string.h>

/* ---- The target ---- */

static crd_text *node_names(const crd_network *network) {
    size_t count = crd_network_node_count(network);
    crd_text *names = memory_resize(NULL, count, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = crd_network_node_name(network, i);
    return names;
}

static int ask_for_target(const crd_network *network, const char *path) {
    string names = {0};
    size_t listed = 0;
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        if (crd_network_node_kind(network, i) != CRD_NODE_CHANCE) continue;
        string_add_listed(&names, listed++, crd_network_node_name(network, i));
    }
    if (listed == 0) {
        message_failed("%s: no node of the network has states that could be predicted", path);
        return ENDED_FAILED;
    }
    message_usage("%s: missing --target, the node to predict", path);
    message_hint("the nodes are %s", string_text(&names));
    string_free(&names);
    return ENDED_USAGE;
}

static bool network_model_has_column(const crd_reader *reader, crd_text name) {
    for (size_t i = 0; i < crd_reader_column_count(reader); i++)
        if (crd_text_equal(crd_reader_column_name(reader, i), name)) return true;
    return false;
}

/* Finds the single chance node that has no column in the rows. SIZE_MAX: none, several, or the rows can be read only
 * once. */
static int find_absent(const invocation *call, const crd_network *network, const char *const *paths, size_t count,
                       size_t *out) {
    data d;
    *out = SIZE_MAX;
    for (size_t i = 0; i < count; i++)
        if (input_file_reads_once(paths[i])) return ENDED_WELL;
    if (count == 0) return ENDED_WELL;
    int ended = data_open(call, paths, count, false, &d);
    if (ended != ENDED_WELL) return ended;
    size_t absent = 0, absent_index = SIZE_MAX;
    for (size_t i = 0; i < crd_network_node_count(network); i++) {
        bool is_asked = crd_network_node_kind(network, i) == CRD_NODE_CHANCE;
        if (!is_asked || network_model_has_column(d.reader, crd_network_node_name(network, i))) continue;
        absent++;
        absent_index = i;
    }
    if (absent == 1) *out = absent_index;
    data_close(&d);
    return ENDED_WELL;
}

int network_model_make(const invocation *call, const crd_network *network, const char *name, crd_text usual,
                       crd_model **out) {
    const char *typed = arguments_value(&call->arguments, "target");
    crd_text target = typed == NULL ? usual : crd_text_of(typed);
    crd_error error;
    *out = NULL;
    if (target.bytes == NULL) return ask_for_target(network, name);
    if (crd_network_find(network, target) == SIZE_MAX) {
        crd_text *names = node_names(network);
        int ended = message_no_such("target", "node", target, names, crd_network_node_count(network));
        free(names);
        return ended;
    }
    return crd_model_from_network(network, target, out, &error) == CRD_OK ? ENDED_WELL : message_error_in(&error, name);
}

/* Creates the model as network_model_make does. The default target is the single node that has no column in the rows of
 * these paths. */
static int make_for_rows(const invocation *call, const crd_network *network, const char *name, const char *const *paths,
                         size_t path_count, crd_model **out) {
    bool is_named = arguments_have(&call->arguments, "target");
    size_t absent = SIZE_MAX;
    int ended = is_named ? ENDED_WELL : find_absent(call, network, paths, path_count, &absent);
    crd_text usual = absent == SIZE_MAX ? (crd_text){NULL, 0} : crd_network_node_name(network, absent);
    if (ended == ENDED_WELL) ended = network_model_make(call, network, name, usual, out);
    if (ended == ENDED_WELL && !is_named) {
        string shown = {0};
        string_add_shown(&shown, usual);
        message_note("the target is '%s', the only node without a column in the rows (--target)", string_text(&shown));
        string_free(&shown);
    }
    return ended;
}

/* ---- Files ---- */

int network_model_load(const invocation *call, const char *path, const char *const *paths, size_t path_count,
                       crd_model **out) {
    crd_network *network = NULL;
    *out = NULL;
    int ended = option_scope_check_node_model(call, path);
    if (ended != ENDED_WELL) return ended;
    ended = input_file_load_network(call, path, &network);
    if (ended != ENDED_WELL) return ended;
    message_columns_settled_by("the network has");
    ended = make_for_rows(call, network, path, paths, path_count, out);
    crd_network_destroy(network);
    return ended;
}

/* ---- Models ---- */

int network_model_settings(const invocation *call, const crd_model *model, crd_settings **out) {
    crd_error error;
    if (crd_settings_clone(crd_model_settings(model), out, &error) != CRD_OK) return message_error(&error);
    return arguments_apply_settings(&call->arguments, *out);
}

int network_model_network(const invocation *call, const char *path, const crd_model *model, crd_network **out) {
    crd_settings *settings = NULL;
    crd_error error;
    *out = NULL;
    int ended = network_model_settings(call, model, &settings);
    if (ended == ENDED_WELL && crd_network_from_model(model, settings, out, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    crd_settings_destroy(settings);
    return ended;
}

/* Such a model has neither rows nor a structure whose tables could be learned. */
bool network_model_is_stated(const crd_model *model) {
    crd_summary *summary = NULL;
    if (model == NULL || !crd_model_is_network(model)) return false;
    if (strcmp(crd_settings_get(crd_model_settings(model), "arcs"), "none") != 0) return false;
    bool is = crd_summary_create(model, &summary, NULL) == CRD_OK && summary->rows == 0;
    crd_summary_destroy(summary);
    return is;
}

const char *network_model_unseen_items(const crd_classifier *classifier, bool is_one) {
    size_t texts = 0, count = classifier == NULL ? 0 : crd_classifier_attribute_count(classifier);
    for (size_t i = 0; i < count; i++) texts += crd_classifier_attribute_type(classifier, i) == CRD_TYPE_TEXT;
    if (texts == 0) return is_one ? "value" : "values";
    if (texts == count) return is_one ? "word" : "words";
    return is_one ? "value or word" : "values or words";
}

const char *network_model_unseen_words(const crd_model *model) {
    return network_model_is_stated(model) ? "not in the network" : "never seen in training";
}

static bool network_model_is_target(const crd_model *model, crd_text name) {
    return crd_model_target(model).bytes != NULL && crd_text_equal(crd_model_target(model), name);
}

int network_model_turn(const invocation *call, const char *path, crd_model **model) {
    const char *target = arguments_value(&call->arguments, "target");
    crd_network *network = NULL;
    crd_model *turned = NULL;
    int ended = network_model_is_stated(*model) ? option_scope_check_settings(call, path) : ENDED_WELL;
    if (ended != ENDED_WELL || target == NULL || network_model_is_target(*model, crd_text_of(target))) return ended;
    ended = network_model_network(call, path, *model, &network);
    if (ended == ENDED_WELL) ended = network_model_make(call, network, path, crd_text_of(target), &turned);
    if (ended == ENDED_WELL) {
        crd_model_destroy(*model);
        *model = turned;
    }
    crd_network_destroy(network);
    return ended;
}

int network_model_find_target(const invocation *call, const char *path, const char *const *paths, size_t path_count,
                              crd_model **model) {
    crd_network *network = NULL;
    crd_model *turned = NULL;
    if (crd_model_target(*model).bytes != NULL) return ENDED_WELL;
    int ended = network_model_network(call, path, *model, &network);
    if (ended == ENDED_WELL) ended = make_for_rows(call, network, path, paths, path_count, &turned);
    if (ended == ENDED_WELL) {
        crd_model_destroy(*model);
        *model = turned;
    }
    crd_network_destroy(network);
    return ended;
}

int network_model_refuse(const invocation *call, const char *path, const char *verb) {
    if (input_file_reads_once(path) || input_file_kind(call, path) != CRD_FILE_NETWORK) return ENDED_WELL;
    message_failed("%s is a network with fixed tables: it has no counts to %s", path, verb);
    message_hint("estimate the tables from rows: credence train DATA --method network --arcs-from %s -o MODEL", path);
    return ENDED_FAILED;
}
